"""Signs of polynomials where every symbol is positive and every count is at least 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from sympy import Add, Expr, Integer, Max, Min, Mul, ceiling, floor

from symroof.errors import InputError
from symroof.symbolic.algebra import add, multiply
from symroof.symbolic.expand import Exponents, Terms
from symroof.symbolic.polynomial import Polynomial, fraction

MAX_DEGREE = 64


class Sign(Enum):
    """What is known of the sign of a formula over all positive values of its symbols.

    NONNEGATIVE and NONPOSITIVE say that 0 may be taken, in general at the corner where all counts
    are 1. UNKNOWN means unproven: the sign may change, or the proof was not found.

    Examples
    --------
    >>> -Sign.POSITIVE * Sign.NONNEGATIVE
    <Sign.NONPOSITIVE: 'nonpositive'>
    """

    POSITIVE = "positive"
    NEGATIVE = "negative"
    ZERO = "zero"
    NONNEGATIVE = "nonnegative"
    NONPOSITIVE = "nonpositive"
    UNKNOWN = "unknown"

    @property
    def is_nonnegative(self) -> bool:
        """Whether the value is proven to be 0 or more."""
        return self in (Sign.POSITIVE, Sign.NONNEGATIVE, Sign.ZERO)

    @property
    def is_nonpositive(self) -> bool:
        """Whether the value is proven to be 0 or less."""
        return self in (Sign.NEGATIVE, Sign.NONPOSITIVE, Sign.ZERO)

    def __neg__(self) -> Sign:
        return _NEGATED[self]

    def __mul__(self, other: Sign) -> Sign:
        if Sign.ZERO in (self, other):
            return Sign.ZERO
        if Sign.UNKNOWN in (self, other):
            return Sign.UNKNOWN
        weak = Sign.POSITIVE not in (self, -self) or Sign.POSITIVE not in (other, -other)
        result = Sign.NONNEGATIVE if weak else Sign.POSITIVE
        return result if self.is_nonnegative == other.is_nonnegative else -result

    def __truediv__(self, other: Sign) -> Sign:
        return self * other if other in (Sign.POSITIVE, Sign.NEGATIVE) else Sign.UNKNOWN


_NEGATED = {
    Sign.POSITIVE: Sign.NEGATIVE,
    Sign.NEGATIVE: Sign.POSITIVE,
    Sign.ZERO: Sign.ZERO,
    Sign.NONNEGATIVE: Sign.NONPOSITIVE,
    Sign.NONPOSITIVE: Sign.NONNEGATIVE,
    Sign.UNKNOWN: Sign.UNKNOWN,
}


def sign(p: Polynomial, counts: frozenset[str] = frozenset()) -> Sign:
    """Return the sign of `p` for all symbols > 0 and all `counts` ≥ 1, as far as it is proven.

    First all coefficients of one sign; then every generator is written from its least value
    (x = 1 + y for counts and ceilings) and the coefficients are read again.

    Parameters
    ----------
    p : Polynomial
        Any polynomial; generators of unknown sign make the answer UNKNOWN where they matter.
    counts : frozenset of str
        Names of the symbols that are at least 1: dims, repeat counts, group sizes.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> counts = frozenset({"M", "N"})
    >>> sign(fraction(2 * M - 1)[0], counts), sign(fraction(M * N - 1)[0], counts)
    (<Sign.POSITIVE: 'positive'>, <Sign.NONNEGATIVE: 'nonnegative'>)
    >>> sign(fraction(2 * M - 1)[0])
    <Sign.UNKNOWN: 'unknown'>
    """
    terms = p.terms
    if not terms:
        return Sign.ZERO
    used = [any(column) for column in zip(*terms, strict=True)]
    bounds: list[Bound | None] = [
        bound(gen, counts) if used[at] else None for at, gen in enumerate(p.gens)
    ]
    for at, found in enumerate(bounds):
        if found is None and used[at]:
            if any(powers[at] % 2 for powers in terms):
                return Sign.UNKNOWN
            bounds[at] = _REAL
    direct = _read(terms, [found is None or found.is_positive for found in bounds])
    if direct in (Sign.POSITIVE, Sign.NEGATIVE):
        return direct
    positive = [True] * len(bounds)
    for at, found in enumerate(bounds):
        if found is None:
            continue
        positive[at] = found.strict
        if found.lower or found.upper is not None:
            degree = max(powers[at] for powers in terms)
            if degree > MAX_DEGREE:
                positive[at] = found.is_positive
                continue
            terms = _from_bound(terms, at, found, degree)
    shifted = _read(terms, positive)
    return direct if shifted is Sign.UNKNOWN else shifted


def sign_of(expr: Expr, counts: frozenset[str] = frozenset()) -> Sign:
    """Return the proven sign of an expression, as `sign` does for a polynomial.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K = symbols("N K")
    >>> sign_of(1 / N + 1 / K)
    <Sign.POSITIVE: 'positive'>
    """
    numerator, denominator = fraction(expr)
    return sign(numerator, counts) / sign(denominator, counts)


def is_below(expr: Expr, least: int, counts: frozenset[str] | None = None) -> bool:
    """Return whether `expr` is less than `least` whatever its symbols are, as far as is proven.

    Parameters
    ----------
    expr : Expr
        A formula.
    least : int
        What it should reach at some values at least.
    counts : frozenset of str, optional
        Names that are at least 1; all of its names by default.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> B = symbols("B")
    >>> is_below(floor(B / 2) - B, 0), is_below(B - 1000, 0), is_below(1 / (2 * B), 1)
    (True, False, True)
    """
    if expr.is_Symbol or expr.is_number:
        return bool(expr.is_Rational and expr < least)
    if counts is None:
        counts = frozenset(symbol.name for symbol in expr.free_symbols)
    # A rounded-down part is at most what it was, a rounded-up one taken away at least that.
    whole = [term.as_coeff_Mul() for term in Add.make_args(expr)]
    above = [multiply((c, _unrounded(term, floor if c > 0 else ceiling))) for c, term in whole]
    try:
        return sign_of(add((*above, Integer(-least))), counts) is Sign.NEGATIVE
    except InputError:
        return False


def _unrounded(term: Expr, rounding: Any) -> Expr:
    factors = Mul.make_args(term)
    if not all(factor.is_nonnegative for factor in factors):
        return term
    return Mul(*(f.args[0] if isinstance(f, rounding) else f for f in factors))


def strip_positive(p: Polynomial, counts: frozenset[str] = frozenset()) -> Polynomial:
    """Return `p` without its content and the monomials known to be positive: the same sign.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, K = symbols("M N K")
    >>> strip_positive(fraction(6 * M * N * K - 4 * M * N)[0])
    Polynomial(3*K - 2)
    """
    if p.is_zero:
        return p
    content, common, rest = p.primitive()
    if content == 1 and common.is_constant:
        return p
    (powers,) = common.terms
    kept = [
        e if e and not _is_positive(gen, counts) else 0
        for gen, e in zip(p.gens, powers, strict=True)
    ]
    return rest * Polynomial(p.gens, {tuple(kept): 1}) if any(kept) else rest


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a generator lies: from `lower` on, or between `lower` (left out) and `upper`.

    Attributes
    ----------
    lower : Fraction
        The least value, 0 or more.
    upper : Fraction or None
        The largest value, when one is known.
    strict : bool
        Whether the closed end (lower, or upper when there is one) is left out too.
    """

    lower: Fraction
    upper: Fraction | None
    strict: bool

    @property
    def is_positive(self) -> bool:
        """Whether 0 is left out."""
        return self.strict or self.lower > 0 or self.upper is not None


