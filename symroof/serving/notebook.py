"""A served model in notebooks: what fits, the time terms, and when which is the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.markup import Html, escape, or_none, shortened, table
from symroof.roofline.documents import unit_of
from symroof.roofline.ridges import labels, meaning, ridges
from symroof.solve import Kind
from symroof.symbolic.latex import name_latex
from symroof.symbolic.mathml import mathml
from symroof.units import Quantity, human
from symroof.units.notebook import quantity_html

if TYPE_CHECKING:
    from symroof.serving.serving import Serving

TITLES = {"compute": "compute time", "memory": "memory time", "network": "network time"}


@or_none
def serving_html(serving: Serving) -> Html:
    """Return a served model as an HTML table: time terms in closed form and numbers, verdicts.

    Examples
    --------
    >>> import symroof as sr
    >>> text = serving_html(sr.serve("llama-3-8b", "h100-sxm", context=1024))
    >>> "at most 476 sequences" in text, "40.06 µs·B + 4.481 ms" in text
    (True, True)
    """
    terms = serving.symbolic.terms
    here = {name: term for name, term in terms.quantities.items() if term.expr != 0}
    answer = serving.crossover()
    sides = [term.expr for term in here.values()]
    if answer.kind not in (Kind.ALWAYS, Kind.NEVER):
        sides += answer.problem.sides
    used = sorted({s.name for side in sides for s in side.free_symbols if "." in s.name})
    shown = labels(used, [name for name in terms.scope.dimensions if "." not in name])
    rows = [
        [
            escape(TITLES[name]),
            quantity_html(term, shown, terms.order),
            escape(serving.terms.text(name)),
        ]
        for name, term in here.items()
    ]
    said = {"fits": _fits(serving), "compute-bound": str(answer.sentence(shown))}
    if serving.workload is None:
        said["context limit"] = str(serving.context_limit)
    rows += [[escape(title), escape(text), escape("")] for title, text in said.items()]
    known = {**terms.rates.scope.values, **ridges(terms.rates)[1]}
    for key, label in shown.items():
        value = ""
        if key in known:
            rate = Quantity.of(known[key], unit_of(key), terms.rates.scope)
            value = human(rate.resolved(), 5)
        rows.append([Html(mathml(name_latex(label))), escape(meaning(key)), escape(value)])
    caption = escape(shortened(repr(serving).strip("<>")))
    return table(("", "closed form", "value"), rows, frozenset({2}), caption)


def _fits(serving: Serving) -> str:
    if serving.fits is None:
        return "not known"
    if not serving.fits:
        lacking = serving.shortfall
        return "no" if lacking is None else f"no: {human(lacking.resolved(), 4)} too much on a chip"
    most = None if serving.asked.unknown else serving.max_batch
    return "yes" if most is None else f"yes, at most {most:,} sequences"
