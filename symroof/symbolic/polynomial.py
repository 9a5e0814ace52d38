"""Sparse polynomials with integer coefficients over sympy atoms: the core of every crossover."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd
from typing import TypeAlias

from sympy import Expr

from symroof.errors import InputError
from symroof.symbolic.canonical import expression
from symroof.symbolic.expand import Exponents, Terms, check_power, check_size, expand
from symroof.symbolic.generators import aligned, root_of

# Terms as sets of (atom, power), the power of a root being a fraction.
Canonical: TypeAlias = frozenset[tuple[frozenset[tuple[Expr, Fraction | int]], int]]


def fraction(expr: Expr) -> tuple[Polynomial, Polynomial]:
    """Return (numerator, denominator) of an expression, over one tuple of generators, exactly.

    Denominators that are monomials expand nothing. The common integer and the common monomial of
    the two are divided out; no gcd is taken. The denominator's first term is positive.

    Parameters
    ----------
    expr : Expr
        Sums, products and powers of symbols, exact numbers and atoms; what is none of these
        (``ceiling``, ``Max``, ``log2``, a power with a symbolic exponent) becomes a generator.

    Raises
    ------
    InputError
        For infinity, floats, division by zero, and powers of sums too large to write out.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> fraction(M / 2 - 1 / N)
    (Polynomial(M*N - 2), Polynomial(2*N))
    """
    gens, numerator, denominator = expand(expr)
    return Polynomial(gens, numerator), Polynomial(gens, denominator)


class Polynomial:
    """A sum of integer multiples of monomials in `gens`; immutable.

    Generators are symbols or opaque atoms such as ``ceiling(x/128)``, ``log2(n)``,
    ``Max(x, y)``, ``(7/8)**B`` or ``sqrt(x)``. Two polynomials are equal when they have the same
    terms, whatever unused generators they carry. Where x and ``sqrt(x)`` meet, both are written
    in ``sqrt(x)``.

    Parameters
    ----------
    gens : tuple of Expr
        The generators, in the order of `order_of`.
    terms : dict
        Exponents (one per generator, none negative) to a coefficient that is not zero. The
        dictionary is kept, not copied: hand it over and leave it alone.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> num, den = fraction(M / 2 - 1 / N)
    >>> num, den
    (Polynomial(M*N - 2), Polynomial(2*N))
    >>> num.coefficients(M)[1]
    Polynomial(N)
    """

    __slots__ = ("_key", "gens", "terms")

    gens: tuple[Expr, ...]
    terms: Terms

    def __init__(self, gens: tuple[Expr, ...], terms: Terms) -> None:
        self.gens = gens
        self.terms = terms
        self._key: Canonical | None = None

    @classmethod
    def constant(cls, value: int, gens: tuple[Expr, ...] = ()) -> Polynomial:
        """Return the integer `value` as a polynomial.

        Examples
        --------
        >>> Polynomial.constant(3)
        Polynomial(3)
        """
        return cls(gens, {(0,) * len(gens): value} if value else {})

    @classmethod
    def generator(cls, atom: Expr) -> Polynomial:
        """Return the polynomial that is the one generator `atom`.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> Polynomial.generator(symbols("M")) ** 2
        Polynomial(M**2)
        """
        return cls((atom,), {(1,): 1})

    @property
    def is_zero(self) -> bool:
        """Whether there is no term."""
        return not self.terms

    @property
    def is_constant(self) -> bool:
        """Whether no generator occurs."""
        return not self.terms or (len(self.terms) == 1 and not any(next(iter(self.terms))))

    @property
    def is_monomial(self) -> bool:
        """Whether there is exactly one term."""
        return len(self.terms) == 1

    def used(self) -> tuple[Expr, ...]:
        """Return the generators that occur in some term.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, N = symbols("M N")
        >>> Polynomial((M, N), {(0, 1): 1}).used()
        (N,)
        """
        columns = zip(*self.terms, strict=True)
        return tuple(gen for gen, column in zip(self.gens, columns, strict=False) if any(column))

    def opaque(self, symbol: Expr) -> tuple[Expr, ...]:
        """Return the generators that occur, are not `symbol` itself and contain it.

        Examples
        --------
        >>> from sympy import ceiling
        >>> from symroof.symbolic.symbols import symbols
        >>> M = symbols("M")
        >>> Polynomial((M, ceiling(M / 128)), {(1, 0): 1, (0, 1): -2}).opaque(M)
        (ceiling(M/128),)
        """
        return tuple(
            gen
            for gen in self.used()
            if gen is not symbol and not gen.is_Symbol and gen.has_free(symbol)
        )

    def expr(self) -> Expr:
        """Return the expanded sum as a sympy expression.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> Polynomial((symbols("M"),), {(2,): 3, (0,): -1}).expr()
        3*M**2 - 1
        """
        return expression(self.gens, self.terms)

    def __add__(self, other: Polynomial) -> Polynomial:
        gens, left, right = aligned((self.gens, self.terms), (other.gens, other.terms))
        terms = dict(left)
        for powers, coefficient in right.items():
            total = terms.get(powers, 0) + coefficient
            if total:
                terms[powers] = total
            else:
                del terms[powers]
        return Polynomial(gens, terms)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __neg__(self) -> Polynomial:
        return Polynomial(self.gens, {powers: -c for powers, c in self.terms.items()})

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        if isinstance(other, int):
            if not other:
                return Polynomial(self.gens, {})
            return Polynomial(self.gens, {powers: c * other for powers, c in self.terms.items()})
        gens, left, right = aligned((self.gens, self.terms), (other.gens, other.terms))
        check_size(len(left) * len(right))
        terms: Terms = {}
        for a, c in left.items():
            for b, d in right.items():
                powers = tuple([i + j for i, j in zip(a, b, strict=True)])
                terms[powers] = terms.get(powers, 0) + c * d
        return Polynomial(gens, {powers: c for powers, c in terms.items() if c})

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Polynomial:
        if exponent < 0:
            raise InputError(f"a polynomial has no power {exponent}; invert the fraction instead")
        check_power(len(self.terms), exponent)
        if len(self.terms) == 1:
            ((powers, coefficient),) = self.terms.items()
            return Polynomial(
                self.gens, {tuple([e * exponent for e in powers]): coefficient**exponent}
            )
        result = Polynomial.constant(1, self.gens)
        for _ in range(exponent):
            result = result * self
        return result

    def coefficients(self, atom: Expr) -> dict[int, Polynomial]:
        """Return the coefficient of each power of `atom` that occurs, over the same generators.

        Only powers of that very generator are seen: `atom` inside an opaque generator
        (``ceiling(atom)``, ``sqrt(atom)``) stays in the coefficient; ask `opaque` for those.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, N = symbols("M N")
        >>> Polynomial((M, N), {(2, 1): 3, (0, 1): 1}).coefficients(M)
        {0: Polynomial(N), 2: Polynomial(3*N)}
        """
        if atom not in self.gens:
            return {0: self} if self.terms else {}
        at = self.gens.index(atom)
        parts: dict[int, Terms] = {}
        for powers, coefficient in self.terms.items():
            rest = (*powers[:at], 0, *powers[at + 1 :])
            parts.setdefault(powers[at], {})[rest] = coefficient
        return {power: Polynomial(self.gens, parts[power]) for power in sorted(parts)}

    def degree(self, atom: Expr) -> int:
        """Return the highest power of the generator `atom`; 0 where it does not occur.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> Polynomial((symbols("M"),), {(2,): 3, (0,): 1}).degree(symbols("M"))
        2
        """
        if atom not in self.gens:
            return 0
        at = self.gens.index(atom)
        return max((powers[at] for powers in self.terms), default=0)

    def content(self) -> int:
        """Return the greatest common divisor of the coefficients; 0 for the zero polynomial.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> Polynomial((symbols("M"),), {(2,): -6, (0,): 4}).content()
        2
        """
        return gcd(*self.terms.values())

    def monomial(self) -> Exponents:
        """Return the exponents of the largest monomial that divides every term.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, N = symbols("M N")
        >>> Polynomial((M, N), {(2, 1): 3, (1, 0): 1}).monomial()
        (1, 0)
        """
        if not self.terms:
            return (0,) * len(self.gens)
        return tuple(map(min, *self.terms)) if len(self.terms) > 1 else next(iter(self.terms))

    def primitive(self) -> tuple[int, Polynomial, Polynomial]:
        """Return (content, monomial, rest) whose product this is; the content is positive.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, N = symbols("M N")
        >>> Polynomial((M, N), {(2, 1): -6, (1, 0): 4}).primitive()
        (2, Polynomial(M), Polynomial(-3*M*N + 2))
        """
        content, common = self.content(), self.monomial()
        monomial = Polynomial(self.gens, {common: 1})
        if not self.terms:
            return 0, monomial, self
        if not any(common):
            rest = self.terms
            if content != 1:
                rest = {powers: c // content for powers, c in rest.items()}
        else:
            rest = {
                tuple([e - m for e, m in zip(powers, common, strict=True)]): c // content
                for powers, c in self.terms.items()
            }
        return content, monomial, Polynomial(self.gens, rest)

    def quotient(self, divisor: Polynomial) -> Polynomial | None:
        """Return self / divisor when that is a polynomial with integer coefficients, else None.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, N = map(Polynomial.generator, symbols("M N"))
        >>> (M * M - N * N).quotient(M + N)
        Polynomial(M - N)
        """
        if divisor.is_zero:
            return None
        gens, terms, by = aligned((self.gens, self.terms), (divisor.gens, divisor.terms))
        rest = dict(terms)
        lead = max(by)
        found: Terms = {}
        while rest:
            top = max(rest)
            powers = tuple([e - d for e, d in zip(top, lead, strict=True)])
            coefficient, remainder = divmod(rest[top], by[lead])
            if remainder or min(powers, default=0) < 0:
                return None
            found[powers] = coefficient
            check_size(len(found))
            for b, d in by.items():
                key = tuple([e + x for e, x in zip(powers, b, strict=True)])
                total = rest.get(key, 0) - coefficient * d
                if total:
                    rest[key] = total
                else:
                    del rest[key]
        return Polynomial(gens, found)

    def replaced(self, values: Mapping[Expr, int]) -> Polynomial:
        """Return the polynomial with integers put for some generators.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, N = symbols("M N")
        >>> Polynomial((M, N), {(1, 1): 2, (0, 0): -1}).replaced({M: 5})
        Polynomial(10*N - 1)
        """
        places = [(at, int(values[gen])) for at, gen in enumerate(self.gens) if gen in values]
        terms: Terms = {}
        for powers, coefficient in self.terms.items():
            rest = list(powers)
            for at, value in places:
                coefficient *= value ** rest[at]
                rest[at] = 0
            key = tuple(rest)
            terms[key] = terms.get(key, 0) + coefficient
        return Polynomial(self.gens, {powers: c for powers, c in terms.items() if c})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Polynomial):
            return NotImplemented
        if self.gens == other.gens:
            return self.terms == other.terms
        return self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def _canonical(self) -> Canonical:
        if self._key is None:
            roots = [root_of(gen) for gen in self.gens]
            self._key = frozenset(
                (
                    frozenset(
                        (atom, Fraction(e, root) if root > 1 else e)
                        for (atom, root), e in zip(roots, powers, strict=True)
                        if e
                    ),
                    coefficient,
                )
                for powers, coefficient in self.terms.items()
            )
        return self._key

    def __repr__(self) -> str:
        return f"Polynomial({self.expr()})"
