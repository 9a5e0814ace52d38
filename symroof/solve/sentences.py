"""An answer in words and formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sympy import Expr

from symroof.solve.kinds import Kind
from symroof.solve.ranges import SymbolicRegion
from symroof.symbolic.numerals import number

if TYPE_CHECKING:
    from symroof.solve.crossover import Crossover

SHOWN = 8
MAX_RUNS = 2
DIGITS = 6
SIGNS = {">=": "≥", ">": ">", "<=": "≤", "<": "<"}


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
    style = (labels, answer.leads, answer.order)
    if not answer.free:
        return Sentence(_bound(answer, name, labels))
    if answer.kind is Kind.UNSOLVED:
        return Sentence(_unsolved(answer))
    if answer.settled is not None and len(answer.cases) > 1:
        return Sentence(
            f"{answer.settled.value} at the known rates: {_cases(answer, name, labels)}"
        )
    if answer.kind is Kind.CASES:
        return Sentence(_cases(answer, name, labels))
    region, condition = answer.region, answer.condition
    if region is None or condition is None or condition.is_true:
        statement = answer.kind.value if region is None else region.unicode(name, *style)
        return Sentence(statement)
    return Sentence(region.unicode(name, *style), condition.unicode(*style), "never")


def _cases(answer: Crossover, name: str, labels: Mapping[str, str]) -> str:
    """Return every case that is not never, each with its condition."""
    style = (labels, answer.leads, answer.order)
    parts = [
        f"{case.region.unicode(name, *style)} if {case.condition.unicode(*style)}"
        for case in answer.cases
        if not case.region.is_empty
    ]
    if len(parts) < len(answer.cases):
        parts.append("else never")
    return "; ".join(parts)


def _bound(answer: Crossover, name: str, labels: Mapping[str, str]) -> str:
    """Return the statement of an answer with numbers: formula = number → whole numbers."""
    kind: Kind = answer.kind
    if kind in (Kind.ALWAYS, Kind.NEVER):
        return str(kind.value)
    if kind is Kind.UNSOLVED:
        return _unsolved(answer)
    runs, total = answer.intervals, answer.intervals_total
    if kind is Kind.INTERVALS:
        if runs is not None and total is not None and total <= MAX_RUNS:
            return " or ".join(run_text(name, run) for run in runs)
        if runs is not None:
            return f"{name} in {listed(runs, total)}"
        return answer.real.text(name, DIGITS) if answer.real is not None else answer.note
    region, low, high = answer.region, answer.threshold_bound, answer.threshold_upper_bound
    if region is None or low is None:
        return answer.note
    text = _numbers(name, region, low, high)
    whole = "no whole number"
    if runs:
        whole = " or ".join(run_text(name, run) for run in runs)
    result = text
    if kind is Kind.AT and answer.problem.known:
        formula = region.unicode(name, labels, answer.leads, answer.order)
        if formula != text and not (low.is_Integer and region.threshold == low):
            result = f"{formula} = {number(low)}"
    return result if runs is None or whole == text else f"{result} → {whole}"


def _unsolved(answer: Crossover) -> str:
    return f"not solved: {answer.note.removeprefix('not solved: ')}"


def _numbers(name: str, region: SymbolicRegion, low: Expr, high: Expr | None) -> str:
    first = number(low, DIGITS)
    relation = region.relation
    if high is None:
        return f"{name} {SIGNS.get(relation or '', '≤')} {first}"
    second = number(high, DIGITS)
    if relation == "outside":
        up_to, since = (_sign(region, lower=lower) for lower in (False, True))
        return f"{name} {up_to} {first} or {name} {since} {second}"
    if low == high:
        return f"{name} = {first}"
    since = _sign(region, lower=True).replace("≥", "≤").replace(">", "<")
    return f"{first} {since} {name} {_sign(region, lower=False)} {second}"


def _sign(region: SymbolicRegion, *, lower: bool) -> str:
    """Return the sign for the lower, or the upper, ends of a region."""
    closed = any(b.closed for piece in region.pieces for b in piece if b.lower == lower)
    return SIGNS[(">" if lower else "<") + ("=" if closed else "")]


def run_text(name: str, run: tuple[int, int | None]) -> str:
    """Return a run of whole numbers as a comparison."""
    low, high = run
    if high is None:
        return f"{name} ≥ {number(low)}"
    if low == high:
        return f"{name} = {number(low)}"
    return f"{name} ≤ {number(high)}" if low == 1 else f"{number(low)} ≤ {name} ≤ {number(high)}"


def listed(runs: Sequence[tuple[int, int | None]], total: int | float | None) -> str:
    """Return runs of whole numbers as a list: ``769, 897–933, 1281 on``."""
    shown = []
    for low, high in runs[:SHOWN]:
        tail = " on" if high is None else "" if low == high else f"–{number(high)}"
        shown.append(number(low) + tail)
    if total is not None and total > len(shown):
        shown.append("…")
    return ", ".join(shown)
