"""Points of a roofline: the algorithm, its ops, and what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from symroof.errors import InputError, UnitError
from symroof.reports.plots.axes import COLOURS, MEASURED, WHOLE, number_or_raise, short
from symroof.reports.plots.sampling import number_of
from symroof.roofline import OpRow, Roofline
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

SAME = 0.02  # Decades: points nearer than that are one to the eye.
MOST_LABELS = 12
NAMED = 2
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
    """

    intensity: float
    performance: float
    label: str = ""
    detail: str = ""
    size: float = 0.3
    colour: int = WHOLE
    measured: bool = False


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
    bound = str(r.verdict())
    said = "memory-bound" if bound == "memory" else f"{bound}-bound"
    name = short(r.graph.name, 60)
    detail = (
        f"{name}: {number(place[0], 4)} FLOP/byte, at most {human(r.performance.resolved())}, "
        f"{bound if bound not in COLOURS or bound == 'balanced' else said}; "
        f"{human(r.time.overlapped.resolved())} at least, {human(r.time.per_op.resolved())} per op"
    )
    return Spot(*place, short(r.graph.name), detail, 1.0, WHOLE)


def place_of(r: Roofline) -> tuple[float, float] | None:
    """Return intensity and attainable performance of the algorithm; None where it has none."""
    intensity, performance = r.intensity, r.performance
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
    rows = sorted(r.ops(), key=lambda row: -(row.share or 0.0))
    found = []
    for row in rows:
        if row.flops.expr == 0 or row.intensity is None or row.time.expr == 0:
            continue
        intensity = number_of(row.intensity.value)
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
                f"{human(row.time.resolved())}, {(row.share or 0) * 100:.3g} % of the time, {bound}"
                + ("-bound" if bound in ("compute", "memory", "network") else ""),
                LARGEST * (row.share or 0.0),
                COLOURS.get(bound, WHOLE),
            )
        )
    return found


def merged(whole: Spot | None, ops: Sequence[Spot]) -> list[Spot]:
    """Return the whole and its ops, those one cannot tell apart as one; the largest first.

    Examples
    --------
    >>> ops = [Spot(1, 1, "a"), Spot(1.01, 1, "b"), Spot(9, 1, "c")]
    >>> [spot.label for spot in merged(None, ops)]
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
    if whole is None:
        return found
    if len(found) == 1 and _same(whole, found[0]):
        return [replace(whole, colour=found[0].colour)]
    return [whole, *found]


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
            if amount.unit != unit:
                raise UnitError(f"measured {label!s:.40}: expected {unit}, got {amount}")
            if not amount.value.is_positive or not amount.value.is_finite:
                raise InputError(f"{amount} is not positive", where=f"measured {label!s:.40}")
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
