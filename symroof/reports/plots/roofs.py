"""The roofs of a machine: what bounds performance at each intensity, and ceilings under them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sympy import Min

from symroof.errors import SymroofError
from symroof.hardware.ceilings import Ceiling
from symroof.reports.plots.axes import COLOURS, WHOLE, NumbersNeededError, formula_text, short
from symroof.reports.plots.plot import Line, Place, Role
from symroof.roofline import Roofline
from symroof.roofline.documents import unit_of
from symroof.roofline.terms import MAIN, Resource
from symroof.symbolic import adopt, symbol
from symroof.units import Quantity, human

FEW = 4
INTENSITY = "I"


@dataclass(frozen=True, slots=True)
class Flat:
    """A peak: a level that no intensity lifts.

    Attributes
    ----------
    label : str
        ``bf16 989 TFLOP/s``.
    dtypes : tuple of str
        The dtypes that have it.
    peak : Fraction
        FLOP/s.
    used : bool
        Whether the algorithm computes in one of them.
    """

    label: str
    dtypes: tuple[str, ...]
    peak: Fraction
    used: bool


@dataclass(frozen=True, slots=True)
class Slope:
    """A bandwidth: performance grows with intensity.

    Attributes
    ----------
    label : str
        ``hbm 3.35 TB/s``.
    bandwidth : Fraction
        byte/s.
    used : bool
        Whether the bytes of the algorithm go through it.
    level : str
        Its level of memory.
    """

    label: str
    bandwidth: Fraction
    used: bool
    level: str = ""


@dataclass(frozen=True, slots=True)
class Under:
    """A ceiling under a roof, as it stands with those above it.

    Attributes
    ----------
    label : str
        ``no simd 256 GFLOP/s``.
    rate : Fraction
        FLOP/s, or byte/s under a slope.
    compute : bool
        Whether the roof is a peak.
    """

    label: str
    rate: Fraction
    compute: bool


def bare(r: Roofline) -> Roofline:
    """Return a roofline without its ceilings: the roofs alone."""
    inside = r.inside
    return r.with_inside(replace(inside, ceilings=())) if inside.ceilings else r


def flats(r: Roofline) -> list[Flat]:
    """Return the peaks that the algorithm uses, and the others of the chip where they are few.

    Raises
    ------
    NumbersNeededError
        If a peak that is used is no number.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mlp"), "h100-sxm")
    >>> [(flat.label, flat.used) for flat in flats(r)][:2]
    [('bf16 989 TFLOP/s', True), ('fp8, int8 1.98 PFLOP/s', False)]
    """
    roofs = bare(r)
    used = {name: _number("roofline", roofs.rate(("flop", name))) for name in _dtypes(r)}
    others: dict[str, Fraction] = {}
    for name, _ in r.chip.default_peaks:
        if name in used:
            continue
        try:
            others[name] = _number("roofline", r.chip.peak(name))
        except SymroofError:  # a peak that is a symbol is no line
            continue
    taken = set(used.values())
    grouped = _grouped(used, used=True)
    rest = _grouped({n: peak for n, peak in others.items() if peak not in taken}, used=False)
    return grouped + (rest if len(rest) <= FEW else [])


def slopes(r: Roofline) -> list[Slope]:
    """Return the bandwidths of the levels that have bytes, and those of the other caches.

    The main memory is among them; where nothing is charged to any level it counts as used.

    Examples
    --------
    >>> import symroof as sr
    >>> mine = sr.Chip("mine", peak={"bf16": "1 PFLOP/s"},
    ...                memory={"hbm": ("3 TB/s", "80 GB"), "l2": ("6 TB/s", "50 MB")})
    >>> [(slope.label, slope.used) for slope in slopes(sr.analyze(sr.load("mlp"), mine))]
    [('hbm 3 TB/s', True), ('l2 6 TB/s', False)]
    """
    rates = {row.name: row.bandwidth for row in bare(r).levels}
    used = {name: rate for name, rate in rates.items() if name in used_levels(r)}
    used = used or {r.chip.main: bare(r).rate(MAIN)}
    found = [_slope(name, rate, used=True) for name, rate in used.items()]
    for name, rate in _others(r).items():
        try:
            found += [] if name in used else [_slope(name, rate, used=False)]
        except SymroofError:  # a rate that is a symbol is no line
            continue
    return sorted(found, key=lambda one: (one.level != r.chip.main, not one.used))


def used_levels(r: Roofline) -> list[str]:
    """Return the levels that have bytes at these numbers, from the innermost outwards.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", residency="partial")
    >>> used_levels(r.at(m=1024, n=1024, k=1024)), used_levels(r.at(m=8192, n=8192, k=8192))
    (['l2'], ['l2', 'hbm'])
    """
    return [row.name for row in r.levels if row.bytes.resolved().expr != 0]


def unders(r: Roofline) -> list[Under]:
    """Return the ceilings that are applied, the highest of each roof first.

    Factors on one roof multiply, so each is drawn as it stands under those before it.

    Examples
    --------
    >>> import symroof as sr
    >>> mine = sr.Chip("mine", peak={"bf16": "64 GFLOP/s"}, memory={"ddr": "16 GB/s"},
    ...                ceiling={"no simd": {"on": "peak", "factor": "1/16"},
    ...                         "no fma": {"on": "peak", "factor": "1/2"}})
    >>> r = sr.analyze(sr.load("mlp"), mine, ceilings=["no simd", "no fma"])
    >>> [one.label for one in unders(r)]
    ['no fma 32 GFLOP/s', 'no simd 2 GFLOP/s']
    """
    roofs = bare(r)
    found: dict[str, Under] = {}
    for resource in [*(("flop", name) for name in _dtypes(r)), *_level_resources(r)]:
        for one in _under(r, resource, roofs.rate(resource)):
            found.setdefault(one.label, one)
    return list(found.values())


def lines(
    flat: Iterable[Flat],
    slope: Iterable[Slope],
    x: tuple[float, float],
    bottom: float,
    unit: Fraction,
) -> list[Line]:
    """Return the roofs as lines between the ends of the axes.

    Parameters
    ----------
    flat, slope : iterable of Flat and Slope
        The roofs; at least one of each is used.
    x : (float, float)
        The ends of the axis of intensities, in FLOP/byte.
    bottom : float
        The low end of the axis of performance, in `unit`.
    unit : Fraction
        FLOP/s of one unit of performance.
    """
    flat, slope = list(flat), list(slope)
    outer = _slowest(slope)
    inner = max(one.bandwidth for one in slope if one.used)
    roof = max(one.peak for one in flat if one.used)
    highest = max(one.peak for one in flat)
    low, high = x
    found = []
    for one in slope:
        slanted = adopt(one.bandwidth) * symbol(INTENSITY)
        text = formula_text(slanted, INTENSITY, Fraction(1), unit)
        start = max(low, bottom * float(unit / one.bandwidth))
        role = Role.ROOF if one.used else Role.CEILING
        ridge = float(roof / one.bandwidth)
        points = _sloped(one.bandwidth, start, ridge, unit)
        if one.bandwidth > inner:  # its roof is flat where that of the others is not
            points = (*points, (float(roof / inner), float(roof / unit)))
            capped = Min(slanted, adopt(roof), evaluate=False)
            text = formula_text(capped, INTENSITY, Fraction(1), unit)
        found.append(_line(points, one.label, role, text))
        beyond = float(highest / one.bandwidth)
        if one.bandwidth == outer.bandwidth and one.used and beyond > ridge:
            points = _sloped(one.bandwidth, ridge, beyond, unit)
            found.append(_line(points, "", Role.CEILING, text))
    for level in flat:
        text = formula_text(adopt(level.peak), INTENSITY, Fraction(1), unit)
        height = float(level.peak / unit)
        start = max(float(level.peak / (inner if level.used else outer.bandwidth)), low)
        role = Role.ROOF if level.used else Role.CEILING
        if start < high:
            found.append(_line(((start, height), (high, height)), level.label, role, text))
    return [line for line in found if line.points[0][0] < line.points[-1][0]]


def under_lines(
    found: Iterable[Under],
    flat: Iterable[Flat],
    slope: Iterable[Slope],
    x: tuple[float, float],
    bottom: float,
    unit: Fraction,
) -> list[Line]:
    """Return the ceilings as lines: level under a peak, slanted under a slope; as `lines`."""
    inner = max(one.bandwidth for one in slope if one.used)
    roof = max(one.peak for one in flat if one.used)
    low, high = x
    made = []
    for one in found:
        if one.compute:
            height = float(one.rate / unit)
            points: tuple[Place, ...] = (
                (max(low, float(one.rate / inner)), height),
                (high, height),
            )
            text = formula_text(adopt(one.rate), INTENSITY, Fraction(1), unit)
        else:
            start = max(low, bottom * float(unit / one.rate))
            points = _sloped(one.rate, start, float(roof / one.rate), unit)
            slanted = adopt(one.rate) * symbol(INTENSITY)
            text = formula_text(slanted, INTENSITY, Fraction(1), unit)
        colour = COLOURS["compute" if one.compute else "memory"]
        made.append(Line(points, one.label, Role.UNDER, colour, text, INTENSITY if text else ""))
    return [line for line in made if line.points[0][0] < line.points[-1][0]]


def _slowest(slope: Sequence[Slope]) -> Slope:
    return min((one for one in slope if one.used), key=lambda one: one.bandwidth)


def _dtypes(r: Roofline) -> list[str]:
    return [name for kind, name in r.work if kind == "flop"] or [r.chip.default_dtype]


def _level_resources(r: Roofline) -> list[Resource]:
    used = used_levels(r)
    return [row.resource for row in r.levels if row.name in used] or [MAIN]


def _others(r: Roofline) -> dict[str, Quantity]:
    """Return the bandwidths of the shared caches inside of the main memory, where they are said."""
    found: dict[str, Quantity] = {}
    for level in r.chip.hierarchy:
        if level.main:
            break
        if level.bandwidth is not None and not level.private:
            found[level.name] = r.chip.bandwidth(level.name)
    return found


def _slope(name: str, rate: Quantity, *, used: bool) -> Slope:
    number = _number("roofline", rate)
    return Slope(f"{short(name)} {human(rate.resolved())}", number, used, name)


def _under(r: Roofline, resource: Resource, roof: Quantity) -> list[Under]:
    """Return the ceilings of one roof: its caps, and its factors one after the other."""
    compute, height = resource[0] == "flop", _number("roofline", roof)
    known = {each: _left(r, each) for each in r.inside.over(resource)}
    heights = [(left, each.name) for each, left in known.items() if each.rate is not None]
    rest = height
    factors = [(left, each.name) for each, left in known.items() if each.rate is None]
    for left, name in sorted(factors, reverse=True):
        rest *= left
        heights.append((rest, name))
    unit = "FLOP/s" if compute else "byte/s"
    return [
        Under(f"{short(name)} {human(Quantity(rate, unit))}", rate, compute)
        for rate, name in sorted(heights, reverse=True)
        if rate < height
    ]


def _left(r: Roofline, each: Ceiling) -> Fraction:
    """Return the fraction or the rate that a ceiling leaves, which ``at`` may have changed."""
    scope = r.rates.scope
    found = scope.values.get(each.key, each.value)
    return _number("roofline", Quantity.of(found, unit_of(each.key), scope))


def _line(points: tuple[Place, ...], label: str, role: Role, text: str) -> Line:
    return Line(points, label, role, WHOLE, text, INTENSITY if text else "")


def _sloped(bandwidth: Fraction, start: float, end: float, unit: Fraction) -> tuple[Place, ...]:
    return tuple((at, float(bandwidth * Fraction(at) / unit)) for at in (start, end))


def _grouped(peaks: dict[str, Fraction], *, used: bool) -> list[Flat]:
    groups: dict[Fraction, list[str]] = {}
    for name, peak in peaks.items():
        groups.setdefault(peak, []).append(name)
    return [
        Flat(f"{', '.join(names)} {human(Quantity(peak, 'FLOP/s'))}", tuple(names), peak, used)
        for peak, names in sorted(groups.items(), reverse=True)
    ]


def _number(plot: str, quantity: Quantity) -> Fraction:
    found = quantity.resolved().expr
    if found.free_symbols:
        raise NumbersNeededError(plot, (atom.name for atom in found.free_symbols))
    if not found.is_Rational:
        return Fraction(math.fsum([float(found)]))
    return Fraction(int(found.p), int(found.q))
