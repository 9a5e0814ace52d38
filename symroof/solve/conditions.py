"""Conditions: what the signs of polynomials must be for a case to hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Expr, Rational

from symroof.errors import UnboundError
from symroof.solve.shapes import ANY, NEGATIVE, POSITIVE, ZERO, Signs
from symroof.symbolic.evaluate import bind
from symroof.symbolic.exact import sign_of
from symroof.symbolic.forms import NO_LABELS, Comparison, Relation
from symroof.symbolic.polynomial import Polynomial
from symroof.symbolic.readable import comparison
from symroof.symbolic.signs import Sign, sign, strip_positive
from symroof.symbolic.writer import Lead, Order

_SIGNS = {
    Sign.POSITIVE: POSITIVE,
    Sign.NEGATIVE: NEGATIVE,
    Sign.ZERO: ZERO,
    Sign.NONNEGATIVE: ZERO | POSITIVE,
    Sign.NONPOSITIVE: NEGATIVE | ZERO,
    Sign.UNKNOWN: ANY,
}
# What follows from what is looked for among sums of so many terms together.
MAX_COMPARED = 24

_RELATIONS = {
    POSITIVE: Relation.GREATER,
    POSITIVE | ZERO: Relation.AT_LEAST,
    ZERO: Relation.EQUAL,
    NEGATIVE | POSITIVE: Relation.UNEQUAL,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunction: each polynomial has one of the signs it is given with.

    Attributes
    ----------
    parts : tuple of (Polynomial, Signs)
        Polynomials without positive common factors, their first coefficient positive.
    counts : frozenset of str
        Names that are at least 1.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K, I = map(Polynomial.generator, symbols("N K I"))
    >>> condition = Knowledge().narrowed(TRUE, N * K - I * (N + K), POSITIVE)
    >>> condition.text()
    'K*N > I*(K + N)'
    >>> condition.holds({"N": 8, "K": 8, "I": 5})
    False
    """

    parts: tuple[tuple[Polynomial, Signs], ...] = ()
    counts: frozenset[str] = frozenset()

    @property
    def is_true(self) -> bool:
        """Whether it always holds."""
        return not self.parts

    @property
    def free(self) -> frozenset[str]:
        """The names it depends on."""
        return frozenset(
            symbol.name for p, _ in self.parts for gen in p.used() for symbol in gen.free_symbols
        )

    def forms(self, lead: Lead = (), order: Order = ()) -> tuple[Comparison, ...]:
        """Return each part as a comparison with plus terms only."""
        return tuple(
            comparison(*_turned(p, signs), lead, order, self.counts) for p, signs in self.parts
        )

    def text(self, lead: Lead = (), order: Order = ()) -> str:
        """Return ASCII text, each side in the grammar of `parse`; ``true`` if it always holds."""
        return " and ".join(form.plain() for form in self.forms(lead, order)) or "true"

    def unicode(
        self, labels: Mapping[str, str] = NO_LABELS, lead: Lead = (), order: Order = ()
    ) -> str:
        """Return text for people."""
        return " and ".join(form.unicode(labels) for form in self.forms(lead, order)) or "true"

    def holds(self, values: Mapping[str, object]) -> bool:
        """Return whether it holds at given values.

        Raises
        ------
        UnboundError
            If a name is left free.
        """
        return all(signs & _sign_at(p, values) for p, signs in self.parts)

    def possible(self, values: Mapping[str, Expr]) -> bool:
        """Return False where given values of some names rule it out, whatever the others are.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> N, I = map(Polynomial.generator, symbols("N I"))
        >>> condition = Knowledge().narrowed(TRUE, 4 * N - I * N, POSITIVE)
        >>> condition.possible({"I": Rational(9, 2)}), condition.possible({"I": Rational(7, 2)})
        (False, True)
        """
        return all(signs & _SIGNS[_sign_where(p, values, self.counts)] for p, signs in self.parts)

    def __str__(self) -> str:
        return self.text()


TRUE = Condition()


