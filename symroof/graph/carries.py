"""What a repeat carries from one iteration to the next."""

from __future__ import annotations

from symroof.graph.repeat import Repeat
from symroof.graph.tensor import Tensor


def carried_out(repeat: Repeat) -> list[Tensor]:
    """Return the tensor of the body that each carry becomes.

    A body that returns one tensor several times has it once among its results; it then stands for
    the later carries that no other result fits.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", 4, "fp32")
    >>> y, z = g.repeat("r", 3, lambda a, b: (a + b,) * 2, (x, x))
    >>> carried_out(y.producer)
    [<add_0 [4] fp32>, <add_0 [4] fp32>]
    """
    left = list(repeat.body.results)
    carried: list[Tensor] = []
    for output in repeat.outputs:
        if left and left[0].spec is output.spec:
            carried.append(left.pop(0))
        else:
            carried.append(next(t for t in carried if t.spec is output.spec))
    return carried
