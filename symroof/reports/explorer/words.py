"""The parts of the page that stand without JavaScript: closed forms, cases, what is assumed."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr

from symroof.graph.traffic import TRAFFIC
from symroof.markup import escape
from symroof.reports.explorer.slots import Slots
from symroof.roofline.documents import unit_of
from symroof.roofline.ridges import meaning
from symroof.solve import Condition, Crossover, SymbolicRegion
from symroof.symbolic.forms import Comparison, Form, Name, Relation
from symroof.symbolic.latex import latex
from symroof.symbolic.mathml import mathml
from symroof.symbolic.readable import readable

BUDGET = 80_000
"""Letters of MathML on a page; what comes after that is written as plain text."""

LONGEST = 8_000


class Words:
    """Writes formulas of one page, as MathML as long as there is room.

    Parameters
    ----------
    slots : Slots
        What the page is about.
    """

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.labels = slots.labels
        self.left = BUDGET

    def formula(self, form: Form) -> str:
        """Return a formula as HTML."""
        text = form.unicode(self.labels)
        if len(text) > LONGEST:
            return f"<code>(a formula of {len(text):,} letters)</code>"
        if self.left > 30 * len(text):
            made = mathml(latex(form, self.labels))
            if len(made) <= self.left:
                self.left -= len(made)
                return made
        return f"<code>{escape(text)}</code>"

    def terms(self) -> str:
        """Return the time terms that have work, each with its closed form."""
        rows = []
        for name, time in self.slots.general.groups.items():
            if time.expr == 0:
                continue
            form = Comparison(Name(f"t_{name}"), Relation.EQUAL, self._form(time.expr))
            rows.append(
                f'<li data-term="{name}"><span class="term-name">{name}</span>'
                '<span class="bar live" aria-hidden="true"><span></span></span>'
                '<span class="term-value live"></span>'
                f'<span class="formula" tabindex="0" role="group" aria-label="closed form of the '
                f'{name} time">{self.formula(form)}</span></li>\n'
            )
        return "".join(rows)

    def derived(self) -> str:
        """Return what names that are bound to formulas stand for."""
        parts = (
            self.formula(Comparison(Name(name), Relation.EQUAL, self._form(value)))
            for name, value in self.slots.derived.items()
        )
        text = ", ".join(parts)
        return f'<p class="small">with {text}</p>\n' if text else ""

    def where(self) -> str:
        """Return what each label of a rate stands for."""
        keys = {key: unit_of(key) for key in (*self.slots.rates, *self.slots.ridges)}
        parts = []
        for key, unit in keys.items():
            value = self.slots.ridges.get(key)
            form: Form = Name(key)
            if value is not None:
                form = Comparison(form, Relation.EQUAL, self._form(value))
            words = "memory bandwidth" if key.startswith("bw.") else meaning(key)
            if value is not None:
                words = "ridge point of the link" if key.count(".") > 1 else "ridge point"
            parts.append(f"{self.formula(form)} is the {escape(words)}, in {unit}")
        return "; ".join(parts) or "all rates are symbols of your own"

    def cases(self, answers: Iterable[Crossover | None]) -> str:
        """Return the cases of each crossover as a list; the page shows one list at a time."""
        lists = []
        for at, answer in enumerate(answers):
            if answer is None:
                rows = ["<li>Values are tried for a name that comes from a formula.</li>"]
            elif answer.only_at_known_rates or not answer.cases:
                why = answer.note.partition(": bind")[0]
                rows = [f"<li>No closed form, so values are tried: {escape(why)}.</li>"]
            else:
                rows = [
                    f"<li>{self._region(case.region, answer)}"
                    f"{self._given(case.condition, answer)}</li>"
                    for case in answer.cases
                ]
            lists.append(f'<ul class="cases" data-slot="{at}">{"".join(rows)}</ul>\n')
        return "".join(lists)

    def at_most(self, low: Expr, high: Expr) -> str:
        """Return ``k ≤ E`` as plain text."""
        return Comparison(self._form(low), Relation.AT_MOST, self._form(high)).unicode(self.labels)

    def assumes(self) -> str:
        """Return the conventions in force."""
        general = self.slots.general
        traffic = TRAFFIC.get(general.traffic, general.traffic)
        parts = ["2 FLOP per multiply-add", "dense peaks", traffic]
        if general.link_bytes.expr != 0:
            parts.append("links per chip and one direction, phases on links add")
        return (
            f"Assumes: {'; '.join(parts)}. With this traffic memory-bound is certain, unless more "
            "is fused; compute-bound is a best case."
        )

    def _form(self, expr: Expr) -> Form:
        return readable(expr, order=self.slots.order)

    def _region(self, region: SymbolicRegion, answer: Crossover) -> str:
        """Return a set of the unknown: comparisons joined by "and" and "or"."""
        if region.is_all or region.is_empty:
            return "always" if region.is_all else "never"
        pieces = region.forms(answer.name, answer.leads, answer.order)
        return " or ".join(" and ".join(map(self.formula, forms)) for forms in pieces)

    def _given(self, condition: Condition, answer: Crossover) -> str:
        forms = condition.forms(answer.leads, answer.order)
        return f" <span>if {' and '.join(map(self.formula, forms))}</span>" if forms else ""
