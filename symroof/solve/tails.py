"""How a formula behaves for all numbers from a place on: bounds that hold without end.

A formula is written as a sum of x**p * log2(x)**j with intervals for coefficients: each interval
holds what the coefficient may be anywhere beyond the place. The term that grows fastest is kept
apart from the others, so that it tells the sign.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Expr, Max, Min, Symbol, ceiling, floor

from symroof.solve.enclosures import Raw, natural_logarithm, raw, sign_of, widened
from symroof.solve.intervals import UnboundedError, bounds
from symroof.symbolic.functions import log2

BITS = 128
MAX_TERMS = 12
DECAY = 4
MAX_WHOLE = 5_000
ONE: Raw = (libmp.fone, libmp.fone)
ZERO: Raw = (libmp.fzero, libmp.fzero)

Order: TypeAlias = tuple[Fraction, int]
Terms: TypeAlias = dict[Order, Raw]

CONSTANT: Order = (Fraction(0), 0)


class Tail:
    """Formulas in one symbol for all its values from a place on.

    Parameters
    ----------
    symbol : Symbol
        The symbol.
    start : int
        The place, at least 4.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> beyond = Tail(x, 128)
    >>> beyond.sign(x * log2(x + 7) - 6 * x), beyond.sign(1 / x - (1 - 1 / x) ** x)
    (1, -1)
    """

    def __init__(self, symbol: Symbol, start: int) -> None:
        self.symbol = symbol
        self.start = Fraction(start)

    def sign(self, expr: Expr) -> int:
        """Return the sign a formula has throughout; 0 if it is zero.

        Raises
        ------
        UnboundedError
            If that is not proven.
        """
        terms = self.terms(expr)
        if not terms:
            return 0
        _, factor = self.split(terms)
        found = sign_of(factor)
        if not found:
            raise UnboundedError
        return found

    def terms(self, expr: Expr) -> Terms:
        """Return a formula as a sum of terms."""
        if expr == self.symbol:
            return {(Fraction(1), 0): ONE}
        if not expr.has_free(self.symbol):
            return self.kept({CONSTANT: bounds(expr, {}, BITS)})
        if expr.is_Add:
            return reduce(self.added, map(self.terms, expr.args))
        if expr.is_Mul:
            return reduce(self.multiplied, map(self.terms, expr.args))
        if expr.is_Pow:
            return self.power(expr.base, expr.exp)
        if isinstance(expr, log2):
            return self.logarithm(self.terms(expr.args[0]))
        if isinstance(expr, ceiling | floor):
            slack = (Fraction(0), Fraction(1)) if isinstance(expr, ceiling) else (-1, 0)
            ends = raw(Fraction(slack[0]), Fraction(slack[1]), BITS)
            return self.added(self.terms(expr.args[0]), {CONSTANT: ends})
        if isinstance(expr, Max | Min):
            return reduce(
                lambda a, b: self.chosen(a, b, largest=isinstance(expr, Max)),
                map(self.terms, expr.args),
            )
        raise UnboundedError

    def split(self, terms: Terms) -> tuple[Order, Raw]:
        """Return what grows fastest, and bounds of the sum divided by it."""
        if not terms:
            raise UnboundedError
        top = max(terms)
        total = terms[top]
        for key, coefficient in terms.items():
            if key != top:
                share = self.falling(top[0] - key[0], key[1] - top[1])
                total = libmp.mpi_add(total, libmp.mpi_mul(coefficient, share, BITS), BITS)
        return top, _finite(total)

    def falling(self, power: Fraction, logs: int) -> Raw:
        """Return bounds of log2(x)**logs / x**power, which falls from the start on."""
        start = raw(self.start, self.start, BITS)
        natural = libmp.mpi_log(start, BITS)
        if logs > 0:
            steep = raw(Fraction(logs) / power, Fraction(logs) / power, BITS)
            if not libmp.mpf_gt(natural[0], steep[1]):
                raise UnboundedError
        ratio = libmp.mpi_div(natural, natural_logarithm(Fraction(2), BITS), BITS)
        size = _power(start, -power)
        value = libmp.mpi_mul(size, _power(ratio, Fraction(logs)), BITS)
        return libmp.fzero, widened(value, BITS)[1]

    def added(self, left: Terms, right: Terms) -> Terms:
        """Return the sum of two sums."""
        result = dict(left)
        for key, value in right.items():
            result[key] = libmp.mpi_add(result[key], value, BITS) if key in result else value
        return self.kept(result)

    def multiplied(self, left: Terms, right: Terms) -> Terms:
        """Return the product of two sums."""
        result: Terms = {}
        for (p, i), a in left.items():
            for (q, j), b in right.items():
                key, value = (p + q, i + j), libmp.mpi_mul(a, b, BITS)
                result[key] = libmp.mpi_add(result[key], value, BITS) if key in result else value
        return self.kept(result)

    def kept(self, terms: Terms) -> Terms:
        """Return the terms that grow fastest, the others as part of the last one of these."""
        terms = {key: _finite(value) for key, value in terms.items() if value != ZERO}
        if len(terms) <= MAX_TERMS:
            return terms
        keys = sorted(terms, reverse=True)
        last = keys[MAX_TERMS - 1]
        total = terms[last]
        for key in keys[MAX_TERMS:]:
            share = self.falling(last[0] - key[0], key[1] - last[1])
            total = libmp.mpi_add(total, libmp.mpi_mul(terms[key], share, BITS), BITS)
        result = {key: terms[key] for key in keys[: MAX_TERMS - 1]}
        result[last] = _finite(total)
        return result

    def power(self, base: Expr, exponent: Expr) -> Terms:
        """Return a power."""
        if exponent.is_Rational:
            number = Fraction(int(exponent.p), int(exponent.q))
            terms = self.terms(base)
            if number.denominator == 1 and 0 < number <= MAX_WHOLE:
                return self.whole_power(terms, int(number))
            return self.scaled_power(terms, number)
        if base.has_free(self.symbol):
            rate = self.multiplied(self.terms(exponent), self.logarithm(self.terms(base)))
        else:
            constant = {CONSTANT: bounds(log2(base), {}, BITS)}
            rate = self.multiplied(self.terms(exponent), constant)
        return self.exponential(rate)

    def exponential(self, rate: Terms) -> Terms:
        """Return 2 to the power of a sum that stays bounded above."""
        if not rate:
            return {CONSTANT: ONE}
        top, factor = self.split(rate)
        two = natural_logarithm(Fraction(2), BITS)
        if top == CONSTANT:
            ends = libmp.mpi_exp(libmp.mpi_mul(factor, two, BITS), BITS)
            return {CONSTANT: widened(ends, BITS)}
        if sign_of(factor) >= 0 or top[1] or top[0] <= 0:
            raise UnboundedError
        # x**k * 2**(-r * x**p) falls once r * p * ln(2) * x**p is over k.
        exponent = libmp.mpi_mul(factor, _power(raw(self.start, self.start, BITS), top[0]), BITS)
        most = libmp.mpi_mul((exponent[1], exponent[1]), two, BITS)
        steep = libmp.mpi_mul(most, raw(top[0], top[0], BITS), BITS)
        if not libmp.mpf_lt(steep[1], libmp.from_int(-DECAY)):
            raise UnboundedError
        value = libmp.mpi_mul(
            widened(libmp.mpi_exp(most, BITS), BITS),
            raw(self.start**DECAY, self.start**DECAY, BITS),
            BITS,
        )
        return {(Fraction(-DECAY), 0): (libmp.fzero, value[1])}

    def whole_power(self, terms: Terms, exponent: int) -> Terms:
        """Return a power by repeated products."""
        result: Terms = {CONSTANT: ONE}
        for bit in bin(exponent)[2:]:
            result = self.multiplied(result, result)
            if bit == "1":
                result = self.multiplied(result, terms)
        return result

    def scaled_power(self, terms: Terms, exponent: Fraction) -> Terms:
        """Return a power by the term that grows fastest and bounds of the rest."""
        if not terms:
            if exponent > 0:
                return {}
            raise UnboundedError
        (power, logs), factor = self.split(terms)
        if exponent.denominator != 1 and (logs * exponent).denominator != 1:
            raise UnboundedError
        if not sign_of(factor) or (sign_of(factor) < 0 and exponent.denominator != 1):
            raise UnboundedError
        return {(power * exponent, int(logs * exponent)): _power(factor, exponent)}

    def logarithm(self, terms: Terms) -> Terms:
        """Return log2 of a sum: of its fastest term, and of what the rest adds to that."""
        (power, logs), factor = self.split(terms)
        if logs or sign_of(factor) <= 0:
            raise UnboundedError
        lead = terms[power, logs]
        if sign_of(lead) <= 0:
            raise UnboundedError
        two = natural_logarithm(Fraction(2), BITS)
        constant = libmp.mpi_div(widened(libmp.mpi_log(lead, BITS), BITS), two, BITS)
        result = self.kept({CONSTANT: ZERO if lead == ONE else constant})
        if power:
            result = self.added(result, {(Fraction(0), 1): raw(power, power, BITS)})
        rest = {key: value for key, value in terms.items() if key != (power, logs)}
        if not rest:
            return result
        # log2(1 + y) is y times something between 1/ln 2 and that divided by 1 + y.
        share = libmp.mpi_div(factor, lead, BITS)
        ends = (libmp.mpi_div(ONE, libmp.mpi_mul(two, one, BITS), BITS) for one in (ONE, share))
        slope = _hull(*ends)
        over = {
            (key[0] - power, key[1]): libmp.mpi_mul(libmp.mpi_div(value, lead, BITS), slope, BITS)
            for key, value in rest.items()
        }
        return self.added(result, over)

    def chosen(self, left: Terms, right: Terms, *, largest: bool) -> Terms:
        """Return the larger or the smaller of two, where it is the same one throughout."""
        difference = self.added(left, self.multiplied(right, {CONSTANT: libmp.mpi_neg(ONE)}))
        if not difference:
            return left
        found = sign_of(self.split(difference)[1])
        if not found:
            raise UnboundedError
        return left if (found > 0) == largest else right


def _finite(interval: Raw) -> Raw:
    if any(end in (libmp.finf, libmp.fninf, libmp.fnan) for end in interval):
        raise UnboundedError
    return interval


def _hull(left: Raw, right: Raw) -> Raw:
    low = left[0] if libmp.mpf_lt(left[0], right[0]) else right[0]
    return low, left[1] if libmp.mpf_gt(left[1], right[1]) else right[1]


def _power(base: Raw, exponent: Fraction) -> Raw:
    """Return a power of an interval without zero, positive where the exponent is a fraction."""
    if exponent.denominator == 1:
        size = libmp.mpi_pow_int(base, abs(int(exponent)), BITS)
        power: Raw = size if exponent >= 0 else libmp.mpi_div(ONE, size, BITS)
        return power
    rate = libmp.mpi_mul(libmp.mpi_log(base, BITS), raw(exponent, exponent, BITS), BITS)
    return widened(libmp.mpi_exp(rate, BITS), BITS)
