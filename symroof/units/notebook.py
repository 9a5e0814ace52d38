r"""Quantities and formulas in notebooks: as LaTeX, and as MathML within HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from sympy import Expr, Symbol, preorder_traversal

from symroof.errors import InputError
from symroof.markup import Html, escape, or_none
from symroof.symbolic.adopt import adopt
from symroof.symbolic.forms import NO_LABELS, Sum
from symroof.symbolic.latex import latex, upright
from symroof.symbolic.mathml import mathml
from symroof.symbolic.readable import readable
from symroof.symbolic.writer import Order
from symroof.units.human import human
from symroof.units.quantity import Quantity

LARGEST = 300  # nodes of a formula that is still read
LONGEST = 4000  # letters of LaTeX


def quantity_latex(q: Quantity) -> str | None:
    r"""Return a quantity as LaTeX with dollars; None where its text says more.

    A number has its readable form beside it, exactly or rounded; a formula whose rates are known
    has the number that it comes to.

    Examples
    --------
    >>> print(quantity_latex(Quantity("2*m*n + 2*m*k", "byte")))
    $\displaystyle 2\,m\,(k + n)\ \mathrm{byte}$
    >>> print(quantity_latex(Quantity("19780/67 FLOP/byte")))
    $\displaystyle \frac{19\,780}{67}\ \mathrm{FLOP/byte} \approx 295\ \mathrm{FLOP/byte}$
    """
    written = _quantity(q, NO_LABELS)
    return None if written is None else rf"$\displaystyle {written}$"


def quantity_html(q: Quantity, labels: Mapping[str, str] = NO_LABELS, order: Order = ()) -> Html:
    """Return the formula of a quantity in its base unit, without the number.

    Examples
    --------
    >>> "<mi>m</mi>" in quantity_html(Quantity("2*m", "byte"))
    True
    """
    formula = formula_latex(q.expr, q.unit, labels, order)
    if formula is None:
        return escape(f"(a long formula) {q.unit}".rstrip())
    return Html(mathml(rf"\displaystyle {formula}"))


def formula_latex(
    expr: Expr, unit: str = "", labels: Mapping[str, str] = NO_LABELS, order: Order = ()
) -> str | None:
    r"""Return an expression and its unit as readable LaTeX; None where it is too long to read.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> print(formula_latex(parse("2*m*n/bw.hbm"), "s", {"bw.hbm": "β"}))
    \frac{2\,m\,n}{\beta}\ \mathrm{s}
    """
    return _written(expr, unit, tuple(labels.items()), tuple(order))


def amount_latex(text: str) -> str:
    r"""Return a number with or without a unit, as `human` and `number` write it, as LaTeX.

    Examples
    --------
    >>> print(amount_latex("12.4 µs"), amount_latex("1.2e+15 FLOP"), amount_latex("10,240"))
    12.4\ \mathrm{{\mu}s} 1.2 \times 10^{15}\ \mathrm{FLOP} 10\,240
    """
    digits, _, unit = text.partition(" ")
    found = _NUMBER.fullmatch(digits)
    if found is None:
        shown = {"∞": r"\infty", "-∞": r"-\infty"}.get(digits)
        return upright(text) if shown is None else shown + _unit(unit)
    shown = found[1].replace(",", r"\,")
    if found[2]:
        shown += rf" \times 10^{{{int(found[2])}}}"
    return shown + _unit(unit)


_NUMBER = re.compile(r"(-?[0-9,]+(?:\.[0-9]+)?)(?:e([+-]?[0-9]+))?")
_POWER = re.compile(r"\*\*(-?[0-9]+)")


@or_none
def _quantity(q: Quantity, labels: Mapping[str, str]) -> str | None:
    formula = formula_latex(q.expr, q.unit, labels)
    known = q.resolved()
    if not known.expr.is_number:
        return formula
    text = human(known)
    number = amount_latex(text)
    if formula is None or formula == number:
        return number
    sign = "=" if _is_exact(text, known) else r"\approx"
    return f"{formula} {sign} {number}"


def _is_exact(number: str, known: Quantity) -> bool:
    digits, _, unit = number.replace(",", "").partition(" ")
    return bool(Quantity(adopt(digits), unit).expr == known.expr)


def _unit(unit: str) -> str:
    """Return a unit after a thin space; powers (``byte**2``) raised."""
    if not unit:
        return ""
    pieces = _POWER.split(unit)
    raised = [
        f"^{{{piece}}}" if i % 2 else upright(piece) for i, piece in enumerate(pieces) if piece
    ]
    return r"\ " + "".join(raised)


@lru_cache(maxsize=2048)
def _written(
    expr: Expr, unit: str, labels: tuple[tuple[str, str], ...], order: tuple[Symbol | str, ...]
) -> str | None:
    if len(list(islice(preorder_traversal(expr), LARGEST + 1))) > LARGEST:
        return None
    try:
        form = readable(expr, order=order)
        text = latex(form, dict(labels))
    except InputError:  # no formula: an infinite number, one with thousands of digits
        return None
    if unit and isinstance(form, Sum) and len(form.plus) + len(form.minus) > 1:
        text = rf"\left({text}\right)" if "\\frac" in text else f"({text})"
    text += _unit(unit)
    return text if len(text) <= LONGEST else None
