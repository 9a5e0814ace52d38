"""An answer in words and formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from symroof.solve.kinds import Kind
from symroof.symbolic.numerals import number

if TYPE_CHECKING:
    from symroof.solve.crossover import Crossover

SHOWN = 8


class Sentence(NamedTuple):
    """The parts of a verdict: the set, the condition it is given, and what holds otherwise.

    Attributes
    ----------
    statement : str
        ``m ≥ I·n·k / (n·k − I·(n + k))``, ``always``, ``never``; all cases where there are several.
    given : str
        The condition, or nothing.
    otherwise : str
        ``never`` where there is a condition, or nothing.

    Examples
    --------
    >>> print(Sentence("m ≥ I", "n > 1", "never"))
    m ≥ I   given n > 1, else never
    """

    statement: str
    given: str = ""
    otherwise: str = ""

    def __str__(self) -> str:
        given = f"   given {self.given}" if self.given else ""
        return self.statement + given + (f", else {self.otherwise}" if self.otherwise else "")


def sentence(answer: Crossover, labels: Mapping[str, str]) -> Sentence:
    """Return the verdict of an answer, with labels for rates."""
    name = labels.get(answer.name, answer.name)
    style = (labels, answer.lead, answer.order)
    if not answer.free:
        return Sentence(_bound(answer, name, labels))
    if answer.kind is Kind.UNSOLVED:
        return Sentence(f"not solved: {answer.note}")
    if answer.kind is Kind.CASES:
        parts = [
            f"{case.region.unicode(name, *style)} if {case.condition.unicode(*style)}"
            for case in answer.cases
            if not case.region.is_empty
        ]
        if len(parts) < len(answer.cases):
            parts.append("else never")
        return Sentence("; ".join(parts))
    region, condition = answer.region, answer.condition
    if region is None or condition is None or condition.is_true:
        statement = answer.kind.value if region is None else region.unicode(name, *style)
        return Sentence(statement)
    return Sentence(region.unicode(name, *style), condition.unicode(*style), "never")


def _bound(answer: Crossover, name: str, labels: Mapping[str, str]) -> str:
    """Return the statement of an answer with numbers: formula, number, whole numbers."""
    kind = answer.kind
    if kind in (Kind.ALWAYS, Kind.NEVER):
        return kind.value
    if kind is Kind.UNSOLVED:
        return f"not solved: {answer.note}"
    text = ""
    region, bound = answer.region, answer.threshold_bound
    if region is not None and kind is not Kind.INTERVALS and bound is not None:
        upper = answer.threshold_upper_bound
        low = number(bound)
        match region.relation:
            case "between":
                numbers = f"{low} ≤ {name} ≤ {number(upper)}"
            case "outside":
                numbers = f"{name} ≤ {low} or {name} ≥ {number(upper)}"
            case relation:
                numbers = f"{name} {'≥' if relation == '>=' else '≤'} {low}"
        text = numbers
        if answer.problem.known and kind is Kind.AT:
            formula = region.unicode(name, labels, answer.lead, answer.order)
            text = f"{formula} = {low}" if formula != numbers else numbers
    runs = answer.intervals
    if runs is None:
        return text or (answer.note or "numeric")
    whole = f"{name} {_runs(runs, answer.intervals_total)}" if runs else "no whole number"
    return f"{text}; {whole}" if text else whole


def _runs(runs: Sequence[tuple[int, int | None]], total: int | float | None) -> str:
    """Return runs of whole numbers as text: ``in 769, 897–933, or from 1281``."""
    if len(runs) == 1:
        low, high = runs[0]
        if high is None:
            return f"from {number(low)}"
        return f"= {number(low)}" if low == high else f"from {number(low)} to {number(high)}"
    shown = [
        f"{number(low)} on" if high is None else number(low) if low == high
        else f"{number(low)}–{number(high)}"
        for low, high in runs[:SHOWN]
    ]
    if total is not None and total > len(shown):
        shown.append("…")
    return "in " + ", ".join(shown)
