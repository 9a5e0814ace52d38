"""The parts of the page that stand without JavaScript: closed forms, cases, what is assumed."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr

from symroof.graph.traffic import TRAFFIC
from symroof.markup import escape
from symroof.reports.explorer.slots import Slots
from symroof.reports.explorer.variants import Variant
from symroof.roofline.documents import unit_of
from symroof.roofline.inside_kinds import Residency
from symroof.solve import Condition, Crossover, SymbolicRegion
from symroof.symbolic.forms import Comparison, Form, Name, Relation
from symroof.symbolic.latex import latex
from symroof.symbolic.mathml import mathml
from symroof.symbolic.readable import readable

BUDGET = 64_000
"""Letters of MathML on a page; what comes after that is written as plain text."""

LONGEST = 8_000
HIDDEN = " hidden"
MOST_CASES = 6
"""Of a variant that is switched to, more cases are not written out."""


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

    def formula(self, form: Form, *, plain: bool = False) -> str:
        """Return a formula as HTML; a plain one as text."""
        text = form.unicode(self.labels)
        if len(text) > LONGEST:
            return f"<code>(a formula of {len(text):,} letters)</code>"
        if not plain and self.left > 30 * len(text):
            made = mathml(latex(form, self.labels))
            if len(made) <= self.left:
                self.left -= len(made)
                return made
        return f"<code>{escape(text)}</code>"

    def terms(self) -> str:
        """Return the time terms that have work, each with its closed form, variant by variant."""
        return "".join(
            self._term(at, name, time.expr)
            for at, variant in enumerate(self.slots.variants)
            for name, time in variant.general.groups.items()
            if time.expr != 0
        )

    def _term(self, at: int, name: str, time: Expr) -> str:
        form = Comparison(Name(f"t_{name}"), Relation.EQUAL, self._form(time))
        return (
            f'<li data-term="{name}" data-set="{at}"{HIDDEN if at else ""}>'
            f'<span class="term-name">{name}</span>'
            '<span class="bar live" aria-hidden="true"><span></span></span>'
            '<span class="term-value live"></span>'
            f'<span class="formula" tabindex="0" role="group" aria-label="closed form of the '
            f'{name} time">{self.formula(form)}</span></li>\n'
        )

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
            words = self._ridge(key) if value is not None else self.slots.meaning(key)
            unit = f", in {unit}" if unit else ""
            parts.append(f"{self.formula(form)} is the {escape(words)}{unit}")
        return "; ".join(parts) or "all rates are symbols of your own"

    def _ridge(self, key: str) -> str:
        """Return what a ridge is of: the main memory, another level, a link."""
        level = key.partition(".bw.")[2]
        if level:
            return f"ridge point of {level}"
        return "ridge point of the link" if key.count(".") > 1 else "ridge point"

    def cases(self, at_set: int, variant: Variant, answers: Iterable[Crossover | None]) -> str:
        """Return the cases of each crossover as a list; the page shows one list at a time.

        Those of the first variant are maths, those of others plain text.
        """
        lists = []
        for at, answer in enumerate(answers):
            mark = f'data-set="{at_set}" data-slot="{at}"{HIDDEN if at_set else ""}'
            rows = self._rows(variant, answer, plain=at_set > 0)
            lists.append(f'<ul class="cases" {mark}>{"".join(rows)}</ul>\n')
        return "".join(lists)

    def _rows(self, variant: Variant, answer: Crossover | None, *, plain: bool) -> list[str]:
        if answer is None:
            why = "where times have steps" if variant.is_steep else "of a name from a formula"
            return [f"<li>No closed form is worked out {why}; values are tried.</li>"]
        if answer.only_at_known_rates or not answer.cases:
            why = answer.note.partition(": bind")[0]
            return [f"<li>No closed form, so values are tried: {escape(why)}.</li>"]
        if plain and len(answer.cases) > MOST_CASES:
            return [f"<li>A closed form of {len(answer.cases)} cases.</li>"]
        return [
            f"<li>{self._region(case.region, answer, plain)}"
            f"{self._given(case.condition, answer, plain)}</li>"
            for case in answer.cases
        ]

    def at_most(self, low: Expr, high: Expr) -> str:
        """Return ``k ≤ E`` as plain text."""
        return Comparison(self._form(low), Relation.AT_MOST, self._form(high)).unicode(self.labels)

    def assumes(self) -> str:
        """Return the conventions in force."""
        general = self.slots.general
        traffic = TRAFFIC.get(general.traffic, general.traffic)
        parts = ["2 FLOP per multiply-add", "dense peaks", traffic, *self._inside()]
        if general.link_bytes.expr != 0:
            parts.append("links per chip and one direction, phases on links add")
        return (
            f"Assumes: {'; '.join(parts)}. With this traffic memory-bound is certain, unless more "
            "is fused; compute-bound is a best case."
        )

    def _inside(self) -> tuple[str, ...]:
        """Return what is taken of the inside of the chip, but for what can be switched."""
        inside = self.slots.general.inside
        switched = inside.residency is not Residency.COLD and len(self.slots.variants) > 1
        return inside.said[1:] if switched else inside.said

    def _form(self, expr: Expr) -> Form:
        return readable(expr, order=self.slots.order)

    def _region(self, region: SymbolicRegion, answer: Crossover, plain: bool) -> str:
        """Return a set of the unknown: comparisons joined by "and" and "or"."""
        if region.is_all or region.is_empty:
            return "always" if region.is_all else "never"
        pieces = region.forms(answer.name, answer.leads, answer.order)
        return " or ".join(self._all(forms, plain) for forms in pieces)

    def _given(self, condition: Condition, answer: Crossover, plain: bool) -> str:
        forms = condition.forms(answer.leads, answer.order)
        return f" <span>if {self._all(forms, plain)}</span>" if forms else ""

    def _all(self, forms: Iterable[Form], plain: bool) -> str:
        return " and ".join(self.formula(form, plain=plain) for form in forms)
