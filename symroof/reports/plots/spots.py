"""Points of a roofline: the algorithm, its ops, and what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sympy import Expr

from symroof.errors import InputError, UnitError
from symroof.reports.plots.axes import (
    COLOURS,
    MEASURED,
    WHOLE,
    bound_words,
    number_or_raise,
    short,
)
from symroof.reports.plots.sampling import decimal, number_of
from symroof.roofline import OpRow, Roofline
from symroof.roofline.rows import OpTerms
from symroof.roofline.terms import MAIN, Resource
from symroof.symbolic import adopt
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

SAME = 0.02  # Decades: points nearer than that are one to the eye.
MOST_LABELS = 12
NAMED = 2
MEASURED_NAMES = 12
ABOVE_ROOF = 3
"""The colour of what was measured above the roof."""
LARGEST = 0.7  # Of the size of the whole, so that one sees it behind an op at its place.


@dataclass(frozen=True, slots=True)
class Spot:
    """A place under the roofs, in FLOP/byte and FLOP/s, with what stands there.

    Attributes
    ----------
    intensity, performance : float
        Where it is.
    label, detail : str
        Its name, and what is said of it.
    size : float
        From 0 to 1: its share of the time.
    colour : int
        Index into the palette.
    measured : bool
        Whether it was measured.
    level : str
        The level of memory whose intensity it has, where there are several.
    """

    intensity: float
    performance: float
    label: str = ""
    detail: str = ""
    size: float = 0.3
    colour: int = WHOLE
    measured: bool = False
    level: str = ""


def whole_spot(r: Roofline) -> Spot | None:
    """Return the algorithm as one point: its intensity, and the performance no run beats.

    None where it has no place on log axes: without FLOPs, or without bytes.

    Examples
    --------
    >>> import symroof as sr
    >>> spot = whole_spot(sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=64, n=4096, k=4096))
    >>> round(spot.intensity, 2), f"{spot.performance:.4g}"
    (62.06, '2.079e+14')
    """
    place = place_of(r)
    if place is None or r.performance is None:
        return None
    name = short(r.graph.name, 60)
    detail = (
        f"{name}: {number(place[0], 4)} FLOP/byte, at most {human(r.performance.resolved())}, "
        f"{bound_words(r.verdict())}; "
        f"{human(r.time.overlapped.resolved())} at least, {human(r.time.per_op.resolved())} per op"
    )
    return Spot(*place, short(r.graph.name), detail, 1.0, WHOLE)


def level_spots(r: Roofline) -> list[Spot]:
    """Return the algorithm at its intensity at each level of memory that has bytes.

    Yang, Kurth and Williams, "Hierarchical roofline analysis for GPUs" (2020). With bytes at one
    level it is the one point of `whole_spot`.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", residency="partial")
    >>> [spot.label for spot in level_spots(r.at(m=8192, n=8192, k=8192))]
    ['einsum at l2', 'einsum at hbm']
    """
    whole = whole_spot(r)
    if whole is None:
        return []
    found = []
    for row in r.levels:
        if row.intensity is None or row.bytes.resolved().expr == 0:
            continue
        intensity, time = number_or_raise("roofline", row.intensity), human(row.time.resolved())
        said = f"{number(intensity, 4)} FLOP/byte at {row.name}, {time} there; {whole.detail}"
        label = f"{whole.label} at {short(row.name)}"
        found.append(replace(whole, intensity=intensity, label=label, detail=said, level=row.name))
    if len(found) == 1:
        return [replace(whole, intensity=found[0].intensity)]
    return found or [whole]


def place_of(r: Roofline) -> tuple[float, float] | None:
    """Return intensity and attainable performance of the algorithm; None where it has none.

    With bytes at several levels the intensity is that at the level that takes longest.
    """
    performance = r.performance
    rows = [row for row in r.levels if row.bytes.resolved().expr != 0]
    longest = max(rows, key=lambda row: number_of(row.time.resolved().value), default=None)
    intensity = r.intensity if longest is None else longest.intensity
    if intensity is None or performance is None or r.flops.expr == 0:
        return None
    found = number_or_raise("roofline", intensity), number_or_raise("roofline", performance)
    return found if all(0 < part < math.inf for part in found) else None


def op_spots(r: Roofline) -> list[Spot]:
    """Return a point for each op that computes something and moves something; longest first.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mlp"), "h100-sxm").at(B=64, D=4096, F=14336)
    >>> [(spot.label, round(spot.size, 2)) for spot in op_spots(r)]
    [('gate ×2', 0.46), ('y', 0.23), ('hidden', 0.01), ('act', 0.01)]
    """
    charged = _Bytes(r)
    rows = sorted(zip(r.ops(), r.op_terms, strict=True), key=lambda pair: -(pair[0].share or 0.0))
    found = []
    for row, terms in rows:
        if row.flops.expr == 0 or row.intensity is None or row.time.expr == 0:
            continue
        intensity = charged.intensity(row, terms)
        performance = (row.flops / row.time).resolved()
        reached = number_of(performance.value)
        if not (0 < intensity < math.inf and 0 < reached < math.inf):
            continue
        bound = str(row.bound)
        found.append(
            Spot(
                intensity,
                reached,
                _label(row),
                f"{_label(row)}: {number(intensity, 4)} FLOP/byte, {human(performance)}, "
                f"{human(row.time.resolved())}, {(row.share or 0) * 100:.3g} % of the time, "
                f"{bound_words(row.bound)}",
                LARGEST * (row.share or 0.0),
                COLOURS.get(bound, WHOLE),
            )
        )
    return found


class _Bytes:
    """Bytes of one op by level, as numbers."""

    def __init__(self, r: Roofline) -> None:
        self.r = r
        self.scope = r.unbound.scope
        self.given = {n: v for n, v in r.bindings.items() if n in self.scope.dimensions}

    def intensity(self, row: OpRow, terms: OpTerms) -> float:
        """Return the intensity of an op at the level of memory where its bytes take longest."""
        charged = self.r.inside.charged(terms.work)
        if len(charged) == 1 and MAIN in charged:
            return number_of((row.intensity or row.flops).value)
        moved = {resource: self.number(amount) for resource, amount in charged.items()}
        longest = max(moved, key=lambda resource: self.time(moved[resource], resource))
        count = number_of(row.count.resolved().value)
        whole = moved[longest] * count
        return number_of(row.flops.resolved().value) / whole if whole else math.inf

    def number(self, amount: Expr) -> float:
        """Return bytes with what is bound put in."""
        quantity = Quantity.of(amount, "byte", self.scope)
        return number_of(quantity.at(self.given).resolved().value)

    def time(self, moved: float, resource: Resource) -> float:
        """Return how long bytes take at a level."""
        return moved / number_of(self.r.rate(resource).resolved().value)


def merged(wholes: Sequence[Spot], ops: Sequence[Spot]) -> list[Spot]:
    """Return the whole and its ops, those one cannot tell apart as one; the largest first.

    Examples
    --------
    >>> ops = [Spot(1, 1, "a"), Spot(1.01, 1, "b"), Spot(9, 1, "c")]
    >>> [spot.label for spot in merged([], ops)]
    ['a, b', 'c']
    """
    groups: list[list[Spot]] = []
    for spot in ops:
        near = next((group for group in groups if _same(group[0], spot)), None)
        if near is None:
            groups.append([spot])
        else:
            near.append(spot)
    found = [_together(group) for group in groups]
    found.sort(key=lambda spot: -spot.size)
    found = [spot if i < MOST_LABELS else replace(spot, label="") for i, spot in enumerate(found)]
    alone = len(found) == 1 and any(_same(whole, found[0]) for whole in wholes)
    if alone:
        return [replace(whole, colour=found[0].colour) for whole in wholes]
    return [*wholes, *found]


def measured_spots(r: Roofline, measured: Sequence[Sequence[object]]) -> list[Spot]:
    """Return what was measured: of the whole a time, or an intensity and a performance.

    Raises
    ------
    InputError
        If an entry is neither.
    UnitError
        If a unit is another one.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=64, n=4096, k=4096)
    >>> spot, = measured_spots(r, [("run", "20 us")])
    >>> f"{spot.performance:.4g}"
    '1.074e+14'
    """
    found = []
    for entry in measured:
        if not isinstance(entry, list | tuple) or len(entry) not in (2, 3):
            raise InputError(
                f"expected (label, time) or (label, intensity, performance), not {entry!r:.60}",
                where="measured",
            )
        label, *values = entry
        amounts = [Quantity(value) for value in values]
        units = ["s"] if len(amounts) == 1 else ["FLOP/byte", "FLOP/s"]
        for amount, unit in zip(amounts, units, strict=True):
            _amount(amount, unit, f"measured {label!s:.40}")
        if len(amounts) == 1:
            if r.intensity is None:
                raise InputError(f"{r.graph.name} has no intensity", where=f"measured {label}")
            amounts = [r.intensity, r.flops / amounts[0]]
        place = [number_of(amount.resolved().value) for amount in amounts]
        if not all(0 < part < math.inf for part in place):
            raise InputError("no place on log axes", where=f"measured {label!s:.40}")
        name = short(str(label))
        detail = f"{name}, measured: {number(place[0], 4)} FLOP/byte, "
        detail += human(amounts[1].resolved())
        found.append(Spot(place[0], place[1], name, detail, 0.3, MEASURED, True))
    return found


def measured_points(
    points: Sequence[Sequence[object]], peak: float, bandwidth: float
) -> list[Spot]:
    """Return measurements of other runs; of many none is named, those above the roof stand out.

    Parameters
    ----------
    points : sequence of (intensity, performance, label) or (intensity, performance, label, above)
        Quantities or texts with units; whether a point lies above its own roof, where that is not
        the one drawn. Sequences of such points, as `symroof.compare` makes them, will do too.
    peak, bandwidth : float
        The roof, FLOP/s and byte/s.

    Raises
    ------
    InputError
        If a point is none of these.
    UnitError
        If a unit is another one.

    Examples
    --------
    >>> spots = measured_points([("10 FLOP/byte", "2 TFLOP/s", "gemm")], 1e15, 1e11)
    >>> spots[0].detail
    'gemm, measured: 10 FLOP/byte, 2 TFLOP/s, above the roof'
    """
    every = list(_flat(points))
    found = []
    for point in every:
        name = short(str(point[2]))
        intensity = _amount(point[0], "FLOP/byte", f"points {name:.40}")
        reached = _amount(point[1], "FLOP/s", f"points {name:.40}")
        above = point[3] if len(point) == 4 else reached > min(peak, intensity * bandwidth)
        detail = f"{name}, measured: {number(intensity, 4)} FLOP/byte, "
        detail += human(Quantity.of(adopt(decimal(reached)), "FLOP/s"))
        detail += ", above the roof" if above else ""
        label = name if len(every) <= MEASURED_NAMES else ""
        colour = ABOVE_ROOF if above else MEASURED
        found.append(Spot(intensity, reached, label, detail, 0.3, colour, True))
    return found


def _flat(points: Sequence[Sequence[object]]) -> Iterator[Sequence[object]]:
    """Yield the points, those of sequences of points too."""
    for point in points:
        if isinstance(point, Sequence) and not isinstance(point, str | list | tuple):
            yield from _flat(point)  # type: ignore[arg-type]
        elif isinstance(point, list | tuple) and len(point) in (3, 4):
            yield point
        else:
            raise InputError(
                f"expected (intensity, performance, label), not {point!r:.60}", where="points"
            )


def _amount(given: object, unit: str, where: str) -> float:
    """Return a positive amount in a unit as a float."""
    amount = Quantity(given)
    if amount.unit != unit:
        raise UnitError(f"{where}: expected {unit}, got {amount}")
    if not amount.value.is_positive or not amount.value.is_finite:
        raise InputError(f"{amount} is not positive", where=where)
    return number_of(amount.value)


def _label(row: OpRow) -> str:
    count = row.count.value
    return short(row.name) if count == 1 else f"{short(row.name)} ×{number(count)}"


def _same(a: Spot, b: Spot) -> bool:
    across = math.log10(a.intensity / b.intensity)
    return math.hypot(across, math.log10(a.performance / b.performance)) < SAME


def _together(group: Sequence[Spot]) -> Spot:
    first = group[0]
    label = ", ".join(spot.label for spot in group[:NAMED])
    if len(group) > NAMED:
        label = f"{first.label} and {len(group) - 1} more"
    size = min(LARGEST, math.fsum(spot.size for spot in group))
    detail = "; ".join(spot.detail for spot in group[:6])
    return replace(first, label=label, size=size, detail=detail)
