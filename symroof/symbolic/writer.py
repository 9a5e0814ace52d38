"""From factors and polynomials to the display tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import TypeAlias

from sympy import Expr, S, Symbol

from symroof.symbolic.expand import Terms, order_of
from symroof.symbolic.factors import Factor, Factoring, Factors, divides, is_negative, is_rate
from symroof.symbolic.forms import INFINITY, Call, Form, Name, Number, Power, Product, Quotient, Sum
from symroof.symbolic.polynomial import Polynomial

Lead: TypeAlias = Sequence[Symbol]
Order: TypeAlias = Sequence[Symbol | str]

RATES = ("ridge", "peak", "bw", "link", "latency")
# Sums of so many terms are grouped by a factor that nearly all terms have.
LONG = 5
FUNCTIONS = {"ceiling": "ceil", "Max": "max", "Min": "min"}


class Writer:
    """Writes formulas with given lead symbols and a given order of names.

    Parameters
    ----------
    lead : sequence of Symbol
        The symbols to collect by, the first one first; rates follow them.
    order : sequence of Symbol or str
        In which order names are written; the others follow the alphabet.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K, I = symbols("N K I")
    >>> Writer([I], ["N", "K"]).form(2 * N * K - 2 * I * (N + K)).plain()
    '2*(N*K - I*(N + K))'
    """

    def __init__(self, lead: Lead = (), order: Order = ()) -> None:
        self.leads = {symbol: at for at, symbol in enumerate(lead)}
        self.order = {str(name): at for at, name in enumerate(order)}
        self.factoring = Factoring(tuple(lead))
        self._known: dict[Factor, Form] = {}

    def form(self, expr: Expr) -> Form:
        """Return the form of an expression; a sum of positive quotients stays a sum."""
        if expr is S.Infinity:
            return INFINITY
        if expr is S.NegativeInfinity:
            return Sum((), (INFINITY,))
        if expr.is_Add and any(map(divides, expr.args)) and not any(map(is_negative, expr.args)):
            terms = [self.factoring.read(arg) for arg in expr.args]
            groups: dict[frozenset[tuple[Factor, int]], list[Factors]] = {}
            for term in terms:
                under = frozenset((f, e) for f, e in term.powers.items() if e < 0)
                groups.setdefault(under, []).append(term)
            if len(groups) > 1 and all(self._is_positive(term) for term in terms):
                keys = sorted(groups, key=lambda key: sorted(self.rank(f) for f, _ in key))
                parts = [groups[key] for key in keys]
                return Sum(tuple([self.factored(self.factoring.sum(part)) for part in parts]))
        return self.factored(self.factoring.read(expr))

    def polynomial(self, p: Polynomial) -> Form:
        """Return the form of a polynomial, factored."""
        return (
            self.factored(self.factoring.parts(p, split=True)) if p.terms else Number(Fraction(0))
        )

    def factored(self, factors: Factors) -> Form:
        """Return the form of factors: one quotient, a minus in front where there must be one."""
        powers = factors.powers
        negative = factors.over < 0
        if negative:
            mixed = [f for side in (-1, 1) for f in factors.polynomials(side) if powers[f] % 2]
            for p in mixed:
                if min(p.terms.values()) < 0:
                    powers = {(-f if f is p else f): e for f, e in powers.items()}
                    negative = False
                    break
        above = self.product(abs(factors.over), [(f, e) for f, e in powers.items() if e > 0])
        below = [(f, -e) for f, e in powers.items() if e < 0]
        form = above
        if below or factors.under != 1:
            form = Quotient(above, self.product(factors.under, below))
        return Sum((), (form,)) if negative else form

    def product(self, number: int, powers: Iterable[tuple[Factor, int]]) -> Form:
        """Return number times factors to positive powers: lead, names, other atoms, sums.

        A number keeps its names beside it, the lead goes behind them: 3*D*F*I.
        """
        ranked = [(self.rank(factor), factor, power) for factor, power in powers]
        if len(ranked) > 1:
            ranked.sort(key=itemgetter(0))
            if ranked[-2][0][0] == 4:
                ranked.sort(key=lambda item: (item[0], self._sum_text(item[1])))
            if number != 1 and ranked[-1][0][0] < 4:
                ranked.sort(key=lambda item: item[0][0] or 2.5)  # the lead behind names
        factors: list[Form] = [] if number == 1 and ranked else [Number(Fraction(number))]
        for _, factor, power in ranked:
            factors += self._power(factor, power)
        return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def _power(self, factor: Factor, power: int) -> list[Form]:
        if not isinstance(factor, Polynomial) and factor.is_Pow and factor.exp.is_Rational:
            whole, power = divmod(power, int(factor.exp.q))
            if whole:
                root = self._power(factor, power) if power else []
                return [_raised(self.form(factor.base), whole), *root]
        return [_raised(self._atom(factor), power)]

    def _atom(self, factor: Factor) -> Form:
        known = self._known.get(factor)
        if known is None:
            known = self._known[factor] = self._new_atom(factor)
        return known

    def _new_atom(self, factor: Factor) -> Form:
        if isinstance(factor, Polynomial):
            return self._sum(factor)
        if factor in self.factoring.wholes:
            return self._sum(self.factoring.wholes[factor])
        if factor.is_Symbol:
            return Name(factor.name)
        if factor.is_Pow:
            if factor.exp.is_Rational:
                base = self.form(factor.base)
                return (
                    Call("sqrt", (base,))
                    if factor.exp.q == 2
                    else Power(base, Number(Fraction(int(factor.exp.p), int(factor.exp.q))))
                )
            return Power(self._term_by_term(factor.base), self.form(factor.exp))
        name = type(factor).__name__
        args = [self.form(arg) for arg in factor.args]
        if name in ("Max", "Min"):
            args.sort(key=Form.plain)
        return Call(FUNCTIONS.get(name, name), tuple(args)) if args else Name(str(factor))

    def _term_by_term(self, expr: Expr) -> Form:
        """Return the form of a sum without bringing its terms over one denominator."""
        if not expr.is_Add:
            return self.form(expr)
        plus: list[Form] = []
        minus: list[Form] = []
        for arg in expr.args:
            term = self.factoring.read(arg)
            side = minus if term.over < 0 else plus
            term.over = abs(term.over)
            side.append(self.factored(term))
        return Sum(tuple(plus), tuple(minus))

    def _sum(self, p: Polynomial) -> Form:
        plus, minus = self._terms(p)
        return Sum(tuple(plus), tuple(minus))

    def _terms(self, p: Polynomial) -> tuple[list[Form], list[Form]]:
        """Return the plus and the minus terms of a sum, collected by the first lead in it."""
        plus: list[Form] = []
        minus: list[Form] = []
        leads = [gen for gen in p.used() if gen in self.leads or is_rate(gen)]
        if leads:
            lead = min(leads, key=self._lead_rank)
            for group in _by_power(p, lead):
                self._add(group, plus, minus)
            return plus, minus
        shared = self._shared(p)
        if shared is not None:
            rest, group = _parted(p, shared)
            self._add(group, plus, minus)
            self._add(rest, plus, minus)
            return plus, minus
        gens = p.gens
        places = sorted(range(len(gens)), key=lambda at: self.rank(gens[at]))
        for powers in sorted(
            p.terms, key=lambda powers: (-sum(powers), [-powers[at] for at in places])
        ):
            coefficient = p.terms[powers]
            items = [(gens[at], powers[at]) for at in places if powers[at]]
            (plus if coefficient > 0 else minus).append(self.product(abs(coefficient), items))
        return plus, minus

    def _add(self, p: Polynomial, plus: list[Form], minus: list[Form]) -> None:
        """Add a part of a sum: its terms, or one product where it has common factors."""
        part = self.factoring.parts(p, split=True)
        found = next(iter(part.powers), None)
        if isinstance(found, Polynomial) and part.powers == {found: 1} and part.over in (1, -1):
            more, less = self._terms(found)
            plus += more if part.over > 0 else less
            minus += less if part.over > 0 else more
        else:
            form = self.product(abs(part.over), part.powers.items())
            (plus if part.over > 0 else minus).append(form)

    def _shared(self, p: Polynomial) -> Expr | None:
        """Return a factor of nearly all terms of a long sum of one sign, to be taken out."""
        size = len(p.terms)
        if size < LONG or min(p.terms.values()) < 0 < max(p.terms.values()):
            return None
        counts = {
            gen: sum(1 for e in column if e)
            for gen, column in zip(p.gens, zip(*p.terms, strict=True), strict=True)
        }
        gen = min(counts, key=lambda gen: (-counts[gen], self.rank(gen)))
        return gen if size - 2 <= counts[gen] < size else None

    def _is_positive(self, factors: Factors) -> bool:
        return factors.over > 0 and all(
            min(p.terms.values()) > 0 for side in (1, -1) for p in factors.polynomials(side)
        )

    def rank(self, factor: Factor) -> tuple[int, int, str]:
        """Return what factors are sorted by: lead, names, other atoms, sums."""
        if isinstance(factor, Polynomial):
            return 4, len(factor.terms), ""
        if factor in self.factoring.wholes:
            return 4, len(self.factoring.wholes[factor].terms), ""
        if factor.is_Symbol:
            if factor.name in self.order:
                return 1, self.order[factor.name], ""
            if factor in self.leads or is_rate(factor):
                return 0, *self._lead_rank(factor)
            return 2, 0, str(factor.name)
        return 3, 0, order_of(factor)[1]

    def _sum_text(self, factor: Factor) -> str:
        is_sum = isinstance(factor, Polynomial) or factor in self.factoring.wholes
        return self._atom(factor).plain() if is_sum else ""

    def _lead_rank(self, lead: Expr) -> tuple[int, str]:
        if lead in self.leads:
            return self.leads[lead], ""
        kind = lead.name.partition(".")[0]
        return len(self.leads) + (RATES.index(kind) if kind in RATES else len(RATES)), lead.name


def _raised(base: Form, power: int) -> Form:
    return base if power == 1 else Power(base, Number(Fraction(power)))


def _parted(p: Polynomial, gen: Expr) -> tuple[Polynomial, Polynomial]:
    """Return the terms without and those with a generator."""
    at = p.gens.index(gen)
    without = {powers: c for powers, c in p.terms.items() if not powers[at]}
    having = {powers: c for powers, c in p.terms.items() if powers[at]}
    return Polynomial(p.gens, without), Polynomial(p.gens, having)


def _by_power(p: Polynomial, gen: Expr) -> list[Polynomial]:
    """Return the terms with each power of a generator, lowest first."""
    at = p.gens.index(gen)
    groups: dict[int, Terms] = {}
    for powers, c in p.terms.items():
        groups.setdefault(powers[at], {})[powers] = c
    return [Polynomial(p.gens, groups[power]) for power in sorted(groups)]
