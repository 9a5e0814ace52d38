"""Closed forms on a torus or a mesh with all axes busy at once.

Parts of the tensor go through the axes in different orders. The axes then carry loads that any mix
of orders can have; how even they can be is a question of submodular functions, and its answer
decides the time: of all sets of axes U, the one that must carry most for its links. Along an axis
of size a that wraps the ports of a chip carry half of the load each. Along one that does not, a
port at the end carries all of it in an all-gather, and a/(a − 1) of it in a reduce-scatter and an
all-gather together: the ports that are busiest in the one are idlest in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sympy import Add, Expr, Integer, Mul, Rational

from symroof.errors import InputError
from symroof.network.forms import (
    A2A,
    AG,
    AR,
    BROADCAST,
    GATHER,
    ONE,
    RS,
    ZERO,
    Amounts,
    crossing,
    others,
)
from symroof.network.names import Collective
from symroof.network.topology import Line, Ring, Torus
from symroof.symbolic.bounds import greatest
from symroof.symbolic.exact import shown

Axis = Ring | Line


def grid_amounts(collective: Collective, torus: Torus, v: Expr) -> Amounts:
    """Return what a collective moves over all axes of a torus of two or more of them.

    Raises
    ------
    InputError
        If some axes wrap around and others do not, and a size is a symbol.

    Examples
    --------
    >>> grid_amounts(AG, Torus((4, 4)), Integer(16)).egress
    15
    """
    axes, size = torus.axes, torus.size
    across = Add(*(_diameter(axis) for axis in axes))
    if collective is A2A:
        load = _busiest([v * crossing(axis.size) / (axis.size * _links(axis)) for axis in axes])
        mean = Add(*(_mean_exchange(axis, v) for axis in axes))
        return Amounts(torus.ports * load, mean, mean, across)
    share = others(v, size)
    if collective in (AG, RS):
        return Amounts(_evenly(torus, v), share, share, across)
    # All axes together are busiest there, whatever their sizes are.
    there_and_back = torus.ports / Add(*map(there_and_back_links, axes)) * share
    if collective is AR:
        return Amounts(there_and_back, 2 * share, 2 * share, 2 * across)
    if collective is GATHER:
        mean = Add(*(_mean_distance(axis) for axis in axes)) * v / size
        return Amounts(_evenly(torus, v), mean, mean, across)
    assert collective is BROADCAST
    return Amounts(there_and_back, share, share, 2 * across)


def axis_loads(axes: tuple[Axis, ...], links: Sequence[Expr] | None = None) -> list[Rational]:
    """Return the part of the volume that an all-gather moves along each axis, as even as can be.

    Parameters
    ----------
    axes : tuple of Ring or Line
        With sizes that are numbers.
    links : sequence of Rational, optional
        What each axis can carry; by default the links of its busiest chip.

    Examples
    --------
    >>> axis_loads((Ring(4), Ring(8))), axis_loads((Ring(2), Line(8)))
    ([31/64, 31/64], [1/2, 7/16])
    """
    widths = [Integer(_links(axis)) for axis in axes] if links is None else list(links)
    total = Mul(*(axis.size for axis in axes))
    loads: dict[int, Rational] = {}
    gathered = ONE
    left = set(range(len(axes)))
    while left:
        # The axes that must carry most go first; what they gathered multiplies what follows.
        groups = [g for k in range(len(left), 0, -1) for g in combinations(sorted(left), k)]
        must = {g: gathered * (_product(axes, g) - 1) / total for g in groups}
        rates = {g: must[g] / Add(*(widths[at] for at in g)) for g in groups}
        first = max(groups, key=lambda g: rates[g])
        loads |= {at: rates[first] * widths[at] for at in first}
        gathered *= _product(axes, first)
        left -= set(first)
    return [loads[at] for at in range(len(axes))]


def there_and_back_links(axis: Axis) -> Expr:
    """Return the load over that of the busiest port, of a reduce-scatter and an all-gather.

    Examples
    --------
    >>> there_and_back_links(Ring("n")), there_and_back_links(Line(4))
    (1, 3/4)
    """
    return ONE if isinstance(axis, Ring) else (axis.size - 1) / axis.size


def _evenly(torus: Torus, v: Expr) -> Expr:
    """Return the egress of an all-gather, its loads as even over the links as can be."""
    axes = torus.axes
    if len(set(map(type, axes))) == 1:
        return torus.ports / sum(map(_links, axes)) * others(v, torus.size)
    for axis in axes:
        if not axis.size.is_Integer:
            message = (
                "where some axes wrap around and others do not, the time needs sizes that are"
                f" numbers, not {shown(axis.size)}"
            )
            raise InputError(message, where=torus.name)
    loads = axis_loads(axes)
    busiest = max(load / _links(axis) for load, axis in zip(loads, axes, strict=True))
    return torus.ports * busiest * v


def _links(axis: Axis) -> int:
    return 2 if isinstance(axis, Ring) else 1


def _product(axes: tuple[Axis, ...], group: tuple[int, ...]) -> Expr:
    return Mul(*(axes[at].size for at in group))


def _diameter(axis: Axis) -> Expr:
    return axis.size // 2 if isinstance(axis, Ring) else axis.size - 1


def _mean_exchange(axis: Axis, v: Expr) -> Expr:
    a = axis.size
    return v * crossing(a) / a if isinstance(axis, Ring) else v * (a**2 - 1) / (3 * a)


def _mean_distance(axis: Axis) -> Expr:
    return crossing(axis.size) / axis.size if isinstance(axis, Ring) else (axis.size - 1) / 2


def _busiest(loads: list[Expr]) -> Expr:
    found = ZERO
    for load in loads:
        found = greatest(found, load)
    return found
