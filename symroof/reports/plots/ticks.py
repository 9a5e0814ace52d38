"""Ticks of an axis, and the numbers of plots as people write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from symroof.reports.plots.plot import Axis, Scale
from symroof.reports.plots.text import shown

DIGIT = 0.64  # The width of a digit, in sizes of its font.
MAX_PLAIN = 6
MOST_UNIT = 20

_PREFIXES = ("a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y")
_ZERO = _PREFIXES.index("")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# How a unit with prefixes is written, and the groups of three digits that have one.
_PREFIXED = {
    "byte": ("B", 0, 8),
    "byte/s": ("B/s", 0, 8),
    "B": ("B", 0, 8),
    "B/s": ("B/s", 0, 8),
    "bit/s": ("bit/s", 0, 8),
    "FLOP": ("FLOP", 0, 8),
    "FLOP/s": ("FLOP/s", 0, 8),
    "OP": ("OP", 0, 8),
    "OP/s": ("OP/s", 0, 8),
    "FLOP/J": ("FLOP/J", 0, 8),
    "1/s": ("Hz", 0, 8),
    "Hz": ("Hz", 0, 8),
    "s": ("s", -6, 0),
    "J": ("J", -6, 8),
    "W": ("W", -6, 8),
    "J/s": ("W", -6, 8),
}
_LARGEST_BARE = 4
_LINEAR_BARE = 1e5
_UNGROUPED = 4


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the numbers of an axis are written at its ticks.

    Attributes
    ----------
    unit : str
        Written after the prefix; empty where the axis says it.
    low, high : int
        The least and the greatest power of a thousand that has a prefix.
    power : int
        The power of ten that the axis counts in: -6 for one in µs.
    """

    unit: str
    low: int
    high: int
    power: int = 0

    def text(self, value: float, digits: int = 3) -> str:
        """Return a number: ``1 TFLOP/s`` or ``1k``.

        Examples
        --------
        >>> Numbering("FLOP/s", 0, 8).text(2e12), Numbering("", 0, 4).text(20000.0)
        ('2 TFLOP/s', '20k')
        >>> Numbering("", 0, 4).text(2e-5), Numbering("s", -6, 0).text(2e-5)
        ('2×10⁻⁵', '20 µs')
        """
        number, prefix = _scaled(value, digits, self)
        return f"{number} {prefix}{self.unit}".rstrip() if self.unit else number + prefix


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis at a value; without label where it is a minor one."""

    value: float
    label: str = ""


def amount(value: float, unit: str = "", digits: int = 3) -> str:
    """Return a number with its unit, rounded, with the prefix that suits.

    Numbers whose unit takes no prefix keep the digits before the point, up to six.

    Examples
    --------
    >>> amount(989.4e12, "FLOP/s"), amount(3.35e12, "byte/s"), amount(1.24e-5, "s")
    ('989 TFLOP/s', '3.35 TB/s', '12.4 µs')
    >>> amount(2048, "token/s"), amount(295.22, "FLOP/byte"), amount(34567890.0)
    ('2048 token/s', '295 FLOP/byte', '34.6M')
    >>> amount(0.5, "TFLOP/s"), amount(1500.0, "µs")
    ('500 GFLOP/s', '1.5 ms')
    """
    if not math.isfinite(value):
        return f"{'−' if value < 0 else ''}∞ {unit}".rstrip() if value == value else "?"
    known = _known(unit)
    unit = shown(unit, MOST_UNIT)
    if known:
        number, prefix = _scaled(value, digits, known)
        return f"{number} {prefix}{known.unit if prefix or known.power else unit}"
    whole = len(str(abs(int(value)))) if abs(value) < 10**MAX_PLAIN else 0
    bare = Numbering("", 0, 0 if whole else _LARGEST_BARE)
    number, prefix = _scaled(value, max(digits, whole), bare)
    if whole > _UNGROUPED:
        number = f"{int(number.replace('−', '-')):,}".replace("-", "−")
    return f"{number}{prefix} {unit}".rstrip()


def numbering(axis: Axis, narrow: bool) -> tuple[Numbering, str]:
    """Return how the ticks of an axis are written, and the title it then needs.

    Parameters
    ----------
    axis : Axis
        What it shows.
    narrow : bool
        Whether long units go to the title.

    Examples
    --------
    >>> numbering(Axis("performance", "FLOP/s", 1e9, 1e15), narrow=False)
    (Numbering(unit='FLOP/s', low=0, high=8, power=0), 'performance')
    >>> numbering(Axis("performance", "FLOP/s", 1e9, 1e15), narrow=True)
    (Numbering(unit='', low=0, high=8, power=0), 'performance (FLOP/s)')
    """
    known = _known(axis.unit)
    if known is None:
        high = 0 if axis.scale is Scale.LINEAR and axis.high < _LINEAR_BARE else _LARGEST_BARE
        bare = Numbering("", 0, high)
        return bare, f"{axis.label} ({axis.unit})" if axis.unit else axis.label
    if axis.scale is Scale.LINEAR:
        most = max(abs(axis.low), abs(axis.high))
        group = _group(math.floor(math.log10(most)) + known.power, known)
        known = replace(known, low=group, high=group)
    if len(known.unit) <= 2 or not narrow:
        return known, axis.label
    return replace(known, unit=""), f"{axis.label} ({known.unit})"


def ticks(
    axis: Axis, length: float, size: float, numbers: Numbering, upright: bool
) -> tuple[Tick, ...]:
    """Return the ticks of an axis, in rising order: as many as there is room for.

    Parameters
    ----------
    axis : Axis
        Its ends and scale.
    length : float
        How long it is drawn.
    size : float
        Of the font, in the unit of `length`.
    numbers : Numbering
        How they are written.
    upright : bool
        Whether it goes up, so that labels stand over each other.

    Examples
    --------
    >>> axis = Axis("batch", "", 1, 1000)
    >>> [tick.label for tick in ticks(axis, 300, 12, Numbering("", 0, 4), False) if tick.label]
    ['1', '10', '100', '1k']
    """

    def fits(found: list[Tick]) -> bool:
        longest = max((len(tick.label) for tick in found), default=0)
        room = 2.2 * size if upright else (DIGIT * longest + 1) * size
        places = [share(axis, tick.value) * length for tick in found]
        return all(b - a >= room for a, b in pairwise(places))

    decades = math.log10(axis.high / axis.low) if axis.scale is Scale.LOG else 0
    if decades >= 0.5:
        for mantissas, every in _levels(decades):
            major = [Tick(value, numbers.text(value)) for value in _powers(axis, mantissas, every)]
            if fits(major):
                if len(major) < 2:
                    break
                taken = {tick.value for tick in major}
                minor = _minor(axis, length / decades, every, taken)
                return tuple(sorted([*major, *minor], key=lambda tick: tick.value))
    for step, digits in _steps(axis.high - axis.low):
        major = _even(axis, step, _writer(numbers, axis, digits))
        if fits(major):
            return tuple(major)
    return ()


def share(axis: Axis, value: float) -> float:
    """Return where a value is on an axis: 0 at its low end, 1 at its high one.

    Examples
    --------
    >>> share(Axis("x", "", 1, 100), 10), share(Axis("x", "", 0, 4, Scale.LINEAR), 1)
    (0.5, 0.25)
    """
    if axis.scale is Scale.LINEAR:
        return (value - axis.low) / (axis.high - axis.low)
    return math.log(value / axis.low) / math.log(axis.high / axis.low)


def _levels(decades: float) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield, from many ticks to few, the leading digits and how many decades are stepped over."""
    if decades <= 0.8:
        yield tuple(range(1, 10)), 1
    if decades <= 3:
        yield (1, 2, 5), 1
    for every in (1, 2, 3, 4, 6, 9, 12, 18, 24, 36, 60, 120, 300):
        yield (1,), every


