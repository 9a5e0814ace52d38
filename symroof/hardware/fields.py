"""The fields of a chip: one vocabulary for files and for Python, checked as tables are."""

from __future__ import annotations

from typing import Any

import msgspec


class RateFields(msgspec.Struct, forbid_unknown_fields=True):
    """A rate as a table: its value with its unit, where it is from, and how sure it is.

    A formula has its unit, and the units of its symbols, in fields of their own.
    """

    value: Any
    unit: str | None = None
    symbols: dict[str, str] = {}
    source: str = "given"
    confidence: str = "given"
    note: str = ""


class LevelFields(msgspec.Struct, forbid_unknown_fields=True):
    """A level of memory: bandwidth, capacity, whether it is the main one, what a far socket has.

    A `private` level belongs to one compute unit; its numbers are those of all units together.
    """

    bandwidth: Any = None
    capacity: Any = None
    main: bool = False
    remote: Any = None
    private: bool = False


class CeilingFields(msgspec.Struct, forbid_unknown_fields=True):
    """A ceiling under a roof: a factor of it, or a rate below it, and why."""

    on: str
    factor: Any = None
    rate: Any = None
    reason: str = ""
    source: str = "given"
    confidence: str = "given"
    note: str = ""


class LinkFields(msgspec.Struct, forbid_unknown_fields=True):
    """A link: bandwidth per direction, or of both directions where `bidirectional` says so."""

    bandwidth: Any
    bidirectional: bool = False
    kind: str = ""
    halved_from: str = ""
    latency: Any = None


class ChipFields(msgspec.Struct, forbid_unknown_fields=True):
    """A chip: what `Chip` takes, and in a file the version of these fields."""

    name: str
    peak: dict[str, Any]
    memory: dict[str, Any]
    schema_version: int = 1
    title: str = ""
    vendor: str = ""
    kind: str = ""
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    main: str | None = None
    default_peak: dict[str, str] = {}
    sparse_peak: dict[str, Any] = {}
    capacity: Any = None
    link: Any = None
    ceiling: dict[str, Any] = {}
    launch: Any = None
    compute_units: int | None = None


class NetworkFields(msgspec.Struct, forbid_unknown_fields=True):
    """A level of a system: how many it joins and how, and what a chip can send into it.

    One of `per_chip`, `per_link` and `per_node` says that, or none: then it is the chip's own link.
    """

    topology: Any
    size: Any = None
    kind: str = ""
    per_chip: Any = None
    per_link: Any = None
    per_node: Any = None
    chips_per_node: Any = None
    bidirectional: bool = False
    halved_from: str = ""
    latency: Any = None


class SystemFields(msgspec.Struct, forbid_unknown_fields=True):
    """A system: what `System` takes, and in a file the version of these fields."""

    chip: Any
    name: str = ""
    count: Any = None
    topology: Any = None
    level: dict[str, Any] = {}
    schema_version: int = 1
    title: str = ""
    vendor: str = ""
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