_REAL = Bound(Fraction(0), None, False)
_POSITIVE = Bound(Fraction(0), None, True)
_COUNT = Bound(Fraction(1), None, False)


def bound(atom: Expr, counts: frozenset[str] = frozenset()) -> Bound | None:
    """Return the proven bounds of a generator, or None when it may be negative.

    Examples
    --------
    >>> from sympy import Rational
    >>> from symroof.symbolic.symbols import symbols
    >>> bound(symbols("M"), frozenset({"M"})).lower
    Fraction(1, 1)
    >>> bound(Rational(7, 8) ** symbols("B"), frozenset({"B"})).upper
    Fraction(7, 8)
    """
    if atom.is_Symbol:
        return _COUNT if atom.name in counts else _POSITIVE
    if atom.is_number:
        return _bound_number(atom)
    if atom.is_Pow:
        return _bound_power(atom, counts)
    rule = _RULES.get(type(atom).__name__)
    return rule(atom, counts) if rule else None


def _is_positive(atom: Expr, counts: frozenset[str]) -> bool:
    found = bound(atom, counts)
    return found is not None and found.is_positive


def _bound_number(atom: Expr) -> Bound | None:
    if not atom.is_positive:
        return None
    scale = 2**40
    lower = Fraction(int(floor(atom * scale)), scale)
    return Bound(lower, lower + Fraction(1, scale), True)


def _bound_power(atom: Expr, counts: frozenset[str]) -> Bound | None:
    base, exponent = atom.args
    if not base.is_Rational:
        above = _minus(base, 1, counts)
        if above.is_nonnegative and sign_of(exponent, counts).is_nonnegative:
            return _COUNT
        own = sign_of(base, counts)
        if own is Sign.POSITIVE:
            return _POSITIVE
        return _REAL if own.is_nonnegative and exponent.is_Rational else None
    if base.p <= 0:
        return None
    value = Fraction(int(base.p), int(base.q))
    if _minus(exponent, 1, counts).is_nonnegative:
        return Bound(Fraction(0), value, False) if value < 1 else Bound(value, None, False)
    if sign_of(exponent, counts).is_nonnegative:
        return Bound(Fraction(0), Fraction(1), False) if value < 1 else _COUNT
    return _POSITIVE


