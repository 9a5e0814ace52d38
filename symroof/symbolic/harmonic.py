"""The harmonic reading of a crossover: a sum of reciprocals against the reciprocal of a rate."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from sympy import Expr

from symroof.symbolic.factors import Factors, is_rate
from symroof.symbolic.forms import Comparison, Form, Relation, Sum
from symroof.symbolic.polynomial import Polynomial
from symroof.symbolic.signs import bound
from symroof.symbolic.writer import Lead, Order, Writer


@dataclass(frozen=True, slots=True)
class Harmonic:
    """1/M + 1/N + 1/K ≤ 1/I, and when some value of the unknown satisfies it.

    Attributes
    ----------
    reading : Comparison
        The sum of reciprocals against the reciprocal of the rate.
    solvable : Comparison or None
        The part without the unknown, which must be below; None when nothing is left to ask.
    """

    reading: Comparison
    solvable: Comparison | None


def harmonic(
    numerator: Polynomial, unknown: Expr, lead: Lead = (), order: Order = ()
) -> Harmonic | None:
    """Return the harmonic reading of `numerator ≥ 0`, or None where it has none.

    It has one where one side is a single monomial and dividing by it leaves reciprocals only,
    with the same power of the rates in each.

    Parameters
    ----------
    numerator : Polynomial
        What is to be 0 or more.
    unknown : Symbol
        Its reciprocal is written first.
    lead, order
        As for `readable`; the lead symbols and all rates go to the right side.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, K, I = symbols("M N K I")
    >>> m, n, k, i = map(Polynomial.generator, (M, N, K, I))
    >>> found = harmonic(m * n * k - i * (m * n + n * k + m * k), M, [I], [M, N, K])
    >>> found.reading.unicode(), found.solvable.plain()
    ('1/M + 1/N + 1/K ≤ 1/I', '1/N + 1/K < 1/I')
    """
    single = [powers for powers, c in numerator.terms.items() if c > 0]
    several = [powers for powers, c in numerator.terms.items() if c < 0]
    relation = Relation.AT_MOST
    if len(several) == 1 < len(single):
        single, several, relation = several, single, Relation.AT_LEAST
    if len(single) != 1 or len(several) < 2:
        return None
    if any(not _is_positive(gen) for gen in numerator.used()):
        return None
    gens, base = numerator.gens, single[0]
    rates = [gen in lead or is_rate(gen) for gen in gens]
    content = gcd(*[numerator.terms[powers] for powers in several])
    terms: list[Factors] = []
    sides: set[tuple[int, ...]] = set()
    for powers in several:
        change = [e - b for e, b in zip(powers, base, strict=True)]
        sides.add(tuple([e if rate else 0 for e, rate in zip(change, rates, strict=True)]))
        below = [0 if rate else e for e, rate in zip(change, rates, strict=True)]
        if max(below) > 0 or not any(below) or len(sides) > 1:
            return None
        coefficient = abs(numerator.terms[powers]) // content
        terms.append(Factors(coefficient, 1, _kept(gens, below)))
    right = Factors(abs(numerator.terms[base]))
    right.multiply(Factors(content, 1, _kept(gens, list(sides.pop()))), -1)
    writer = Writer(lead, order)
    terms.sort(key=lambda term: (unknown not in term.powers, _ranks(writer, term)))
    bounded = writer.factored(right)
    without = [term for term in terms if unknown not in term.powers]
    solvable = None
    if 0 < len(without) < len(terms) and relation is Relation.AT_MOST:
        solvable = Comparison(_sum(writer, without), Relation.LESS, bounded)
    return Harmonic(Comparison(_sum(writer, terms), relation, bounded), solvable)


def _kept(gens: tuple[Expr, ...], powers: list[int]) -> dict[Expr | Polynomial, int]:
    return {gen: e for gen, e in zip(gens, powers, strict=True) if e}


def _ranks(writer: Writer, term: Factors) -> list[tuple[int, int, str]]:
    return sorted(writer.rank(factor) for factor in term.powers)


def _sum(writer: Writer, terms: list[Factors]) -> Form:
    forms = [writer.factored(term) for term in terms]
    return forms[0] if len(forms) == 1 else Sum(tuple(forms))


def _is_positive(atom: Expr) -> bool:
    found = bound(atom)
    return found is not None and found.is_positive
