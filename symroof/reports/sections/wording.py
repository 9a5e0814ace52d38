"""Phrases that several sections share: an answer as runs, counts of things, lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symroof.reports.document import Face, Math, Runs, Text
from symroof.solve import Condition, Crossover, Kind, SymbolicRegion
from symroof.symbolic.forms import Comparison, Form, Name, Relation


def words(text: str, face: Face = Face.PLAIN) -> Runs:
    """Return words as runs.

    Examples
    --------
    >>> words("never")
    (Text(text='never', face=<Face.PLAIN: 'plain'>),)
    """
    return (Text(text, face),)


def region_runs(region: SymbolicRegion, answer: Crossover) -> Runs:
    """Return a set of the unknown as formulas joined by "and" and "or"."""
    if region.is_all or region.is_empty:
        return words("always" if region.is_all else "never")
    runs: list[Text | Math] = []
    for comparisons in region.forms(answer.name, answer.leads, answer.order):
        if runs:
            runs.append(Text(" or "))
        runs.extend(_joined(comparisons))
    return tuple(runs)


def condition_runs(condition: Condition, answer: Crossover) -> Runs:
    """Return a condition as formulas joined by "and"."""
    if condition.is_true:
        return words("always")
    return tuple(_joined(condition.forms(answer.leads, answer.order)))


def statement_runs(answer: Crossover, term: str) -> Runs:
    """Return a symbolic answer as a sentence: the set, the condition it is given, else never."""
    bound = Text(f"{term}-bound ")
    if answer.kind is Kind.UNSOLVED:
        return (bound, Text(f"for values that have no closed form ({answer.note})"))
    if answer.problem.left == 0:
        return (bound, Text(f"never: there is no {term} time"))
    if answer.settled is not None:
        return (bound, Text(f"{answer.settled.value}, at the known rates"))
    if answer.kind in (Kind.ALWAYS, Kind.NEVER):
        return (bound, Text(answer.kind.value))
    if answer.kind is Kind.CASES or answer.region is None or answer.condition is None:
        return (bound, *_cases(answer), Text("; else never"))
    given = (
        ()
        if answer.condition.is_true
        else (Text(", given "), *condition_runs(answer.condition, answer), Text(", else never"))
    )
    return (bound, Text("if and only if "), *region_runs(answer.region, answer), *given)


def _cases(answer: Crossover) -> list[Text | Math]:
    """Return the cases that are not never, each with its condition."""
    runs: list[Text | Math] = []
    for case in answer.cases:
        if case.region.is_empty:
            continue
        runs.append(Text("; or " if runs else ""))
        if case.region.is_all:
            runs.extend((Text("for every "), Math(Name(answer.name))))
        else:
            runs.extend((Text("if and only if "), *region_runs(case.region, answer)))  # type: ignore[arg-type]
        if not case.condition.is_true:
            runs.extend((Text(", given "), *condition_runs(case.condition, answer)))  # type: ignore[arg-type]
    return runs


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as a list in words.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    found = list(names)
    return f" {last} ".join(filter(None, (", ".join(found[:-1]), found[-1]))) if found else ""


def equals(left: str, right: Form) -> Math:
    """Return ``left = right`` as a run."""
    return Math(Comparison(Name(left), Relation.EQUAL, right))


def _joined(comparisons: Sequence[Comparison]) -> list[Text | Math]:
    if len(comparisons) == 2 and comparisons[0].relation in (Relation.AT_LEAST, Relation.GREATER):
        low, high = comparisons
        if high.relation in (Relation.AT_MOST, Relation.LESS):
            start = Comparison(low.right, low.relation.mirrored(), low.left)
            return [Math(start), Text(" and "), Math(high)]
    runs: list[Text | Math] = []
    for at, comparison in enumerate(comparisons):
        if at:
            runs.append(Text(" and "))
        runs.append(Math(comparison))
    return runs