def _bound_ceiling(atom: Expr, counts: frozenset[str]) -> Bound | None:
    own = sign_of(atom.args[0], counts)
    if own is Sign.POSITIVE:
        return _COUNT
    return _REAL if own.is_nonnegative else None


def _bound_floor(atom: Expr, counts: frozenset[str]) -> Bound | None:
    if _minus(atom.args[0], 1, counts).is_nonnegative:
        return _COUNT
    return _REAL if sign_of(atom.args[0], counts).is_nonnegative else None


def _bound_log2(atom: Expr, counts: frozenset[str]) -> Bound | None:
    if _minus(atom.args[0], 2, counts).is_nonnegative:
        return _COUNT
    above = _minus(atom.args[0], 1, counts)
    if above is Sign.POSITIVE:
        return _POSITIVE
    return _REAL if above.is_nonnegative else None


def _bound_choice(atom: Expr, counts: frozenset[str], choose: Callable[..., bool]) -> Bound | None:
    if choose(_minus(arg, 1, counts).is_nonnegative for arg in atom.args):
        return _COUNT
    if choose(sign_of(arg, counts) is Sign.POSITIVE for arg in atom.args):
        return _POSITIVE
    return _REAL if choose(sign_of(arg, counts).is_nonnegative for arg in atom.args) else None


_RULES: dict[str, Callable[[Expr, frozenset[str]], Bound | None]] = {
    ceiling.__name__: _bound_ceiling,
    floor.__name__: _bound_floor,
    "log2": _bound_log2,
    Max.__name__: lambda atom, counts: _bound_choice(atom, counts, any),
    Min.__name__: lambda atom, counts: _bound_choice(atom, counts, all),
}


def _minus(expr: Expr, value: int, counts: frozenset[str]) -> Sign:
    """Return the sign of expr - value."""
    numerator, denominator = fraction(expr)
    return sign(numerator - denominator * value, counts) / sign(denominator, counts)


def _read(terms: Terms, positive: list[bool]) -> Sign:
    """Read a sign off coefficients; generators are above 0 where `positive`, else 0 or more."""
    values = terms.values()
    if not terms:
        return Sign.ZERO
    if min(values) > 0:
        sure, maybe = Sign.POSITIVE, Sign.NONNEGATIVE
    elif max(values) < 0:
        sure, maybe = Sign.NEGATIVE, Sign.NONPOSITIVE
    else:
        return Sign.UNKNOWN
    if all(positive):
        return sure
    weak = [at for at, known in enumerate(positive) if not known]
    return sure if any(not any(powers[at] for at in weak) for powers in terms) else maybe


def _from_bound(terms: Terms, at: int, found: Bound, degree: int) -> Terms:
    """Write generator `at` by t ≥ 0: lower + t, or (upper + lower*t) / (1 + t).

    The result is multiplied by what clears denominators, which is positive.
    """
    lower, upper = found.lower, found.upper
    if upper is None:
        q = lower.denominator
        above, below = (lower.numerator, q), (q, 0)
    else:
        q = lower.denominator * upper.denominator
        above, below = (int(upper * q), int(lower * q)), (q, q)
    rows = _rows(above, below, degree)
    result: Terms = {}
    for powers, coefficient in terms.items():
        before, after = powers[:at], powers[at + 1 :]
        for power, factor in enumerate(rows[powers[at]]):
            if factor:
                key: Exponents = (*before, power, *after)
                result[key] = result.get(key, 0) + coefficient * factor
    return {powers: c for powers, c in result.items() if c}


def _rows(above: tuple[int, int], below: tuple[int, int], degree: int) -> list[list[int]]:
    """Return above**e * below**(degree - e) for each e, as coefficients of powers of t."""
    over, under = [[1]], [[1]]
    for _ in range(degree):
        over.append(_convolved(over[-1], above))
        under.append(_convolved(under[-1], below))
    rows = []
    for e in range(degree + 1):
        row = [0] * (degree + 1)
        for i, x in enumerate(over[e]):
            for j, y in enumerate(under[degree - e]):
                if x and y:
                    row[i + j] += x * y
        rows.append(row)
    return rows


def _convolved(row: list[int], linear: tuple[int, int]) -> list[int]:
    result = [0] * (len(row) + 1)
    for at, value in enumerate(row):
        result[at] += value * linear[0]
        result[at + 1] += value * linear[1]
    return result
