"""A formula cut into smooth cells: one for each way its min and max may turn out, with slopes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sympy import Add, Expr, Max, Min, Mul, Pow, S, Symbol, ceiling, floor

from symroof.solve.polynomials import UnsolvedError
from symroof.symbolic.algebra import is_positive
from symroof.symbolic.build import add, maximum, minimum, multiply, power
from symroof.symbolic.printer import to_text

MAX_CELLS = 48


class Cell(NamedTuple):
    """A formula without min and max of the unknown, and where it is the one that counts.

    Attributes
    ----------
    expr : Expr
        The formula.
    conditions : tuple of Expr
        It counts where all of these are at least 0.
    """

    expr: Expr
    conditions: tuple[Expr, ...] = ()


def cells(expr: Expr, unknown: Symbol) -> list[Cell]:
    """Return the cells of a formula.

    Parameters
    ----------
    expr : Expr
        Any formula.
    unknown : Symbol
        What it is a formula of.

    Raises
    ------
    UnsolvedError
        If there are more than 48.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> for cell in cells(parse("max(a/x, b*x)"), Symbol("x", positive=True)):
    ...     print(cell.expr, cell.conditions)
    a/x (a/x - b*x,)
    b*x (-a/x + b*x,)
    """
    found: list[Cell] = []
    waiting = [Cell(expr)]
    while waiting:
        cell = waiting.pop()
        choice = next(choices(cell.expr, unknown), None)
        if choice is None:
            found.append(cell)
        else:
            waiting += reversed(_chosen(cell, choice, unknown))
        if len(found) + len(waiting) > MAX_CELLS:
            raise UnsolvedError(f"more than {MAX_CELLS} ways its min and max may turn out")
    return found


def choices(expr: Expr, unknown: Symbol) -> Iterator[Expr]:
    """Yield the min and max of the unknown that have no other one inside, in a fixed order.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> list(choices(parse("max(min(a, x), b)"), Symbol("x", positive=True)))
    [Min(a, x)]
    """
    found = {atom for atom in expr.atoms(Max, Min) if atom.has_free(unknown)}
    for atom in sorted(found, key=to_text):
        if not any(other is not atom and atom.has(other) for other in found):
            yield atom


def taken(choice: Expr, arg: Expr) -> list[Expr]:
    """Return what is to be at least 0 where `choice` is its argument `arg`."""
    sign = S.One if isinstance(choice, Max) else S.NegativeOne
    return [
        add([multiply([sign, arg]), multiply([-sign, other])])
        for other in choice.args
        if other is not arg
    ]


def has_steps(expr: Expr, unknown: Symbol) -> bool:
    """Return whether the unknown is inside a ceil or floor.

    Examples
    --------
    >>> x = Symbol("x", positive=True)
    >>> has_steps(ceiling(x / 2), x), has_steps(ceiling(S(7) / 2) * x, x)
    (True, False)
    """
    return any(atom.has_free(unknown) for atom in expr.atoms(ceiling, floor))


def without_steps(expr: Expr, unknown: Symbol) -> Expr | None:
    """Return a formula that is nowhere larger, with u for each ceil(u); None if none is seen.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> without_steps(parse("a*ceil(x/2) + b/x"), x), without_steps(parse("a/ceil(x/2)"), x)
    (a*x/2 + b/x, None)
    """
    if not has_steps(expr, unknown):
        return expr
    parts = [without_steps(arg, unknown) for arg in expr.args]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    if isinstance(expr, ceiling):
        return found[0]
    if isinstance(expr, Add):
        return add(found)
    if isinstance(expr, Max | Min):
        return (maximum if isinstance(expr, Max) else minimum)(found)
    if isinstance(expr, Mul) and all(map(is_positive, found)):
        return multiply(found)
    if isinstance(expr, Pow) and is_positive(expr.exp) and is_positive(found[0]):
        return power(found[0], expr.exp) if not expr.exp.has_free(unknown) else None
    return None


def log_slope(expr: Expr, unknown: Symbol) -> Expr:
    """Return the slope over the logarithm of the unknown: x times the derivative by x.

    It has the sign of the derivative, and a monomial stays one: that of a·x^p is p·a·x^p.

    Raises
    ------
    UnsolvedError
        If the unknown is inside a ceil, floor, min, max, a logarithm or an exponent.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> log_slope(parse("a/x**2 + b*x + c"), Symbol("x", positive=True))
    -2*a/x**2 + b*x
    """
    if expr == unknown:
        return expr
    if not expr.has_free(unknown):
        return S.Zero
    if isinstance(expr, Add):
        return add([log_slope(term, unknown) for term in expr.args])
    if isinstance(expr, Mul):
        terms = []
        for at, factor in enumerate(expr.args):
            part = log_slope(factor, unknown)
            if part is not S.Zero:
                terms.append(multiply([*expr.args[:at], part, *expr.args[at + 1 :]]))
        return add(terms)
    if isinstance(expr, Pow) and not expr.exp.has_free(unknown):
        if expr.base == unknown:
            return multiply([expr.exp, expr])
        inner = log_slope(expr.base, unknown)
        return multiply([expr.exp, power(expr.base, expr.exp - 1), inner])
    raise UnsolvedError(f"{unknown} is inside {to_text(expr)}")


def is_log_convex(expr: Expr, unknown: Symbol) -> bool:
    """Return whether a formula is seen to be convex over the logarithm of the unknown.

    Sums, products, positive powers and maxima of monomials with positive coefficients are, even
    their logarithms: whatever falls and then rises has one minimum.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> is_log_convex(parse("max(c, a/x + b*x**2)"), x), is_log_convex(parse("a/x - b*x"), x)
    (True, False)
    """
    if not expr.has_free(unknown):
        return is_positive(expr)
    if expr == unknown:
        return True
    if isinstance(expr, Add | Mul | Max):
        return all(is_log_convex(arg, unknown) for arg in expr.args)
    if isinstance(expr, Pow) and not expr.exp.has_free(unknown):
        if is_monomial(expr.base, unknown):
            return is_positive(expr.base)
        return is_positive(expr.exp) and is_log_convex(expr.base, unknown)
    return False


def is_monomial(expr: Expr, unknown: Symbol) -> bool:
    """Return whether a formula is a power of the unknown times what is free of it.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> is_monomial(parse("(a + b)*x**3"), Symbol("x", positive=True))
    True
    """
    if not expr.has_free(unknown) or expr == unknown:
        return True
    if isinstance(expr, Mul):
        return all(is_monomial(arg, unknown) for arg in expr.args)
    is_power = isinstance(expr, Pow) and not expr.exp.has_free(unknown)
    return is_power and is_monomial(expr.base, unknown)


def doubtful(expr: Expr, unknown: Symbol) -> list[Expr]:
    """Return what has to be positive for a formula to have a value, unless that is seen.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> doubtful(parse("a/(x - 5) + b/(x + 5)"), Symbol("x", positive=True))
    [x - 5]
    """
    found = {
        part.base
        for part in expr.atoms(Pow)
        if part.base.has_free(unknown)
        and not (part.exp.is_Integer and part.exp.p > 0)
        and not is_positive(part.base)
    }
    return sorted(found, key=to_text)


def levelled(expr: Expr, unknown: Symbol) -> tuple[list[Expr], Expr | None]:
    """Return a formula as a maximum: the arguments free of the unknown, and the rest.

    A positive factor of a maximum goes into it, and so does what is added to it.

    Returns
    -------
    (list of Expr, Expr or None)
        The rest is None where nothing depends on the unknown.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> levelled(parse("3*max(c, a/x, b*x) + d"), Symbol("x", positive=True))
    ([3*c + d], Max(3*a/x + d, 3*b*x + d))
    """
    args = _maximum_of(expr, unknown)
    level = [arg for arg in args if not arg.has_free(unknown)]
    rest = [arg for arg in args if arg.has_free(unknown)]
    return level, maximum(rest) if rest else None


def _maximum_of(expr: Expr, unknown: Symbol) -> list[Expr]:
    if isinstance(expr, Max):
        return [part for arg in expr.args for part in _maximum_of(arg, unknown)]
    if isinstance(expr, Add | Mul):
        inside = [arg for arg in expr.args if arg.has_free(unknown)]
        others = [arg for arg in expr.args if not arg.has_free(unknown)]
        if len(inside) == 1:
            join = add if isinstance(expr, Add) else multiply
            if isinstance(expr, Add) or all(map(is_positive, others)):
                return [join([*others, part]) for part in _maximum_of(inside[0], unknown)]
    return [expr]


def _chosen(cell: Cell, choice: Expr, unknown: Symbol) -> list[Cell]:
    level = [arg for arg in choice.args if not arg.has_free(unknown)]
    if len(level) > 1:
        # What is free of the unknown makes one cell together.
        extreme = maximum if isinstance(choice, Max) else minimum
        rest = [arg for arg in choice.args if arg.has_free(unknown)]
        joined = type(choice)(extreme(level), *rest, evaluate=False)
        choice, cell = joined, Cell(cell.expr.xreplace({choice: joined}), cell.conditions)
    return [
        Cell(cell.expr.xreplace({choice: arg}), (*cell.conditions, *taken(choice, arg)))
        for arg in sorted(choice.args, key=to_text)
    ]
