"""The formulas of a page as one JavaScript table; the rest of the page knows them by number."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from symroof.reports.explorer.javascript import FUNCTIONS, exact_code, float_code


class Code:
    """Formulas by number, each compiled once.

    Parameters
    ----------
    places : mapping of str to int
        The place of each name in the array of values.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> code = Code({"n": 0})
    >>> code.number(parse("n + 1")), code.number(parse("2*n")), code.number(parse("n + 1"))
    (0, 1, 0)
    >>> print(code.text())
    const FLOATS = [
    v => v[0] + 1,
    v => 2*v[0],
    ];
    const formulas = ({ q, add, mul, div, pow, log2, ceil, floor, max, min }) => [
    v => add(q(1n),v[0]),
    v => mul(q(2n),v[0]),
    ];
    """

    def __init__(self, places: Mapping[str, int]) -> None:
        self.places = places
        self._numbers: dict[Expr, int] = {}
        self._floats: list[str] = []
        self._exact: list[str] = []

    def number(self, expr: Expr) -> int:
        """Return the number of a formula.

        Raises
        ------
        InputError
            If it has no JavaScript form, or has a name that is not on the page.
        """
        if expr not in self._numbers:
            floats, exact = float_code(expr, self.places), exact_code(expr, self.places)
            self._numbers[expr] = len(self._floats)
            self._floats.append(f"v => {floats},")
            self._exact.append(f"v => {exact},")
        return self._numbers[expr]

    def text(self) -> str:
        """Return two tables of functions: of floats, and of numbers that come with their functions.

        The second is worked out with fractions and with enclosures.
        """
        floats = ["const FLOATS = [", *self._floats, "];"]
        exact = [f"const formulas = ({{ {', '.join(FUNCTIONS)} }}) => [", *self._exact, "];"]
        return "\n".join([*floats, *exact])
