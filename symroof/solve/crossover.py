"""The answer to a problem: its cases, its kind, and its numbers once everything is bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sympy import Expr

from symroof.errors import InputError, UnboundError
from symroof.solve.answers import answer_data, to_number
from symroof.solve.cases import cases, numerator
from symroof.solve.conditions import TRUE, Condition
from symroof.solve.exact import ExactRegion, exact_region
from symroof.solve.integers import IntegerSet
from symroof.solve.kinds import Kind
from symroof.solve.polynomials import Case, UnsolvedError
from symroof.solve.problem import Problem
from symroof.solve.ranges import ALL, NEVER, SymbolicRegion
from symroof.solve.sentences import Sentence, sentence
from symroof.solve.thumb import rule_of_thumb
from symroof.solve.verify import verify
from symroof.symbolic.evaluate import bind
from symroof.symbolic.forms import NO_LABELS
from symroof.symbolic.harmonic import Harmonic, harmonic
from symroof.symbolic.regions import Region
from symroof.symbolic.symbols import symbol
from symroof.symbolic.writer import Lead, Order

EVERY_INTEGER = IntegerSet.of_runs([(1, None)])
NO_INTEGER = IntegerSet.of_runs([])


def solve(problem: Problem, *, lead: Lead | None = None, order: Order = ()) -> Crossover:
    """Return for which values of the unknown the left side is at least every right side.

    Parameters
    ----------
    problem : Problem
        The two sides, the unknown, and what is known of the other names.
    lead : sequence of Symbol, optional
        Symbols that formulas are ordered by; rates (dotted names) are so unasked. Where counts
        are declared, the names that are no counts, unless said otherwise.
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
    return Crossover(problem, None if lead is None else tuple(lead), tuple(order))


