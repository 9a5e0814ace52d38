"""An answer as plain data: texts that read back, numbers, and nothing else."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any

from sympy import Expr

from symroof.solve.kinds import Kind
from symroof.symbolic.evaluate import to_float
from symroof.symbolic.forms import Form
from symroof.symbolic.printer import to_text
from symroof.symbolic.reals import Located

if TYPE_CHECKING:
    from symroof.solve.crossover import Crossover


def answer_data(answer: Crossover) -> dict[str, Any]:
    """Return an answer as plain data; numbers of an unbound answer are None.

    Texts of formulas are in the grammar of `parse`, with rates as symbols; conditions and regions
    are comparisons of such texts.

    Parameters
    ----------
    answer : Crossover
        The answer.

    Returns
    -------
    dict
        ``kind``, ``relation``, ``threshold``, ``threshold_bound``, ``threshold_value``,
        ``threshold_upper``, ``threshold_upper_bound``, ``threshold_upper_value``, ``condition``,
        ``region``, ``first``, ``permanent``, ``intervals``, ``intervals_total``,
        ``intervals_period``, ``cases``, ``note``.
    """
    known = not answer.free or answer.kind in (Kind.ALWAYS, Kind.NEVER)
    style = {"lead": answer.leads, "order": answer.order}
    region = answer.region
    lower, upper = (None, None) if region is None else region.ends(**style)
    low, high = (answer.threshold_bound, answer.threshold_upper_bound) if known else (None, None)
    return {
        "kind": answer.kind.value,
        "relation": answer.relation,
        "threshold": _end_text(lower, answer.threshold),
        "threshold_bound": exact_text(low),
        "threshold_value": None if low is None else to_number(low),
        "threshold_upper": _end_text(upper, answer.threshold_upper),
        "threshold_upper_bound": exact_text(high),
        "threshold_upper_value": None if high is None else to_number(high),
        "condition": None if answer.condition is None else answer.condition.text(**style),
        "region": None if region is None else region.text(answer.name, **style),
        "first": answer.first if known else None,
        "last": answer.last if known else None,
        "permanent": answer.permanent if known else None,
        "intervals": [list(run) for run in answer.intervals or ()] if known else [],
        "intervals_total": _count(answer.intervals_total) if known else None,
        "intervals_period": answer.integers.period if known and answer.integers else None,
        "cases": [
            {
                "condition": case.condition.text(**style),
                "region": case.region.text(answer.name, **style),
            }
            for case in answer.cases
        ],
        "note": answer.note,
    }


def exact_text(number: Expr | None) -> str | None:
    """Return an exact number as text; None where it has no closed form.

    Examples
    --------
    >>> from sympy import sqrt
    >>> exact_text(sqrt(2) / 3)
    'sqrt(2)/3'
    """
    return None if number is None or number.has(Located) else to_text(number)


def to_number(number: Expr) -> float:
    """Return the float nearest to an exact number, a root without closed form included."""
    return float(number) if number.has(Located) else to_float(number)


def _end_text(form: Form | None, end: Expr | None) -> str | None:
    if form is None or end is None or end.has(Located):
        return exact_text(end)
    return form.plain()


def _count(total: int | float | None) -> int | str | None:
    return "infinite" if isinstance(total, float) and isinf(total) else total  # type: ignore[return-value]
