"""What is bound in a roofline: names with numbers or formulas, and how they are put in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr

from symroof.errors import InputError
from symroof.symbolic import adopt, bind
from symroof.units import Quantity, Scope
from symroof.units.binding import read_bindings, resolve_name
from symroof.units.quantity import from_parts


@dataclass(frozen=True, slots=True)
class Bindings:
    """What a roofline has bound.

    Attributes
    ----------
    given : mapping of str to object
        Values of names of the graph and the system, as they were given.
    values : mapping of str to object
        The same, with what was bound later put into formulas that were bound before.
    rates : mapping of str to Expr
        Values of rates of the chip that take the place of its own.

    Examples
    --------
    >>> scope = Scope(counts=frozenset({"m", "n"}))
    >>> first = Bindings({}, {}, {}).extended({"m": "8*P"}, scope, scope, {})
    >>> first.put_into(Quantity.of(adopt("m*n"), "byte", scope)).expr
    8*P*n
    >>> second = first.extended({"P": 4}, scope, names_with(scope, first.formulas(scope)), {})
    >>> second.given, second.put_into(Quantity.of(adopt("m*n"), "byte", scope)).expr
    ({'m': 32}, 32*n)
    """

    given: Mapping[str, object]
    values: Mapping[str, object]
    rates: Mapping[str, Expr]
    _scopes: dict[int, tuple[Scope, Mapping[str, Expr], Scope]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def extended(
        self, given: Mapping[str, object], scope: Scope, names: Scope, known: Mapping[str, Expr]
    ) -> Bindings:
        """Return the bindings with some more.

        Parameters
        ----------
        given : mapping of str to object
            Values by name, as `read_bindings` takes them.
        scope : Scope
            The names of the graph, the machine and the system.
        names : Scope
            The names that may be bound: these, and what formulas brought in.
        known : mapping of str to Expr
            The rates of the machine and their values so far.

        Raises
        ------
        InputError
            If one name is bound twice, or to what it cannot be.
        """
        resolved = {resolve_name(names, name): value for name, value in given.items()}
        if len(resolved) < len(given):
            raise InputError(f"one name is bound twice in {', '.join(given)}")
        bound, _ = read_bindings(names, resolved)
        # "Twice the bandwidth" is twice what it has been.
        rates = {name: bind(bound[name], known) for name in resolved if name in known}
        others = {name: value for name, value in resolved.items() if name not in rates}
        # Names that only a formula brought in are put into it, and are no names of the graph.
        foreign = {name: bound[name] for name in others if name not in scope.dimensions}
        others = {name: value for name, value in others.items() if name not in foreign}
        return Bindings(
            {**self.given, **_put_in(_formulas(self.given, scope), foreign), **others},
            {**self.values, **_put_in(_formulas(self.values, scope), bound), **others},
            {**self.rates, **rates},
        )

    def formulas(self, scope: Scope) -> dict[str, Expr]:
        """Return the names of `scope` that are bound to formulas, and these, without rates."""
        return _formulas(self.values, scope)

    def put_into(self, quantity: Quantity) -> Quantity:
        """Return a quantity with what is bound put in; its scope is what is left."""
        if not self.given and not self.rates:
            return quantity
        values, scope = self._inside(quantity.scope)
        return from_parts(bind(quantity.expr, values), quantity.dimension, scope)

    def _inside(self, scope: Scope) -> tuple[Mapping[str, Expr], Scope]:
        """Return what is bound of the names in a scope, and what is left of it."""
        # Most quantities share one scope object, which is kept so that its id stays its own.
        found = self._scopes.get(id(scope))
        if found is None:
            left = self._overridden(scope) if self.rates else scope
            given = {name: v for name, v in self.values.items() if name in left.dimensions}
            values, left = read_bindings(left, given) if given else ({}, left)
            found = self._scopes[id(scope)] = (scope, values, left)
        return found[1:]

    def _overridden(self, scope: Scope) -> Scope:
        numbers = {name: value for name, value in self.rates.items() if value.is_number}
        values = {name: numbers.get(name, value) for name, value in scope.values.items()}
        return Scope(scope.dimensions, scope.counts, values)


def names_with(scope: Scope, formulas: Mapping[str, Expr]) -> Scope:
    """Return a scope with the names that what is bound to `formulas` brought in.

    Examples
    --------
    >>> sorted(names_with(Scope(counts=frozenset({"m"})), {"m": adopt("8*P")}).counts)
    ['P', 'm']
    """
    for name, formula in formulas.items():
        new = sorted(s.name for s in formula.free_symbols if s.name not in scope.dimensions)
        if name in scope.counts:
            scope = scope.union(Scope(counts=frozenset(new)))
        elif new:
            scope = scope.with_names(new)
    return scope


def _put_in(formulas: Mapping[str, Expr], bound: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the formulas that hold what is bound now, with it put in."""
    return {
        name: bind(formula, bound)
        for name, formula in formulas.items()
        if any(atom.name in bound for atom in formula.free_symbols)
    }


def _formulas(bindings: Mapping[str, object], scope: Scope) -> dict[str, Expr]:
    """Return what is bound to formulas of plain numbers."""
    found = {}
    for name, value in bindings.items():
        if not scope.dimensions.get(name) and isinstance(value, str | Expr | Quantity):
            made = value.expr if isinstance(value, Quantity) else adopt(value, where=name)
            if made.free_symbols:
                found[name] = made
    return found
