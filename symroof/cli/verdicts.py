"""An answer to a crossover as lines: the closed form, its condition, and the numbers."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from symroof.solve import Crossover, Kind
from symroof.symbolic import to_text
from symroof.symbolic.numerals import number
from symroof.units import DIMENSIONLESS, Quantity, human, unit_text

FIXED = (Kind.ALWAYS, Kind.NEVER)


def statement(answer: Crossover, label: str, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the closed form of an answer and the condition it is given.

    Parameters
    ----------
    answer : Crossover
        With names that are free.
    label : str
        What is said of the unknown: ``compute-bound``.
    labels : mapping of str to str
        How rates are shown.
    """
    words = answer.sentence(labels)
    exact = answer.kind not in (*FIXED, Kind.UNSOLVED, Kind.CASES)
    rows = [(label, f"if and only if {words.statement}" if exact else words.statement)]
    if words.given:
        rows.append(("given", f"{words.given}, else {words.otherwise}"))
    if answer.harmonic is not None:
        rows.append(("that is", answer.harmonic.reading.unicode(labels)))
    return rows


def numbers(answer: Crossover, labels: Mapping[str, str]) -> str:
    """Return the numbers of a bound answer: the threshold, exact and rounded, and what follows."""
    threshold = answer.threshold_bound
    if answer.kind in FIXED:
        return str(answer.kind.value)
    if answer.kind is not Kind.AT or threshold is None:
        return str(answer.sentence(labels))
    sign = {">=": "≥", ">": ">", "<": "<"}.get(answer.relation or "", "≤")
    name = labels.get(answer.name, answer.name)
    whole = answer.intervals
    if whole is None:
        return f"{name} {sign} {human(Quantity(threshold, unit_of(answer)), 6)}"
    text = f"{name} {sign} {_exact(threshold)}{number(threshold)}"
    if not whole:
        return f"{text}, so for no whole number {name}"
    last = whole[-1][1]
    if len(whole) == 1 and sign in "≥>" and last is None:
        return f"{text}, so from {name} = {number(whole[0][0])} on"
    if len(whole) == 1 and sign in "≤<" and last is not None:
        return f"{text}, so up to {name} = {number(last)}"
    return str(answer.sentence(labels))


def unit_of(answer: Crossover) -> str:
    """Return the base unit of the unknown; empty for plain numbers."""
    return unit_text(answer.problem.dimensions.get(answer.name, DIMENSIONLESS))


def _exact(threshold: Expr) -> str:
    text = to_text(threshold) if threshold.is_Rational and not threshold.is_Integer else ""
    return f"{text} = " if 0 < len(text) <= 32 else ""
