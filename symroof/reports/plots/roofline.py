"""The roofline: performance against intensity, with ops under the roofs of the machine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from symroof.graph import Graph
from symroof.reports.plots.axes import COLOURS, headline, nice, number_or_raise, prefixed, short
from symroof.reports.plots.moves import Move, moves
from symroof.reports.plots.plot import (
    Arrow,
    Axis,
    Chart,
    Line,
    Mark,
    Place,
    Point,
    Region,
    Role,
    Rule,
)
from symroof.reports.plots.roofs import Flat, Slope, flats, lines, slopes
from symroof.reports.plots.spots import Spot, measured_spots, merged, op_spots, whole_spot
from symroof.roofline import Roofline
from symroof.symbolic.numerals import number
from symroof.units import human

ABOVE, BESIDE = 4.0, 2.5
AROUND = 8.0
MOST_RIDGES = 4
ON_ROOF = 0.01


def roofline(
    r: Roofline,
    *,
    fused: Graph | bool | None = None,
    grow: str | Mapping[str, object] | None = None,
    measured: Sequence[Sequence[object]] = (),
) -> Chart:
    """Draw the roofs of a machine, an algorithm and its ops under them, and what moves it.

    Parameters
    ----------
    r : Roofline
        With numbers for all symbols.
    fused : Graph or bool, optional
        The algorithm with ops fused, that an arrow leads to; by default elementwise ops ride
        along with the op before them. False for no arrow.
    grow : str or mapping of str to number, optional
        The symbol that grows, to four times what it is or to the number given; by default a batch.
        An empty text for no arrow.
    measured : sequence
        What was measured: ``(label, time)`` of the whole, or ``(label, intensity, performance)``;
        quantities or texts with units.

    Returns
    -------
    Chart
        On log-log axes: roofs, ridge points, the regions they make, points sized by their share
        of the time and coloured by their bound, arrows.

    Raises
    ------
    NumbersNeededError
        If symbols are free.
    InputError, UnitError
        If what was measured cannot be read.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=64, n=4096, k=4096)
    >>> chart = roofline(r, measured=[("run", "20 us")])
    >>> [mark.label for mark in chart.marks if isinstance(mark, Point | Rule)]
    ['ridge 295 FLOP/byte', 'einsum', 'run']
    """
    for quantity in (r.flops, r.bytes, r.time.per_op, r.time.overlapped):
        number_or_raise("roofline", quantity)
    flat, slope = flats(r), slopes(r)
    roof = max((one for one in flat if one.used), key=lambda one: one.peak)
    main = next(one for one in slope if one.used)
    whole = whole_spot(r)
    spots = merged(whole, op_spots(r))
    found = [] if whole is None else moves(r, whole, fused, grow)
    seen = measured_spots(r, measured)
    ridges = _ridges(flat, main)
    ends = [Spot(*move.end) for move in found]
    x = _x_axis(ridges, [*spots, *ends, *seen])
    unit, factor = prefixed("FLOP/s", float(roof.peak))
    y = _y_axis(x, main, flat, [*spots, *ends, *seen], unit, factor)
    bend = float(roof.peak / main.bandwidth), float(roof.peak)
    marks: list[Mark] = [
        *_regions(x, y, (bend[0], float(roof.peak / factor))),
        *lines(flat, slope, (x.low, x.high), y.low, factor),
        *(Rule(at, label) for at, label in ridges.items() if x.low < at < x.high),
        *(mark for move in found for mark in _way(move, bend, factor)),
        *(_point(spot, float(factor)) for spot in [*spots, *seen]),
    ]
    description = _description(r, spots, found, ridges)
    return Chart(headline("Roofline", r), description, x, y, tuple(marks))


def _ridges(flat: Iterable[Flat], main: Slope) -> dict[float, str]:
    """Return where the roofs that are used bend, with a label each."""
    used = [one for one in flat if one.used][:MOST_RIDGES]
    found = {}
    for one in used:
        at = one.peak / main.bandwidth
        name = f" {', '.join(one.dtypes)}" if len(used) > 1 else ""
        found[float(at)] = f"ridge{name} {number(at, 3)} FLOP/byte"
    return found


def _x_axis(ridges: Mapping[float, str], spots: Sequence[Spot]) -> Axis:
    places = [*ridges, *(spot.intensity for spot in spots)]
    low = min(*(place / BESIDE for place in places), min(ridges) / AROUND)
    high = max(*(place * BESIDE for place in places), max(ridges) * AROUND)
    return Axis("arithmetic intensity", "FLOP/byte", nice(low, up=False), nice(high, up=True))


def _y_axis(
    x: Axis, main: Slope, flat: Sequence[Flat], spots: Sequence[Spot], unit: str, factor: Fraction
) -> Axis:
    heights = [spot.performance for spot in spots]
    low = min([float(main.bandwidth) * x.low, *(height / 2 for height in heights)])
    top = max([float(one.peak) for one in flat if one.used])
    high = max([top * ABOVE, *(float(one.peak) * 1.5 for one in flat), *(h * 2 for h in heights)])
    low, high = nice(low / float(factor), up=False), nice(high / float(factor), up=True)
    return Axis("performance", unit, low, high)


def _regions(x: Axis, y: Axis, bend: Place) -> list[Region]:
    """Return what lies under the roof, left and right of the ridge, and over it."""
    ridge, peak = bend
    start = peak * x.low / ridge
    return [
        Region(
            ((x.low, y.low), (x.low, start), bend, (ridge, y.low)),
            "memory-bound",
            COLOURS["memory"],
        ),
        Region(
            ((ridge, y.low), bend, (x.high, peak), (x.high, y.low)),
            "compute-bound",
            COLOURS["compute"],
        ),
        Region(
            ((x.low, y.high), (x.low, start), bend, (x.high, peak), (x.high, y.high)),
            "unattainable",
            COLOURS["no work"],
        ),
    ]


def _way(move: Move, bend: Place, factor: Fraction) -> list[Mark]:
    """Return an arrow; where it leads from the slope to the flat of the roof, it turns there."""
    start, corner, end = ((x, y / float(factor)) for x, y in (move.start, bend, move.end))
    over = start[0] < corner[0] < end[0]
    on_roof = math.isclose(start[1] * corner[0], start[0] * corner[1], rel_tol=ON_ROOF)
    if not (over and on_roof and math.isclose(end[1], corner[1], rel_tol=ON_ROOF)):
        return [Arrow(start, end, move.label, move.colour)]
    slope = Line((start, corner), "", Role.CURVE, move.colour)
    return [slope, Arrow(corner, end, move.label, move.colour)]


def _point(spot: Spot, factor: float) -> Point:
    return Point(
        spot.intensity,
        spot.performance / factor,
        spot.label,
        spot.size,
        spot.colour,
        spot.detail,
        spot.measured,
    )


def _description(
    r: Roofline, spots: Sequence[Spot], found: Sequence[Move], ridges: Mapping[float, str]
) -> str:
    name = short(r.graph.name, 60)
    said = [f"{name} and its ops under the roofs of {short(r.chip.name)}."]
    points = " and ".join(ridges.values())
    said.append(f"{points[:1].upper()}{points[1:]}.")
    performance = r.performance
    if r.intensity is not None and r.intensity.value.is_finite and performance is not None:
        reached = human(performance.resolved())
        text = f"{name} has {human(r.intensity.resolved())} and reaches at most {reached}"
        said.append(f"{text}: {_bound(str(r.verdict()))}.")
    said.extend(f"{move.said}." for move in found)
    idle = [row for row in r.ops() if row.flops.expr == 0 and row.time.expr != 0]
    if idle:
        share = math.fsum(row.share or 0.0 for row in idle)
        ops = sum(row.ops for row in idle)
        text = (
            "1 op computes nothing and has" if ops == 1 else f"{ops} ops compute nothing and have"
        )
        said.append(f"{text} no point; {share:.0%} of the time.")
    return " ".join(said)


def _bound(verdict: str) -> str:
    return f"{verdict}-bound" if verdict in ("compute", "memory", "network") else verdict