class Knowledge:
    """The signs of polynomials, as far as they are proven or follow from a condition.

    Parameters
    ----------
    counts : frozenset of str
        Names that are at least 1; all others are positive.

    Attributes
    ----------
    comparisons : int
        How often a sign was looked for in a condition so far: a measure of the work done.
    """

    __slots__ = ("_normal", "_own", "_signs", "comparisons", "counts")

    def __init__(self, counts: frozenset[str] = frozenset()) -> None:
        self.counts = counts
        self.comparisons = 0
        self._signs: dict[Polynomial, Signs] = {}
        # By identity, with the polynomial itself kept so that its identity is not used again.
        self._own: dict[int, tuple[Polynomial, Signs]] = {}
        self._normal: dict[int, tuple[Polynomial, Polynomial, bool]] = {}

    def signs(self, p: Polynomial) -> Signs:
        """Return the signs a polynomial may have.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> n = Polynomial.generator(symbols("n"))
        >>> Knowledge(frozenset({"n"})).signs(n - Polynomial.constant(1)) == ZERO | POSITIVE
        True
        """
        found = self._own.get(id(p))
        if found is None:
            found = self._own[id(p)] = (p, self._at_sight(p) or _SIGNS[sign(p, self.counts)])
        return found[1]

    def _at_sight(self, p: Polynomial) -> Signs | None:
        """Return the signs of a polynomial in names where the coefficients tell them, else None.

        In the first and in the last monomial of the names that are no counts, by powers, the
        polynomial may be positive on one side and negative on the other: then it can have any
        sign, as either monomial may be made to dominate.
        """
        terms, gens = p.terms, p.gens
        if not terms or not all(gen.is_Symbol for gen in gens):
            return None
        lowest, highest = min(terms.values()), max(terms.values())
        if lowest > 0 or highest < 0:
            return POSITIVE if lowest > 0 else NEGATIVE
        at = [i for i, gen in enumerate(gens) if gen.name not in self.counts]
        groups = [tuple([powers[i] for i in at]) for powers in terms]
        first, last = min(groups), max(groups)
        if first == last:
            return None
        values = list(zip(groups, terms.values(), strict=True))
        low = {c > 0 for group, c in values if group == first}
        high = {c > 0 for group, c in values if group == last}
        return ANY if len(low) == len(high) == 1 and low != high else None

    def normal(self, p: Polynomial) -> tuple[Polynomial, bool]:
        """Return `p` without its positive common factors, and whether its sign was turned."""
        found = self._normal.get(id(p))
        if found is None:
            q = strip_positive(p, self.counts)
            turned = not q.is_zero and q.terms[max(q.terms)] < 0
            found = self._normal[id(p)] = (p, -q if turned else q, turned)
        return found[1], found[2]

    def narrowed(self, condition: Condition, p: Polynomial, signs: Signs) -> Condition | None:
        """Return `condition` and that `p` has one of `signs`; None where that is impossible.

        What is known already adds nothing.
        """
        if signs == ANY:
            return condition
        q, turned = self.normal(p)
        if turned:
            signs = _turned_signs(signs)
        known = self._signs.get(q)
        if known is None:
            known = self.signs(p)
            known = self._signs[q] = _turned_signs(known) if turned else known
        parts = dict(condition.parts)
        before = known & parts.get(q, ANY)
        if q not in parts and known & signs not in (0, known):
            before = self._implied(q, before, condition.parts)
        after = before & signs
        if not after:
            return None
        if after == before:
            return condition
        parts[q] = after
        return Condition(tuple(parts.items()), self.counts)

    def joined(self, left: Condition, right: Condition) -> Condition | None:
        """Return the conjunction of two conditions; None where it is impossible."""
        result: Condition | None = left
        for p, signs in right.parts:
            result = self.narrowed(result, p, signs) if result is not None else None
        return result

    def merged(self, left: Condition, right: Condition) -> Condition | None:
        """Return the one condition that says "left or right", where there is one.

        That is so where both are about the same polynomials and differ in the signs of one.
        """
        if len(left.parts) != len(right.parts):
            return None
        others = dict(right.parts)
        differing: list[Polynomial] = []
        for p, signs in left.parts:
            if p not in others:
                return None
            if others[p] != signs:
                differing.append(p)
        if not differing:
            return left
        if len(differing) > 1:
            return None
        parts = dict(left.parts)
        p = differing[0]
        union = parts[p] | others[p]
        if union == NEGATIVE | POSITIVE:
            return None
        if union & self._signs.get(p, ANY) == self._signs.get(p, ANY):
            del parts[p]
        else:
            parts[p] = union
        return Condition(tuple(parts.items()), self.counts)

    def _implied(
        self, q: Polynomial, known: Signs, parts: Iterable[tuple[Polynomial, Signs]]
    ) -> Signs:
        """Return the signs `q` may have where all of `parts` hold: by one part at a time."""
        for p, signs in parts:
            if signs == NEGATIVE | POSITIVE or len(p.terms) + len(q.terms) > MAX_COMPARED:
                continue
            self.comparisons += 1
            for turned in (False, True):
                sure = _turned_signs(signs) if turned else signs
                difference = self.signs(_difference(q, -p if turned else p))
                known &= _SUMS[sure, difference]
        return known


