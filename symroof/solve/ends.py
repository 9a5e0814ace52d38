"""Ends of solution sets: roots in closed form, made into expressions only when asked for."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import NamedTuple

from sympy import Add, Expr, Integer, Mul, Pow, Rational, S

from symroof.symbolic.canonical import quotient
from symroof.symbolic.forms import Call, Form, Name, Named, Number, Power, Product, Quotient
from symroof.symbolic.generators import aligned
from symroof.symbolic.numerals import number
from symroof.symbolic.polynomial import Polynomial
from symroof.symbolic.quadratics import quadratic
from symroof.symbolic.readable import readable
from symroof.symbolic.reals import Located
from symroof.symbolic.writer import Lead, Order


class Reading(NamedTuple):
    """What the variable v of a polynomial is: unknown = v**power, or 2**v.

    Attributes
    ----------
    power : Fraction
        The power v is raised to.
    log : bool
        Whether v is log2 of the unknown, and so runs over the whole line.
    """

    power: Fraction = Fraction(1)
    log: bool = False


PLAIN = Reading()


class End:
    """One end of a solution set.

    Examples
    --------
    >>> End(S(7) / 3).expr
    7/3
    """

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr | None = None) -> None:
        self._expr = expr

    @property
    def expr(self) -> Expr:
        """The end in closed form."""
        if self._expr is None:
            self._expr = self._made()
        return self._expr

    def form(self, lead: Lead = (), order: Order = ()) -> Form:
        """Return the end as a display tree."""
        if self.expr.has(Located):
            return Name(number(self.expr))
        return readable(self.expr, lead, order)

    def _made(self) -> Expr:
        return S.Zero

    def __eq__(self, other: object) -> bool:
        return isinstance(other, End) and self.expr == other.expr

    def __hash__(self) -> int:
        return hash(self.expr)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.expr})"


class Ratio(End):
    """The end at v = above / below; `below` is positive where the end counts.

    Parameters
    ----------
    above, below : Polynomial
        Integers and monomials they share are divided out.
    reading : Reading
        What v is.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K = map(Polynomial.generator, symbols("N K"))
    >>> Ratio(4 * N * K, 2 * N, Reading(Fraction(1, 2))).expr
    sqrt(2)*sqrt(K)
    """

    __slots__ = ("above", "below", "reading")

    def __init__(self, above: Polynomial, below: Polynomial, reading: Reading = PLAIN) -> None:
        super().__init__()
        gens, over, under = aligned((above.gens, above.terms), (below.gens, below.terms))
        self.above, self.below = _lowest(Polynomial(gens, over), Polynomial(gens, under))
        self.reading = reading

    def form(self, lead: Lead = (), order: Order = ()) -> Form:
        """Return the end as a display tree."""
        if self.above.is_constant and self.below.is_constant:
            return super().form(lead, order)
        # Each side keeps its sign: both are positive where the end counts.
        form = readable(self.above, lead, order)
        if not (self.below.is_constant and self.below.content() == 1):
            form = Quotient(form, readable(self.below, lead, order))
        return _read_form(form, self.reading)

    def _made(self) -> Expr:
        return _read(quotient(self.above.expr(), self.below.expr()), self.reading)


class Root(End):
    """The end at a root of a*v**2 + b*v + c, with a > 0 where the end counts.

    Parameters
    ----------
    a, b, c : Polynomial
        The coefficients.
    sign : int
        1 for the larger root, -1 for the smaller one; 0 for the larger one where a may be 0 and
        b > 0 > c, written -2*c/(b + sqrt(b**2 - 4*a*c)).
    reading : Reading
        What v is.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> one, N = Polynomial.constant(1), Polynomial.generator(symbols("N"))
    >>> Root(one, -2 * one, -N, 1).expr
    sqrt(N + 1) + 1
    """

    __slots__ = ("a", "b", "c", "reading", "sign")

    def __init__(
        self, a: Polynomial, b: Polynomial, c: Polynomial, sign: int, reading: Reading = PLAIN
    ) -> None:
        super().__init__()
        self.a, self.b, self.c, self.sign = a, b, c, sign
        self.reading = reading

    def form(self, lead: Lead = (), order: Order = ()) -> Form:
        """Return the end as a display tree, with a, b and c named."""
        named = quadratic(self.a, self.b, self.c, self.sign or -1, lead, order)
        body = named.body
        if not self.sign and isinstance(body, Quotient):
            # The product of the two roots is c/a.
            body = Quotient(Product((Number(Fraction(2)), Name(named.names[2][0]))), body.over)
        return Named(_read_form(body, self.reading), named.names)

    def _made(self) -> Expr:
        a, b, c, twice = self.a, self.b, self.c, 2
        square = b * b - 4 * (a * c)
        half = b.quotient(Polynomial.constant(2, b.gens))
        if half is not None:
            b, twice, square = half, 1, half * half - a * c
        content, monomial, rest = square.primitive()
        root = Mul(
            Pow(Integer(content), S.Half), Pow(monomial.expr(), S.Half), Pow(rest.expr(), S.Half)
        )
        if not self.sign:
            under = Pow(Add(b.expr(), root), -1)
            return _read(Mul(Integer(-2 if twice == 2 else -1), c.expr(), under), self.reading)
        root = root if self.sign > 0 else Mul(S.NegativeOne, root)
        under = Pow(Mul(Integer(twice), a.expr()), -1)
        return _read(Mul(Add((-b).expr(), root), under), self.reading)


def _lowest(above: Polynomial, below: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Divide out the common integer and the common monomial."""
    common = gcd(above.content(), below.content())
    if not above.terms:
        return above, Polynomial.constant(1, above.gens)
    shared = tuple(map(min, above.monomial(), below.monomial()))
    if common == 1 and not any(shared):
        return above, below
    over, under = (
        Polynomial(
            p.gens,
            {
                tuple([e - s for e, s in zip(powers, shared, strict=True)]): c // common
                for powers, c in p.terms.items()
            },
        )
        for p in (above, below)
    )
    return over, under


def _read(v: Expr, reading: Reading) -> Expr:
    if reading.log:
        return Pow(2, v)
    if reading.power == 1:
        return v
    return Pow(v, Rational(reading.power.numerator, reading.power.denominator))


def _read_form(form: Form, reading: Reading) -> Form:
    if reading.log:
        return Power(Number(Fraction(2)), form)
    if reading.power == 1:
        return form
    if reading.power == Fraction(1, 2):
        return Call("sqrt", (form,))
    return Power(form, Number(reading.power))