@dataclass(frozen=True, repr=False)
class Crossover:
    """For which values of an unknown one side is at least every other one.

    Values with equality belong to the set, so that it is closed except where a ceil or floor
    jumps or a denominator vanishes. Everything is worked out when it is first asked for, and then
    kept.

    Attributes
    ----------
    problem : Problem
        The question.
    lead : tuple of Symbol or None
        Symbols that formulas are ordered by, as asked for; `leads` says which are used.
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
    >>> print(x)
    M ≥ I·K·N / (K·N − I·(K + N))   given K·N > I·(K + N), else never
    >>> x.at(N=512, K=512, I="1000/3").kind
    <Kind.NEVER: 'never'>
    >>> x.at(N=1024, K=1024, I="1000/3").first
    956
    """

    problem: Problem
    lead: Lead | None = None
    order: Order = ()
    asked: Problem | None = None
    bindings: tuple[Mapping[str, Expr], ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The name of the unknown."""
        return str(self.problem.unknown.name)

    @cached_property
    def leads(self) -> Lead:
        """The symbols that formulas are ordered by, besides rates (dotted names)."""
        if self.lead is not None:
            return self.lead
        return tuple(symbol(name) for name in self.problem.others) if self.problem.counts else ()

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The names to bind before there are numbers."""
        return self.problem.free

    @cached_property
    def kind(self) -> Kind:
        """What the answer looks like; at the known rates, where these alone settle it."""
        if not self.free:
            return self._kind_of_numbers()
        if self.settled is not None:
            return self.settled
        if not self.cases:
            return Kind.UNSOLVED
        if all(case.region.is_empty for case in self.cases):
            return Kind.NEVER
        if all(case.region.is_all for case in self.cases):
            return Kind.ALWAYS
        return Kind.CASES if self._main is None else Kind.of(self._main.region)

    @cached_property
    def settled(self) -> Kind | None:
        """ALWAYS or NEVER where known rates make it so for all values of the free names.

        The `cases` stay in the symbols of the rates.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> B, S, I = symbols("B S I")
        >>> counts = frozenset({"B", "S"})
        >>> x = solve(Problem(4 * S * B, (I * B * (S + 4),), B, counts, {"I": I * 0 + 295}))
        >>> x.settled, x.cases[0].condition.text()
        (<Kind.NEVER: 'never'>, '4*S >= I*(S + 4)')
        """
        if not self.free or not self.problem.known:
            return None
        if not self._solved[0]:
            return self._settled_by_numbers()
        found: set[Kind | None] = set()
        for case in self._solved[0]:
            kind = Kind.whole(case.region)
            if kind not in found and case.condition.possible(self.problem.known):
                found.add(kind)
                if kind is None or len(found) > 1:
                    return None
        return found.pop() if found else None

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Exclusive and exhaustive cases; in the symbols of rates even where these are known.

        Empty only where the answer is not solved. A single one that always holds where only the
        known rates settle the answer.
        """
        if self.only_at_known_rates:
            return (Case(TRUE, ALL if self.settled is Kind.ALWAYS else NEVER),)
        if self.free or (self._has_rates and self._solved[0]):
            return self._solved[0]
        return () if self._numeric is None else (Case(TRUE, self._numeric),)

    @cached_property
    def only_at_known_rates(self) -> bool:
        """Whether known rates settle an answer that is not solved in their symbols."""
        return bool(self.free) and not self._solved[0] and self.settled is not None

    @property
    def note(self) -> str:
        """What was tried where the answer is not solved, or how its numbers were found."""
        if self.only_at_known_rates:
            return f"at the known rates; not solved in their symbols: {self._solved[1]}"
        return self._solved[1] if self.free else self._exact.note

    @cached_property
    def region(self) -> SymbolicRegion | None:
        """The set, where there is one (under `condition`); None for cases and unsolved."""
        if self.free:
            if self.kind in (Kind.ALWAYS, Kind.NEVER):
                return ALL if self.kind is Kind.ALWAYS else NEVER
            return None if self._main is None else self._main.region
        if self._active is not None and Kind.of(self._active.region) is self.kind:
            return self._active.region
        return self._numeric

    @cached_property
    def condition(self) -> Condition | None:
        """When `region` is the answer (else never); None for cases and unsolved."""
        if not self.free:
            return TRUE if self._active is None else self._active.condition
        if self.kind in (Kind.ALWAYS, Kind.NEVER):
            return TRUE
        return None if self._main is None else self._main.condition

    @property
    def relation(self) -> str | None:
        """One of ``>= > <= < between outside``; None where the answer has no such form.

        The strict ones are for an end that is not in the set itself: where a ceil jumps or a
        denominator vanishes.
        """
        return None if self.region is None else self.region.relation

    @cached_property
    def threshold(self) -> Expr | None:
        """The lower end in closed form, rates as symbols; the upper end for ``<=`` and ``<``."""
        return self._first_end if self.region is None else self.region.threshold or self._first_end

    @cached_property
    def threshold_upper(self) -> Expr | None:
        """The upper end of ``between``, the start of the upper part of ``outside``."""
        return None if self.region is None else self.region.threshold_upper

    @property
    def threshold_bound(self) -> Expr | None:
        """The threshold with all values in, exact; raises `UnboundError` where names are free."""
        self._check_bound()
        if self.free or self._numeric is None:
            return None
        return self._numeric.threshold or self._first_end

    @property
    def threshold_value(self) -> float | None:
        """The threshold as a float; raises `UnboundError` where names are left free."""
        bound = self.threshold_bound
        return None if bound is None else to_number(bound)

    @property
    def threshold_upper_bound(self) -> Expr | None:
        """The upper threshold with all values in; raises `UnboundError` where names are free."""
        self._check_bound()
        return None if self.free or self._numeric is None else self._numeric.threshold_upper

    @property
    def threshold_upper_value(self) -> float | None:
        """The upper threshold as a float; raises `UnboundError` where names are left free."""
        bound = self.threshold_upper_bound
        return None if bound is None else to_number(bound)

    @property
    def real(self) -> Region | None:
        """The set of real numbers with exact ends; None where only whole numbers are known.

        Raises
        ------
        UnboundError
            If names are left free.
        """
        self._check_bound()
        if self.free:
            return Region.ALL if self.kind is Kind.ALWAYS else Region.EMPTY
        return self._exact.real

    @property
    def integers(self) -> IntegerSet | None:
        """The whole numbers in the set; None where the unknown is no dim or count.

        Raises
        ------
        UnboundError
            If names are left free.
        """
        if not self.problem.integer:
            return None
        self._check_bound()
        if self.free:
            return EVERY_INTEGER if self.kind is Kind.ALWAYS else NO_INTEGER
        return self._exact.integers

    @property
    def first(self) -> int | None:
        """The smallest whole number in the set; None if there is none or it is not asked for."""
        return None if self.integers is None else self.integers.first

    @property
    def last(self) -> int | None:
        """The largest whole number in the set; None if there is none or they never end."""
        return self.integers.last if self.integers is not None else None

    @property
    def permanent(self) -> int | None:
        """The whole number from which on all are in the set; None if there is none."""
        return None if self.integers is None else self.integers.permanent

    @property
    def intervals(self) -> tuple[tuple[int, int | None], ...] | None:
        """The runs of whole numbers in the set, at most 64; an end of None is infinity."""
        return None if self.integers is None else self.integers.intervals

    @property
    def intervals_total(self) -> int | float | None:
        """How many runs of whole numbers there are; infinite where they repeat without end."""
        return None if self.integers is None else self.integers.total

    @cached_property
    def harmonic(self) -> Harmonic | None:
        """The reading as a sum of reciprocals, 1/M + 1/N + 1/K ≤ 1/I; None where there is none."""
        if len(self.problem.rights) != 1:
            return None
        try:
            over = numerator(self.problem)
        except (UnsolvedError, InputError):
            return None
        return harmonic(over, self.problem.unknown, self.leads, self.order)

    @cached_property
    def rule_of_thumb(self) -> Expr | None:
        """The threshold as all other counts grow together; None where that is no shorter rule.

        It is read off the answer before anything was bound, so that a matrix product of given
        sizes still knows its rule: the ridge.
        """
        asked = self.asked or self.problem
        threshold = Crossover(asked).threshold if asked.free else None
        rule = rule_of_thumb(threshold, asked.counts - {self.name})
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
        history = (*self.bindings, values)
        return Crossover(problem, self.lead, self.order, self.asked or self.problem, history)

    def sentence(self, labels: Mapping[str, str] = NO_LABELS) -> Sentence:
        """Return the answer in words and formulas; `labels` says how rates are shown."""
        return sentence(self, labels)

    def verify(self, samples: int = 200) -> tuple[int, int]:
        """Return (points, mismatches) of substituting points around every end, exactly.

        The points are the same every time. Both sides are evaluated as they were given.

        Parameters
        ----------
        samples : int
            Random bindings of the free names, or random points where all is bound.
        """
        return verify(self, samples)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; numbers of an unbound answer are None."""
        return answer_data(self)

    def __str__(self) -> str:
        return str(self.sentence())

    def _repr_latex_(self) -> str | None:
        from symroof.solve.notebook import crossover_latex  # for notebooks alone

        return crossover_latex(self)

    def __repr__(self) -> str:
        return f"<Crossover in {self.name}: {self}>"

    @cached_property
    def _solved(self) -> tuple[tuple[Case, ...], str]:
        """The symbolic cases, or why there are none."""
        try:
            return cases(self.problem), ""
        except (UnsolvedError, InputError) as error:  # too large to write out is not solved
            return (), str(error)

    @cached_property
    def _main(self) -> Case | None:
        """The one case that is not "never", where there is exactly one and it has an end."""
        found = [case for case in self.cases if not case.region.is_empty]
        return found[0] if len(found) == 1 and not found[0].region.is_all else None

    @cached_property
    def _has_rates(self) -> bool:
        return any(len(side.free_symbols - {self.problem.unknown}) for side in self.problem.sides)

    @cached_property
    def _active(self) -> Case | None:
        """The symbolic case that applies at the known rates."""
        if not self._has_rates:
            return None
        known = self.problem.known
        return next((case for case in self._solved[0] if case.condition.holds(known)), None)

    @cached_property
    def _exact(self) -> ExactRegion:
        problem = self.problem.resolved()
        return exact_region(problem.left, problem.rights, problem.unknown)

    @cached_property
    def _numeric(self) -> SymbolicRegion | None:
        """The set of real numbers, in the form of a set with formulas for ends."""
        return None if self._exact.real is None else SymbolicRegion.of(self._exact.real)

    @property
    def _first_end(self) -> Expr | None:
        """The lower end of the first of several intervals."""
        if self.free or self.kind is not Kind.INTERVALS or self._exact.real is None:
            return None
        return self._exact.real.intervals[0].lower

    def _settled_by_numbers(self) -> Kind | None:
        """Return what known rates settle where the rates as symbols have no closed form."""
        try:
            kinds = {Kind.whole(case.region) for case in cases(self.problem.resolved())}
        except (UnsolvedError, InputError):
            return None
        return kinds.pop() if len(kinds) == 1 else None

    def _kind_of_numbers(self) -> Kind:
        if self._numeric is not None:
            return Kind.of(self._numeric)
        found = self._exact.integers
        if found is None or not self.problem.integer:
            return Kind.UNSOLVED
        if found == EVERY_INTEGER:
            return Kind.ALWAYS
        return Kind.NEVER if found == NO_INTEGER else Kind.INTERVALS

    def _check_bound(self) -> None:
        if self.free and self.kind not in (Kind.ALWAYS, Kind.NEVER):
            raise UnboundError(f"the answer for {self.name}", self.free)
