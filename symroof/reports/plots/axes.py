"""What plots share: the symbol that is swept, the ends of its axis, units, colours and names."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Integer

from symroof.errors import InputError, SymroofError, UnboundError, UnknownNameError
from symroof.reports.keys import inside_role, meaning
from symroof.reports.plots.plot import Axis, Scale
from symroof.reports.plots.sampling import decimal, number_of
from symroof.roofline import Roofline
from symroof.roofline.documents import unit_of
from symroof.symbolic import adopt, bind, symbol, to_text
from symroof.units import Quantity
from symroof.units.binding import resolve_name

COLOURS = {"compute": 0, "memory": 1, "network": 2, "launch": 3, "balanced": 4, "no work": 6}
"""Time term, or verdict -> index into the palette."""
WHOLE, MEASURED, MOVE = 6, 7, 5

PREFIXES = (("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3), ("", 0))
TIMES = (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9), ("ps", -12))
NICE = (1, 2, 5, 10)

FROM_END, BEYOND = 256, 4
LEAST_SPAN, PLAIN_SPAN = 64, 4096
RATE_SPAN, FARTHEST = 16, 1024
LARGEST_END = Integer(10) ** 250
"""The farthest end of an axis."""


class NumbersNeededError(UnboundError):
    """A plot was asked for while symbols that it needs numbers for are free.

    Attributes
    ----------
    plot : str
        The plot.

    Examples
    --------
    >>> print(NumbersNeededError("intensity", ["F", "D"]))
    intensity needs numbers for D, F: r.at(D=..., F=...)
    """

    def __init__(self, plot: str, names: Iterable[str]) -> None:
        self.plot = plot
        self.names = tuple(sorted(names))
        values = ", ".join(f"{name}=..." for name in self.names)
        super(UnboundError, self).__init__(
            f"{plot} needs numbers for {', '.join(self.names)}: r.at({values})"
        )


@dataclass(frozen=True, slots=True)
class Swept:
    """A roofline with one symbol, or two, left free, and what they are now.

    Attributes
    ----------
    plot : str
        What is drawn, for messages.
    roofline : Roofline
        With all other names as they were.
    names : tuple of str
        The free symbols, rates by their key.
    now : mapping of str to Fraction
        The values they had, where they had one.
    """

    plot: str
    roofline: Roofline
    names: tuple[str, ...]
    now: Mapping[str, Fraction]

    def formula(self, quantity: Quantity) -> Expr:
        """Return a closed form in the swept symbols, everything else a number.

        Raises
        ------
        NumbersNeededError
            If other symbols are free.
        """
        known = {n: v for n, v in quantity.scope.values.items() if n not in self.names}
        expr = quantity.expr
        for _ in known:
            if not any(atom.name in known for atom in expr.free_symbols):
                break
            expr = bind(expr, known)
        left = {atom.name for atom in expr.free_symbols} - set(self.names)
        if left:
            raise NumbersNeededError(self.plot, left)
        return expr

    def holds(self, **values: Fraction) -> bool:
        """Return whether the algorithm exists at these values of the swept symbols."""
        try:
            self.roofline.at({n: in_unit(n, value) for n, value in values.items()})
        except SymroofError:
            return False
        return True

    @property
    def count(self) -> bool:
        """Whether the first of the swept symbols is a dim or count, not a rate."""
        return self.names[0] in self.roofline.scope.counts


def sweep(plot: str, r: Roofline, *names: str) -> Swept:
    """Return `r` with these symbols free, whether they had values or not.

    Raises
    ------
    UnknownNameError
        If a name is not one of the roofline's; with a near match.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=64, n=4096, k=4096)
    >>> swept = sweep("times", r, "m")
    >>> swept.roofline.bindings.keys() >= {"m"}, swept.now
    (False, {'m': Fraction(64, 1)})
    """
    full = r.unbound.scope
    keys = []
    for name in names:
        plain = unicodedata.normalize("NFKC", name) if isinstance(name, str) else name
        if plain in r.bindings:
            keys.append(plain)
            continue
        try:
            keys.append(resolve_name(r.scope, name))
        except UnknownNameError:
            raise UnknownNameError("symbol", name, sorted(full.dimensions)) from None
    if len(set(keys)) < len(keys):
        raise InputError(f"{keys[0]} is named twice; expected two symbols")
    rest = {name: value for name, value in r.bindings.items() if name not in keys}
    free = r.unbound.at(rest) if len(rest) < len(r.bindings) else r
    now = {}
    for key in keys:
        value = r.bindings.get(key, r.scope.values.get(key))
        found = None if value is None else bind(adopt(value), {})
        if found is not None and found.is_Rational:
            now[key] = Fraction(int(found.p), int(found.q))
    return Swept(plot, free, tuple(keys), now)


def in_unit(name: str, value: object) -> object:
    """Return a value as `at` takes it: a rate with its unit."""
    return Quantity(value, unit_of(name)) if "." in name else value


# --- the ends of an axis -------------------------------------------------------------------------


def ends_of(
    swept: Swept, marks: Iterable[float], name: str | None = None, within: object = None
) -> tuple[Fraction, Fraction]:
    """Return the ends of the axis of a swept symbol.

    Parameters
    ----------
    swept : Swept
        The symbol, and what it is now.
    marks : iterable of float
        Thresholds that should be seen.
    name : str, optional
        Which symbol; the first by default.
    within : pair of numbers, optional
        The ends, as the user wants them; rates in base units or with a unit.
    """
    key = swept.names[0] if name is None else name
    if within is not None:
        return _given(key, within)
    now = swept.now.get(key)
    seen = [mark for mark in marks if 0 < mark < math.inf]
    if "." in key:
        low, high = _of_rate(now, seen)
    elif any(key == local.name for local in swept.roofline.inside.local.free_symbols):
        low, high = _of_fraction(now, seen)
    else:
        low, high = _of_count(now, seen)
    fraction = "." in key and not unit_of(key)
    high = min(high, Fraction(1)) if fraction else high
    if swept.holds(**{key: low}) or swept.holds(**{key: high}):
        while low < high and not swept.holds(**{key: high}):
            high /= 2
        while low < high and not swept.holds(**{key: low}):
            low *= 2
    return (low, high) if low < high else (low, 2 * low)


def _given(name: str, within: object) -> tuple[Fraction, Fraction]:
    if not isinstance(within, Sequence) or isinstance(within, str) or len(within) != 2:
        raise InputError(f"expected two ends, as in (1, 4096), not {within!r}", where="within")
    ends = []
    for end in within:
        if "." in name and isinstance(end, str | Quantity):
            expr = Quantity(end).value
        else:
            expr = adopt(end, where="within")
        if not (expr.is_Rational and expr.is_positive):
            raise InputError(f"{end} is not a positive number", where="within")
        if not 1 / LARGEST_END <= expr <= LARGEST_END:
            raise InputError(f"{end!s:.40} is too large or small for an axis", where="within")
        ends.append(Fraction(int(expr.p), int(expr.q)))
    if ends[0] >= ends[1]:
        raise InputError(f"{ends[0]} is not below {ends[1]}", where="within")
    return ends[0], ends[1]


def _of_count(now: Fraction | None, marks: list[float]) -> tuple[Fraction, Fraction]:
    seen = [*marks, float(now)] if now is not None else marks
    if not seen:
        return Fraction(1), Fraction(PLAIN_SPAN)
    low = max(Fraction(1), power_of_two(min(seen) / FROM_END, up=False))
    high = power_of_two(BEYOND * max(seen), up=True)
    return low, max(high, low * LEAST_SPAN)


def _of_fraction(now: Fraction | None, marks: list[float]) -> tuple[Fraction, Fraction]:
    seen = [float(now), *marks] if now is not None else marks
    low = power_of_two(min(seen, default=1.0) / 4, up=False)
    return min(low, Fraction(1, LEAST_SPAN)), Fraction(1)


def _of_rate(now: Fraction | None, marks: list[float]) -> tuple[Fraction, Fraction]:
    around = float(now) if now is not None else (marks[0] if marks else 1e12)
    near = [mark for mark in marks if around / FARTHEST < mark < around * FARTHEST]
    low = min(around / RATE_SPAN, *(mark / 2 for mark in near), around)
    high = max(around * RATE_SPAN, *(mark * 2 for mark in near), around)
    return decimal(nice(low, up=False)), decimal(nice(high, up=True))


def power_of_two(number: float, *, up: bool) -> Fraction:
    """Return the power of two at or beside a number.

    Examples
    --------
    >>> power_of_two(1376, up=True), power_of_two(0.3, up=False)
    (Fraction(2048, 1), Fraction(1, 4))
    """
    exponent = math.log2(number)
    return Fraction(2) ** (math.ceil(exponent) if up else math.floor(exponent))


def nice(number: float, *, up: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, at or beside a number.

    Examples
    --------
    >>> nice(134, up=True), nice(0.7, up=False)
    (200.0, 0.5)
    """
    exponent = math.floor(math.log10(number))
    scale = float(f"1e{exponent}")
    steps = [float(f"{step}e{exponent}") for step in NICE]
    if up:
        return next(step for step in steps if step >= number * (1 - 1e-12))
    return max((step for step in steps if step <= number * (1 + 1e-12)), default=scale)


