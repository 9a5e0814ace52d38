"""Levels of memory and links: bandwidths, capacities, and links halved to one direction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise

from sympy import Rational

from symroof.errors import InputError
from symroof.hardware.fields import LevelFields, LinkFields
from symroof.hardware.rates import BYTE, BYTE_PER_SECOND, SECOND, Rate, halved, read_rate
from symroof.tables import read_table
from symroof.units.registry import Dimension

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BOTH_WAYS = re.compile(
    r"\s*\(?(?:bi-?directional|bi-?dir|duplex|both (?:directions|ways))\)?\s*$", re.I
)
ONE_WAY = re.compile(
    r"\s*\(?(?:per direction|uni-?directional|uni-?dir|one[- ]way|each (?:direction|way))\)?\s*$",
    re.I,
)


_FIELDS = (
    "bandwidth",
    "capacity",
    "bidirectional",
    "halved_from",
    "latency",
    "value",
    "confidence",
    "remote",
    "private",
)


@dataclass(frozen=True, slots=True)
class MemoryLevel:
    """A level of memory. The main one gives a time term; the others do where they are asked for.

    Attributes
    ----------
    name : str
        ``hbm``, ``gddr``, ``ddr``, ``l2``, ...; part of the key ``bw.<name>``.
    bandwidth : Rate or None
        byte/s; None where it is not known.
    capacity : Rate or None
        byte; None where it is not known.
    main : bool
        Whether this is the memory that tensors live in.
    remote : Rate or None
        byte/s to the part of it that lies at another socket; None where there is none.
    private : bool
        Whether each compute unit has its own, which keeps nothing from op to op, as L1 and shared
        memory of a GPU. Bandwidth and capacity are those of all units together.
    """

    name: str
    bandwidth: Rate | None
    capacity: Rate | None = None
    main: bool = False
    remote: Rate | None = None
    private: bool = False

    def to_fields(self) -> object:
        """Return what a file says of the level."""
        fields: dict[str, object] = {"main": True} if self.main else {}
        if self.private:
            fields["private"] = True
        if self.bandwidth is not None:
            fields["bandwidth"] = self.bandwidth.to_fields()
        if self.capacity is not None:
            fields["capacity"] = self.capacity.to_fields()
        if self.remote is not None:
            fields["remote"] = self.remote.to_fields()
        return fields


@dataclass(frozen=True, slots=True)
class Link:
    """A link of one chip to others.

    Attributes
    ----------
    name : str
        Part of the key ``link.<name>``; collectives use the one called ``link``.
    bandwidth : Rate
        byte/s that one chip can send, one direction.
    kind : str
        What it is: ``NVLink 4``.
    halved_from : str
        The figure for both directions added, where `bandwidth` is half of one.
    latency : Rate or None
        The time of a hop, in seconds; None where it is not known.
    """

    name: str
    bandwidth: Rate
    kind: str = ""
    halved_from: str = ""
    latency: Rate | None = None

    def to_fields(self) -> object:
        """Return what a file says of the link."""
        fields = {"kind": self.kind, "halved_from": self.halved_from}
        said: dict[str, object] = {key: value for key, value in fields.items() if value}
        said["bandwidth"] = self.bandwidth.to_fields()
        if self.latency is not None:
            said["latency"] = self.latency.to_fields()
        return said


def read_memory(
    given: Mapping[str, object], capacity: object, main: str | None, where: str
) -> tuple[MemoryLevel, ...]:
    """Return the levels of a mapping such as ``{"hbm": "3.35 TB/s"}``, the main one first.

    Parameters
    ----------
    given : mapping of str to object
        A bandwidth by level, a pair of bandwidth and capacity, or a table of ``bandwidth``,
        ``capacity``, ``main`` and ``remote``.
    capacity : object
        Capacity of the main level, where its table does not say it.
    main : str or None
        The name of the main level. Where nothing says it, it is the only level, or the largest of
        several that all have a capacity, none of which is called host.
    where : str
        The place, for messages.

    Raises
    ------
    InputError
        If no level, or more than one, is the main one, or a name cannot be part of a key.

    Examples
    --------
    >>> [level.name for level in read_memory({"hbm": "3.35 TB/s"}, "80 GB", None, "chip")]
    ['hbm']
    """
    levels = []
    for name, value in given.items():
        place = f"{where}.{name}"
        check_name(name, place)
        fields = _level_fields(value, place)
        levels.append(
            MemoryLevel(
                name,
                _optional(fields.bandwidth, BYTE_PER_SECOND, f"{place}.bandwidth"),
                _optional(fields.capacity, BYTE, f"{place}.capacity"),
                fields.main,
                _optional(fields.remote, BYTE_PER_SECOND, f"{place}.remote"),
                fields.private,
            )
        )
    main_level = _main_level(levels, main, where)
    if capacity is not None:
        if main_level.capacity is not None:
            raise InputError(f"the capacity of {main_level.name} is given twice", where=where)
        main_level = replace(main_level, capacity=read_rate(capacity, BYTE, "capacity"))
    for level in levels:
        if level.remote is not None and level.name != main_level.name:
            message = f"remote memory is a part of the main level, {main_level.name}"
            raise InputError(message, where=f"{where}.{level.name}.remote")
    rest = [replace(level, main=False) for level in levels if level.name != main_level.name]
    if "main" in [level.name for level in rest]:
        message = f"the level called main is not the main one, {main_level.name}; rename it"
        raise InputError(message, where=where)
    found = (replace(main_level, main=True), *rest)
    check_order(found, where)
    return found


def inner_to_outer(levels: Iterable[MemoryLevel]) -> tuple[MemoryLevel, ...]:
    """Return the levels in order: the smaller inside; one of unknown size inside of the slower.

    A level whose capacity is a formula is inside of the main one, unless that is known to be
    faster.

    Examples
    --------
    >>> levels = read_memory({"hbm": ("3.35 TB/s", "80 GB"), "l2": ("5.5 TB/s", "50 MB"),
    ...                       "host": "63 GB/s"}, None, "hbm", "chip")
    >>> [level.name for level in inner_to_outer(levels)]
    ['l2', 'hbm', 'host']
    """
    levels = list(levels)
    sized = [level for level in levels if _has_known_capacity(level)]
    ordered = sorted(sized, key=lambda level: _number(level.capacity))
    for level in sorted(levels, key=lambda level: not level.main):
        if level not in sized:
            ordered.insert(_place(level, ordered), level)
    return tuple(ordered)


def check_order(levels: Iterable[MemoryLevel], where: str) -> None:
    """Raise if a level is faster than one inside of it.

    Examples
    --------
    >>> read_memory({"l2": ("1 TB/s", "50 MB"), "hbm": ("3 TB/s", "80 GB")}, None, None, "chip")
    Traceback (most recent call last):
    symroof.errors.InputError: chip: levels out of order: hbm holds more than l2 and is faster, \
