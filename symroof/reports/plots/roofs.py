"""The roofs of a machine: what bounds performance at each intensity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sympy import Min

from symroof.errors import SymroofError
from symroof.reports.plots.axes import WHOLE, NumbersNeededError, formula_text, short
from symroof.reports.plots.plot import Line, Place, Role
from symroof.roofline import Roofline
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
    """

    label: str
    bandwidth: Fraction
    used: bool


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
    own = [name for kind, name in r.work if kind == "flop"] or [r.chip.default_dtype]
    used = {name: _number("roofline", r.rate(("flop", name))) for name in own}
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
    """Return the bandwidth of the main memory, and of the other levels that say theirs.

    Examples
    --------
    >>> import symroof as sr
    >>> [slope.label for slope in slopes(sr.analyze(sr.load("mlp"), "h100-sxm"))]
    ['hbm 3.35 TB/s', 'l2 5.5 TB/s']
    """
    found = []
    for level in r.chip.memory:
        main = level.name == r.chip.main
        if level.bandwidth is None and not main:
            continue
        try:
            rate = r.bandwidth if main else r.chip.bandwidth(level.name)
            number = _number("roofline", rate)
        except SymroofError:
            if main:
                raise
            continue
        found.append(Slope(f"{short(level.name)} {human(rate.resolved())}", number, main))
    return found


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
    main = next(one for one in slope if one.used)
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
        points = _sloped(one, start, ridge, unit)
        if one.bandwidth > main.bandwidth:  # its roof is flat where that of the main memory is not
            points = (*points, (float(roof / main.bandwidth), float(roof / unit)))
            capped = Min(slanted, adopt(roof), evaluate=False)
            text = formula_text(capped, INTENSITY, Fraction(1), unit)
        found.append(_line(points, one.label, role, text))
        beyond = float(highest / one.bandwidth)
        if one.used and beyond > ridge:
            points = _sloped(one, ridge, beyond, unit)
            found.append(_line(points, "", Role.CEILING, text))
    for level in flat:
        text = formula_text(adopt(level.peak), INTENSITY, Fraction(1), unit)
        height = float(level.peak / unit)
        ridge = max(float(level.peak / main.bandwidth), low)
        role = Role.ROOF if level.used else Role.CEILING
        if ridge < high:
            found.append(_line(((ridge, height), (high, height)), level.label, role, text))
    return [line for line in found if line.points[0][0] < line.points[-1][0]]


def _line(points: tuple[Place, ...], label: str, role: Role, text: str) -> Line:
    return Line(points, label, role, WHOLE, text, INTENSITY if text else "")


def _sloped(slope: Slope, start: float, end: float, unit: Fraction) -> tuple[Place, ...]:
    return tuple((at, float(slope.bandwidth * Fraction(at) / unit)) for at in (start, end))


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