# --- units and names -----------------------------------------------------------------------------


def prefixed(unit: str, typical: float) -> tuple[str, Fraction]:
    """Return a unit that suits a typical value, and how many base units it is.

    Examples
    --------
    >>> prefixed("FLOP/s", 9.89e14), prefixed("s", 2e-5)
    (('TFLOP/s', Fraction(1000000000000, 1)), ('µs', Fraction(1, 1000000)))
    """
    if not 0 < typical < math.inf:
        typical = 1.0
    if unit == "s":
        found = next((scale for scale in TIMES if typical >= 10.0 ** scale[1]), TIMES[-1])
        return found[0], Fraction(10) ** found[1]
    # A peak of 1.98 PFLOP/s stands beside 989 TFLOP/s: the prefix changes late.
    found = next((p for p in PREFIXES if typical >= 10.0 ** (p[1] + (p[1] >= 15))), PREFIXES[-1])
    short = unit.replace("byte", "B") if found[0] else unit
    return found[0] + short, Fraction(10) ** found[1]


def swept_axis(swept: Swept, low: Fraction, high: Fraction, name: str | None = None) -> Axis:
    """Return the axis of a swept symbol: its name with what it means."""
    key = swept.names[0] if name is None else name
    if "." in key:
        unit, factor = rate_unit(key, low, high)
        return Axis(
            meaning(swept.roofline, key), unit, float(low / factor), float(high / factor), Scale.LOG
        )
    said = swept.roofline.graph.about.meanings.get(key) or inside_role(swept.roofline, key)
    label = f"{short(key)}, {short(said, 60)}" if said else short(key)
    return Axis(label, "", float(low), float(high), Scale.LOG)