def _powers(axis: Axis, mantissas: tuple[int, ...], every: int) -> Iterator[float]:
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    for exponent in range(first - first % every, last + 1, every):
        for mantissa in mantissas:
            value = float(f"{mantissa}e{exponent}")
            if axis.low * (1 - 1e-9) <= value <= axis.high * (1 + 1e-9):
                yield value


def _minor(axis: Axis, decade: float, every: int, taken: set[float]) -> list[Tick]:
    if every > 1:
        found = _powers(axis, (1,), 1) if decade >= 4 else iter(())
    else:
        found = _powers(axis, tuple(range(1, 10)), 1) if decade >= 40 else iter(())
    return [Tick(value) for value in found if value not in taken]


def _steps(span: float) -> Iterator[tuple[float, int]]:
    """Yield steps of 1, 2 and 5, each with its exponent, from a tenth of the span upward."""
    exponent = math.floor(math.log10(span / 10))
    for power in range(exponent, exponent + 4):
        for mantissa in (1, 2, 5):
            step = float(f"{mantissa}e{power}")
            if span / 10 <= step * (1 + 1e-9) and step <= span * 2:
                yield step, power


def _even(axis: Axis, step: float, text: Callable[[float], str]) -> list[Tick]:
    first = math.ceil(axis.low / step - 1e-9)
    last = math.floor(axis.high / step + 1e-9)
    return [Tick(at * step, text(at * step)) for at in range(first, last + 1)]


def _writer(numbers: Numbering, axis: Axis, power: int) -> Callable[[float], str]:
    """Return how values are written that differ from the digit of ten to the `power` on."""
    most = max(abs(axis.low), abs(axis.high))

    def text(value: float) -> str:
        if abs(value) < most * 1e-9:
            return "0"
        digits = math.floor(math.log10(abs(value)) + 1e-9) - power + 1
        return numbers.text(value, max(1, min(digits, 15)))

    return text


def _known(unit: str) -> Numbering | None:
    """Return how numbers in a unit are written that takes prefixes, or has one."""
    if unit in _PREFIXED:
        return Numbering(*_PREFIXED[unit])
    if unit[:1] in _PREFIXES and unit[1:] in _PREFIXED:
        return Numbering(*_PREFIXED[unit[1:]], 3 * (_PREFIXES.index(unit[0]) - _ZERO))
    return None


def _group(exponent: int, numbers: Numbering) -> int:
    return min(numbers.high, max(numbers.low, exponent // 3))


def _scaled(value: float, digits: int, numbers: Numbering) -> tuple[str, str]:
    """Return a number of so many digits and the prefix before its unit."""
    if value == 0:
        return "0", ""
    mantissa, _, power = f"{abs(value):.{digits - 1}e}".partition("e")
    exponent = int(power) + numbers.power
    group = _group(exponent, numbers)
    places = exponent - 3 * group
    sign = "−" if value < 0 else ""
    prefix = _PREFIXES[_ZERO + group]
    if not -4 < places < max(digits, 4):
        mantissa = _trimmed(mantissa)
        times = "" if mantissa == "1" else f"{mantissa}×"
        return f"{sign}{times}10{str(exponent).translate(_SUPERSCRIPTS)}", ""
    number = float(f"{mantissa}e{places}")
    return sign + _trimmed(f"{number:.{max(0, digits - 1 - places)}f}"), prefix


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
