"""The crossovers of a page: the library's cases, compiled, one question for each name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Symbol

from symroof.errors import InputError, SymroofError
from symroof.reports.explorer.code import Code
from symroof.reports.explorer.slots import Slots
from symroof.reports.explorer.variants import Variant
from symroof.solve import Case, Crossover
from symroof.symbolic import symbol
from symroof.symbolic.readable import readable

NOTHING: dict[str, Any] = {"cases": None, "thumb": None, "thumbText": ""}


def questions(
    slots: Slots, code: Code, variant: Variant
) -> list[tuple[Crossover | None, dict[str, Any]]]:
    """Return for each name its crossover, and what the page needs of it as plain data.

    There is no crossover for a name that comes from a formula another name is bound to, nor where
    the times have many steps.

    ``cases`` is None where there is no closed form that holds for all chips; the page then tries
    values. Each case has ``when``, pairs of a formula and the signs it may have (1 negative, 2
    zero, 4 positive), and ``pieces``, each a list of ends: formula, lower or not, closed or not.

    Examples
    --------
    >>> import symroof as sr
    >>> slots = Slots(sr.analyze(sr.load("matmul"), "h100-sxm"))
    >>> answer, data = questions(slots, Code(slots.places), slots.variants[0])[0]
    >>> answer.name, data["cases"][0]
    ('M', {'when': [[0, 4]], 'pieces': [[[1, True, True]]]})
    """
    return [_question(slots, code, variant, name) for name in slots.places]


def _question(
    slots: Slots, code: Code, variant: Variant, name: str
) -> tuple[Crossover | None, dict[str, Any]]:
    if name not in variant.general.scope.dimensions or variant.is_steep:
        return None, NOTHING
    answer = variant.general.crossover(name)
    ridges = {
        symbol(key): value
        for key, value in answer.problem.values.items()
        if key.startswith("ridge.")
    }
    found: list[dict[str, Any]] | None = None
    if answer.cases and not answer.only_at_known_rates:
        try:
            found = [_case(case, ridges, code) for case in answer.cases]
        except InputError:  # an end without a JavaScript form: values are tried instead
            found = None
    number, text = _thumb(slots, variant, answer, ridges, code)
    return answer, {"cases": found, "thumb": number, "thumbText": text}


def _case(case: Case, ridges: Mapping[Symbol, Expr], code: Code) -> dict[str, Any]:
    return {
        "when": [
            [code.number(p.expr().xreplace(ridges)), signs] for p, signs in case.condition.parts
        ],
        "pieces": [
            [
                [code.number(end.expr.xreplace(ridges)), lower, closed]
                for end, lower, closed in piece
            ]
            for piece in case.region.pieces
        ],
    }


def _thumb(
    slots: Slots,
    variant: Variant,
    answer: Crossover,
    ridges: Mapping[Symbol, Expr],
    code: Code,
) -> tuple[int | None, str]:
    """Return the number of the rule of thumb's formula and its text, where people have a rule."""
    try:
        rule = variant.general.rule_of_thumb(answer)
        if rule is None:
            return None, ""
        text = readable(rule.expr, order=slots.order).unicode(slots.labels)
        return code.number(rule.expr.xreplace(ridges)), text
    except SymroofError:
        return None, ""
