"""Arithmetic intensity against a symbol: the ridge it must reach, and the limit it tends to."""

from __future__ import annotations

import math
from fractions import Fraction

from sympy import Expr

from symroof.errors import InputError, SymroofError
from symroof.reports.plots.axes import (
    BEYOND,
    COLOURS,
    WHOLE,
    Swept,
    ends_of,
    formula_text,
    headline,
    nice,
    power_of_two,
    rate_unit,
    short,
    sweep,
    swept_axis,
)
from symroof.reports.plots.crossings import End, crossover_ends, on_axis, rules, value_text
from symroof.reports.plots.existence import inside, note, surrounds
from symroof.reports.plots.plot import Axis, Chart, Line, Mark, Point, Region, Role
from symroof.reports.plots.sampling import evaluator, number_of, places, sampled, samples_for
from symroof.roofline import Roofline, region
from symroof.symbolic import adopt
from symroof.symbolic.numerals import number
from symroof.units import Quantity, Scope


def intensity(r: Roofline, name: str, *, within: object = None) -> Chart:
    """Draw the arithmetic intensity of an algorithm against one of its symbols.

    Parameters
    ----------
    r : Roofline
        With numbers for all other symbols; a value of `name` is marked.
    name : str
        The symbol: a batch, a sequence length, a rate.
    within : pair of numbers, optional
        The ends of its axis, chosen around the crossover when not given.

    Returns
    -------
    Chart
        The curve, the ridge, the limit, the exact crossover and the rule of thumb.

    Raises
    ------
    NumbersNeededError
        If other symbols are free.
    InputError
        If there is no intensity: nothing is computed, or nothing is moved.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=4096, k=4096)
    >>> chart = intensity(r, "m")
    >>> chart.x.high, [mark.label for mark in chart.marks if hasattr(mark, "at")]
    (2048.0, ['m = 345'])
    """
    swept = sweep("intensity", r, name)
    free, (key,) = swept.roofline, swept.names
    quantity = free.intensity
    if quantity is None or quantity.expr == 0 or quantity.expr.is_infinite:
        raise InputError(f"{r.graph.name} has no arithmetic intensity to draw")
    curve = swept.formula(quantity)
    ridge = swept.formula(_ridge(free))
    ends = _crossings(swept, curve, ridge)
    thumb = _thumb(swept)
    marks_at = [end.at for end in ends] or _saturation(swept)
    marks_at += [] if thumb is None else [thumb.at]
    low, high = ends_of(swept, marks_at, within=within)
    ends = on_axis(ends, low, high)
    x = swept_axis(swept, low, high)
    unit = rate_unit(key, low, high)[1]
    spread = places(low, high, samples_for([curve, ridge]))
    at = inside(swept, spread)
    factor = float(unit)
    lines = [
        Line(pairs, label, role, colour, formula_text(expr, key, unit, Fraction(1)), key)
        for expr, pairs, label, role, colour in (
            (ridge, sampled(ridge, key, at, unit), _ridge_label(ridge), Role.ROOF, WHOLE),
            (curve, sampled(curve, key, at, unit), "arithmetic intensity", Role.CURVE, 5),
        )
    ]
    heights = [y for line in lines for _, y in line.points]
    limit = _limit(swept)
    top = nice(max([*heights, *([limit] if limit else [])]) * 1.4, up=True)
    y = Axis("arithmetic intensity", "FLOP/byte", nice(min(heights) / 1.4, up=False), top)
    marks: list[Mark] = [*_regions(lines[0], y), *lines]
    if limit is not None:
        label = f"limit {number(limit, 4)}"
        marks.append(Line(((x.low, limit), (x.high, limit)), label, Role.GUIDE, WHOLE))
    if thumb is not None and low < thumb.at < high and all(end.at != thumb.at for end in ends):
        guide = ((thumb.at, y.low), (thumb.at, y.high))
        marks.append(Line(guide, thumb.label, Role.GUIDE, 3))
    marks.extend(rules(ends, factor))
    marks.extend(_now(swept, x, factor))
    description = _description(swept, ends, limit, thumb) + note(swept, cut=len(at) < len(spread))
    return Chart(headline("Intensity", free), description, x, y, tuple(marks))


