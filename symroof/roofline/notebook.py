"""A roofline in notebooks: time terms, intensity, ridge point and verdict as a table."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from symroof.errors import UnboundError
from symroof.graph.notebook import MOST_TOTALLED
from symroof.markup import Html, escape, or_none, shortened, table
from symroof.roofline.bound import Bound
from symroof.roofline.ridges import labels, meaning
from symroof.symbolic.latex import name_latex
from symroof.symbolic.mathml import mathml
from symroof.units import Quantity, human, unit_text
from symroof.units.notebook import quantity_html
from symroof.units.scope import Scope, rate_dimension, union

if TYPE_CHECKING:
    from symroof.roofline.roofline import Roofline

DIGITS = 5


@or_none
def roofline_html(roofline: Roofline) -> Html | None:
    """Return a roofline as an HTML table: each amount in closed form, and its number.

    None for a graph of so many distinct ops that nobody reads its formulas.

    Examples
    --------
    >>> import symroof as sr
    >>> g = sr.Graph("square")
    >>> y = g.input("x", ("N", "N"), "fp16") @ g.weight("w", ("N", "N"), "fp16")
    >>> "memory-bound" in roofline_html(sr.analyze(g, "h100-sxm").at(N=64))
    True
    """
    if sum(len(block.signatures) for block in roofline.graph.blocks()) > MOST_TOTALLED:
        return None
    amounts = {title: q for title, q in _amounts(roofline).items() if q is not None}
    used = {symbol.name for q in amounts.values() for symbol in q.expr.free_symbols}
    shown = labels([name for name in used if "." in name], roofline.scope.dimensions)
    cells = [
        [escape(title), quantity_html(q, shown, roofline.name_order), escape(_number(q))]
        for title, q in amounts.items()
    ]
    known = reduce(union, (q.scope for q in amounts.values()))
    cells.append([escape("verdict"), escape(_verdict(roofline)), escape("")])
    cells += [
        [Html(mathml(name_latex(label))), escape(meaning(key)), escape(_rate(known, key))]
        for key, label in shown.items()
    ]
    return table(("", "closed form", "value"), cells, frozenset({2}), escape(_caption(roofline)))


def _amounts(roofline: Roofline) -> dict[str, Quantity | None]:
    found: dict[str, Quantity | None] = {"FLOPs": roofline.flops, "bytes": roofline.bytes}
    sent = roofline.link_bytes.expr != 0
    if sent:
        found["bytes sent"] = roofline.link_bytes
    found["compute time"] = roofline.t_compute
    found["memory time"] = roofline.t_memory
    levels = roofline.levels
    if len(levels) > 1:
        found |= {f"memory time, {row.name}": row.time for row in levels}
    if sent:
        found["network time"] = roofline.t_network
    found["launch time"] = roofline.groups.get("launch")
    found["intensity"] = roofline.intensity
    found["ridge point"] = roofline.critical_intensity
    for each in roofline.liftings:
        found[f"gain without {each.ceiling.name}"] = each.gain
    return found


def _number(q: Quantity) -> str:
    known = q.resolved()
    return human(known, DIGITS) if known.expr.is_number else ""


def _rate(scope: Scope, key: str) -> str:
    value = scope.values.get(key)
    if value is None:
        return ""
    return _number(Quantity.of(value, unit_text(rate_dimension(key)), scope))


def _caption(roofline: Roofline) -> str:
    machine = roofline.chip.title or roofline.chip.name
    bound = ", ".join(f"{name} = {value}" for name, value in roofline.bindings.items())
    caption = f"{shortened(roofline.graph.name)} on {shortened(machine)}, {roofline.traffic}"
    caption += f", residency {roofline.inside.residency}"
    return caption + (f"; {shortened(bound)}" if bound else "")


def _verdict(roofline: Roofline) -> str:
    try:
        verdict = roofline.verdict()
    except UnboundError as error:
        return f"depends on {', '.join(error.names)}"
    if verdict is Bound.BALANCED:
        return f"balanced: {' and '.join(roofline.largest_terms())} take equally long"
    return "no work" if verdict is Bound.NO_WORK else f"{verdict}-bound"
