"""Mixture of experts: the feed-forward networks of the experts each token is routed to."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

from sympy import Expr, Mul

from symroof.errors import InputError, ShapeError
from symroof.graph.amounts import amount
from symroof.graph.indices import Indices, numbered
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import choice, rank_of, refuse_typo, whole
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.bounds import least
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below


class Distinct(Enum):
    """How many different experts a batch is taken to reach."""

    EXPECTED = "expected"
    BOUND = "bound"
    ALL = "all"


class _Experts(OpKind):
    name = "experts"
    count = "2*T*k*h*f per matrix, the k routed experts of each of T tokens only; 3 matrices gated"
    source = (
        "Fedus, Zoph and Shazeer 2022 (Switch Transformers): compute follows the routed experts; "
        "expected distinct experts E*(1 - (1 - k/E)**T) for uniform independent routing"
    )

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x, up, down, *gate = inputs
        if x.rank < 1:
            raise ShapeError(self.name, "x needs a dim", (x.text,))
        for what, spec in (("w_up", up), ("w_down", down)):
            rank_of(self.name, what, spec, 3)
        if up.shape[1] != x.shape[-1]:
            raise ShapeError(self.name, f"w_up must take {shown(x.shape[-1])}", (x.text, up.text))
        if down.shape[:2] != (up.shape[0], up.shape[2]):
            message = f"w_down must be {shown(up.shape[0])} matrices that take {shown(up.shape[2])}"
            raise ShapeError(self.name, message, (up.text, down.text))
        if gate and gate[0].shape != up.shape:
            raise ShapeError(self.name, "w_gate and w_up differ", (up.text, gate[0].text))
        number, k = up.shape[0], attrs["top_k"]
        if is_below(number - k, 0):
            message = f"a token cannot be routed to {shown(k)} of {shown(number)} experts"
            raise ShapeError(self.name, message, (up.text,))
        return (x.with_shape((*x.shape[:-1], down.shape[2])),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        x, *weights = inputs
        number, tokens = weights[0].shape[0], Mul(*x.shape[:-1])
        flops = sum(2 * tokens * attrs["top_k"] * Mul(*w.shape[1:]) for w in weights)
        given = attrs.get("experts", Distinct.EXPECTED.value)
        read = (
            distinct_experts(number, attrs["top_k"], tokens, Distinct(given))
            if isinstance(given, str)
            else given
        )
        reads = (x.bytes, *(w.bytes / number * read for w in weights))
        return Cost.moving(
            inputs, outputs, flops={compute_key(self.name, inputs): flops}, reads=reads
        )

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        tokens = numbered(inputs[0].rank - 1)
        gate = ((None, None, "f"),) * (len(inputs) - 3)
        rows = ((*tokens, None), (None, None, "f"), (None, "f", "o"), *gate)
        return Indices(rows, ((*tokens, "o"),), linear=(2,))

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        return (attrs["top_k"],)

    def domain(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> Iterable[tuple[Expr, Expr]]:
        return [*super().domain(inputs, attrs), (attrs["top_k"], inputs[1].shape[0])]


def distinct_experts(
    experts: Expr, top_k: Expr, tokens: Expr, distinct: Distinct = Distinct.EXPECTED
) -> Expr:
    """Return how many different experts `tokens` tokens reach, each routed to `top_k`.

    EXPECTED is E·(1 − (1 − k/E)^T), exact for uniform, independent routing; BOUND is
    min(T·k, E), the most there can be; ALL is E. The least there can be is k.

    Examples
    --------
    >>> from sympy import Integer
    >>> distinct_experts(Integer(8), Integer(2), Integer(3))
    37/8
    >>> distinct_experts(Integer(8), Integer(2), Integer(3), Distinct.BOUND)
    6
    """
    if distinct is Distinct.ALL:
        return experts
    if distinct is Distinct.BOUND:
        return least(tokens * top_k, experts)
    return experts * (1 - (1 - top_k / experts) ** tokens)


_EXPERTS = _Experts()


@register(_EXPERTS)
def experts(
    x: Tensor,
    w_up: Tensor,
    w_down: Tensor,
    w_gate: Tensor | None = None,
    *,
    top_k: Any,
    experts: Any = "expected",
    name: str | None = None,
) -> Tensor:
    """Apply to each token the feed-forward networks of the `top_k` experts it is routed to.

    Counts the products only, 2·T·k·h·f for each of the two matrices, three when gated; activation,
    gating product and the weighted sum of experts are not counted, nor the router, which is a
    `matmul` of its own. Reads x and the weights of the different experts reached, writes the
    result; the hidden layer stays on chip. How many experts that is: in expectation
    E·(1 − (1 − k/E)^T) for uniform routing; at least k, at most min(T·k, E).

    Parameters
    ----------
    x : Tensor
        Tokens, shape (..., h).
    w_up : Tensor
        Shape (E, h, f).
    w_down : Tensor
        Shape (E, f, h).
    w_gate : Tensor, optional
        Shape (E, h, f), for a gated network.
    top_k : int, symbol or text
        Experts per token.
    experts : {"expected", "bound", "all"}, number or text
        How many experts' weights are read: the expectation, min(T·k, E), all E, or a figure of
        one's own such as a measured one.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape (..., h) in the dtype of `x`.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or there are fewer experts than `top_k`.
    InputError
        If `top_k` is no whole number of 1 or more.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("mixture")
    >>> up, gate = (g.weight(n, (8, 4096, 14336), "bf16") for n in ("up", "gate"))
    >>> down = g.weight("down", (8, 14336, 4096), "bf16")
    >>> _ = ops.experts(g.input("x", ("B", 4096), "bf16"), up, down, gate, top_k=2)
    >>> str(g.flops)
    '704643072*B FLOP'
    >>> int(g.bytes.at(B=3).value) - 3 * 2 * 4096 * 2
    1629487104
    """
    attrs: AttrPairs = (("top_k", whole(top_k, "experts top_k")),)
    operands = (x, w_up, w_down) if w_gate is None else (x, w_up, w_down, w_gate)
    return apply(_EXPERTS, operands, (*attrs, *_distinct_attr(experts)), name)


def _distinct_attr(given: Any) -> AttrPairs:
    named = {member.value for member in Distinct}
    if isinstance(given, Distinct) or (isinstance(given, str) and given in named):
        found = choice(Distinct, given, "experts")
        return () if found is Distinct.EXPECTED else (("experts", found.value),)
    refuse_typo(given, Distinct, "experts experts")
    number = amount(given, "experts experts", "the number of experts")
    if number == 0:
        raise InputError("expected a number above 0, not 0", where="experts experts")
    return (("experts", number),)
