"""System: chips in one or more networks, each number per chip, totals apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sympy import Expr, expand

from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError
from symroof.files import toml_text, write_text_atomically
from symroof.hardware import catalog
from symroof.hardware.aggregate import Aggregate
from symroof.hardware.facts import Fact
from symroof.hardware.fields import SystemFields
from symroof.hardware.levels import ONE, SystemLevel, read_level
from symroof.hardware.machine import Chip
from symroof.lines import DESCRIPTION, TITLE, line
from symroof.network.topology import FullyConnected, Switch, Topology
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.symbolic.symbols import check_own
from symroof.tables import check_version, parse, read_table, read_text
from symroof.units.human import human

SCHEMA_VERSION = 1
MAX_BYTES = 200_000
MOST_LEVELS = 8
LINK = "link"


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class System:
    """Chips of one kind, joined by networks at one or more levels.

    Parameters
    ----------
    chip : Chip or str
        Each of the chips; a name of the catalogue, or a file.
    count : int, symbol or text, optional
        How many; the levels may say it.
    topology : Topology or str, optional
        How they are joined, where there is one level: ``Ring(8)``, ``"torus 16x16"``. By default
        what the chip's own link says, and otherwise a switch.
    per_chip, per_link : Quantity, str or mapping, optional
        What a chip can send at that one level, in one direction: over all its ports together, or
        over one of them. By default the chip's own link.
    latency : Quantity, str or mapping, optional
        The time of a hop at that one level.
    level : mapping of str to mapping, optional
        Several levels, the innermost first, each with its ``topology``, its ``size``, and
        ``per_chip``, ``per_link`` or ``per_node`` (the egress of a node, which its chips share).
    name, title, vendor : str, optional
        What it is called, for people.
    aliases, notes : sequence of str, optional
        Other names; remarks for who uses the numbers.

    Raises
    ------
    InputError
        If a topology has another size than there are chips, or a field is wrong; with a near match.
    UnitError
        If a number has no unit, or another one.

    Examples
    --------
    >>> from symroof.network.topology import Ring
    >>> ring = System("h100-sxm", count=8, topology=Ring(8))
    >>> ring.count, str(ring.level("link").per_chip.value), str(ring.aggregate.peak("bf16").value)
    (8, '450000000000 byte/s', '7912000000000000')
    >>> System("h100-sxm", count=8, topology=Ring(4))
    Traceback (most recent call last):
    symroof.errors.InputError: system '8xh100-sxm': level.link: topology: a ring of 4 has 4 chips,\
 not 8
    """

    name: str
    title: str
    vendor: str
    aliases: tuple[str, ...]
    notes: tuple[str, ...]
    chip: Chip
    levels: tuple[SystemLevel, ...]
    count: Expr

    def __init__(
        self,
        chip: Chip | str,
        count: Any = None,
        topology: Topology | str | None = None,
        *,
        per_chip: object = None,
        per_link: object = None,
        latency: object = None,
        level: Mapping[str, Any] | None = None,
        name: str = "",
        title: str = "",
        vendor: str = "",
        aliases: Iterable[str] = (),
        notes: Iterable[str] = (),
    ) -> None:
        found = chip if isinstance(chip, Chip) else catalog.chip(chip)
        called = _called(name, found, count)[:60]
        place = f"system {called!r}" if called else "system"
        one = {"per_chip": per_chip, "per_link": per_link, "latency": latency}
        alone = {key: value for key, value in one.items() if value is not None}
        given = {
            "chip": found,
            "name": name,
            "count": count,
            "topology": topology,
            "level": dict(level) if isinstance(level, Mapping) else level or {},
            "title": title,
            "vendor": vendor,
            "aliases": aliases,
            "notes": notes,
        }
        fields = read_table(given, SystemFields, place)
        tables = fields.level
        if not tables:
            tables = _one_level(found, count, topology, alone, place)
        elif topology is not None or alone:
            key = next(iter(alone), "topology")
            raise InputError(f"the levels say it, so leave {key} out", where=place)
        levels = _levels(tables, found, place)
        total = _total(count, levels, place)
        put = object.__setattr__
        put(self, "name", line(fields.name, "the name of a system") or _called("", found, total))
        default = f"{shown(total)} x {found.title or found.name}"
        put(self, "title", line(fields.title, f"{place}: title", TITLE) or default)
        put(self, "vendor", line(fields.vendor, f"{place}: vendor", TITLE) or found.vendor)
        for text, most in (("aliases", TITLE), ("notes", DESCRIPTION)):
            for part in getattr(fields, text):
                line(part, f"{place}: {text}", most)
            put(self, text, getattr(fields, text))
        put(self, "chip", found)
        put(self, "levels", levels)
        put(self, "count", total)

    def level(self, name: str) -> SystemLevel:
        """Return a level by its name.

        Examples
        --------
        >>> from symroof.hardware import system
        >>> system("dgx-h100-2").level("nodes").per_chip.text
        '50 GB/s'
        """
        for level in self.levels:
            if level.name == name:
                return level
        known = [level.name for level in self.levels]
        hint = "" if known else "it has none"
        raise UnknownNameError(f"level of {self.name}", str(name), known, hint=hint)

    @property
    def aggregate(self) -> Aggregate:
        """What all chips have together; everything else is per chip.

        Examples
        --------
        >>> from symroof.hardware import system
        >>> system("dgx-h100").aggregate.capacity().to("GB")
        640.0
        """
        return Aggregate(self)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What an answer on this system should say beside it: figures halved, added or shared."""
        return tuple(filter(None, (level.assumption for level in self.levels)))

    def describe(self) -> list[Fact]:
        """Return a row for each number of the system; those of all chips say so."""
        rows = [
            Fact("chips", shown(self.count), "", "given", f"{self.chip.title or self.chip.name}")
        ]
        for level in self.levels:
            rows += level.describe()
        whole = self.aggregate
        dtype = self.chip.default_dtype
        totals = {
            f"aggregate peak {dtype}": whole.peak(dtype),
            "aggregate bandwidth of memory": (whole.bandwidth()),
        }
        if self.chip.memory_level().capacity is not None:
            totals["aggregate capacity"] = whole.capacity()
        totals |= {
            f"aggregate egress into {level.name}": whole.egress(level.name) for level in self.levels
        }
        return rows + [
            Fact(what, human(total.resolved(), 5), f"{shown(self.count)} x per chip", "derived", "")
            for what, total in totals.items()
        ]

    # --- files ----------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> System:
        """Read a system from a TOML file; a file of its chip is looked for beside it.

        Raises
        ------
        InputError
            If the file is not TOML or not a system; one line with the file and the field.
        UnitError
            If a number in it has no unit, or another one.
        """
        where = str(path)
        raw = parse(read_text(path, MAX_BYTES, "a system file", where), where)
        check_version(raw, SCHEMA_VERSION, where)
        read_table(raw, SystemFields, where)
        fields = {key: value for key, value in raw.items() if key != "schema_version"}
        try:
            return cls(**{**fields, "chip": _chip_in(fields["chip"], Path(path))})
        except UnitError as error:
            raise UnitError(f"{where}: {error}") from None
        except SymroofError as error:
            raise InputError(str(error), where=where) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the system as a TOML file that `load` reads back as an equal system.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> mine = System("h100-sxm", count=4, per_chip="100 GB/s")
        >>> with TemporaryDirectory() as folder:
        ...     mine.save(Path(folder) / "mine.toml")
        ...     System.load(Path(folder) / "mine.toml") == mine
        True
        """
        fields = {"schema_version": SCHEMA_VERSION, **self.to_fields()}
        write_text_atomically(path, toml_text(fields))

    def to_fields(self) -> dict[str, object]:
        """Return the fields of the system, as its file has them and `System` takes them."""
        known = self.chip.name in catalog.chips() and catalog.chip(self.chip.name) == self.chip
        fields: dict[str, object] = {"name": self.name, "title": self.title, "vendor": self.vendor}
        fields |= {"aliases": list(self.aliases), "notes": list(self.notes)}
        fields["chip"] = self.chip.name if known else self.chip.to_fields()
        fields["count"] = int(self.count) if self.count.is_Integer else to_text(self.count)
        fields["level"] = {level.name: level.to_fields() for level in self.levels}
        return {key: value for key, value in fields.items() if value}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, System):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"System({self.name!r})"

    def _identity(self) -> tuple[object, ...]:
        texts = (self.name, self.title, self.vendor, self.aliases, self.notes)
        return (*texts, self.chip, self.levels, self.count)


def default_topology(chip: Chip, count: Any) -> Topology:
    """Return how chips are joined where nobody says: as the kind of their link says, or a switch.

    Raises
    ------
    InputError
        If they form a torus, whose shape has to be said, or are too many for a full mesh.

    Examples
    --------
    >>> default_topology(catalog.chip("mi300x"), 8), default_topology(catalog.chip("h100-sxm"), 8)
    (FullyConnected(size=8), Switch(size=8))
    """
    kind = chip.links[0].kind if len(chip.links) == 1 else ""
    if str(count) == "1":
        return Switch(count)
    if "torus" in kind:
        raise InputError(
            f"{chip.name} is on a torus ({kind}); say its shape, as in topology='torus 4x4', or by"
            f" name as in '4x4x{chip.name}'"
        )
    return FullyConnected(count) if "full mesh" in kind else Switch(count)


def _called(name: str, chip: Chip, count: Any) -> str:
    text = to_text(count) if isinstance(count, Expr) else str(count or "").strip()[:30]
    return name if name or not text else f"{text}x{chip.name}"


def _one_level(
    chip: Chip, count: Any, topology: Topology | str | None, stated: dict[str, object], where: str
) -> dict[str, Any]:
    """Return the table of the one level there is; none where the chip has no link."""
    if topology is None:
        if count is None:
            raise InputError("say how many chips, as in count=8", where=where)
        if not chip.links and not (stated.keys() - {"latency"}):
            return {}
        try:
            topology = default_topology(chip, count)
        except InputError as error:
            raise InputError(str(error), where=where) from None
    name = chip.links[0].name if len(chip.links) == 1 else LINK
    return {name: {"topology": topology, "size": count, **stated}}


def _levels(tables: Mapping[str, Any], chip: Chip, where: str) -> tuple[SystemLevel, ...]:
    if len(tables) > MOST_LEVELS:
        raise InputError(f"at most {MOST_LEVELS} levels, not {len(tables)}", where=where)
    inside: Expr = ONE
    levels = []
    for name, table in tables.items():
        made = read_level(name, table, inside, chip.links, f"{where}: level.{name}")
        inside = expand(inside * made.size)
        levels.append(made)
    return tuple(levels)


def _total(count: Any, levels: tuple[SystemLevel, ...], where: str) -> Expr:
    """Return the number of chips, which the levels have to make."""
    product: Expr = ONE
    for level in levels:
        product = expand(product * level.size)
    if count is None:
        return product
    total = check_own(adopt(count, where=f"{where}: count"), f"{where}: count")
    if total.is_number and not (total.is_Integer and total >= 1):
        raise InputError(
            f"expected a whole number of 1 or more, not {shown(total)}", where=f"{where}: count"
        )
    if levels and expand(product - total) != 0:
        sizes = " x ".join(f"{shown(level.size)} ({level.name})" for level in levels)
        made = f"{sizes} = {shown(product)}" if len(levels) > 1 else sizes
        message = f"{shown(total)} chips, but the levels have {made}"
        raise InputError(message, where=f"{where}: count")
    return total


def _chip_in(given: Any, path: Path) -> Chip:
    if isinstance(given, Mapping):
        return Chip(**{key: value for key, value in given.items() if isinstance(key, str)})
    if not isinstance(given, str):
        raise InputError(f"a chip is a name, a file or a table, not {given!r:.60}", where="chip")
    if given.lower().endswith(".toml") and not Path(given).is_absolute():
        return Chip.load(path.parent / given)
    return catalog.chip(given)
