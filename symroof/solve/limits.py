"""Limits of formulas as names grow without end, by leading coefficients."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from sympy import Dummy, Expr, Integer, Max, Min, Mul, Pow, Rational, S, Symbol, ceiling, floor

from symroof.errors import InputError
from symroof.solve.divisors import common_divisor
from symroof.solve.growth import CONSTANT, Growth
from symroof.symbolic.build import add, ceil_of, floor_of, maximum, minimum, multiply
from symroof.symbolic.functions import log2
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.signs import Sign, sign, sign_of


def limit(expr: Expr, symbol: Symbol) -> Expr:
    """Return the limit of a formula as one symbol goes to infinity.

    Rounding is dropped where it no longer matters (ceil(u) grows as u), then the leading
    coefficients tell. All symbols are positive.

    Parameters
    ----------
    expr : Expr
        Any formula.
    symbol : Symbol
        What goes to infinity.

    Returns
    -------
    Expr
        A formula without the symbol, 0, or plus or minus infinity.

    Raises
    ------
    InputError
        If there is no limit, or the leading terms cancel up to rounding or roots.
    UndecidedError
        If two exponentials are too close to be told apart.

    Examples
    --------
    >>> from sympy import ceiling
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, K = symbols("M N K")
    >>> limit(K * M * N / (K * M + K * N + M * N), M)
    K*N/(K + N)
    >>> limit(M / (128 * ceiling(M / 128)), M), limit(M**2 / (M + 1), M), limit(1 / M, M)
    (1, oo, 0)
    >>> limit(M**N / (M**N + 1), M)
    1
    """
    if not expr.has_free(symbol):
        return expr
    found = _Limit(symbol)
    return found.of(expr)


def limit_all(expr: Expr, names: Iterable[str]) -> Expr:
    """Return the limit of a formula as several symbols go to infinity together, at fixed ratios.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K, I = symbols("N K I")
    >>> limit_all(I * N * K / (N * K - I * (N + K)), ["N", "K"])
    I
    """
    wanted = frozenset(names)
    scale = Dummy("t", positive=True)
    grown = {s: scale * s for s in expr.free_symbols if s.name in wanted}
    return limit(expr.xreplace(grown), scale)


class _Limit:
    """Limits in one symbol; `markers` stand for 1, where a leading term replaced the whole."""

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol
        self.markers: dict[Expr, Expr] = {}

    def of(self, expr: Expr) -> Expr:
        over, under = fraction(self.smoothed(expr))
        growing = self.only_growing(over, under)
        if growing is not None:
            # It grows without end as the symbol does, and nothing else does: it may stand for it.
            plain = {growing: self.symbol}
            over, under = (fraction(p.expr().xreplace(plain))[0] for p in (over, under))
        top, grows = self.leading(over)
        bottom, shrinks = self.leading(under)
        if over.is_zero or grows < shrinks:
            return S.Zero
        if grows == shrinks:
            return _ratio(top, bottom)
        found = sign(top) / sign(bottom)
        if found is Sign.POSITIVE:
            return S.Infinity
        if found is Sign.NEGATIVE:
            return S.NegativeInfinity
        raise InputError(
            f"{_short(expr)} goes to plus or minus infinity with {self.symbol}, by the sign of "
            f"{_short(top.expr())}"
        )

    def only_growing(self, over: Polynomial, under: Polynomial) -> Expr | None:
        """Return a power of unknown speed that alone depends on the symbol and grows with it."""
        found = {gen for p in (over, under) for gen in p.used() if gen.has_free(self.symbol)}
        if len(found) != 1:
            return None
        (gen,) = found
        if not gen.is_Pow or gen.exp.is_Rational:
            return None
        base, exponent = gen.args
        if base.has_free(self.symbol):
            fixed = not exponent.has_free(self.symbol)
            grows = fixed and sign_of(exponent) is Sign.POSITIVE and self.of(base) is S.Infinity
        else:
            grows = sign_of(base - 1) is Sign.POSITIVE and self.of(exponent) is S.Infinity
        return gen if grows else None

    def leading(self, p: Polynomial) -> tuple[Polynomial, Growth]:
        """Return the coefficient of what grows fastest in a sum, and how it grows."""
        used = p.used() if p.terms else ()
        growths = {gen: self.growth(gen) for gen in used}
        by_growth: dict[Growth, dict[tuple[int, ...], int]] = {}
        for powers, coefficient in p.terms.items():
            growth = CONSTANT
            rest = list(powers)
            for at, gen in enumerate(p.gens):
                if powers[at] and growths[gen] != CONSTANT:
                    growth += growths[gen] * powers[at]
                    rest[at] = 0
            key = tuple(rest)
            part = by_growth.setdefault(growth, {})
            part[key] = part.get(key, 0) + coefficient
        if not by_growth:
            return p, CONSTANT
        growth = max(by_growth)
        found = Polynomial(p.gens, by_growth[growth])
        if self.markers:
            ones = {gen: 1 for gen in p.gens if gen in self.markers or _is_root(gen, self.markers)}
            found = found.replaced(ones)
            if found.is_zero:
                raise InputError(
                    f"no limit as {self.symbol} grows: the leading terms cancel up to rounding"
                )
        return found, growth

    def growth(self, gen: Expr) -> Growth:
        if gen == self.symbol:
            return Growth(power=Fraction(1))
        if not gen.has_free(self.symbol):
            return CONSTANT
        if gen.is_Pow and gen.base == self.symbol and gen.exp.is_Rational:
            return Growth(power=_fraction(gen.exp))
        if isinstance(gen, log2) and gen.args[0] == self.symbol:
            return Growth(logs=Fraction(1))
        if gen.is_Pow and gen.base.is_Rational and gen.base.is_positive:
            speed = self.of(gen.exp / self.symbol)
            if speed.is_Rational and speed and self.of(gen.exp - speed * self.symbol) == 0:
                return Growth.exponential(gen.base, _fraction(speed))
        raise InputError(f"no limit of {_short(gen)} as {self.symbol} grows is known")

    def smoothed(self, expr: Expr) -> Expr:
        """Return an expression that behaves alike for large values, without rounding or choice."""
        if not expr.args or not expr.has_free(self.symbol):
            return expr
        args = [self.smoothed(arg) for arg in expr.args]
        if expr.is_Add:
            return add(args)
        if expr.is_Mul:
            return multiply(args)
        if expr.is_Pow:
            return self.power(*args)
        if isinstance(expr, ceiling | floor):
            return self.rounded(args[0], up=isinstance(expr, ceiling))
        if isinstance(expr, Max | Min):
            return self.chosen(args, largest=isinstance(expr, Max))
        if isinstance(expr, log2):
            return self.logarithm(args[0])
        raise InputError(f"no limit of {_short(expr)} as {self.symbol} grows is known")

    def power(self, base: Expr, exponent: Expr) -> Expr:
        if exponent.is_Integer:
            return Pow(base, exponent)
        if exponent.has_free(self.symbol):
            end = self.of(exponent)
            if end.is_finite or base == 1:
                return Pow(self.of(base), end)
            if base.is_Rational and self.of(exponent / self.symbol).is_finite:
                return Pow(base, exponent)
            if not base.has_free(self.symbol):
                below = base < 1 if base.is_Rational else sign_of(1 - base) is Sign.POSITIVE
                if below == (end is S.Infinity) and (below or base.is_Rational):
                    return S.Zero
                if base.is_Rational or sign_of(base - 1) is Sign.POSITIVE:
                    return Pow(base, exponent)
            raise InputError(f"no limit of {_short(Pow(base, exponent))} is known")
        coefficient, growth, exact = self.leading_term(base)
        scaled = Pow(self.grown(growth), exponent) * Pow(coefficient, exponent)
        return scaled * (1 if exact else self.marker())

    def rounded(self, arg: Expr, *, up: bool) -> Expr:
        end = self.of(arg)
        if end.is_infinite:
            return arg * self.marker()
        nearest = ceil_of(end) if up else floor_of(end)
        if nearest == end:
            side = self.eventual_sign(arg - end)
            if side is Sign.POSITIVE and up:
                return nearest + 1
            if side is Sign.NEGATIVE and not up:
                return nearest - 1
        return nearest

    def chosen(self, args: list[Expr], *, largest: bool) -> Expr:
        best = args[0]
        for arg in args[1:]:
            side = self.eventual_sign(arg - best)
            if side is Sign.UNKNOWN:
                (one, growth, _), (other, same, _) = map(self.leading_term, (best, arg))
                if growth != same:
                    raise InputError(f"no limit as {self.symbol} grows: which is larger is unknown")
                best = (maximum if largest else minimum)((one, other))
                best = best * self.grown(growth) * self.marker()
            elif side.is_nonnegative == largest:
                best = arg
        return best

    def logarithm(self, arg: Expr) -> Expr:
        coefficient, growth, exact = self.leading_term(arg)
        if growth == CONSTANT:
            return log2(coefficient)
        if growth.rate or growth.logs:
            raise InputError(f"no limit of log2({_short(arg)}) as {self.symbol} grows is known")
        found = log2(coefficient) + _rational(growth.power) * log2(self.symbol)
        return found * (1 if exact else self.marker())

    def leading_term(self, expr: Expr) -> tuple[Expr, Growth, bool]:
        """Return coefficient and growth of what grows fastest, and whether that is all of it."""
        parts = fraction(expr)
        (top, grows), (bottom, shrinks) = self.leading(parts[0]), self.leading(parts[1])
        exact = all(
            len(p.terms) == len(lead.terms) and not self.markers.keys() & {*p.used()}
            for p, lead in zip(parts, (top, bottom), strict=True)
        )
        return _ratio(top, bottom), grows - shrinks, exact

    def grown(self, growth: Growth) -> Expr:
        """Return the formula that grows so."""
        if growth.rate:
            raise InputError(f"no limit as {self.symbol} grows is known: it occurs in an exponent")
        power, logs = _rational(growth.power), _rational(growth.logs)
        return Pow(self.symbol, power) * Pow(log2(self.symbol), logs)

    def eventual_sign(self, expr: Expr) -> Sign:
        over, under = fraction(expr)
        return sign(self.leading(over)[0]) / sign(self.leading(under)[0])

    def marker(self) -> Expr:
        found = Dummy("one", positive=True)
        self.markers[found] = found
        return found


def _is_root(gen: Expr, markers: dict[Expr, Expr]) -> bool:
    return bool(gen.is_Pow and gen.base in markers)


def _fraction(value: Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _rational(value: Fraction) -> Rational:
    return Rational(value.numerator, value.denominator)


def _ratio(over: Polynomial, under: Polynomial) -> Expr:
    divisor = common_divisor([over, under])
    if divisor is not None:
        over = over.quotient(divisor) or over
        under = under.quotient(divisor) or under
    return Mul(over.expr(), Pow(under.expr(), Integer(-1)))


def _short(expr: Expr) -> str:
    text = str(expr)
    return text if len(text) <= 60 else text[:57] + "..."
