"""Roots of quadratics, written with named coefficients and never expanded."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from sympy import Expr

from symroof.symbolic.forms import Call, Form, Name, Named, Number, Power, Product, Quotient, Sum
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.writer import Lead, Order, Writer

LETTERS = (("a", "b", "c"), ("p", "q", "r"), ("u", "v", "w"), ("c_2", "c_1", "c_0"))


def quadratic(
    a: Polynomial, b: Polynomial, c: Polynomial, root: int, lead: Lead = (), order: Order = ()
) -> Named:
    """Return the root (−b ± √(b² − 4·a·c)) / (2·a) with a, b and c named.

    Common integers and monomials of the three are divided out. Where a symbol is called a, b or
    c, other letters are taken.

    Parameters
    ----------
    a, b, c : Polynomial
        The coefficients of x², x and 1.
    root : int
        1 for the root with plus, -1 for the one with minus.
    lead, order
        As for `readable`.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K = map(Polynomial.generator, symbols("N K"))
    >>> form = quadratic(2 * N, -2 * K, -2 * N * K, 1)
    >>> form.unicode()
    '(−b + √(b² − 4·a·c)) / (2·a), where a = N, b = −K, c = −K·N'
    >>> form.plain()
    '(K + sqrt(K**2 + 4*N*K*N))/(2*N)'
    """
    writer = Writer(lead, order)
    if max(a.terms.values(), default=0) < 0:
        a, b, c, root = -a, -b, -c, -root
    a, b, c = _reduced(a, b, c)
    letters = _letters(a, b, c)
    names = [Name(letter) for letter in letters]
    two, four = Number(Fraction(2)), Number(Fraction(4))
    inside = Sum((Power(names[1], two),), (Product((four, names[0], names[2])),))
    radical = Call("sqrt", (inside,))
    minus_b = Sum((), (names[1],))
    above = Sum((minus_b, radical)) if root > 0 else Sum((), (names[1], radical))
    forms = [writer.polynomial(p) for p in (a, b, c)]
    body = Quotient(above, Product((two, names[0])))
    return Named(body, tuple(zip(letters, forms, strict=True)))


def as_quadratic(expr: Expr, lead: Lead = (), order: Order = ()) -> Form | None:
    """Return an expression with one square root of a sum as a root of a quadratic, or None.

    A root alone, without the rational part, is left as it is.

    Examples
    --------
    >>> from sympy import sqrt
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K = symbols("N K")
    >>> as_quadratic((K + sqrt(K**2 + 4 * N**2 * K)) / (2 * N)).unicode()
    '(−b + √(b² − 4·a·c)) / (2·a), where a = N, b = −K, c = −K·N'
    >>> as_quadratic(K + N) is None
    True
    """
    radicals = _radicals(expr)
    if len(radicals) != 1:
        return None
    (radical,) = radicals
    above, below = fraction(expr)
    parts = above.coefficients(radical)
    if below.degree(radical) or max(parts, default=0) != 1:
        return None
    zero = Polynomial(above.gens, {})
    rest, factor = parts.get(0, zero), parts[1]
    if rest.is_zero:
        return None
    inside, under = fraction(radical.base)
    constant = rest * rest * under - factor * factor * inside
    quotient = constant.quotient(below * under)
    scale = Polynomial.constant(1) if quotient is not None else below * under
    values = (factor * scale).terms.values()
    if min(values) < 0 < max(values):
        return None
    root = 1 if min(values) > 0 else -1
    last = constant if quotient is None else quotient
    return quadratic(below * scale, rest * scale * -2, last, root, lead, order)


def _reduced(*coefficients: Polynomial) -> list[Polynomial]:
    """Divide out the common integer and the common monomial."""
    total = sum(coefficients, Polynomial.constant(0))
    gens = total.gens
    aligned = [p + Polynomial.constant(0, gens) for p in coefficients]
    rows = [powers for p in aligned for powers in p.terms]
    content = gcd(*[c for p in aligned for c in p.terms.values()])
    lowest = list(map(min, zip(*rows, strict=True)))
    return [
        Polynomial(
            gens,
            {
                tuple([e - low for e, low in zip(powers, lowest, strict=True)]): c // content
                for powers, c in p.terms.items()
            },
        )
        for p in aligned
    ]


def _letters(*coefficients: Polynomial) -> tuple[str, str, str]:
    taken = {symbol.name for p in coefficients for gen in p.gens for symbol in gen.free_symbols}
    for letters in LETTERS:
        if not taken.intersection(letters):
            return letters
    return LETTERS[-1]


def _radicals(expr: Expr) -> set[Expr]:
    """Return the square roots of symbolic sums that an expression is built of."""
    found: set[Expr] = set()
    left = [expr]
    while left:
        part = left.pop()
        if part.is_Add or part.is_Mul:
            left += part.args
        elif part.is_Pow:
            base, exponent = part.args
            if exponent.is_Integer:
                left.append(base)
            elif base.is_Add and exponent.is_Rational and exponent.q == 2 and base.free_symbols:
                found.add(part if exponent.p == 1 else base ** (exponent / exponent.p))
    return found