3 TB/s against 1 TB/s
    """
    known = [level for level in inner_to_outer(levels) if level.bandwidth is not None]
    for inner, outer in pairwise(known):
        if inner.bandwidth != outer.bandwidth and _is_faster(outer, inner):
            fast, slow = outer.bandwidth, inner.bandwidth
            raise InputError(
                f"levels out of order: {outer.name} holds more than {inner.name} and is faster,"
                f" {fast.text if fast else ''} against {slow.text if slow else ''}",
                where=where,
            )


def read_links(given: object, where: str) -> tuple[Link, ...]:
    """Return the links of a bandwidth, of one link's table, or of a mapping of several.

    A figure for both directions (``"900 GB/s bidirectional"``, or ``bidirectional = true``) is
    halved, and the link says so.

    Examples
    --------
    >>> link = read_links("900 GB/s bidirectional", "link")[0]
    >>> link.name, link.bandwidth.text, link.halved_from
    ('link', '450 GB/s', '900 GB/s')
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping) or {"bandwidth", "value"} & given.keys():
        given = {"link": given}
    links = []
    for name, value in given.items():
        place = f"{where}.{name}"
        check_name(name, place)
        links.append(_read_link(name, value, place))
    return tuple(links)


def check_name(name: object, where: str) -> None:
    """Raise unless `name` can be part of a rate's key; the name of a field is taken for a slip.

    Examples
    --------
    >>> check_name("hbm3", "memory")
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError(
            f"{str(name)[:60]!r} is not a name here (a letter, then letters, digits or _)",
            where=where,
        )
    meant = get_close_matches(name.lower(), _FIELDS, n=1, cutoff=0.8)
    if meant and meant[0] != name:
        raise InputError(f"unknown field {name[:60]!r}; did you mean {meant[0]!r}?", where=where)
    if meant:
        raise InputError(f"{name!r} is a field, not a name such as 'hbm'", where=where)


def _level_fields(value: object, where: str) -> LevelFields:
    if isinstance(value, Mapping) and "value" not in value:
        return read_table(value, LevelFields, where)
    if isinstance(value, tuple | list) and len(value) == 2:
        return LevelFields(*value)
    return LevelFields(bandwidth=value)


def _optional(value: object, dimension: Dimension, where: str) -> Rate | None:
    return None if value is None else read_rate(value, dimension, where)


def _main_level(levels: list[MemoryLevel], main: str | None, where: str) -> MemoryLevel:
    names = ", ".join(level.name for level in levels)
    if not levels:
        raise InputError("no level of memory; expected one such as hbm = '3.35 TB/s'", where=where)
    if main is not None:
        chosen = [level for level in levels if level.name == main]
        if not chosen:
            raise InputError(f"the main level {main[:60]!r} is not one of {names}", where=where)
    else:
        chosen = [level for level in levels if level.main]
        sized = all(map(_has_known_capacity, levels)) and "host" not in {v.name for v in levels}
        if not chosen and (len(levels) == 1 or sized):
            chosen = [inner_to_outer(levels)[-1]]
        if len(chosen) != 1:
            raise InputError(f'which of {names} is the main level? say main = "..."', where=where)
    if chosen[0].bandwidth is None:
        raise InputError(f"the main level {chosen[0].name} has no bandwidth", where=where)
    return chosen[0]


def _place(level: MemoryLevel, ordered: list[MemoryLevel]) -> int:
    """Return the place of a level of unknown size among those that are in order."""
    for place, other in enumerate(ordered):
        inside = other.main and level.capacity is not None and not _is_faster(other, level)
        if inside or _is_faster(level, other):
            return place
    return len(ordered)


def _is_faster(level: MemoryLevel, other: MemoryLevel) -> bool:
    """Return whether a level is known to be faster than another."""
    rates = level.bandwidth, other.bandwidth
    if not all(rate is not None and rate.is_known for rate in rates):
        return False
    return bool(_number(rates[0]) > _number(rates[1]))


def _number(rate: Rate | None) -> Rational:
    return Rational(0) if rate is None else rate.value.expr


def _has_known_capacity(level: MemoryLevel) -> bool:
    return level.capacity is not None and level.capacity.is_known


def _read_link(name: str, value: object, where: str) -> Link:
    if isinstance(value, Mapping) and "value" not in value:
        fields = read_table(value, LinkFields, where)
    else:
        fields = LinkFields(bandwidth=value)
    rate, both = one_direction(fields.bandwidth, where, bidirectional=fields.bidirectional)
    latency = _optional(fields.latency, SECOND, f"{where}.latency")
    return Link(name, rate, fields.kind, both or fields.halved_from, latency)


def one_direction(given: object, where: str, *, bidirectional: bool = False) -> tuple[Rate, str]:
    """Return a bandwidth of one direction, and the figure it is half of, if it is.

    Parameters
    ----------
    given : object
        What `read_rate` takes; a text may end in words such as ``bidirectional``.
    where : str
        The place, for messages.
    bidirectional : bool
        Whether the figure is known to be that of both directions added.

    Examples
    --------
    >>> rate, both = one_direction("900 GB/s bidirectional", "link")
    >>> rate.text, both
    ('450 GB/s', '900 GB/s')
    """
    bandwidth, both = _direction(given)
    rate = read_rate(bandwidth, BYTE_PER_SECOND, where)
    return (halved(rate), rate.text) if both or bidirectional else (rate, "")


def _direction(value: object) -> tuple[object, bool]:
    """Strip what a text says of direction; the flag is set if it is both directions added."""
    if isinstance(value, Mapping) and isinstance(value.get("value"), str):
        text, both = _direction(value["value"])
        return {**value, "value": text}, both
    if not isinstance(value, str):
        return value, False
    if BOTH_WAYS.search(value):
        return BOTH_WAYS.sub("", value), True
    return ONE_WAY.sub("", value), False
