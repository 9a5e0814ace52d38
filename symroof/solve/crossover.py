"""The answer to a problem: its cases, its kind, its numbers once everything is bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sympy import Expr

from symroof.errors import UnboundError
from symroof.solve.answers import answer_data
from symroof.solve.cases import cases, numerator
from symroof.solve.conditions import TRUE, Condition
from symroof.solve.ends import End
from symroof.solve.exact import ExactRegion, IntegerSet, exact_region
from symroof.solve.kinds import Kind
from symroof.solve.polynomials import Case, UnsolvedError
from symroof.solve.problem import Problem
from symroof.solve.ranges import Bound, SymbolicRegion
from symroof.solve.sentences import Sentence, sentence
from symroof.solve.thumb import rule_of_thumb
from symroof.solve.verify import verify
from symroof.symbolic.evaluate import bind, to_float
from symroof.symbolic.forms import NO_LABELS
from symroof.symbolic.harmonic import Harmonic, harmonic
from symroof.symbolic.regions import Region
from symroof.symbolic.writer import Lead, Order


def solve(problem: Problem, *, lead: Lead = (), order: Order = ()) -> Crossover:
    """Return for which values of the unknown the left side is at least every right side.

    Parameters
    ----------
    problem : Problem
        The two sides, the unknown, and what is known of the other names.
    lead : sequence of Symbol
        Symbols that formulas are ordered by; rates (dotted names) are so unasked.
    order : sequence of str
        In which order names are written; the others follow the alphabet.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> x = solve(Problem(M * N, (M + 5 * N,), M))
    >>> print(x)
    M ≥ 5·N / (N − 1)   given N > 1, else never
    >>> x.at(N=6).threshold
    6
    """
    return Crossover(problem, tuple(lead), tuple(order))


@dataclass(frozen=True)
class Crossover:
    """For which values of an unknown one side is at least every other one.

    The set is closed: values with equality belong to it. Everything is worked out when it is
    first asked for, and then kept.

    Attributes
    ----------
    problem : Problem
        The question.
    lead : tuple of Symbol
        Symbols that formulas are ordered by; rates (dotted names) are so unasked.
    order : tuple of str
        In which order names are written.
    asked : Problem or None
        The question before anything was bound, where that is another one.
    bindings : tuple of Mapping
        What was bound since, step by step.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, K, I = symbols("M N K I")
    >>> counts = frozenset({"M", "N", "K"})
    >>> x = solve(Problem(M * N * K / (M * N + M * K + N * K), (I,), M, counts, integer=True))
    >>> x.kind, x.relation, x.threshold
    (<Kind.AT: 'at'>, '>=', I*K*N/(-I*K - I*N + K*N))
    >>> print(x.sentence({}))
    M ≥ I·K·N / (K·N − I·(K + N)) given K·N > I·(K + N), else never
    >>> y = x.at(N=512, K=512, I="1000/3")
    >>> y.kind
    <Kind.NEVER: 'never'>
    >>> x.at(N=1024, K=1024, I="1000/3").first
    956
    """

    problem: Problem
    lead: Lead = ()
    order: Order = ()
    asked: Problem | None = None
    bindings: tuple[Mapping[str, Expr], ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The name of the unknown."""
        return str(self.problem.unknown.name)

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The names to bind before there are numbers."""
        return self.problem.free

    @cached_property
    def kind(self) -> Kind:
        """What the answer looks like."""
        if not self.free:
            if self.real is not None:
                return Kind.of(_symbolic(self.real))
            return _kind_of_integers(self._exact)
        found = self.cases
        if not found:
            return Kind.UNSOLVED
        if all(case.region.is_empty for case in found):
            return Kind.NEVER
        if all(case.region.is_all for case in found):
            return Kind.ALWAYS
        if self._main is not None:
            return Kind.of(self._main.region)
        return Kind.CASES

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Exclusive and exhaustive cases; in the symbols of rates even where these are known.

        Empty only where the answer is not solved.
        """
        if self._symbolic_cases or self.free:
            return self._symbolic_cases
        return () if self.real is None else (Case(TRUE, _symbolic(self.real)),)

    @property
    def note(self) -> str:
        """What was tried where the answer is not solved, or how its numbers were found."""
        if self.free:
            return self._solved[1]
        return self._exact.note or ""

    @cached_property
    def region(self) -> SymbolicRegion | None:
        """The set, where there is one without cases (possibly under `condition`)."""
        if not self.free:
            active = self._active
            if active is not None and Kind.of(active.region) is self.kind:
                return active.region
            return None if self.real is None else _symbolic(self.real)
        return None if self._main is None else self._main.region

    @cached_property
    def condition(self) -> Condition | None:
        """When the set of this kind is the answer (else never); None for cases and unsolved."""
        if not self.free:
            active = self._active
            return TRUE if active is None else active.condition
        if self.kind in (Kind.ALWAYS, Kind.NEVER):
            return TRUE
        return None if self._main is None else self._main.condition

    @property
    def relation(self) -> str | None:
        """One of ``>= <= between outside``; None where the answer has no such form."""
        return None if self.region is None else self.region.relation

    @cached_property
    def threshold(self) -> Expr | None:
        """The lower end in closed form, rates as symbols; the upper end for ``<=``."""
        if self.region is None:
            return None
        if self.kind is Kind.INTERVALS and self.real is not None:
            return self.real.intervals[0].lower
        return self.region.threshold

    @cached_property
    def threshold_upper(self) -> Expr | None:
        """The upper end of ``between``, the start of the upper part of ``outside``."""
        return None if self.region is None else self.region.threshold_upper

    @property
    def threshold_bound(self) -> Expr | None:
        """The threshold with all values in, exact.

        Raises
        ------
        UnboundError
            If names are left free.
        """
        return self._number(self.threshold)

    @property
    def threshold_value(self) -> float | None:
        """The threshold as a float; raises `UnboundError` where names are left free."""
        return _float(self.threshold_bound)

    @property
    def threshold_upper_bound(self) -> Expr | None:
        """The upper threshold with all values in; raises `UnboundError` where names are free."""
        return self._number(self.threshold_upper)

    @property
    def threshold_upper_value(self) -> float | None:
        """The upper threshold as a float; raises `UnboundError` where names are left free."""
        return _float(self.threshold_upper_bound)

    @cached_property
    def real(self) -> Region | None:
        """The set of real numbers, ends exact; None where only its whole numbers are known.

        Raises
        ------
        UnboundError
            If names are left free.
        """
        return self._exact.real

    @property
    def first(self) -> int | None:
        """The smallest whole number in the set; None if there is none or it is not asked for."""
        found = self._integers("the first value")
        return None if found is None else found.first

    @property
    def permanent(self) -> int | None:
        """The whole number from which on all are in the set; None if there is none."""
        found = self._integers("the value from which on it holds")
        return None if found is None else found.permanent

    @property
    def intervals(self) -> tuple[tuple[int, int | None], ...] | None:
        """The runs of whole numbers in the set, at most 64; an end of None is infinity."""
        found = self._integers("the list of intervals")
        if found is None:
            return None
        return tuple((low, high) for low, high in found.intervals)

    @property
    def intervals_total(self) -> int | float | None:
        """How many runs of whole numbers there are; infinite where they repeat without end."""
        found = self._integers("the number of intervals")
        return None if found is None else found.total

    @cached_property
    def harmonic(self) -> Harmonic | None:
        """The reading as a sum of reciprocals, 1/M + 1/N + 1/K ≤ 1/I; None where there is none."""
        if len(self.problem.rights) != 1:
            return None
        try:
            over = numerator(self.problem)
        except UnsolvedError:
            return None
        return harmonic(over, self.problem.unknown, self.lead, self.order)

    @cached_property
    def rule_of_thumb(self) -> Expr | None:
        """The threshold as all other counts grow together; None where that is no shorter rule."""
        general = Crossover(self.asked or self.problem)
        rule = rule_of_thumb(general.threshold, general.problem.counts - {self.name})
        for values in self.bindings:
            rule = None if rule is None else bind(rule, values)
        return rule

    def at(self, **bindings: object) -> Crossover:
        """Return the answer with names bound further; the type stays.

        Parameters
        ----------
        **bindings
            Numbers, texts or expressions by name; rates with their unit. Every name that belongs
            to the problem is accepted, also one that cancelled.

        Raises
        ------
        InputError
            If the unknown is bound, or a value is not positive (below 1 for a count).
        UnknownNameError
            If a name does not belong to the problem; with a near match.
        """
        problem, values = self.problem.bound(bindings)
        return Crossover(
            problem,
            self.lead,
            self.order,
            self.asked or self.problem,
            (*self.bindings, values),
        )

    def sentence(self, labels: Mapping[str, str] = NO_LABELS) -> Sentence:
        """Return the answer in words and formulas, with labels for rates."""
        return sentence(self, labels)

    def verify(self, samples: int = 200) -> tuple[int, int]:
        """Return (points, mismatches) of substituting points around every end, exactly.

        The points are the same every time. Both sides are evaluated as they were given.
        """
        return verify(self, samples)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; numbers of an unbound answer are None."""
        return answer_data(self)

    def __str__(self) -> str:
        return str(self.sentence())

    @cached_property
    def _solved(self) -> tuple[tuple[Case, ...], str]:
        """The symbolic cases, and why there are none."""
        try:
            return cases(self.problem), ""
        except UnsolvedError as error:
            return (), str(error)

    @cached_property
    def _main(self) -> Case | None:
        """The one case that is not "never", where there is exactly one."""
        found = [case for case in self.cases if not case.region.is_empty]
        if len(found) != 1 or (found[0].region.is_all and len(self.cases) > 1):
            return None
        return found[0]

    @cached_property
    def _active(self) -> Case | None:
        """The symbolic case that applies at the known rates."""
        known = self.problem.known
        if not any(side.free_symbols - {self.problem.unknown} for side in self.problem.sides):
            return None
        return next((c for c in self._solved[0] if c.condition.holds(known)), None)

    @cached_property
    def _exact(self) -> ExactRegion:
        if self.free:
            raise UnboundError(f"the answer for {self.name}", self.free)
        problem = self.problem.resolved()
        return exact_region(problem.left, problem.rights, problem.unknown)

    def _number(self, end: Expr | None) -> Expr | None:
        if self.free and self.kind not in (Kind.ALWAYS, Kind.NEVER):
            raise UnboundError(f"the threshold of {self.name}", self.free)
        if end is None:
            return None
        real = self.real
        return bind(end, self.problem.known)

    def _integers(self, what: str) -> IntegerSet | None:
        if not self.problem.integer:
            return None
        if self.free:
            if self.kind is Kind.ALWAYS:
                return IntegerSet.ALL
            if self.kind is Kind.NEVER:
                return IntegerSet.EMPTY
            raise UnboundError(f"{what} of {self.name}", self.free)
        return self._exact.integers


def _symbolic(region: Region) -> SymbolicRegion:
    """Return a set of numbers as a set with ends that could be formulas."""
    pieces = []
    for interval in region.intervals:
        bounds = []
        if interval.lower is not None:
            bounds.append(Bound(End(interval.lower), True, interval.lower_closed))
        if interval.upper is not None:
            bounds.append(Bound(End(interval.upper), False, interval.upper_closed))
        pieces.append(tuple(bounds))
    return SymbolicRegion(tuple(pieces))
