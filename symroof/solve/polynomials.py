"""Where one polynomial is at least 0, or above 0: exclusive and exhaustive cases by signs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from sympy import Expr, Symbol

from symroof.solve.conditions import TRUE, Condition, Knowledge
from symroof.solve.divisors import common_divisor, square_root
from symroof.solve.ends import PLAIN, End, Ratio, Reading, Root
from symroof.solve.ranges import ALL, NEVER, Bound, SymbolicRegion
from symroof.solve.shapes import ANY, NEGATIVE, POSITIVE, ZERO, Shape, needs_discriminant, table
from symroof.symbolic.functions import log2
from symroof.symbolic.polynomial import Polynomial
from symroof.symbolic.printer import to_text


class Case(NamedTuple):
    """A condition on the other names, and where the inequality holds under it.

    Attributes
    ----------
    condition : Condition
        When this case applies; the cases of an answer exclude each other.
    region : SymbolicRegion
        The values of the unknown.
    """

    condition: Condition
    region: SymbolicRegion


_ROOTS = (Shape.FROM_ROOT, Shape.UPTO_ROOT, Shape.BETWEEN, Shape.OUTSIDE)


class UnsolvedError(Exception):
    """No closed form was found; the text says what was tried (never leaves `solve`)."""


def cases_of(
    p: Polynomial, unknown: Symbol, knowledge: Knowledge, *, strict: bool = False
) -> tuple[Case, ...]:
    """Return where `p` ≥ 0 (or > 0 if `strict`), by cases of the other names.

    Parameters
    ----------
    p : Polynomial
        A polynomial in the unknown and other names; its other generators must not contain the
        unknown, unless it occurs in ``log2(unknown)`` only, or in roots of it.
    unknown : Symbol
        What is asked for.
    knowledge : Knowledge
        What is known of the other names.

    Raises
    ------
    UnsolvedError
        If the degree is above 2 and does not reduce.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> m, n = Polynomial.generator(M), Polynomial.generator(N)
    >>> for case in cases_of(m * n - m - n, M, Knowledge()):
    ...     print(case.condition, "->", case.region.text("M"))
    N > 1 -> M >= N/(N - 1)
    1 >= N -> never
    """
    if strict:
        return tuple(
            Case(case.condition, case.region.complement())
            for case in cases_of(-p, unknown, knowledge)
        )
    if p.is_zero:
        return (Case(TRUE, ALL),)
    coefficients, reading = _coefficients(p, unknown)
    divisor = common_divisor(list(coefficients.values())) if len(coefficients) > 1 else None
    if divisor is None:
        return tuple(_by_signs(coefficients, reading, knowledge, unknown))
    quotients = {power: c.quotient(divisor) for power, c in coefficients.items()}
    reduced = {power: c for power, c in quotients.items() if c is not None}
    cases: list[Case] = []
    for sign, parts in ((POSITIVE, reduced), (ZERO, None), (NEGATIVE, _negated(reduced))):
        condition = knowledge.narrowed(TRUE, divisor, sign)
        if condition is None:
            continue
        if parts is None:
            cases.append(Case(condition, ALL))
            continue
        for case in _by_signs(parts, reading, knowledge, unknown):
            both = knowledge.joined(condition, case.condition)
            if both is not None:
                cases.append(Case(both, case.region))
    return tuple(cases)


def _coefficients(p: Polynomial, unknown: Symbol) -> tuple[dict[int, Polynomial], Reading]:
    """Return the coefficients of powers of v, least power 0, and what v is."""
    atom, reading = _variable(p, unknown)
    if reading.log:
        return p.replaced({unknown: 1}).coefficients(atom), reading
    found = p.coefficients(atom)
    lowest = min(found)
    step = gcd(*[power - lowest for power in found]) or 1
    reduced = {(power - lowest) // step: c for power, c in found.items()}
    return reduced, reading if step == 1 else Reading(reading.power / step)


def _variable(p: Polynomial, unknown: Symbol) -> tuple[Expr, Reading]:
    """Return the generator the polynomial depends on the unknown by."""
    found = [
        gen for gen in p.used() if gen == unknown or (not gen.is_Symbol and gen.has_free(unknown))
    ]
    if not found:
        return unknown, PLAIN
    atom = found[0]
    if len(found) == 1:
        if atom == unknown:
            return atom, PLAIN
        if atom.is_Pow and atom.base == unknown and atom.exp.is_Rational:
            return atom, Reading(Fraction(int(atom.exp.q), int(atom.exp.p)))
        if isinstance(atom, log2) and atom.args[0] == unknown:
            return atom, Reading(log=True)
    logs = [gen for gen in found if isinstance(gen, log2) and gen.args[0] == unknown]
    if len(found) == 2 and len(logs) == 1 and unknown in found:
        # A common power of the unknown is positive and may go: 5*n*log2(n) - 16*n.
        at = p.gens.index(unknown)
        if len({powers[at] for powers in p.terms}) == 1:
            return logs[0], Reading(log=True)
    inside = " and ".join(to_text(gen) for gen in found if gen != unknown)
    raise UnsolvedError(f"{unknown} is inside {inside}")


def _by_signs(
    coefficients: dict[int, Polynomial], reading: Reading, knowledge: Knowledge, unknown: Symbol
) -> Iterable[Case]:
    degree = max(coefficients)
    signs = {power: knowledge.signs(c) for power, c in coefficients.items()}
    if not reading.log:
        if all(not s & NEGATIVE for s in signs.values()):
            return [Case(TRUE, ALL)]
        if all(s == NEGATIVE for s in signs.values()):
            return [Case(TRUE, NEVER)]
    if degree > 2:
        what = f"log2({unknown})" if reading.log else str(unknown)
        raise UnsolvedError(f"degree {degree} in {_power_text(what, reading)}")
    zero = Polynomial.constant(0)
    a, b, c = (coefficients.get(power, zero) for power in (2, 1, 0))
    known = [signs.get(power, ZERO) for power in (2, 1, 0)]
    d, sign_d, root = zero, ANY, None
    if needs_discriminant(*known, line=reading.log):
        d = b * b - 4 * (a * c)
        root = square_root(d)
        sign_d = knowledge.signs(d) & (ANY if root is None else ZERO | POSITIVE)
    cases = []
    for row in table(*known, sign_d, line=reading.log):
        condition: Condition | None = TRUE
        for p, own, asked in zip((a, b, c, d), (*known, sign_d), row[:4], strict=True):
            if condition is not None and asked != own:
                condition = knowledge.narrowed(condition, p, asked)
        if condition is not None:
            region = _region(row.shape, a, b, c, reading)
            if root is not None and row.shape in _ROOTS:
                region = _rational_region(row.shape, a, b, root, reading)
            cases.append(Case(condition, region))
    return cases


def _region(
    shape: Shape, a: Polynomial, b: Polynomial, c: Polynomial, reading: Reading
) -> SymbolicRegion:
    """Return the set a shape stands for; coefficients are turned so that the leading one is > 0."""

    def one(end: End, *, lower: bool) -> SymbolicRegion:
        return SymbolicRegion(((Bound(end, lower),),))

    match shape:
        case Shape.ALL:
            return ALL
        case Shape.NONE:
            return NEVER
        case Shape.FROM_LINEAR:
            return one(Ratio(-c, b, reading), lower=True)
        case Shape.UPTO_LINEAR:
            return one(Ratio(c, -b, reading), lower=False)
        case Shape.FROM_ROOT:
            return one(Root(a, b, c, 1, reading), lower=True)
        case Shape.FROM_STABLE:
            return one(Root(a, b, c, 0, reading), lower=True)
        case Shape.UPTO_ROOT:
            return one(Root(-a, -b, -c, 1, reading), lower=False)
        case Shape.UPTO_STABLE:
            return one(Root(-a, -b, -c, 0, reading), lower=False)
        case Shape.OUTSIDE:
            low, high = Root(a, b, c, -1, reading), Root(a, b, c, 1, reading)
            return SymbolicRegion(((Bound(low, lower=False),), (Bound(high, lower=True),)))
        case Shape.BETWEEN:
            low, high = Root(-a, -b, -c, -1, reading), Root(-a, -b, -c, 1, reading)
            return SymbolicRegion(((Bound(low, lower=True), Bound(high, lower=False)),))


def _rational_region(
    shape: Shape, a: Polynomial, b: Polynomial, root: Polynomial, reading: Reading
) -> SymbolicRegion:
    """Return the same for a discriminant that is the square of `root`, whose sign is open."""
    if shape in (Shape.UPTO_ROOT, Shape.BETWEEN):
        a, b = -a, -b
    ends = [Ratio(-b + r, 2 * a, reading) for r in ((root, -root) if root.terms else (root,))]
    below = [Bound(end, lower=False) for end in ends]
    above = [Bound(end, lower=True) for end in ends]
    match shape:
        case Shape.FROM_ROOT:
            return SymbolicRegion((tuple(above),))
        case Shape.UPTO_ROOT:
            return SymbolicRegion(tuple((bound,) for bound in below))
        case Shape.OUTSIDE:
            return SymbolicRegion((tuple(below), tuple(above)))
        case _:
            pairs = zip(above, reversed(below), strict=True)
            return SymbolicRegion(tuple((low, high) for low, high in pairs))


def _negated(coefficients: dict[int, Polynomial]) -> dict[int, Polynomial]:
    return {power: -c for power, c in coefficients.items()}


def _power_text(name: str, reading: Reading) -> str:
    power = 1 / reading.power
    if power == 1:
        return name
    return f"{name}**{power}" if power.denominator == 1 else f"{name}**({power})"
