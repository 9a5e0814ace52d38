"""Formulas as products of a number, symbols and sums, without expanding what came factored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import gcd, lcm
from typing import TypeAlias

from sympy import Dummy, Expr

from symroof.symbolic.expand import order_of
from symroof.symbolic.polynomial import Polynomial, fraction

# A symbol, an opaque atom, a token for a sum taken whole, or a primitive polynomial.
Factor: TypeAlias = Expr | Polynomial


@dataclass(slots=True)
class Factors:
    """over/under times factors to their powers; negative powers divide.

    Attributes
    ----------
    over, under : int
        The number in front; `over` has its sign.
    powers : dict
        Factor to its power, never 0. Polynomials are primitive and have more than one term.
    """

    over: int = 1
    under: int = 1
    powers: dict[Factor, int] = field(default_factory=dict)

    def multiply(self, other: Factors, power: int = 1) -> None:
        """Multiply in place by a power of other factors."""
        over, under = (other.over, other.under) if power >= 0 else (other.under, other.over)
        self.over *= over ** abs(power)
        self.under *= under ** abs(power)
        if self.under < 0:
            self.over, self.under = -self.over, -self.under
        common = gcd(self.over, self.under)
        if common > 1:
            self.over //= common
            self.under //= common
        for factor, own in other.powers.items():
            total = self.powers.get(factor, 0) + own * power
            if total:
                self.powers[factor] = total
            else:
                del self.powers[factor]

    def polynomials(self, side: int) -> Iterator[Polynomial]:
        """Return the sums above (`side` 1) or below (-1) the fraction line."""
        for factor, power in self.powers.items():
            if isinstance(factor, Polynomial) and power * side > 0:
                yield factor


class Factoring:
    """Reads expressions as factors; remembers the sums it has taken whole.

    Parameters
    ----------
    leads : tuple of Expr
        The symbols by whose powers sums are ordered: the ridge, a peak.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, K = symbols("M N K")
    >>> found = Factoring(()).read(2 * K * (2 * M + 2 * N * K) / N)
    >>> found.over, found.under, found.powers
    (4, 1, {K: 1, N: -1, Polynomial(K*N + M): 1})
    """

    def __init__(self, leads: tuple[Expr, ...]) -> None:
        self.leads = leads
        self.wholes: dict[Expr, Polynomial] = {}
        self.tokens: dict[Polynomial, Expr] = {}

    def read(self, expr: Expr) -> Factors:
        """Return the factors of an expression; sums of fractions become one fraction."""
        if expr.is_Symbol:
            return Factors(powers={expr: 1})
        if expr.is_Mul:
            result = Factors()
            for arg in expr.args:
                if arg.is_Symbol:
                    powers = result.powers
                    powers[arg] = powers.get(arg, 0) + 1
                    if not powers[arg]:
                        del powers[arg]
                else:
                    result.multiply(self.read(arg))
            return self._cancelled(result)
        if expr.is_Rational:
            return Factors(int(expr.p), int(expr.q))
        if expr.is_Pow and expr.exp.is_Integer:
            result = Factors()
            result.multiply(self.read(expr.base), int(expr.exp))
            return result
        if (
            expr.is_Add
            and any(map(_has_sum, expr.args))
            and not (any(map(divides, expr.args)) and any(map(is_negative, expr.args)))
        ):
            terms = [self.read(arg) for arg in expr.args]
            if self._stands(expr, terms):
                return self.sum(terms)
        return self.ratio(*fraction(expr))

    def _stands(self, expr: Expr, terms: list[Factors]) -> bool:
        """Whether a sum of products of sums need not be expanded: nothing in it cancels."""
        for term in terms:
            if any(True for _ in term.polynomials(-1)):
                return False
        if all(
            term.over > 0 and all(min(p.terms.values()) > 0 for p in term.polynomials(1))
            for term in terms
        ):
            return True
        size = 0
        for term in terms:
            own = 1
            for p in term.polynomials(1):
                own *= len(p.terms) ** term.powers[p]
            size += own
        return len(fraction(expr)[0].terms) == size

    def sum(self, terms: Iterable[Factors]) -> Factors:
        """Return the sum of terms as factors, the sums inside them taken whole."""
        terms = list(terms)
        under = lcm(*[term.under for term in terms])
        whole = [{self._whole(f): e for f, e in term.powers.items()} for term in terms]
        atoms = tuple(dict.fromkeys(atom for powers in whole for atom in powers))
        rows: dict[tuple[int, ...], int] = {}
        for term, powers in zip(terms, whole, strict=True):
            key = tuple([powers.get(atom, 0) for atom in atoms])
            rows[key] = rows.get(key, 0) + term.over * (under // term.under)
        rows = {key: c for key, c in rows.items() if c}
        lowest = list(map(min, zip(*rows, strict=True))) if rows else []
        rest = Polynomial(atoms, {})
        for key, c in rows.items():
            left = tuple([e - low for e, low in zip(key, lowest, strict=True)])
            inner = self.wholes.get(atoms[left.index(1)]) if sum(left) == 1 else None
            rest = rest + (Polynomial(atoms, {left: c}) if inner is None else inner * c)
        for token in rest.used():
            if token in self.wholes:
                rest = self._merged(rest, token)
        result = self.ratio(rest, Polynomial.constant(under, rest.gens), split=False)
        common = {atom: low for atom, low in zip(atoms, lowest, strict=True) if low}
        result.multiply(Factors(powers={self.wholes.get(a, a): e for a, e in common.items()}))
        return result

    def _merged(self, p: Polynomial, token: Expr) -> Polynomial:
        """Expand a sum taken whole where its terms unite with others."""
        inner, parts = self.wholes[token], p.coefficients(token)
        if max(parts) > 1:
            return p
        size = len(p.terms) + len(parts[1].terms) * (len(inner.terms) - 1)
        expanded = parts.get(0, Polynomial.constant(0)) + parts[1] * inner
        return expanded if len(expanded.terms) < size else p

    def _whole(self, factor: Factor) -> Expr:
        """Return a factor as one atom."""
        if not isinstance(factor, Polynomial):
            return factor
        atom = self.tokens.get(factor)
        if atom is None:
            atom = self.tokens[factor] = Dummy(f"sum{len(self.tokens)}")
            self.wholes[atom] = factor
        return atom

    def ratio(self, above: Polynomial, below: Polynomial, *, split: bool = True) -> Factors:
        """Return the factors of above/below; sums that divide each other are divided out."""
        if above.is_zero:
            return Factors(0)
        result = self.parts(above, split)
        if not below.is_constant:
            result.multiply(self.parts(below, split), -1)
        else:
            result.multiply(Factors(next(iter(below.terms.values()))), -1)
        return self._cancelled(result) if split else result

    def parts(self, p: Polynomial, split: bool) -> Factors:
        """Return content, monomial and primitive sum of a polynomial; the sum split if wanted."""
        content, common, rest = p.primitive()
        (powers,) = common.terms
        result = Factors(content, 1, {gen: e for gen, e in zip(p.gens, powers, strict=True) if e})
        if rest.is_constant:
            result.over *= next(iter(rest.terms.values()))
            return result
        for factor in self.split(rest) if split else [rest]:
            if self.is_turned(factor):
                result.over = -result.over
                factor = -factor
            result.powers[factor] = result.powers.get(factor, 0) + 1
        return result

    def split(self, p: Polynomial) -> list[Polynomial]:
        """Return factors of a primitive sum: those that show as the coefficient of one symbol."""
        if len(p.terms) < 4:
            return [p]
        for at, gen in enumerate(p.gens):
            column = [powers[at] for powers in p.terms]
            fewest = min(column.count(e) for e in set(column))
            if fewest in (1, len(column)) or len(column) % fewest:
                continue
            groups = p.coefficients(gen).values()
            _, _, smallest = min(groups, key=lambda group: len(group.terms)).primitive()
            other = p.quotient(smallest)
            if other is not None:
                return [*self.split(smallest), *self.split(other)]
        return [p]

    def _cancelled(self, factors: Factors) -> Factors:
        """Divide out a sum above the line that divides, or is divided by, one below."""
        for below in list(factors.polynomials(-1)):
            for above in list(factors.polynomials(1)):
                if below not in factors.powers or above not in factors.powers:
                    continue
                if self.wholes and any(gen in self.wholes for gen in (*above.gens, *below.gens)):
                    continue
                if len(above.terms) >= len(below.terms):
                    large, small, side = above, below, 1
                else:
                    large, small, side = below, above, -1
                rest = large.quotient(small)
                if rest is not None:
                    change = self.parts(rest, True)
                    change.multiply(Factors(powers={small: 1}))
                    change.multiply(Factors(powers={large: 1}), -1)
                    factors.multiply(change, side)
        return factors

    def is_turned(self, p: Polynomial) -> bool:
        """Whether a sum reads better with its sign changed: its leading term is negative.

        Leading is the term of least power in the lead symbols, then of largest degree.
        """
        values = p.terms.values()
        if min(values) > 0:
            return False
        if max(values) < 0:
            return True
        places = [at for at, gen in enumerate(p.gens) if gen in self.leads or is_rate(gen)]
        names = sorted(range(len(p.gens)), key=lambda at: order_of(p.gens[at]))
        lead = min(
            p.terms,
            key=lambda powers: (
                sum([powers[at] for at in places]),
                -sum(powers),
                [-powers[at] for at in names],
            ),
        )
        return p.terms[lead] < 0


def is_rate(atom: Expr) -> bool:
    """Whether an atom is the symbol of a rate, such as ``peak.bf16``.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbol
    >>> is_rate(symbol("peak.bf16")), is_rate(symbol("peak"))
    (True, False)
    """
    return bool(atom.is_Symbol) and "." in atom.name


def divides(expr: Expr) -> bool:
    """Whether a term of a sum has a symbol or a sum in its denominator.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> divides(2 * M / N), divides(M / 2)
    (True, False)
    """
    factors = expr.args if expr.is_Mul else (expr,)
    return any(f.is_Pow and f.exp.is_Rational and f.exp.p < 0 for f in factors)


def is_negative(expr: Expr) -> bool:
    """Whether a term of a sum has a minus sign in front.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> is_negative(-2 * M * N), is_negative(M - N)
    (True, False)
    """
    number = expr.args[0] if expr.is_Mul else expr
    return bool(number.is_Rational) and number.p < 0


def _has_sum(expr: Expr) -> bool:
    """Whether a term of a sum has a sum among its factors."""
    factors = expr.args if expr.is_Mul else (expr,)
    return any(f.is_Add or (f.is_Pow and f.exp.is_Integer and f.base.is_Add) for f in factors)
