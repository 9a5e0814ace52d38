"""Work ÷ rate = time: one term per resource of a machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from sympy import Expr, Integer

from symroof.hardware import Chip
from symroof.symbolic import bind, max_of, total
from symroof.units import DIMENSIONLESS, EMPTY, Dimension, Scope, union

Resource: TypeAlias = tuple[str, str]
"""("flop", dtype key), ("byte", "main"), ("link", link name) or ("hop", link name)."""

MAIN: Resource = ("byte", "main")
GROUPS = {"flop": "compute", "byte": "memory", "link": "network", "hop": "network"}
"""Kind of a resource -> the name of the time term it belongs to."""
WORK_UNITS = {"flop": "FLOP", "byte": "byte", "link": "byte", "hop": ""}
RATE_UNITS = {"flop": "FLOP/s", "byte": "byte/s", "link": "byte/s", "hop": "1/s"}

ZERO = Integer(0)
NOTHING: Mapping[str, Expr] = MappingProxyType({})


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
        elif kind == "link":
            rate = chip.link(name)
        else:
            rate = 1 / chip.latency(name)
        found[resource] = rate.expr
        scope = union(scope, rate.scope)
    return Rates(found, scope)


def work_by_resource(
    flops: Mapping[str, Expr],
    moved: Expr,
    sent: Mapping[str, Expr],
    hops: Mapping[str, Expr] = NOTHING,
) -> dict[Resource, Expr]:
    """Return amounts of work by resource: FLOPs by dtype, bytes moved, bytes and hops by link."""
    work = {("flop", key): amount for key, amount in flops.items()}
    work[MAIN] = moved
    work.update({("link", name): amount for name, amount in sent.items()})
    work.update({("hop", name): amount for name, amount in hops.items()})
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


def grouped(
    terms: Mapping[Resource, Expr], levels: Mapping[str, str] | None = None
) -> dict[str, Expr]:
    """Sum the terms of one kind: FLOPs of several dtypes add, phases on several links add.

    Parameters
    ----------
    terms : mapping of Resource to Expr
        Times.
    levels : mapping of str to str, optional
        The level of each link, where levels are pipelined: links of one level add, and of the
        levels the slowest takes the time.

    Examples
    --------
    >>> from symroof.symbolic import symbols
    >>> x, y = symbols("x y")
    >>> times = {("link", "X"): x, ("link", "Y"): y}
    >>> grouped(times)["network"], grouped(times, {"X": "node", "Y": "nodes"})["network"]
    (x + y, Max(x, y))
    """
    groups: dict[str, list[Expr]] = {name: [] for name in GROUPS.values()}
    busy: dict[str, list[Expr]] = {}
    for (kind, name), time in terms.items():
        if levels is not None and GROUPS[kind] == "network":
            busy.setdefault(levels[name], []).append(time)
        else:
            groups[GROUPS[kind]].append(time)
    found = {name: total((time, 1) for time in times) for name, times in groups.items()}
    if levels is not None:
        found["network"] = slowest(total((t, 1) for t in times) for times in busy.values())
    return found


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
