"""The value of a symbol at which a formula is least, in closed form with its conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, S, Symbol

from symroof.errors import InputError, UnknownNameError
from symroof.solve.minimum import Minimum
from symroof.solve.objective import Objective
from symroof.solve.problem import Problem
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import symbol
from symroof.symbolic.writer import Lead, Order
from symroof.units.registry import Dimension


def minimise(
    expr: object,
    unknown: Symbol | str,
    *,
    counts: Iterable[str] = frozenset(),
    values: Mapping[str, Expr] | None = None,
    dimensions: Mapping[str, Dimension] | None = None,
    low: object = 1,
    high: object | None = None,
    integer: bool = True,
    divides: object | None = None,
    lead: Lead | None = None,
    order: Order = (),
) -> Minimum:
    """Return the value of a positive symbol at which a formula is least.

    Parameters
    ----------
    expr : Expr or text
        The formula: sums of powers of the unknown with positive coefficients, and maxima of
        them, have a closed form where the powers allow. With numbers any formula will do.
    unknown : Symbol or str
        What to choose.
    counts : collection of str
        Names that are whole numbers from 1.
    values : mapping of str to Expr, optional
        Known numbers of rates. Closed forms stay in their symbols.
    dimensions : mapping of str to Dimension, optional
        Names that may be bound besides those in the formula, and units of names.
    low, high : Expr, number or text, optional
        The ends of what is looked at, both included; symbols are fine. A `low` of 0 means every
        positive number, a `high` of None no end.
    integer : bool
        Whether the unknown is a dim or count, so that whole numbers are asked for too.
    divides : Expr, number or text, optional
        What the unknown has to divide: of whole numbers only divisors are looked at, and the
        high end is at most this.
    lead : sequence of Symbol, optional
        Symbols that formulas are ordered by.
    order : sequence of str
        In which order names are written.

    Raises
    ------
    InputError
        If the formula does not depend on the unknown, or the ends make no sense.
    UnknownNameError
        If there is no such symbol.

    Examples
    --------
    >>> m = minimise("a/x + b*x", "x", low=0)
    >>> m.point, m.value
    (sqrt(a)/sqrt(b), 2*sqrt(a)*sqrt(b))
    >>> print(m)
    x* = √(a/b), the minimum of b·x + a/x: 2·√(a·b) (convex in log x)
    >>> y = m.at(a=30, b=1)
    >>> y.point_bound, y.whole.intervals, y.whole_value
    (sqrt(30), ((5, 6),), 11)
    """
    formula = adopt(expr, where="formula")
    name = unknown if isinstance(unknown, str) else str(getattr(unknown, "name", unknown))
    found = symbol(name)
    names = {atom.name for atom in formula.free_symbols}
    known = {*names, *counts, *(dimensions or ())}
    if found.name not in known:
        raise UnknownNameError("symbol", name, sorted(known))
    if found.name not in names:
        raise InputError(f"{shown(formula)} does not depend on {name}; it is the same everywhere")
    ends = [adopt(0 if low is None else low, where="low")]
    divided = None if divides is None else adopt(divides, where="divides")
    if divided is not None and divided.is_number and not (divided.is_Integer and divided >= 1):
        raise InputError(f"divides={shown(divided)}: expected a whole number from 1")
    ends.append(S.Infinity if high is None else adopt(high, where="high"))
    if high is None and divided is not None:
        ends[1] = divided
    ends.append(S.Zero if divided is None else divided)
    problem = Problem(
        formula,
        tuple(ends),
        found,
        frozenset(counts),
        {key: adopt(value, where=key) for key, value in (values or {}).items()},
        integer,
        dict(dimensions or {}),
    )
    asked = Objective(problem).checked()
    return Minimum(asked, None if lead is None else tuple(lead), tuple(order))