def _crossings(swept: Swept, curve: Expr, ridge: Expr) -> list[End]:
    """Return where the intensity is the ridge, exactly."""
    (key,) = swept.names
    if all(atom.name != key for atom in curve.free_symbols | ridge.free_symbols):
        return []
    given = swept.roofline.scope
    scope = Scope({key: given.dimensions[key]}, given.counts & {key})
    left, right = (Quantity.of(side, "FLOP/byte", scope) for side in (curve, ridge))
    return [end for end in crossover_ends(region(left, right, key)) if surrounds(swept, end.at)]


def _ridge(r: Roofline) -> Quantity:
    """Return the intensity at which compute and memory take equally long.

    With several levels of memory it depends on how the bytes are charged to them.
    """
    if len(r.levels) < 2 or r.intensity is None or r.t_compute.expr == 0:
        return r.critical_intensity
    return r.intensity * (r.t_memory / r.t_compute)


def _ridge_label(ridge: Expr) -> str:
    if ridge.free_symbols:
        return "ridge"
    return f"ridge {number(number_of(ridge), 4)}"


def _regions(ridge: Line, y: Axis) -> list[Region]:
    """Return the areas under and over the ridge."""
    (left, _), (right, _) = ridge.points[0], ridge.points[-1]
    along = tuple((place, min(max(height, y.low), y.high)) for place, height in ridge.points)
    below = (*along, (right, y.low), (left, y.low))
    above = (*along, (right, y.high), (left, y.high))
    return [
        Region(below, "memory-bound", COLOURS["memory"]),
        Region(above, "compute-bound", COLOURS["compute"]),
    ]


def _thumb(swept: Swept) -> End | None:
    """Return the rule of thumb for the symbol, where there is one."""
    r, (key,) = swept.roofline, swept.names
    try:
        rule = r.rule_of_thumb(r.crossover(key))
    except SymroofError:
        return None
    if rule is None or rule.value is None or rule.error == 0:
        return None
    label = f"rule of thumb {number(rule.integer or rule.value)}"
    return End(number_of(rule.value), label if rule.applies else f"{label}, does not apply")


def _limit(swept: Swept) -> float | None:
    """Return what the intensity tends to as the symbol grows; None where that is no number."""
    (key,) = swept.names
    try:
        found = swept.formula(swept.roofline.limit(key))
    except SymroofError:
        return None
    if found.free_symbols or not found.is_finite or not found.is_positive:
        return None
    return number_of(found)


def _saturation(swept: Swept) -> list[float]:
    """Return what makes the axis end where the intensity is near its limit."""
    limit, (key,) = _limit(swept), swept.names
    if limit is None or "." in key or swept.roofline.intensity is None:
        return []
    function = evaluator(swept.formula(swept.roofline.intensity), key)
    for exponent in range(0, 40, 2):
        place = power_of_two(4.0**exponent, up=True)
        if not math.isfinite(function(place)) or function(place) >= 0.9 * limit:
            return [float(place) / BEYOND]
    return []


def _now(swept: Swept, x: Axis, factor: float) -> list[Point]:
    (key,) = swept.names
    now = swept.now.get(key)
    quantity = swept.roofline.intensity
    if now is None or quantity is None or not x.low <= float(now) / factor <= x.high:
        return []
    height = evaluator(swept.formula(quantity), key)(now)
    label = value_text(key, adopt(now))
    detail = f"{label}: {number(height, 4)} FLOP/byte"
    return [Point(float(now) / factor, height, label, 0.3, WHOLE, detail)]


def _description(swept: Swept, ends: list[End], limit: float | None, thumb: End | None) -> str:
    r, (key,) = swept.roofline, swept.names
    said = [f"Arithmetic intensity of {short(r.graph.name, 60)} against {short(key)}."]
    if ends:
        said.append(f"It crosses the ridge at {', '.join(end.label for end in ends[:6])}.")
    else:
        said.append("It does not cross the ridge.")
    if limit is not None:
        said.append(f"As {short(key)} grows it tends to {number(limit, 4)} FLOP/byte.")
    if thumb is not None and ends:
        said.append(f"The {thumb.label} is not exact.")
    return " ".join(said)
