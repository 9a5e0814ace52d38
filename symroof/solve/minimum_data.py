"""A minimum as plain data: texts that read back, numbers, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sympy import Expr, S

from symroof.solve.answers import exact_text, to_number
from symroof.symbolic.printer import to_text

if TYPE_CHECKING:
    from symroof.solve.least import LeastCase
    from symroof.solve.minimum import Minimum


def minimum_data(answer: Minimum) -> dict[str, Any]:
    """Return an answer as plain data: what is saved, sent and shown elsewhere.

    Formulas are text in the grammar of the parser, numbers are JSON numbers or exact text, what
    is not known is None, and infinity is text.

    Returns
    -------
    dict
        ``unknown``, ``expr``, ``low``, ``high``, ``divides``, ``kind``, ``point``,
        ``point_bound``, ``point_float``, ``point_upper``, ``point_upper_bound``, ``value``,
        ``value_bound``, ``value_float``, ``condition``, ``second_order``, ``whole``, ``first``,
        ``whole_value``, ``whole_float``, ``cases``, ``note``.
    """
    known, asked = not answer.free, answer.asked
    whole = answer.whole if known else None
    style = {"lead": answer.leads, "order": answer.order}
    return {
        "unknown": answer.name,
        "expr": to_text(answer.expr),
        "low": _text(asked.low),
        "high": _text(asked.high) if asked.has_high else None,
        "divides": _text(asked.divides),
        "kind": answer.kind.value,
        "point": _text(answer.point),
        "point_bound": _text(answer.point_bound),
        "point_float": _number(answer.point_bound),
        "point_upper": _text(answer.point_upper),
        "point_upper_bound": _text(answer.point_upper_bound),
        "value": _text(answer.value),
        "value_bound": _text(answer.value_bound),
        "value_float": _number(answer.value_bound),
        "condition": None if answer.condition is None else answer.condition.text(**style),
        "second_order": answer.second_order,
        "whole": [] if whole is None else [list(run) for run in whole.intervals],
        "first": answer.first if known else None,
        "whole_value": _text(answer.whole_value) if known else None,
        "whole_float": answer.whole_float if known else None,
        "cases": [_case(answer, case) for case in answer.cases],
        "note": answer.note,
    }


def _case(answer: Minimum, case: LeastCase) -> dict[str, Any]:
    return {
        "condition": case.condition.text(answer.leads, answer.order),
        "place": case.place.value,
        "point": _text(case.point),
        "point_upper": None if case.upper is None else _text(case.upper.expr),
        "value": _text(case.value),
    }


def _text(expr: Expr | None) -> str | None:
    if expr in (S.Infinity, S.NegativeInfinity):
        return "infinity" if expr is S.Infinity else "-infinity"
    return exact_text(expr)


def _number(expr: Expr | None) -> float | None:
    finite = expr is not None and expr not in (S.Infinity, S.NegativeInfinity)
    return to_number(expr) if finite and expr is not None else None
