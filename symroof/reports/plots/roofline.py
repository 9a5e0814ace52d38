"""The roofline: performance against intensity, with ops under the roofs of the machine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symroof.graph import Graph
from symroof.reports.plots.axes import (
    COLOURS,
    bound_words,
    headline,
    nice,
    number_or_raise,
    prefixed,
    short,
)
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
from symroof.reports.plots.roofs import (
    Flat,
    Slope,
    Under,
    flats,
    lines,
    slopes,
    under_lines,
    unders,
)
from symroof.reports.plots.spots import (
    ABOVE_ROOF,
    Spot,
    level_spots,
    measured_points,
    measured_spots,
    merged,
    op_spots,
)
from symroof.roofline import Roofline
from symroof.symbolic.numerals import number
from symroof.units import human

ABOVE, BESIDE = 4.0, 2.5
AROUND = 8.0
MOST_RIDGES = 4
ON_ROOF = 0.01


@dataclass(frozen=True, slots=True)
class Hull:
    """The roofs that hold an algorithm, ceilings included.

    Attributes
    ----------
    peak : float
        FLOP/s that it reaches at most.
    inner, outer : float
        byte/s of the fastest level that has bytes, and of the slowest; the same where it is one.
    roof : float
        FLOP/s of the roof over all ceilings.
    fastest : float
        byte/s of the fastest level that has bytes, without ceilings.
    """

    peak: float
    inner: float
    outer: float
    roof: float
    fastest: float


def roofline(
    r: Roofline,
    *,
    fused: Graph | bool | None = None,
    grow: str | Mapping[str, object] | None = None,
    measured: Sequence[Sequence[object]] = (),
    points: Sequence[Sequence[object]] = (),
) -> Chart:
    """Draw the roofs of a machine, an algorithm and its ops under them, and what moves it.

    Each level of memory that has bytes has a slanted roof, and the algorithm a point at its
    intensity there; ceilings that are applied are thinner lines under their roofs.

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
    points : sequence
        Other measurements, ``(intensity, performance, label)``; those above the roof stand out.

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
    flat, slope, under = flats(r), slopes(r), unders(r)
    hull = _hull(flat, slope, under)
    wholes = level_spots(r)
    spots = merged(wholes, op_spots(r))
    found = moves(r, wholes, fused, grow)
    seen = [*measured_spots(r, measured), *measured_points(points, hull.roof, hull.fastest)]
    ridges = _ridges(r, flat, slope, hull)
    ends = [Spot(*move.end) for move in found]
    x = _x_axis(ridges, [*spots, *ends, *seen])
    unit, factor = prefixed("FLOP/s", hull.roof)
    y = _y_axis(x, hull, flat, [*spots, *ends, *seen], unit, factor)
    bends = [(hull.peak / slope_of, hull.peak) for slope_of in _held(slope, hull)]
    ends_of_x = (x.low, x.high)
    marks: list[Mark] = [
        *(region for region in _regions(x, y, hull, float(factor)) if _is_drawn(region, r)),
        *lines(flat, slope, ends_of_x, y.low, factor),
        *under_lines(under, flat, slope, ends_of_x, y.low, factor),
        *(Rule(at, label) for at, label in ridges.items() if x.low < at < x.high),
        *(mark for move in found for mark in _way(move, bends, factor)),
        *(_point(spot, float(factor)) for spot in [*spots, *seen]),
    ]
    description = _description(r, wholes, found, ridges, under) + _above(seen)
    return Chart(headline("Roofline", r), description, x, y, tuple(marks))


def _hull(flat: Sequence[Flat], slope: Sequence[Slope], under: Sequence[Under]) -> Hull:
    """Return the roofs that hold the algorithm."""
    roof = max(one.peak for one in flat if one.used)
    used = [one.bandwidth for one in slope if one.used]
    caps = [one.rate for one in under if one.compute]
    held = [one.rate for one in under if not one.compute]
    # A ceiling of one dtype or level among several says nothing of the others.
    lowest_peak = min([roof, *caps]) if sum(one.used for one in flat) == 1 else roof
    inner, outer = max(used), min(used)
    if len(used) == 1:
        inner = outer = min([inner, *held])
    return Hull(float(lowest_peak), float(inner), float(outer), float(roof), float(max(used)))


def _ridges(
    r: Roofline, flat: Iterable[Flat], slope: Iterable[Slope], hull: Hull
) -> dict[float, str]:
    """Return where the roofs that are used bend, with a label each."""
    peaks = [one for one in flat if one.used]
    levels = [one for one in slope if one.used]
    if len(peaks) == len(levels) == 1:
        at = hull.peak / hull.inner
        return {at: f"ridge {number(at, 3)} FLOP/byte"}
    found = {}
    for one in peaks:
        for level in levels:
            place = one.peak / level.bandwidth
            names = [*([", ".join(one.dtypes)] if len(peaks) > 1 else [])]
            names += [level.level] if len(levels) > 1 else []
            found[float(place)] = f"ridge {' '.join(names)} {number(place, 3)} FLOP/byte"
    return dict(list(found.items())[:MOST_RIDGES])


