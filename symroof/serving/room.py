"""Room in memory for caches, beside the weights."""

from __future__ import annotations

from sympy import Integer

from symroof.serving.inputs import amount
from symroof.symbolic import max_of
from symroof.symbolic.build import floor_of
from symroof.units import Quantity


def sequences_that_fit(
    memory: Quantity | str, weights: Quantity | str, cache: Quantity | str
) -> Quantity:
    """Return for how many whole sequences there is room.

    Parameters
    ----------
    memory : Quantity or str
        byte of memory of all chips.
    weights : Quantity or str
        byte of all weights.
    cache : Quantity or str
        byte of the cache of one sequence.

    Returns
    -------
    Quantity
        A plain number; 0 where not even the weights fit, a formula while symbols are left.

    Examples
    --------
    >>> sequences_that_fit("160 GB", "104 GB", "4 GiB").value
    13
    >>> sequences_that_fit("80 GB", "104 GB", "4 GiB").value
    0
    """
    whole = amount(memory, "byte", "memory")
    kept = amount(weights, "byte", "weights", zero=True)
    room = (whole - kept) / amount(cache, "byte", "cache")
    return Quantity.of(max_of(Integer(0), floor_of(room.expr)), "", room.scope)