def _difference(q: Polynomial, p: Polynomial) -> Polynomial:
    """Return q - p, both first multiplied by what makes their one positive term equal."""
    top, other = _only_positive(q), _only_positive(p)
    if top is None or other is None or top == other:
        return q - p
    return q * other - p * top


def _only_positive(p: Polynomial) -> Polynomial | None:
    found = [(powers, c) for powers, c in p.terms.items() if c > 0]
    # Opaque generators may be zero or negative, so nothing is multiplied by them.
    if len(found) != 1 or not all(gen.is_Symbol for gen in p.used()):
        return None
    return Polynomial(p.gens, dict(found))


def _sum_of_signs(left: Signs, right: Signs) -> Signs:
    result = 0
    for a in (NEGATIVE, ZERO, POSITIVE):
        for b in (NEGATIVE, ZERO, POSITIVE):
            if left & a and right & b:
                if a in (ZERO, b):
                    result |= b
                elif b == ZERO:
                    result |= a
                else:
                    result |= ANY
    return result


_SUMS = {(a, b): _sum_of_signs(a, b) for a in range(8) for b in range(8)}


def _turned_signs(signs: Signs) -> Signs:
    return (signs & ZERO) | (NEGATIVE if signs & POSITIVE else 0) | (signs & NEGATIVE) * POSITIVE


def _turned(p: Polynomial, signs: Signs) -> tuple[Polynomial, Relation]:
    """Return the polynomial and relation with "greater" where there is a choice."""
    if signs in _RELATIONS:
        return p, _RELATIONS[signs]
    return -p, _RELATIONS[_turned_signs(signs)]


def _sign_where(p: Polynomial, values: Mapping[str, Expr], counts: frozenset[str]) -> Sign:
    """Return the sign of a polynomial where some of its names have rational values."""
    at = [
        (i, int(value.p), int(value.q), max((powers[i] for powers in p.terms), default=0))
        for i, gen in enumerate(p.gens)
        if gen.is_Symbol and (value := values.get(gen.name)) is not None and value.is_Rational
    ]
    if not at:
        return sign(p, counts)
    left = [i for i in range(len(p.gens)) if i not in {i for i, *_ in at}]
    gens = tuple([p.gens[i] for i in left])
    if any(s.name in values for gen in gens if not gen.is_Symbol for s in gen.free_symbols):
        return Sign.UNKNOWN
    terms: dict[tuple[int, ...], int] = {}
    for powers, number in p.terms.items():
        for i, top, bottom, most in at:  # times bottom**most, which is positive
            number *= top ** powers[i] * bottom ** (most - powers[i])
        rest = tuple([powers[i] for i in left])
        terms[rest] = terms.get(rest, 0) + number
    return sign(Polynomial(gens, {powers: c for powers, c in terms.items() if c}), counts)


def _sign_at(p: Polynomial, values: Mapping[str, object]) -> Signs:
    number: Expr = Rational(0)
    for powers, coefficient in p.terms.items():
        term: Expr = Rational(coefficient)
        for gen, power in zip(p.gens, powers, strict=True):
            if power:
                term = term * bind(gen, values) ** power
        number = number + term
    free = number.free_symbols
    if free:
        raise UnboundError("the condition", (symbol.name for symbol in free))
    found = sign_of(number)
    return ANY if found is None else {-1: NEGATIVE, 0: ZERO, 1: POSITIVE}[found]
