"""Where time terms cross, as marks of a plot: exact ends with the integers they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Integer

from symroof.reports.plots.axes import COLOURS, Swept, in_unit, short
from symroof.reports.plots.plot import Place, Region, Rule
from symroof.reports.plots.sampling import number_of
from symroof.roofline import Roofline
from symroof.solve import Crossover
from symroof.symbolic.numerals import number
from symroof.symbolic.reals import number_enclosure
from symroof.symbolic.regions import Interval
from symroof.units import Quantity, human

MOST_RULES = 6
MOST_BANDS = 24


@dataclass(frozen=True, slots=True)
class End:
    """An end of the set where a term is the largest: where it is, and what it is called.

    Attributes
    ----------
    at : float
        Where it is.
    label : str
        The first whole number in the set, or the last one; the end itself where it is a rate.
    first : bool
        Whether the set begins here.
    """

    at: float
    label: str
    first: bool = True


Band = tuple[float, float]
"""Where a term is the largest, from and to; infinity for no end."""


def crossover_ends(answer: Crossover) -> list[End]:
    """Return the ends of an answer that has numbers for all but its unknown.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=4096, k=4096)
    >>> [(round(end.at, 2), end.label) for end in crossover_ends(r.crossover("m"))]
    [(344.95, 'm = 345')]
    """
    found: dict[float, End] = {}
    name = answer.name
    for interval in _intervals(answer):
        for end, closed, is_lower in (
            (interval.lower, interval.lower_closed, True),
            (interval.upper, interval.upper_closed, False),
        ):
            if end is None:
                continue
            value = number_of(end)
            if answer.problem.integer:
                if value < 1:
                    continue
                whole = _integer(end, closed=closed, is_lower=is_lower)
                label = f"{short(name)} = {number(whole)}"
            else:
                label = value_text(name, end)
            found.setdefault(value, End(value, label, is_lower))
    return list(found.values())


def bands(answer: Crossover) -> list[Band]:
    """Return where the answer holds, as pairs of floats.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=4096, k=4096)
    >>> bands(r.crossover("m", "memory"))
    [(0.0, 344.9490786470929)]
    """
    if answer.real is None:  # only whole numbers are known: each stands for what is nearest to it
        return [
            (0.0 if low <= 1 else low - 0.5, math.inf if high is None else high + 0.5)
            for low, high in answer.intervals or ()
        ]
    return [
        (
            0.0 if interval.lower is None else number_of(interval.lower),
            math.inf if interval.upper is None else number_of(interval.upper),
        )
        for interval in answer.real.intervals
    ]


def answers(swept: Swept) -> dict[str, Crossover]:
    """Return, by term, for which values of the swept symbol it is the largest.

    Raises
    ------
    NumbersNeededError
        If other symbols are free.
    """
    r, (name,) = swept.roofline, swept.names
    terms = terms_of(r)
    needed = set().union(*(swept.formula(r.groups[term]).free_symbols for term in terms))
    if symbol_free(name, needed) or not terms:
        return {}
    return {term: r.crossover(name, term) for term in terms}


def terms_of(r: Roofline) -> list[str]:
    """Return the names of the time terms that are not zero."""
    return [name for name, time in r.groups.items() if time.expr != 0]


def symbol_free(name: str, symbols: set[Expr]) -> bool:
    """Return whether no time depends on `name`."""
    return all(atom.name != name for atom in symbols)


def rules(ends: Sequence[End], factor: float = 1.0) -> list[Rule]:
    """Return a line across the plot at each end; the first few where there are many."""
    return [Rule(end.at / factor, end.label) for end in ends[:MOST_RULES]]


def shaded(
    found: dict[str, Crossover],
    axis: tuple[float, float],
    height: tuple[float, float],
    factor: float = 1.0,
) -> list[Region]:
    """Return a band for each stretch of the axis where a term is the largest."""
    regions = []
    (low, high), (bottom, top) = axis, height
    for term, answer in found.items():
        widest = max(bands(answer), key=lambda band: _width(band, low, high), default=None)
        for band in bands(answer)[:MOST_BANDS]:
            left, right = max(band[0], low) / factor, min(band[1], high) / factor
            if left >= right:
                continue
            corners: tuple[Place, ...] = (
                (left, bottom),
                (right, bottom),
                (right, top),
                (left, top),
            )
            label = f"{term}-bound" if band == widest else ""
            regions.append(Region(corners, label, COLOURS[term]))
    return regions


def value_text(name: str, value: Expr) -> str:
    """Return what a value of a symbol is called: ``B = 64``, or a rate with its unit.

    Examples
    --------
    >>> value_text("B", Integer(64)), value_text("bw.hbm", Integer(3350 * 10**9))
    ('B = 64', '3.35 TB/s')
    """
    amount = in_unit(name, value)
    if isinstance(amount, Quantity):
        return human(amount)
    return f"{short(name)} = {number(value, 4)}"


def on_axis(ends: Sequence[End], low: Fraction, high: Fraction) -> list[End]:
    """Return the ends that lie between those of an axis."""
    return [end for end in ends if low < end.at < high]


def _width(band: Band, low: float, high: float) -> float:
    left, right = max(band[0], low), min(band[1], high)
    return math.log(right / left) if left < right else -1.0


def _intervals(answer: Crossover) -> list[Interval]:
    """Return the set as intervals; of whole numbers where nothing is known of those between."""
    real = answer.real
    if real is not None:
        return list(real.intervals)
    runs = answer.intervals or ()
    return [
        Interval(
            None if low <= 1 else Integer(low),
            None if high is None else Integer(high),
            low > 1,
            high is not None,
        )
        for low, high in runs
    ]


def _integer(end: Expr, *, closed: bool, is_lower: bool) -> int:
    """Return the first (or last) whole number on the inner side of an end."""
    if end.is_Rational:
        below = int(end.p // end.q)
        whole = below == end
    else:
        lower, _ = number_enclosure(end, 64)
        below, whole = math.floor(lower), False
    if whole:
        return below if closed else below + (1 if is_lower else -1)
    return below + 1 if is_lower else below
