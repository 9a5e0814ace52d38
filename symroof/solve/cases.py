"""The symbolic answer: exclusive and exhaustive cases, each with its set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sympy import Expr, Max, Min, S, Symbol

from symroof.solve.conditions import TRUE, Knowledge
from symroof.solve.logs import with_plain_logs
from symroof.solve.order import in_order
from symroof.solve.polynomials import Case, UnsolvedError, cases_of
from symroof.solve.problem import Problem
from symroof.solve.ranges import ALL, NEVER, SymbolicRegion
from symroof.solve.shapes import NEGATIVE, POSITIVE
from symroof.symbolic.polynomial import Polynomial, fraction

MAX_CASES = 64
MAX_CHOICES = 64
MAX_COMPARISONS = 400
ONE = Polynomial.constant(1)


def cases(problem: Problem) -> tuple[Case, ...]:
    """Return where the left side of a problem is at least every right side, by cases.

    The values of rates are not used: the answer is in their symbols.

    Raises
    ------
    UnsolvedError
        If no closed form was found; the text says what was tried and what to bind.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, K, I = symbols("M N K I")
    >>> problem = Problem(M * N * K / (M * N + M * K + N * K), (I,), M)
    >>> for case in cases(problem):
    ...     print(case.condition.text(lead=[I]), "->", case.region.text("M", lead=[I]))
    K*N > I*(K + N) -> M >= I*K*N/(K*N - I*(K + N))
    I*(K + N) >= K*N -> never
    """
    unknown = problem.unknown
    solver = _Solver(unknown, problem.counts - {unknown.name})
    try:
        found = solver.every(
            solver.at_least(problem.left, right) for right in dict.fromkeys(problem.rights)
        )
        return solver.tidied(found)
    except UnsolvedError as error:
        names = [name for name in problem.free if name not in problem.known]
        hint = f": bind {', '.join(names)}" if names else ""
        raise UnsolvedError(f"{error}{hint}") from None


def numerator(problem: Problem) -> Polynomial:
    """Return a polynomial that is at least 0 exactly where left ≥ right, for one right side.

    Raises
    ------
    UnsolvedError
        If the denominator of left - right is not proven positive.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, I = symbols("M N I")
    >>> numerator(Problem(M * N / (M + N), (I,), M))
    Polynomial(-I*M - I*N + M*N)
    """
    unknown = problem.unknown
    solver = _Solver(unknown, problem.counts - {unknown.name})
    over, under = solver.difference(problem.left, problem.rights[0])
    if solver.knowledge.signs(under) != POSITIVE:
        raise UnsolvedError("the denominator may be zero or negative")
    return over


class _Solver:
    """Puts inequalities together; knows the unknown and the signs of what is free of it."""

    def __init__(self, unknown: Symbol, counts: frozenset[str]) -> None:
        self.unknown = unknown
        self.knowledge = Knowledge(counts)
        self.choices = 0

    def at_least(self, left: Expr, right: Expr, *, strict: bool = False) -> tuple[Case, ...]:
        """Return where left ≥ right (or > if `strict`)."""
        if isinstance(right, Max | Min) and right.has_free(self.unknown):
            self.count_choice()
            parts = (self.at_least(left, arg, strict=strict) for arg in right.args)
            return self.every(parts) if isinstance(right, Max) else self.some(parts)
        if isinstance(left, Max | Min) and left.has_free(self.unknown):
            self.count_choice()
            parts = (self.at_least(arg, right, strict=strict) for arg in left.args)
            return self.some(parts) if isinstance(left, Max) else self.every(parts)
        if left is S.Infinity or right is S.NegativeInfinity:
            return (Case(TRUE, ALL),)
        if right is S.Infinity or left is S.NegativeInfinity:
            return (Case(TRUE, NEVER),)
        over, under = self.difference(left, right)
        choice = self.choice_in(over, under)
        if choice is not None:
            return self.chosen(left - right, over, under, choice, strict=strict)
        return self.quotient(over, under, strict=strict)

    def difference(self, left: Expr, right: Expr) -> tuple[Polynomial, Polynomial]:
        """Return left - right as numerator and denominator."""
        left, right = (with_plain_logs(side, self.unknown) for side in (left, right))
        a, b = fraction(left)
        c, d = fraction(right)
        # With roots in it, one tuple of generators must serve both sides: sqrt(u)**2 is u.
        if b.is_monomial and d.is_monomial and not any(gen.is_Pow for gen in a.gens + c.gens):
            if all(gen.is_Symbol for gen in b.gens + d.gens):
                return a * d - c * b, ONE
            return a * d - c * b, b * d
        return fraction(left - right)

    def quotient(
        self, over: Polynomial, under: Polynomial, *, strict: bool = False
    ) -> tuple[Case, ...]:
        """Return where over/under ≥ 0; where `under` is 0 there is no value, so never."""
        sign = POSITIVE if under is ONE else self.knowledge.signs(under)
        if sign in (POSITIVE, NEGATIVE):
            over = over if sign == POSITIVE else -over
            return cases_of(over, self.unknown, self.knowledge, strict=strict)
        branches = []
        for p, q in ((over, under), (-over, -under)):
            branches.append(
                self.every(
                    [
                        cases_of(q, self.unknown, self.knowledge, strict=True),
                        cases_of(p, self.unknown, self.knowledge, strict=strict),
                    ]
                )
            )
        return self.some(branches)

    def choice_in(self, over: Polynomial, under: Polynomial) -> Expr | None:
        """Return a `Max` or `Min` that contains the unknown, if there is one."""
        for p in (under, over):
            for gen in p.opaque(self.unknown):
                if isinstance(gen, Max | Min):
                    return gen
        return None

    def chosen(
        self, difference: Expr, over: Polynomial, under: Polynomial, choice: Expr, *, strict: bool
    ) -> tuple[Case, ...]:
        """Return where a difference with a `Max` or `Min` inside is at least 0."""
        self.count_choice()
        largest = isinstance(choice, Max)
        branches = [
            self.at_least(difference.xreplace({choice: arg}), S.Zero, strict=strict)
            for arg in choice.args
        ]
        slope = self.slope(over, under, choice)
        if slope:
            return self.some(branches) if largest == (slope > 0) else self.every(branches)
        conditional = []
        for arg, branch in zip(choice.args, branches, strict=True):
            others = [other for other in choice.args if other is not arg]
            taken = [
                self.at_least(arg, other) if largest else self.at_least(other, arg)
                for other in others
            ]
            conditional.append(self.every([*taken, branch]))
        return self.some(conditional)

    def slope(self, over: Polynomial, under: Polynomial, choice: Expr) -> int:
        """Return 1 or -1 where over/under never falls, never rises with `choice`; else 0."""
        if under.degree(choice) or self.knowledge.signs(under) != POSITIVE:
            return 0
        parts = over.coefficients(choice)
        if max(parts, default=0) != 1 or any(
            p.used() and choice in _inside(p) for p in (*parts.values(), under)
        ):
            return 0
        sign = self.knowledge.signs(parts[1])
        return 1 if not sign & NEGATIVE else -1 if not sign & POSITIVE else 0

    def every(self, families: Iterable[Sequence[Case]]) -> tuple[Case, ...]:
        """Return the cases of the intersection."""
        return self.combined(
            families, SymbolicRegion.intersection, lambda region: region.is_empty, ALL
        )

    def some(self, families: Iterable[Sequence[Case]]) -> tuple[Case, ...]:
        """Return the cases of the union."""
        return self.combined(families, SymbolicRegion.union, lambda region: region.is_all, NEVER)

    def combined(
        self,
        families: Iterable[Sequence[Case]],
        join: Callable[[SymbolicRegion, SymbolicRegion], SymbolicRegion],
        decided: Callable[[SymbolicRegion], bool],
        start: SymbolicRegion,
    ) -> tuple[Case, ...]:
        """Return the product of families of cases; a case that decides is not split further."""

        def product(left: Sequence[Case], right: Sequence[Case]) -> Sequence[Case]:
            if len(left) == 1 and left[0].region is start and left[0].condition.is_true:
                return right
            result: list[Case] = []
            for one in left:
                if decided(one.region):
                    result.append(one)
                    continue
                for other in right:
                    both = self.knowledge.joined(one.condition, other.condition)
                    if both is not None:
                        result.append(Case(both, join(one.region, other.region)))
                        self.check_size(result)
            return self.merged(result)

        found: Sequence[Case] = [Case(TRUE, start)]
        for family in families:
            found = product(found, family)
        return tuple(found)

    def merged(self, found: Sequence[Case]) -> Sequence[Case]:
        """Join cases of equal regions whose conditions differ in one sign."""
        if len(found) < 2:
            return found
        kept: list[Case] = []
        for case in found:
            for at, other in enumerate(kept):
                if case.region == other.region:
                    condition = self.knowledge.merged(case.condition, other.condition)
                    if condition is not None:
                        case = Case(condition, case.region)
                        del kept[at]
                        break
            kept.append(case)
        return kept if len(kept) == len(found) else self.merged(kept)

    def tidied(self, found: Sequence[Case]) -> tuple[Case, ...]:
        """Compare ends where that can be said, and put what has an end first, "never" last."""
        cases: list[Case] = []
        for case in found:
            for part in in_order(case, self.knowledge):
                cases.append(part)
                self.check_size(cases)
        cases = list(self.merged(cases))
        return tuple(sorted(cases, key=lambda c: (c.region.is_empty, c.region.is_all)))

    def check_size(self, found: Sequence[Case]) -> None:
        """Refuse early what would end in more cases than anyone reads."""
        if len(found) > MAX_CASES:
            raise UnsolvedError(f"more than {MAX_CASES} cases")
        if self.knowledge.comparisons > MAX_COMPARISONS:
            raise UnsolvedError("too many cases to tell apart")

    def count_choice(self) -> None:
        self.choices += 1
        if self.choices > MAX_CHOICES:
            raise UnsolvedError(f"more than {MAX_CHOICES} choices of min and max")


def _inside(p: Polynomial) -> Iterator[Expr]:
    """Return what stands inside the generators that occur in `p`."""
    for gen in p.used():
        for arg in gen.args:
            yield from arg.atoms(Max, Min)
