"""The question of a crossover: two sides, an unknown, and what is known of the other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr, Symbol

from symroof.errors import InputError
from symroof.symbolic.evaluate import bind
from symroof.units.binding import read_bindings
from symroof.units.registry import Dimension
from symroof.units.scope import Scope, closed

RIDGE = "ridge."


@dataclass(frozen=True)
class Problem:
    """For which unknown > 0 is `left` at least every one of `rights`?

    All symbols are positive.

    Attributes
    ----------
    left : Expr
        What is to be the larger.
    rights : tuple of Expr
        What it is compared with; none makes the answer "always".
    unknown : Symbol
        The symbol asked for.
    counts : frozenset of str
        Names that are whole numbers from 1.
    values : Mapping of str to Expr
        Known numbers of rates, by name, or formulas in one another (a ridge is peak ÷ bandwidth).
        They are put in once nothing else is free; until then
        the answer is in the rates' symbols.
    integer : bool
        Whether the unknown is a dim or count, so that its whole numbers are asked for too.
    dimensions : Mapping of str to Dimension
        Names that may be bound besides those in the expressions (some may have cancelled), and
        units where a name is not a plain number.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, I = symbols("M N I")
    >>> problem = Problem(M * N / (M + N), (I,), M, counts=frozenset({"M", "N"}), integer=True)
    >>> problem.free, sorted(problem.names)
    (('I', 'N'), ['I', 'N'])
    """

    left: Expr
    rights: tuple[Expr, ...]
    unknown: Symbol
    counts: frozenset[str] = frozenset()
    values: Mapping[str, Expr] = field(default_factory=dict, hash=False)
    integer: bool = False
    dimensions: Mapping[str, Dimension] = field(default_factory=dict, hash=False)

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The names that are left to bind before there are numbers, sorted."""
        known = self.known
        found: set[str] = set()
        for name in self._occurring():
            value = known.get(name)
            if value is None:
                found.add(name)
            elif not value.is_Rational:
                found |= {symbol.name for symbol in value.free_symbols}
        found.discard(self.unknown.name)
        return tuple(sorted(found))

    @property
    def sides(self) -> tuple[Expr, ...]:
        """The left side, then the right ones."""
        return (self.left, *self.rights)

    @property
    def names(self) -> frozenset[str]:
        """The names that may be bound."""
        return frozenset(self.scope().dimensions)

    @property
    def others(self) -> tuple[str, ...]:
        """The names in the sides that are neither counts, nor dotted, nor the unknown, sorted."""
        plain = {name for name in self._occurring() if "." not in name}
        return tuple(sorted(plain - self.counts - {self.unknown.name}))

    @cached_property
    def known(self) -> Mapping[str, Expr]:
        """The values, put into one another; without that of the unknown, if it had one."""
        name = self.unknown.name
        if name in self.values:
            return closed({key: value for key, value in self.values.items() if key != name})
        return closed(self.values)

    def scope(self) -> Scope:
        """Return the names that may be bound, with their units and what is known of them."""
        found = self._occurring() | set(self.free)
        scope = Scope(self.dimensions, self.counts, self.values)
        return scope.with_names(sorted(found)).without([self.unknown.name])

    def bound(self, bindings: Mapping[str, object]) -> tuple[Problem, dict[str, Expr]]:
        """Return the problem with names bound all at once, and what they are bound to, exactly.

        Raises
        ------
        InputError
            If the unknown is bound, or a value is not positive (below 1 for a count).
        UnknownNameError
            If a name does not belong to the problem.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, N = symbols("M N")
        >>> problem, values = Problem(M * N, (M + 5 * N,), M).bound({"N": 4})
        >>> problem.left, problem.rights, values
        (4*M, (M + 20,), {'N': 4})
        """
        name = self.unknown.name
        if name in bindings:
            raise InputError(
                f"{name} is what is asked for, so it cannot be bound; "
                "ask for the verdict at a given value instead"
            )
        values, left = read_bindings(self.scope(), bindings)
        self._check_ridges(values)
        counts, dimensions = left.counts, dict(left.dimensions)
        dimensions.pop(name, None)
        if name in self.counts:
            counts = counts | {name}
        if name in self.dimensions:
            dimensions[name] = self.dimensions[name]
        if any(key.startswith(RIDGE) for key in values):
            left = left.without(self._orphans(values))
            dimensions = {key: unit for key, unit in dimensions.items() if key in left.dimensions}
        problem = Problem(
            bind(self.left, values),
            tuple(bind(right, values) for right in self.rights),
            self.unknown,
            counts,
            dict(left.values),
            self.integer,
            dimensions,
        )
        return problem, values

    def resolved(self) -> Problem:
        """Return the problem with the known values put in.

        Examples
        --------
        >>> from symroof.symbolic.symbols import symbols
        >>> M, I = symbols("M I")
        >>> Problem(M, (I,), M, values={"I": I * 0 + 3}).resolved().rights
        (3,)
        """
        known = self.known
        if not known:
            return self
        return Problem(
            bind(self.left, known),
            tuple(bind(right, known) for right in self.rights),
            self.unknown,
            self.counts,
            {},
            self.integer,
            {},
        )

    def _check_ridges(self, given: Mapping[str, Expr]) -> None:
        """Refuse a ridge given together with one of the rates that it is made of."""
        for key in given:
            value = self.values.get(key)
            if key.startswith(RIDGE) and value is not None:
                for name in sorted(symbol.name for symbol in value.free_symbols):
                    if name in given:
                        raise InputError(f"{key} is made of {name}: give one of them, not both")

    def _orphans(self, given: Mapping[str, Expr]) -> list[str]:
        """Return the rates that stood in a given ridge only: a value for them would be lost."""
        gone = {
            s.name for key in given if key in self.values for s in self.values[key].free_symbols
        }
        left = self._occurring().difference(given)
        for key in left & self.values.keys():
            left = left | {symbol.name for symbol in self.values[key].free_symbols}
        return sorted(gone - left - {self.unknown.name})

    def _occurring(self) -> set[str]:
        return {symbol.name for side in self.sides for symbol in side.free_symbols}
