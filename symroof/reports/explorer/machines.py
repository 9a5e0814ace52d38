"""The chips that can be picked: those of the catalogue that have every rate an algorithm needs."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from symroof.errors import SymroofError
from symroof.hardware import Chip, chip, chips
from symroof.reports.explorer.slots import Slots
from symroof.roofline.terms import Resource, rates_of


@dataclass(frozen=True, slots=True)
class Machine:
    """A chip with its rates.

    Attributes
    ----------
    name, title, vendor : str
        What it is called.
    rates : tuple of Expr
        Exact numbers in base units, in the order of the slots of the rates.
    """

    name: str
    title: str
    vendor: str
    rates: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A chip that lacks a rate, and why it cannot be picked."""

    name: str
    reason: str


def machines(slots: Slots) -> tuple[tuple[Machine, ...], tuple[LeftOut, ...]]:
    """Return the chips to pick from, the one that was asked about first; and those left out.

    Examples
    --------
    >>> import symroof as sr
    >>> found, left_out = machines(Slots(sr.analyze(sr.load("matmul"), "h100-sxm")))
    >>> found[0].name, str(found[0].rates[1]), left_out[0].name, left_out[0].reason
    ('h100-sxm', '3350000000000', 'epyc-7452', 'no fp16 peak')
    """
    general = slots.general
    known = general.rates.scope.values
    own = general.chip
    changed = bool(general.overridden_rates)
    rates = tuple(known[key] for key in slots.rates)
    first = Machine(own.name, own.title or own.name, own.vendor, rates)
    if changed:
        first = Machine(own.name, f"{first.title}, as set", own.vendor, rates)
    resources = {
        rate.name: resource
        for resource, rate in general.rates.by_resource.items()
        if rate.is_Symbol and rate.name in slots.rates
    }
    found, left_out = [first], []
    needed = [resources[key] for key in slots.rates]
    if len(resources) < len(general.rates.by_resource):
        return (first,), ()  # a rate is the user's own symbol
    for name in chips():
        other = chip(name)
        if other == own and not changed:
            continue
        there = [_rate(other, resource) for resource in needed]
        known_rates = tuple(rate for rate in there if rate is not None)
        if len(known_rates) == len(needed):
            found.append(Machine(other.name, other.title or name, other.vendor, known_rates))
        else:
            missing = [what for what, rate in zip(needed, there, strict=True) if rate is None]
            left_out.append(LeftOut(name, f"no {' and no '.join(map(_in_words, missing))}"))
    return tuple(found), tuple(left_out)


def _rate(chip: Chip, resource: Resource) -> Expr | None:
    """Return a rate of a chip as a number; None where it has none."""
    try:
        rates = rates_of(chip, [resource])
    except SymroofError:
        return None
    return rates.scope.values.get(str(rates.by_resource[resource]))


def _in_words(resource: Resource) -> str:
    kind, name = resource
    if kind == "flop":
        return f"{name} peak"
    return "memory bandwidth" if kind == "byte" else "link" if name == "link" else f"link {name!r}"
