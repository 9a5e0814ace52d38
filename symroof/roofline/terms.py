"""Work ÷ rate = time: one term per resource of a machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Expr, Integer

from symroof.hardware import Chip
from symroof.symbolic import bind, max_of, total
from symroof.units import DIMENSIONLESS, EMPTY, Dimension, Scope, union

Resource: TypeAlias = tuple[str, str]
"""("flop", dtype key), ("byte", "main") or ("link", link name)."""

MAIN: Resource = ("byte", "main")
GROUPS = {"flop": "compute", "byte": "memory", "link": "network"}
"""Kind of a resource -> the name of the time term it belongs to."""

ZERO = Integer(0)


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of a machine as they stand in formulas.

    Attributes
    ----------
    by_resource : mapping of Resource to Expr
        A rate key such as ``peak.fp16``, or the user's own symbol.
    scope : Scope
        Units of the names in them, and the values of those that are known.
    """

    by_resource: Mapping[Resource, Expr]
    scope: Scope

    def overridden(self, values: Mapping[str, Expr]) -> Rates:
        """Return the rates with other values for some keys.

        Formulas keep the key of a rate that is a number; one that is a formula of the user's own
        symbols takes the place of its key.
        """
        numbers = {key: value for key, value in values.items() if value.is_number}
        formulas = {key: value for key, value in values.items() if key not in numbers}
        scope = Scope(self.scope.dimensions, self.scope.counts, {**self.scope.values, **numbers})
        if not formulas:
            return Rates(self.by_resource, scope)
        own: dict[str, Dimension] = {}
        for key, value in formulas.items():
            # A symbol alone is the whole rate, with its unit; in a formula names are numbers.
            lone = value.is_Symbol and key in self.scope.dimensions
            unit = self.scope.dimensions[key] if lone else DIMENSIONLESS
            own.update({symbol.name: unit for symbol in value.free_symbols})
        by_resource = {what: bind(rate, formulas) for what, rate in self.by_resource.items()}
        return Rates(by_resource, union(scope.without(formulas), Scope(own)))


def rates_of(chip: Chip, resources: Iterable[Resource]) -> Rates:
    """Look up the rates that `resources` need on `chip`.

    Raises
    ------
    UnknownNameError
        If the chip has no such peak, level or link.

    Examples
    --------
    >>> from symroof.hardware import chip
    >>> rates_of(chip("h100-sxm"), [("flop", "fp16"), MAIN]).by_resource
    {('flop', 'fp16'): peak.fp16, ('byte', 'main'): bw.hbm}
    """
    found = {}
    scope = EMPTY
    for resource in resources:
        kind, name = resource
        if kind == "flop":
            rate = chip.peak(name)
        elif kind == "byte":
            rate = chip.bandwidth()
        else:
            rate = chip.link(name)
        found[resource] = rate.expr
        scope = union(scope, rate.scope)
    return Rates(found, scope)


def work_by_resource(
    flops: Mapping[str, Expr], moved: Expr, sent: Mapping[str, Expr]
) -> dict[Resource, Expr]:
    """Return amounts of work by resource: FLOPs by dtype, bytes moved, bytes sent by link."""
    work = {("flop", key): amount for key, amount in flops.items()}
    work[MAIN] = moved
    work.update({("link", name): amount for name, amount in sent.items()})
    return {resource: amount for resource, amount in work.items() if amount != 0}


def time_terms(work: Mapping[Resource, Expr], rates: Rates) -> dict[Resource, Expr]:
    """Divide each amount of work by its rate.

    Examples
    --------
    >>> from symroof.hardware import chip
    >>> from symroof.symbolic import symbols
    >>> time_terms({MAIN: 6 * symbols("n")}, rates_of(chip("h100-sxm"), [MAIN]))
    {('byte', 'main'): 6*n/bw.hbm}
    """
    return {resource: amount / rates.by_resource[resource] for resource, amount in work.items()}


def grouped(terms: Mapping[Resource, Expr]) -> dict[str, Expr]:
    """Sum the terms of one kind: FLOPs of several dtypes add, phases on several links add."""
    groups: dict[str, list[Expr]] = {name: [] for name in GROUPS.values()}
    for (kind, _), time in terms.items():
        groups[GROUPS[kind]].append(time)
    return {name: total((time, 1) for time in times) for name, times in groups.items()}


def slowest(times: Iterable[Expr]) -> Expr:
    """Return the largest of time terms that overlap; zero without any.

    Examples
    --------
    >>> from symroof.symbolic import symbols
    >>> slowest([ZERO, symbols("t")]), slowest([])
    (t, 0)
    """
    found = [time for time in times if time != 0]
    return max_of(*found) if found else ZERO
