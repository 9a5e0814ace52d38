"""The regime map: which time term is the largest, over two symbols, with its exact boundaries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from sympy import Expr, Max, Min, Pow, ceiling, floor

from symroof.errors import InputError, UnboundError
from symroof.reports.plots.axes import (
    COLOURS,
    WHOLE,
    NumbersNeededError,
    Swept,
    bound_words,
    ends_of,
    formula_text,
    headline,
    in_unit,
    rate_unit,
    short,
    sweep,
    swept_axis,
)
from symroof.reports.plots.columns import MOST, Column, Columns, Trace, traces
from symroof.reports.plots.crossings import bands, crossover_ends, terms_of, value_text
from symroof.reports.plots.existence import note, rules
from symroof.reports.plots.plot import Axis, Chart, Line, Mark, Point, Region, Role
from symroof.reports.plots.sampling import as_written, evaluator
from symroof.roofline import Roofline, region
from symroof.solve import Crossover
from symroof.symbolic import adopt
from symroof.units import Quantity
from symroof.units.compare import same

NEAR = 1e-9
FEW = 40  # Where a symbol is in an exponent each column is a search.
NOWHERE = ""
"""The label of places where the algorithm does not exist: fewer heads than groups of them."""


def regimes(r: Roofline, x: str, y: str, *, within: Mapping[str, object] | None = None) -> Chart:
    """Draw which time term is the largest over two symbols.

    Parameters
    ----------
    r : Roofline
        With numbers for all other symbols; values of the two are marked.
    x, y : str
        The symbols along and up, of the algorithm or the machine.
    within : mapping of str to pair of numbers, optional
        The ends of the axes by symbol, chosen around the crossovers when not given.

    Returns
    -------
    Chart
        Regions named by their bound, and the curves where two terms are equal. Each point of a
        curve is solved for exactly; between points it is straight on the log axes, to less than
        0.2 % of their length.

    Raises
    ------
    NumbersNeededError
        If other symbols are free.
    InputError
        If there is no work.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(k=4096)
    >>> [mark.label for mark in regimes(r, "m", "n").marks]
    ['memory-bound', 'compute-bound', 'compute = memory']
    """
    swept = sweep("regimes", r, x, y)
    free, (across, upward) = swept.roofline, swept.names
    terms = terms_of(free)
    if not terms:
        raise InputError(f"{r.graph.name} does no work, so nothing bounds it")
    for term in terms:
        swept.formula(free.groups[term])
    given = {} if within is None else dict(within)
    x_ends = ends_of(swept, _marks(swept, across, upward), across, given.get(x))
    y_ends = ends_of(swept, _marks(swept, upward, across), upward, given.get(y))
    exponents = _exponents(free, terms)
    # The library solves for an exponent by bisection, for what is under a large one with pain.
    turned = across in exponents and upward in free.scope.counts - exponents
    if turned:
        other = Swept(swept.plot, free, (upward, across), swept.now)
        solved = Columns(_Solved(other, terms, x_ends), y_ends, x_ends, most=FEW)
    else:
        most = FEW if exponents & {across, upward} else MOST
        columns = _Solved(swept, terms, y_ends)
        solved = Columns(columns, x_ends, y_ends, most=most, whole=across in exponents)
    x_axis, y_axis = (
        swept_axis(swept, *ends, name) for ends, name in ((x_ends, across), (y_ends, upward))
    )
    units = rate_unit(across, *x_ends)[1], rate_unit(upward, *y_ends)[1]
    areas, lines = traces(solved.all())
    if turned:
        areas, lines = [area.turned() for area in areas], [line.turned() for line in lines]
    marks: list[Mark] = [
        *_regions(areas, units),
        *_boundaries(swept, lines, units),
        *_now(swept, (x_axis, y_axis), units),
    ]
    title = headline("Regimes", free)
    return Chart(title, _description(swept, areas), x_axis, y_axis, tuple(marks))


class _Solved:
    """Which term is the largest along y, at one x: solved exactly by the library."""

    def __init__(self, swept: Swept, terms: list[str], y_ends: tuple[Fraction, Fraction]) -> None:
        self.swept = swept
        self.across, self.upward = swept.names
        self.terms = terms
        self.limited = bool(rules(swept, self.across))
        # Of two terms one is the largest where the other is not, but for ties over a stretch, and
        # for places where there is no algorithm.
        formulas = [swept.formula(swept.roofline.groups[term]) for term in terms]
        tied = len(terms) == 2 and same(*formulas)
        stepped = any(formula.has(Max, Min, ceiling, floor) for formula in formulas)
        simple = len(terms) < 3 and not (rules(swept) or tied or stepped)
        self.asked = terms[:1] if simple else terms
        self.answers: dict[str, Crossover] = {}
        if "." not in self.across + self.upward:
            self.answers = {
                term: swept.roofline.crossover(self.upward, term) for term in self.asked
            }
        self.ends = float(y_ends[0]), float(y_ends[1])

    def __call__(self, x: Fraction) -> Column:
        """Return the stretches of y, from low to high, with the names of their bounds."""
        low, high = self.ends
        if self.limited and not self.swept.holds(**{self.across: x}):
            return Column(float(x), (low, high), (NOWHERE,))
        value = in_unit(self.across, x)
        held = {term: bands(self._answer(term, value)) for term in self.asked}
        cuts = sorted({end for found in held.values() for band in found for end in band})
        inner = [cut for cut in cuts if low < cut < high]
        edges = [low, *inner, high]
        labels = []
        for start, stop in pairwise(edges):
            middle = math.sqrt(start) * math.sqrt(stop)
            labels.append(self._label(held, middle))
        return Column.joined(float(x), tuple(edges), tuple(labels))

    def _answer(self, term: str, value: object) -> Crossover:
        """Return for which y a term is the largest, at one x."""
        if not self.answers:
            return self.swept.roofline.at({self.across: value}).crossover(self.upward, term)
        answer = self.answers[term]
        known = self.across in answer.problem.names
        return answer.at(**{self.across: value}) if known else answer

    def _label(self, held: Mapping[str, list[tuple[float, float]]], y: float) -> str:
        largest = [term for term, found in held.items() if any(a <= y <= b for a, b in found)]
        if len(self.asked) < len(self.terms) and not largest:
            return self.terms[1]
        return largest[0] if len(largest) == 1 else "balanced" if largest else NOWHERE


def _exponents(r: Roofline, terms: list[str]) -> set[str]:
    """Return the symbols that stand in exponents of time terms."""
    powers = [power for term in terms for power in r.groups[term].expr.atoms(Pow)]
    return {atom.name for power in powers for atom in power.exp.free_symbols}


def _marks(swept: Swept, name: str, other: str) -> list[float]:
    """Return thresholds in one symbol at a few values of the other."""
    now = swept.now.get(other)
    about = [now] if now is not None else [Fraction(64), Fraction(4096)]
    found = []
    for value in about:
        if now is None and "." in other:
            continue
        r = swept.roofline
        try:
            bound = r.at({other: in_unit(other, value)})
            found += [end.at for end in crossover_ends(bound.crossover(name))]
        except (InputError, UnboundError):
            continue
    return found


def _regions(areas: list[Trace], units: tuple[Fraction, Fraction]) -> Iterator[Region]:
    widest: dict[str, Trace] = {}
    areas = [area for area in areas if area.label != NOWHERE]
    for area in areas:
        if area.label not in widest or area.size > widest[area.label].size:
            widest[area.label] = area
    for area in sorted(areas, key=lambda area: -area.size):
        label = bound_words(area.label) if widest[area.label] is area else ""
        corners = tuple(_scaled(place, units) for place in area.outline)
        yield Region(corners, label, COLOURS[area.label])


def _boundaries(
    swept: Swept, lines: list[Trace], units: tuple[Fraction, Fraction]
) -> Iterator[Line]:
    said: set[str] = set()
    across = swept.names[0]
    # The edge of where the algorithm exists is no crossover.
    lines = [line for line in lines if NOWHERE not in line.label.split(" = ")]
    for line in sorted(lines, key=lambda line: -len(line.lower)):
        label = "" if line.label in said else line.label
        said.add(line.label)
        curve = _closed_form(swept, line, units[0])
        text = "" if curve is None else formula_text(curve, across, *units)
        points = tuple(_scaled(place, units) for place in line.lower)
        yield Line(points, label, Role.BOUNDARY, WHOLE, text, across if text else "")


def _closed_form(swept: Swept, line: Trace, unit: Fraction) -> Expr | None:
    """Return y of x where two terms are equal, if one closed form gives all points of a line."""
    across, upward = swept.names
    left, _, right = line.label.partition(" = ")
    groups = swept.roofline.groups
    if right not in groups or line.upright or line.swapped:
        return None
    answer = region(groups[left], groups[right], upward)
    curves = []
    for case in answer.cases:
        for end in (case.region.threshold, case.region.threshold_upper):
            if end is not None:
                curves.append(end)
    for curve in dict.fromkeys(curves):
        try:
            expr = swept.formula(Quantity.of(curve, "", swept.roofline.scope))
        except NumbersNeededError:
            continue
        at = evaluator(expr, across)
        places = [(as_written(x / float(unit)) * unit, y) for x, y in line.lower]
        if all(math.isclose(at(x), y, rel_tol=NEAR) for x, y in places):
            return expr
    return None


def _now(
    swept: Swept, axes: tuple[Axis, Axis], units: tuple[Fraction, Fraction]
) -> Iterator[Point]:
    """Yield the point of the values that the two symbols have now."""
    if any(name not in swept.now for name in swept.names):
        return
    across, upward = (float(swept.now[name]) for name in swept.names)
    x, y = _scaled((across, upward), units)
    if axes[0].low <= x <= axes[0].high and axes[1].low <= y <= axes[1].high:
        values = {name: swept.now[name] for name in swept.names}
        bound = swept.roofline.verdict(**{n: in_unit(n, v) for n, v in values.items()})
        label = ", ".join(value_text(name, adopt(value)) for name, value in values.items())
        yield Point(x, y, label, 0.3, WHOLE, f"{label}: {bound_words(bound)}")


def _scaled(place: tuple[float, float], units: tuple[Fraction, Fraction]) -> tuple[float, float]:
    return place[0] / float(units[0]), place[1] / float(units[1])


def _description(swept: Swept, areas: list[Trace]) -> str:
    sizes: dict[str, float] = {}
    for area in areas:
        if area.label != NOWHERE:
            sizes[area.label] = sizes.get(area.label, 0.0) + area.size
    unsaid = note(swept, cut=any(area.label == NOWHERE for area in areas))
    across, upward = map(short, swept.names)
    name = short(swept.roofline.graph.name, 60)
    said = f"What bounds {name}, over {across} (along) and {upward} (up)."
    if not sizes:
        return said + unsaid
    if len(sizes) == 1:
        where = "wherever it exists" if unsaid else "everywhere"
        return f"{said} It is {bound_words(next(iter(sizes)))} {where}.{unsaid}"
    shares = sorted(sizes.items(), key=lambda item: -item[1])
    whole = sum(sizes.values())
    parts = ", ".join(f"{bound_words(label)} on {size / whole:.0%}" for label, size in shares)
    parts += " of what is drawn" if unsaid else " of the map"
    return f"{said} It is {parts}; on the curves two times are equal.{unsaid}"
