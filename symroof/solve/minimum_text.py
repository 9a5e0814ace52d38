"""A minimum in words and formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sympy import Expr, S

from symroof.solve.least import LeastCase, Place
from symroof.solve.sentences import DIGITS, Sentence, listed, run_text
from symroof.symbolic.forms import Form, Named
from symroof.symbolic.numerals import number
from symroof.symbolic.rooted import rooted

if TYPE_CHECKING:
    from symroof.solve.minimum import Minimum

MAX_LENGTH = 72
MAX_RUNS = 2


def sentence(answer: Minimum, labels: Mapping[str, str]) -> Sentence:
    """Return the verdict of an answer, with labels for rates."""
    if answer.kind is Place.UNSOLVED:
        return Sentence(f"not solved: {answer.note}")
    writer = _Writer(answer, labels)
    if not answer.free:
        return Sentence(writer.numbers())
    if answer.main is None:
        return Sentence("; ".join(writer.case(case) for case in answer.cases))
    main, others = answer.main, answer.others
    if not others:
        return Sentence(writer.statement(main))
    otherwise = "; ".join(
        writer.place(case) if len(others) == 1 else writer.case(case) for case in others
    )
    return Sentence(writer.statement(main), writer.condition(main), otherwise)


class _Writer:
    """Writes parts of one answer."""

    def __init__(self, answer: Minimum, labels: Mapping[str, str]) -> None:
        self.answer = answer
        self.labels = labels
        self.name = labels.get(answer.name, answer.name)

    def statement(self, case: LeastCase) -> str:
        """Return where the minimum is, what it is the minimum of, its value, and why it is one."""
        place = self.place(case)
        if case.place is Place.NEVER:
            return place
        formula, value = self.short(self.answer.expr), self.short(case.value)
        of, is_ = (f" of {formula}" if formula else ""), (f": {value}" if value else "")
        return f"{place}, the minimum{of}{is_}{self.why()}"

    def why(self) -> str:
        """Return the second-order check, in parentheses."""
        return f" ({self.answer.second_order})" if self.answer.second_order else ""

    def case(self, case: LeastCase) -> str:
        """Return a case with its condition."""
        return f"{self.place(case)} if {self.condition(case)}"

    def condition(self, case: LeastCase) -> str:
        """Return the condition of a case."""
        return case.condition.unicode(self.labels, self.answer.leads, self.answer.order)

    def place(self, case: LeastCase) -> str:
        """Return where the minimum of a case is."""
        if case.place is Place.NEVER:
            to = "∞" if case.point is S.Infinity else "0"
            value = self.short(case.value)
            return f"none: it falls{value and f' to {value}'} as {self.name} → {to}"
        form = case.end.form(self.answer.leads, self.answer.order)
        if case.upper is None:
            return f"{self.name}* = {form.unicode(self.labels)}"
        upper = case.upper.form(self.answer.leads, self.answer.order)
        return self.between(
            "" if case.point is S.Zero else _plain(form).unicode(self.labels),
            "" if case.upper.expr is S.Infinity else _plain(upper).unicode(self.labels),
        )

    def between(self, lower: str, upper: str) -> str:
        """Return a range of the unknown; an end of no text is none."""
        star = f"{self.name}*"
        if lower and upper:
            return f"{lower} ≤ {star} ≤ {upper}"
        if lower:
            return f"{star} ≥ {lower}"
        return f"{star} ≤ {upper}" if upper else f"every {self.name}"

    def short(self, expr: Expr | None) -> str:
        """Return a formula, or nothing where it is long."""
        if expr is None:
            return ""
        text = rooted(expr, self.answer.leads, self.answer.order).unicode(self.labels)
        return "" if len(text) > MAX_LENGTH else text

    def numbers(self) -> str:
        """Return the statement of an answer with numbers."""
        answer = self.answer
        text = self.whole()
        real, value = answer.real, answer.value_bound
        if real is None or value is None:
            return f"{text}{self.why()}"
        if real.is_empty:
            start = f"none: it falls to {number(value, DIGITS)}"
            return f"{start}; {text}" if text else start
        places = [
            f"{self.name}* = {number(interval.lower, DIGITS)}"
            if interval.is_point and interval.lower is not None
            else self.between(
                "" if interval.lower is None else number(interval.lower, DIGITS),
                "" if interval.upper is None else number(interval.upper, DIGITS),
            )
            for interval in real.intervals
        ]
        place = " or ".join(places)
        main = answer.main
        if main is not None and main.place is Place.POINT and main.point.free_symbols:
            place = f"{self.place(main)} = {number(answer.point_bound, DIGITS)}"
        start = f"{place}, the minimum: {number(value, DIGITS)}{self.why()}"
        same = answer.whole_value == value and answer.kind is not Place.INTERVAL
        if not text or same:
            return start
        return f"{start} → {text}"

    def whole(self) -> str:
        """Return the whole numbers and their value, or nothing."""
        whole, value = self.answer.whole, self.answer.whole_value
        if whole is None or not whole.total:
            return ""
        if whole.total <= MAX_RUNS:
            text = " or ".join(run_text(self.name, run) for run in whole.intervals)
        else:
            text = f"{self.name} in {listed(whole.intervals, whole.total)}"
        divided = self.answer.asked.resolved().divides
        if divided is not None:
            text += f" of the divisors of {number(divided)}"
        if value is None or value == self.answer.value_bound:
            return text
        return f"{text}: {number(value, DIGITS)}"


def _plain(form: Form) -> Form:
    return form.inline() if isinstance(form, Named) else form