def _x_axis(ridges: Mapping[float, str], spots: Sequence[Spot]) -> Axis:
    places = [*ridges, *(spot.intensity for spot in spots)]
    low = min(*(place / BESIDE for place in places), min(ridges) / AROUND)
    high = max(*(place * BESIDE for place in places), max(ridges) * AROUND)
    return Axis("arithmetic intensity", "FLOP/byte", nice(low, up=False), nice(high, up=True))


def _y_axis(
    x: Axis, hull: Hull, flat: Sequence[Flat], spots: Sequence[Spot], unit: str, factor: Fraction
) -> Axis:
    heights = [spot.performance for spot in spots]
    low = min([hull.outer * x.low, *(height / 2 for height in heights)])
    high = max(
        [hull.roof * ABOVE, *(float(one.peak) * 1.5 for one in flat), *(h * 2 for h in heights)]
    )
    low, high = nice(low / float(factor), up=False), nice(high / float(factor), up=True)
    return Axis("performance", unit, low, high)


def _is_drawn(region: Region, r: Roofline) -> bool:
    """Return whether a region is what it says, which intensity alone decides.

    Launches and lost work of tiles bind at any intensity.
    """
    by_intensity = r.inside.launch is None and r.inside.quantise is None
    return by_intensity or region.label == "unattainable"


def _regions(x: Axis, y: Axis, hull: Hull, unit: float) -> list[Region]:
    """Return what lies under the roofs, left and right of the ridges, and over all of them.

    Between the ridges of two levels it is the level that decides, and nothing is shaded.
    """
    first, last, peak = hull.peak / hull.inner, hull.peak / hull.outer, hull.peak / unit
    over, roof = hull.roof / hull.fastest, hull.roof / unit
    return [
        Region(
            ((x.low, y.low), (x.low, peak * x.low / first), (first, peak), (first, y.low)),
            "memory-bound",
            COLOURS["memory"],
        ),
        Region(
            ((last, y.low), (last, peak), (x.high, peak), (x.high, y.low)),
            "compute-bound",
            COLOURS["compute"],
        ),
        Region(
            (
                (x.low, y.high),
                (x.low, roof * x.low / over),
                (over, roof),
                (x.high, roof),
                (x.high, y.high),
            ),
            "unattainable",
            COLOURS["no work"],
        ),
    ]


def _held(slope: Sequence[Slope], hull: Hull) -> list[float]:
    """Return the bandwidths under which points may lie, ceilings included."""
    used = [float(one.bandwidth) for one in slope if one.used]
    return used if len(used) > 1 else [hull.inner]


def _way(move: Move, bends: Sequence[Place], factor: Fraction) -> list[Mark]:
    """Return an arrow; where it leads from a slope to the flat of its roof, it turns there."""
    start, end = ((x, y / float(factor)) for x, y in (move.start, move.end))
    for bend in bends:
        corner = bend[0], bend[1] / float(factor)
        over = start[0] < corner[0] < end[0]
        on_roof = math.isclose(start[1] * corner[0], start[0] * corner[1], rel_tol=ON_ROOF)
        if over and on_roof and math.isclose(end[1], corner[1], rel_tol=ON_ROOF):
            slope = Line((start, corner), "", Role.CURVE, move.colour)
            return [slope, Arrow(corner, end, move.label, move.colour)]
    return [Arrow(start, end, move.label, move.colour)]


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
    r: Roofline,
    wholes: Sequence[Spot],
    found: Sequence[Move],
    ridges: Mapping[float, str],
    under: Sequence[Under],
) -> str:
    name = short(r.graph.name, 60)
    said = [f"{name} and its ops under the roofs of {short(r.chip.name)}."]
    points = " and ".join(ridges.values())
    said.append(f"{points[:1].upper()}{points[1:]}.")
    if under:
        said.append(f"Ceilings: {', '.join(one.label for one in under)}.")
    performance = r.performance
    if wholes and performance is not None:
        reached = human(performance.resolved())
        text = f"{name} has {_intensities(wholes)} and reaches at most {reached}"
        said.append(f"{text}: {bound_words(r.verdict())}.")
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


def _intensities(wholes: Sequence[Spot]) -> str:
    if len(wholes) == 1:
        return f"{number(wholes[0].intensity, 4)} FLOP/byte"
    return " and ".join(f"{number(spot.intensity, 4)} FLOP/byte at {spot.level}" for spot in wholes)


def _above(seen: Sequence[Spot]) -> str:
    """Return the sentence on what was measured above the roof."""
    above = sum(spot.colour == ABOVE_ROOF for spot in seen)
    if not above:
        return ""
    points, lie = ("point", "lies") if above == 1 else ("points", "lie")
    return f" {above} measured {points} of {len(seen)} {lie} above the roof."
