"""The chips that can be picked: those of the catalogue that have every rate an algorithm needs."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from symroof.errors import SymroofError
from symroof.hardware import Chip, chip, chips
from symroof.reports.explorer.slots import Slots
from symroof.reports.explorer.variants import Variant
from symroof.roofline.inside import Inside
from symroof.roofline.terms import KERNEL, MAIN, Resource, rates_of


@dataclass(frozen=True, slots=True)
class Machine:
    """A chip with its rates.

    Attributes
    ----------
    name, title, vendor : str
        What it is called.
    rates : tuple of Expr or None
        Exact numbers in base units, in the order of the slots of the rates; None for one that no
        variant it goes with needs.
    sets : tuple of int
        The places of the variants it goes with.
    """

    name: str
    title: str
    vendor: str
    rates: tuple[Expr | None, ...]
    sets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A chip that lacks a rate, and why it cannot be picked."""

    name: str
    reason: str


def machines(slots: Slots) -> tuple[tuple[Machine, ...], tuple[tuple[LeftOut, ...], ...]]:
    """Return the chips to pick from, the one that was asked about first; and those left out.

    The second has a part for each variant.

    Examples
    --------
    >>> import symroof as sr
    >>> found, left_out = machines(Slots(sr.analyze(sr.load("matmul"), "h100-sxm")))
    >>> found[0].name, str(found[0].rates[1]), left_out[0][0].name, left_out[0][0].reason
    ('h100-sxm', '3350000000000', 'epyc-7452', 'no fp16 peak')
    """
    general = slots.general
    own = general.chip
    changed = bool(general.overridden_rates)
    title = f"{own.title or own.name}, as set" if changed else own.title or own.name
    rates = tuple(slots.known[key] for key in slots.rates)
    everywhere = tuple(range(len(slots.variants)))
    found = [Machine(own.name, title, own.vendor, rates, everywhere)]
    left_out: list[list[LeftOut]] = [[] for _ in slots.variants]
    readers = [_Reader(slots, variant) for variant in slots.variants]
    if not all(reader.known for reader in readers):
        return tuple(found), tuple(map(tuple, left_out))  # a rate is the user's own symbol
    for name in chips():
        other = chip(name)
        if other == own and not changed:
            continue
        there: dict[str, Expr] = {}
        sets = []
        for at, reader in enumerate(readers):
            values = reader.rates(other)
            if isinstance(values, str):
                left_out[at].append(LeftOut(name, values))
            else:
                sets.append(at)
                there |= values
        if sets:
            numbers = tuple(map(there.get, slots.rates))
            found.append(Machine(name, other.title or name, other.vendor, numbers, tuple(sets)))
    return tuple(found), tuple(map(tuple, left_out))


class _Reader:
    """Reads off other chips the numbers that a variant needs."""

    def __init__(self, slots: Slots, variant: Variant) -> None:
        general = variant.general
        self.inside, self.own = general.inside, general.chip
        keys = slots.keys_of(variant)
        needed = [resource for resource in general.rates.by_resource if resource != KERNEL]
        found = {resource: _key(self.own, resource) for resource in needed}
        self.resources = {resource: key for resource, key in found.items() if key in keys}
        self.known = len(self.resources) == len(needed)
        self.others = sorted(keys - set(self.resources.values()))
        self.work = general.op_terms[0].work if general.op_terms else None

    def rates(self, other: Chip) -> dict[str, Expr] | str:
        """Return the numbers by key; the reason where the chip lacks one."""
        there = {key: _rate(other, resource) for resource, key in self.resources.items()}
        missing = [what for what, key in self.resources.items() if there[key] is None]
        if missing:
            return f"no {' and no '.join(map(_in_words, missing))}"
        try:
            inside = self.inside.on(other)
        except SymroofError as error:
            return _short(error, other)
        reason = self._differs(inside, other)
        if reason:
            return reason
        known = {**there, **{key: self._other(inside, other, key) for key in self.others}}
        return {key: value for key, value in known.items() if value is not None}

    def _differs(self, inside: Inside, other: Chip) -> str:
        """Return in what the formulas would differ on another chip; empty where in nothing."""
        if self.work is not None:
            mine, theirs = (set(made.charged(self.work)) for made in (self.inside, inside))
            if mine != theirs:
                names = [other.main if name == MAIN[1] else name for _, name in theirs]
                return f"other levels of memory: {', '.join(sorted(names))}"
        units = other.compute_units
        if self.inside.quantise is not None and units != self.own.compute_units:
            return f"waves of {units}" if units else "compute units not known"
        return ""

    def _other(self, inside: Inside, other: Chip, key: str) -> Expr | None:
        """Return a capacity, the fraction of a ceiling, or the time of a launch."""
        if key == f"cap.{self.own.main}":
            key = f"cap.{other.main}"
        return inside.scope.values.get(key)


def _key(chip: Chip, resource: Resource) -> str:
    """Return the key of a rate of a chip; empty where it is no number of its own."""
    rate = rates_of(chip, [resource]).by_resource[resource]
    names = sorted(s.name for s in rate.free_symbols)
    return names[0] if len(names) == 1 and "." in names[0] else ""


def _rate(chip: Chip, resource: Resource) -> Expr | None:
    """Return a rate of a chip as a number; None where it has none."""
    try:
        known = rates_of(chip, [resource]).scope.values
        return known.get(_key(chip, resource))
    except SymroofError:
        return None


def _short(error: SymroofError, chip: Chip) -> str:
    """Return what a chip lacks, without what is said of where and how to give it."""
    text = str(error).partition(";")[0]
    return text.rpartition(f"{chip.name} ")[2] if f"{chip.name} " in text else text


def _in_words(resource: Resource) -> str:
    kind, name = resource
    if kind == "flop":
        return f"{name} peak"
    if kind == "byte":
        return "memory bandwidth" if resource == MAIN else f"{name} bandwidth"
    if kind == "hop":
        return f"latency of link {name!r}"
    return "link" if name == "link" else f"link {name!r}"
