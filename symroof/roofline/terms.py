"""Work ÷ rate = time: one term per resource of a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from sympy import Expr, Integer

from symroof.hardware import Chip
from symroof.symbolic import bind, max_of, symbol, total
from symroof.symbolic.build import divided
from symroof.units import DIMENSIONLESS, EMPTY, Dimension, Quantity, Scope, union

Resource: TypeAlias = tuple[str, str]
"""("flop", dtype key), ("byte", level), ("link", link name), ("hop", link name) or a launch."""

MAIN: Resource = ("byte", "main")
REMOTE: Resource = ("byte", "remote")
KERNEL: Resource = ("launch", "kernel")
GROUPS = {
    "flop": "compute",
    "byte": "memory",
    "link": "network",
    "hop": "network",
    "launch": "launch",
}
"""Kind of a resource -> the name of the time term it belongs to."""
ALWAYS = ("compute", "memory", "network")
"""Terms that every answer has; launches are one where they are asked for."""
WORK_UNITS = {"flop": "FLOP", "byte": "byte", "link": "byte", "hop": "", "launch": ""}
RATE_UNITS = {
    "flop": "FLOP/s",
    "byte": "byte/s",
    "link": "byte/s",
    "hop": "1/s",
    "launch": "1/s",
}

Lowered: TypeAlias = Callable[[Resource, Quantity], Quantity]

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


def rates_of(
    chip: Chip, resources: Iterable[Resource], lowered: Lowered | None = None, extra: Scope = EMPTY
) -> Rates:
    """Look up the rates that `resources` need on `chip`.

    With `lowered`, each is put under the ceilings that lie on it; `extra` is what else is known.

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
    scope = extra
    for resource in resources:
        rate = _rate(chip, resource)
        if lowered is not None:
            rate = lowered(resource, rate)
        found[resource] = rate.expr
        scope = union(scope, rate.scope)
    return Rates(found, scope)


def _rate(chip: Chip, resource: Resource) -> Quantity:
    kind, name = resource
    if kind == "flop":
        return chip.peak(name)
    if resource == MAIN:
        return chip.bandwidth()
    if resource == REMOTE:
        return chip.remote_bandwidth()
    if kind == "byte":
        return chip.bandwidth(name)
    if kind == "link":
        return chip.link(name)
    if kind == "launch":
        return 1 / Quantity.of(symbol(f"{kind}.{name}"), "s", EMPTY)
    return 1 / chip.latency(name)


def work_by_resource(
    flops: Mapping[str, Expr],
    moved: Mapping[Resource, Expr],
    sent: Mapping[str, Expr],
    hops: Mapping[str, Expr] = NOTHING,
    launches: Mapping[str, Expr] = NOTHING,
) -> dict[Resource, Expr]:
    """Return amounts of work by resource: FLOPs by dtype, bytes by level, bytes and hops by link.

    Kernels come last.
    """
    work = {("flop", key): amount for key, amount in flops.items()}
    work.update(moved)
    work.update({("link", name): amount for name, amount in sent.items()})
    work.update({("hop", name): amount for name, amount in hops.items()})
    work.update({("launch", name): amount for name, amount in launches.items()})
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
    return {
        resource: divided(amount, rates.by_resource[resource]) for resource, amount in work.items()
    }


def grouped(
    terms: Mapping[Resource, Expr],
    levels: Mapping[str, str] | None = None,
    *,
    serial: bool = False,
) -> dict[str, Expr]:
    """Return one time for each kind of work.

    FLOPs of several dtypes add, phases on several links add; levels of memory work at the same
    time, and the slowest takes the time.

    Parameters
    ----------
    terms : mapping of Resource to Expr
        Times.
    levels : mapping of str to str, optional
        The level of each link, where levels are pipelined: links of one level add, and of the
        levels the slowest takes the time.
    serial : bool
        Whether remote memory follows local memory, so that their times add.

    Examples
    --------
    >>> from symroof.symbolic import symbols
    >>> x, y = symbols("x y")
    >>> times = {("link", "X"): x, ("link", "Y"): y}
    >>> grouped(times)["network"], grouped(times, {"X": "node", "Y": "nodes"})["network"]
    (x + y, Max(x, y))
    >>> times = {MAIN: x, REMOTE: y}
    >>> grouped(times)["memory"], grouped(times, serial=True)["memory"]
    (Max(x, y), x + y)
    """
    groups: dict[str, dict[str, list[Expr]]] = {name: {} for name in ALWAYS}
    for resource, time in terms.items():
        kind, name = resource
        at = ""  # times at one place add
        if kind == "byte":
            at = MAIN[1] if serial and resource == REMOTE else name
        elif levels is not None and GROUPS[kind] == "network":
            at = levels[name]
        groups.setdefault(GROUPS[kind], {}).setdefault(at, []).append(time)
    return {
        name: slowest(total((time, 1) for time in times) for times in places.values())
        for name, places in groups.items()
    }


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
