"""Which tile is enough to be compute-bound, and which cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, S

from symroof.errors import InputError
from symroof.graph.tile import contraction_extra, contraction_footprint
from symroof.roofline.bindings import Bindings
from symroof.roofline.crossing import crossover
from symroof.roofline.terms import MAIN, Rates, Resource
from symroof.solve import Crossover
from symroof.symbolic import bind
from symroof.tiles.answers import Cache
from symroof.tiles.closed import hong_kung, share
from symroof.units import Quantity

if TYPE_CHECKING:
    from symroof.tiles.tiled import Tiling


def is_compute_bound(tiling: Tiling) -> bool:
    """Return whether its tile makes a contraction compute-bound, or balanced."""
    peak, bandwidth = peak_and_bandwidth(tiling).values()
    compute = tiling.flops / tiling.quantity(peak, "FLOP/s")
    return compute >= tiling.traffic / tiling.quantity(bandwidth, "byte/s")


def compute_bound(tiling: Tiling, name: str, *, whole: bool = False) -> Crossover:
    """Return for which values of a name a contraction is compute-bound, as `Tiling` has it."""
    counted = None if whole else share
    extra = contraction_extra(tiling.subject.contraction, tiling.tile, counted)
    both = peak_and_bandwidth(tiling)
    times = tiling.subject.flops, tiling.subject.once + extra
    compute, memory = (n / rate for n, rate in zip(times, both.values(), strict=True))
    given = tiling.bindings.given
    bound = {n: given[n] for n in given if n != name and n in tiling.scope.dimensions}
    return crossover(
        {"compute": compute, "memory": memory},
        Rates(both, tiling.rates.scope),
        tiling.scope,
        unknown=name,
        term="compute",
        bindings=bound,
    )


def cache(tiling: Tiling, name: str) -> Cache:
    """Return the fast memory that holds the tile which is enough, as `Tiling` has it."""
    at_tile = compute_bound(tiling, name)
    taken = contraction_footprint(tiling.subject.contraction, tiling.tile)
    footprint = without(tiling, taken, name).expr
    capacity = first = whole = None
    if at_tile.threshold is not None:
        at_threshold = bind(footprint, {name: at_tile.threshold})
        capacity = Quantity.of(at_threshold, "byte", at_tile.problem.scope())
    if not at_tile.free and at_tile.problem.integer:
        first = compute_bound(tiling, name, whole=True).first
    if first is not None:
        whole = tiling.quantity(bind(footprint, {name: first}), "byte")
    return Cache(at_tile, capacity, first, whole, _least_cache(tiling))


def _least_cache(tiling: Tiling) -> Quantity:
    """Return the capacity at which the intensity of the Hong-Kung bound is the ridge."""
    peak, bandwidth = peak_and_bandwidth(tiling).values()
    moved = hong_kung(tiling.subject.contraction, S.One)
    return tiling.quantity((peak / bandwidth * moved / tiling.subject.flops) ** 2, "byte")


def compared(tiling: Tiling) -> tuple[Resource, Resource]:
    """Return the peak and the bandwidth that are compared.

    Raises
    ------
    InputError
        Without a chip.
    """
    chip, level = tiling.chip, tiling.level
    if chip is None:
        raise InputError("it takes a chip to say what is compute-bound; give one with chip=")
    source = MAIN if level is None or level == chip.main else ("byte", level)
    return ("flop", tiling.subject.dtype), source


def peak_and_bandwidth(tiling: Tiling) -> dict[Resource, Expr]:
    """Return these two rates as they stand in formulas."""
    return {what: tiling.rates.by_resource[what] for what in compared(tiling)}


def unknown(tiling: Tiling, name: str | None) -> str:
    """Return the name that is asked for: the only one of the tile, where none is given.

    Raises
    ------
    InputError
        If the tile has several names, or none.
    """
    if name is not None:
        return name
    names = sorted(tiling.tile.names)
    if len(names) == 1:
        return names[0]
    if not names:
        raise InputError(
            f"the tile {tiling.tile} has no symbol to ask for; give one such as 'b, b, 32'"
        )
    raise InputError(f"the tile {tiling.tile} has several symbols; name one of {names}")


def without(tiling: Tiling, amount: Expr, name: str) -> Quantity:
    """Return bytes with all put in that is bound, less one name."""
    bound = tiling.bindings
    given, values = (
        {each: value for each, value in found.items() if each != name}
        for found in (bound.given, bound.values)
    )
    whole = Quantity.of(amount, "byte", tiling.scope)
    return Bindings(given, values, bound.rates).put_into(whole)