def rate_unit(key: str, low: Fraction, high: Fraction) -> tuple[str, Fraction]:
    """Return the unit of the axis of a rate and its factor; a count has none and 1."""
    if "." not in key:
        return "", Fraction(1)
    unit = unit_of(key)
    return prefixed(unit, math.sqrt(low) * math.sqrt(high))


def formula_text(expr: Expr, name: str, x_unit: Fraction, y_unit: Fraction) -> str:
    """Return the text of a closed form in the units of the axes.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> formula_text(parse("6*B/335"), "B", Fraction(1), Fraction(1, 1000))
    '1200*B/67'
    """
    scaled = bind(expr, {name: adopt(x_unit) * symbol(name)}) if x_unit != 1 else expr
    try:
        return to_text(scaled / adopt(y_unit))
    except InputError:  # too long to write out
        return ""


def number_or_raise(plot: str, quantity: Quantity) -> float:
    """Return a float of a quantity in base units; an error names what is free."""
    found = quantity.resolved().expr
    if found.free_symbols:
        raise NumbersNeededError(plot, (atom.name for atom in found.free_symbols))
    return number_of(found)


def short(text: str, most: int = 32) -> str:
    """Return a name that fits beside a point.

    Examples
    --------
    >>> short("matmul"), len(short("m" * 5000))
    ('matmul', 32)
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def bound_words(verdict: object) -> str:
    """Return a verdict, or a time term, as an adjective.

    Examples
    --------
    >>> bound_words("launch"), bound_words("balanced")
    ('launch-bound', 'balanced')
    """
    text = str(verdict)
    return text if text in ("balanced", "no work", "None") else f"{text}-bound"


def headline(what: str, r: Roofline, most: int = 140) -> str:
    """Return a title: the algorithm, the machine, and the numbers where there is room."""
    title = f"{what}: {short(r.graph.name, 40)} on {short(r.chip.name, 30)}"
    values = ", ".join(f"{short(name)}={value}" for name, value in r.bindings.items())
    return f"{title}, {values}" if values and len(title) + len(values) < most else title
