"""Levels of a system: how many chips a network joins, and what one chip can send into it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError, SymroofError
from symroof.hardware.facts import Fact
from symroof.hardware.fields import NetworkFields
from symroof.hardware.memory import Link, check_name, one_direction
from symroof.hardware.rates import SECOND, Rate, read_rate, written_amount
from symroof.network.topology import Switch, Topology, Torus
from symroof.network.topology import topology as topology_of
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.tables import read_table

OWN, PER_CHIP, PER_LINK, PER_NODE = "own", "per_chip", "per_link", "per_node"
BASES = (PER_CHIP, PER_LINK, PER_NODE)
ONE = Integer(1)
_LINKS, _PEERS = re.compile(r"\b(\d{1,4}) links\b"), re.compile(r"\bfull mesh of (\d{1,4})\b")


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """One network of a system.

    Attributes
    ----------
    name : str
        ``node``, ``pod``, ...
    topology : Topology
        How many it joins, and how: chips at the innermost level, whole inner levels further out.
    per_chip : Rate
        byte/s that one chip can send into it in one direction, over all its ports together.
    kind : str
        What it is: ``NVLink 4, NVSwitch``.
    latency : Rate or None
        The time of one hop; None where it is not known.
    basis : str
        What `given` is of: ``own`` (the chip's own link), ``per_chip``, ``per_link``, ``per_node``.
    given : Rate
        The figure as it was given, in one direction.
    halved_from : str
        The figure for both directions added, where `given` is half of one.
    shared_by : Expr or None
        For ``per_node``, how many chips share the egress; for ``own``, how many links the chip has
        where the topology uses another number of them.
    """

    name: str
    topology: Topology
    per_chip: Rate
    kind: str = ""
    latency: Rate | None = None
    basis: str = PER_CHIP
    given: Rate | None = None
    halved_from: str = ""
    shared_by: Expr | None = None

    @property
    def size(self) -> Expr:
        """How many it joins."""
        return self.topology.size

    @property
    def assumption(self) -> str:
        """What was made of the figure that was given, if anything was; for notes."""
        half = f", half of {self.halved_from} bidirectional" if self.halved_from else ""
        text = f"{self.name}: {self.per_chip.text} per chip and direction"
        if self.basis == PER_LINK and self.given is not None:
            return f"{text}, {shown(self.topology.ports)} links of {self.given.text}{half}"
        if self.basis == PER_NODE and self.given is not None:
            return f"{text}, {self.given.text} shared by {shown(self.shared_by)}{half}"
        if self.shared_by is not None and self.given is not None:
            used = f"{shown(self.topology.ports)} of {shown(self.shared_by)} links"
            return f"{text}, {used} with {self.given.text} together{half}"
        return f"{text}{half}" if half else ""

    def to_fields(self) -> dict[str, object]:
        """Return what a file says of the level."""
        fields: dict[str, object] = {"topology": self.topology.name}
        if not isinstance(self.topology, Torus):
            fields["size"] = _number(self.size)
        if self.kind:
            fields["kind"] = self.kind
        if self.basis != OWN and self.given is not None:
            if self.basis == PER_NODE:
                fields["chips_per_node"] = _number(self.shared_by)
            if self.halved_from:
                fields["halved_from"] = self.halved_from
            fields[self.basis] = self.given.to_fields()
        if self.latency is not None:
            fields["latency"] = self.latency.to_fields()
        return fields

    def describe(self) -> list[Fact]:
        """Return a row for each number of the level."""
        rate = self.per_chip
        made = self.assumption.partition(", ")[2]
        rows = [
            Fact(
                f"{self.name}: {self.topology.title}, per chip, one direction",
                rate.text,
                rate.source,
                rate.confidence,
                "; ".join(filter(None, (self.kind, made, rate.note))),
            )
        ]
        if self.latency is not None:
            hop = self.latency
            what = f"{self.name}: latency of a hop"
            rows.append(Fact(what, hop.text, hop.source, hop.confidence, hop.note))
        return rows


def read_level(
    name: str, given: object, inside: Expr, links: tuple[Link, ...], where: str
) -> SystemLevel:
    """Return a level from its table.

    Parameters
    ----------
    name : str
        Its name.
    given : mapping
        ``topology`` and ``size``; one of ``per_chip``, ``per_link`` and ``per_node``, or none
        where the chip has a link that is it; ``kind``, ``latency``, ``bidirectional``.
    inside : Expr
        How many chips the levels inside of it join.
    links : tuple of Link
        Those of the chip.
    where : str
        The place, for messages.

    Raises
    ------
    InputError
        If a field is wrong or missing, or a figure is that of both directions without saying so.

    Examples
    --------
    >>> read_level("nodes", {"topology": "switch", "size": 2, "per_node": "400 GB/s"},
    ...            Integer(8), (), "system").per_chip.text
    '50 GB/s'
    """
    check_name(name, where)
    if not isinstance(given, Mapping):
        raise InputError(f"expected a table of topology and size, not {given!r:.60}", where=where)
    if "bandwidth" in given:
        message = f"say whose bandwidth it is: {', '.join(BASES)}"
        raise InputError(message, where=f"{where}.bandwidth")
    fields = read_table(given, NetworkFields, where)
    try:
        place = topology_of(fields.topology, fields.size)
    except SymroofError as error:
        raise InputError(str(error), where=where) from None
    stated = [basis for basis in BASES if getattr(fields, basis) is not None]
    if len(stated) > 1:
        raise InputError(f"{' and '.join(stated)} say the same thing; give one", where=where)
    if fields.chips_per_node is not None and stated != [PER_NODE]:
        raise InputError("it goes with per_node", where=f"{where}.chips_per_node")
    latency = None
    if fields.latency is not None:
        latency = read_rate(fields.latency, SECOND, f"{where}.latency")
    if not stated:
        own = _own(name, links, inside, where)
        there = links_of(own.kind)
        per_chip = own.bandwidth
        if there is None or isinstance(place, Switch) or place.ports in (there, 0):
            there = None
        else:
            if place.ports.is_Integer and place.ports > there:
                message = f"a {place.name} needs {place.ports} links of a chip, and there are"
                raise InputError(f"{message} {there}", where=where)
            per_chip = _scaled(per_chip, place.ports / there)
        return SystemLevel(
            name,
            place,
            per_chip,
            fields.kind,
            latency,
            OWN,
            own.bandwidth,
            own.halved_from,
            None if there is None else Integer(there),
        )
    (basis,) = stated
    at = f"{where}.{basis}"
    rate, both = one_direction(getattr(fields, basis), at, bidirectional=fields.bidirectional)
    if basis == PER_CHIP and not both and inside == ONE:
        _check_direction(rate, links, at)
    shared = None
    per_chip = rate
    if basis == PER_LINK:
        per_chip = _scaled(rate, place.ports)
    elif basis == PER_NODE:
        shared = inside
        if inside == ONE and fields.chips_per_node is None:
            message = "inside of a node nothing says how many chips share it; add chips_per_node"
            raise InputError(message, where=at)
        if fields.chips_per_node is not None:
            shared = adopt(fields.chips_per_node, where=f"{where}.chips_per_node")
            if shared.is_number and not (shared.is_Integer and shared >= 1):
                message = f"expected a whole number of 1 or more, not {shown(shared)}"
                raise InputError(message, where=f"{where}.chips_per_node")
        per_chip = _scaled(rate, 1 / shared)
    both = both or fields.halved_from
    return SystemLevel(name, place, per_chip, fields.kind, latency, basis, rate, both, shared)


def links_of(kind: str) -> int | None:
    """Return how many links a chip has, where the kind of its link says that.

    Examples
    --------
    >>> links_of("ICI, 3D torus, 6 links"), links_of("full mesh of 8"), links_of("NVLink 4")
    (6, 7, None)
    """
    links, peers = _LINKS.search(kind), _PEERS.search(kind)
    if links is not None:
        return int(links[1])
    return None if peers is None or peers[1] in "01" else int(peers[1]) - 1


def _own(name: str, links: tuple[Link, ...], inside: Expr, where: str) -> Link:
    """Return the link of the chip that is a level: the one of its name, or the only one."""
    for link in links:
        if link.name == name:
            return link
    if len(links) == 1 and inside == ONE:
        return links[0]
    reason = "no link of the chip is this level"
    if not links:
        reason = "the chip has no link"
    raise InputError(f"{reason}; give {', '.join(BASES[:-1])} or {BASES[-1]}", where=where)


def _check_direction(rate: Rate, links: tuple[Link, ...], where: str) -> None:
    for link in links:
        if link.halved_from and rate.value == 2 * link.bandwidth.value:
            raise InputError(
                f"{rate.text} is both directions of {link.kind or link.name} added; write"
                f" '{rate.text} bidirectional', or '{link.bandwidth.text}'",
                where=where,
            )


def _scaled(rate: Rate, by: Expr) -> Rate:
    """Return a rate times a number of links, or of chips that share it."""
    if by == 0:
        return rate  # one chip, which sends nothing
    value = rate.value * by
    text = written_amount(value) if value.expr.is_number else to_text(value.expr)
    return replace(rate, value=value, text=text)


def _number(size: Any) -> object:
    return int(size) if size.is_Integer else to_text(size)
