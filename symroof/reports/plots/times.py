"""Time terms against a symbol: where they cross, and what the sum of the ops takes at least."""

from __future__ import annotations

import math
from collections.abc import Mapping

from symroof.errors import InputError
from symroof.reports.plots.axes import (
    COLOURS,
    WHOLE,
    Swept,
    ends_of,
    formula_text,
    headline,
    nice,
    prefixed,
    rate_unit,
    short,
    sweep,
    swept_axis,
)
from symroof.reports.plots.crossings import (
    End,
    answers,
    crossover_ends,
    on_axis,
    rules,
    shaded,
    terms_of,
    value_text,
)
from symroof.reports.plots.existence import inside, note, surrounds
from symroof.reports.plots.plot import Axis, Chart, Line, Mark, Point, Role
from symroof.reports.plots.sampling import decimal, evaluator, places, sampled, samples_for
from symroof.roofline import Roofline
from symroof.solve import Crossover
from symroof.symbolic import adopt
from symroof.units import Quantity, human


def times(r: Roofline, name: str, *, within: object = None) -> Chart:
    """Draw the time terms of an algorithm against a symbol, of the algorithm or the machine.

    Parameters
    ----------
    r : Roofline
        With numbers for all other symbols; a value of `name` is marked.
    name : str
        The symbol: a batch, a group size, a rate (``bw``).
    within : pair of numbers, optional
        The ends of its axis, chosen around the crossovers when not given.

    Returns
    -------
    Chart
        A line for each term and for the per-op bound, the exact crossovers, and the stretches
        where a term is the largest.

    Raises
    ------
    NumbersNeededError
        If other symbols are free.
    InputError
        If there is no work.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=4096, k=4096)
    >>> [mark.label for mark in times(r, "m").marks if isinstance(mark, Line)]
    ['per-op bound', 't_compute', 't_memory']
    """
    swept = sweep("times", r, name)
    free, (key,) = swept.roofline, swept.names
    terms = terms_of(free)
    if not terms:
        raise InputError(f"{r.graph.name} does no work, so it takes no time to draw")
    found = answers(swept)
    ends = [end for end in _ends(found) if surrounds(swept, end.at)]
    low, high = ends_of(swept, [end.at for end in ends], within=within)
    formulas = {"per-op bound": swept.formula(free.time.per_op)}
    formulas |= {f"t_{term}": swept.formula(free.groups[term]) for term in terms}
    x_unit = rate_unit(key, low, high)[1]
    spread = places(low, high, samples_for(formulas.values()))
    at = inside(swept, spread)
    sampled_at = {label: sampled(expr, key, at, x_unit) for label, expr in formulas.items()}
    heights = [height for pairs in sampled_at.values() for _, height in pairs]
    unit, y_unit = prefixed("s", math.sqrt(min(heights)) * math.sqrt(max(heights)))
    ends = on_axis(ends, low, high)
    x = swept_axis(swept, low, high)
    lines = []
    for label, pairs in sampled_at.items():
        points = tuple((place, height / float(y_unit)) for place, height in pairs)
        term = label.removeprefix("t_")
        text = formula_text(formulas[label], key, x_unit, y_unit)
        lines.append(Line(points, label, Role.CURVE, COLOURS.get(term, WHOLE), text, key))
    bottom = nice(min(heights) / float(y_unit) / 1.2, up=False)
    y = Axis("time", unit, bottom, nice(max(heights) / float(y_unit) * 1.2, up=True))
    marks: list[Mark] = [
        *shaded(found, (float(low), float(high)), (y.low, y.high), float(x_unit)),
        *lines,
        *rules(ends, float(x_unit)),
        *_now(swept, x, float(x_unit), float(y_unit)),
    ]
    description = _description(swept, terms, ends) + note(swept, cut=len(at) < len(spread))
    return Chart(headline("Times", free), description, x, y, tuple(marks))


def _ends(found: Mapping[str, Crossover]) -> list[End]:
    """Return where the largest term changes, called by where the next one begins."""
    ends: dict[float, End] = {}
    for answer in found.values():
        for end in crossover_ends(answer):
            if end.first or end.at not in ends:
                ends[end.at] = end
    return sorted(ends.values(), key=lambda end: end.at)


def _now(swept: Swept, x: Axis, x_unit: float, y_unit: float) -> list[Point]:
    """Return the per-op bound at the value that the symbol has now."""
    r, (key,) = swept.roofline, swept.names
    now = swept.now.get(key)
    if now is None or not x.low <= float(now) / x_unit <= x.high:
        return []
    height = evaluator(swept.formula(r.time.per_op), key)(now)
    label = value_text(key, adopt(now))
    detail = f"{label}: {human(Quantity(decimal(height), 's'))} per op"
    return [Point(float(now) / x_unit, height / y_unit, label, 0.3, WHOLE, detail)]


def _description(swept: Swept, terms: list[str], ends: list[End]) -> str:
    r, (key,) = swept.roofline, swept.names
    said = [f"Time of {short(r.graph.name, 60)} by term against {short(key)}."]
    if ends:
        said.append(f"The largest term changes at {', '.join(end.label for end in ends[:6])}.")
    elif len(terms) == 1:
        said.append(f"There is only t_{terms[0]}.")
    else:
        said.append("The largest term is the same everywhere.")
    said.append("The per-op bound is the sum of the largest term of each op.")
    return " ".join(said)
