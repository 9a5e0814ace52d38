"""How one answer writes its formulas: labels of rates, order of names, what they stand for."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr

from symroof.cli.question import Question
from symroof.roofline.documents import unit_of
from symroof.roofline.ridges import labels, meaning
from symroof.symbolic.readable import readable
from symroof.units import Quantity, human


class Style:
    """Labels and order for the formulas of one question.

    Parameters
    ----------
    question : Question
        Names the graph and the rates.
    rates : mapping of str to Expr
        All rate keys that may occur, with their values where these are known.
    """

    def __init__(self, question: Question, rates: dict[str, Expr]) -> None:
        scope = question.general.scope
        keys = {*rates, *(name for name in scope.dimensions if "." in name)}
        names = [name for name in scope.dimensions if "." not in name]
        self.order = question.general.name_order
        self.labels = labels(keys, names)
        self.rates = rates

    def formula(self, expr: Expr) -> str:
        """Return an expression as people write it."""
        return readable(expr, order=self.order).unicode(self.labels)

    def where(self, exprs: Iterable[Expr]) -> list[tuple[str, str]]:
        """Return what each rate label in `exprs` stands for, with its number."""
        used = {symbol.name for expr in exprs for symbol in expr.free_symbols}
        rows = []
        for key in sorted(used & self.labels.keys()):
            text = meaning(key)
            if key in self.rates:
                value = Quantity(self.rates[key], unit_of(key))
                text += f" = {human(value, 5)}"
            rows.append((self.labels[key], text))
        return rows
