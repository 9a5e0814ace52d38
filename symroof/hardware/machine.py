"""Chip: what a machine offers per second, each number with its source."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError
from symroof.hardware import chip_file
from symroof.hardware.ceilings import Ceiling, read_ceilings
from symroof.hardware.facts import Fact, describe, describe_inside, describe_memory
from symroof.hardware.fields import ChipFields
from symroof.hardware.memory import (
    Link,
    MemoryLevel,
    inner_to_outer,
    read_links,
    read_memory,
)
from symroof.hardware.peaks import Peak, read_defaults, read_peaks, select_peak
from symroof.hardware.rates import SECOND, Rate, read_rate
from symroof.lines import DESCRIPTION, TITLE, line
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import symbol
from symroof.tables import read_table
from symroof.units.dtype import DType
from symroof.units.human import human
from symroof.units.quantity import Quantity
from symroof.units.scope import Scope, union

MOST_UNITS = 10**9
_FIRST_CHOICE = ("bf16", "fp16", "fp32", "fp64")


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Chip:
    """A machine of one chip: peaks, memory, links.

    Parameters
    ----------
    name : str
        What it is called.
    peak : mapping of str to Quantity, str, Rate or mapping
        Dense peaks by ``bf16`` or, in full, ``bf16:fp32:tensor`` (input dtype, accumulate dtype,
        engine). A mapping has ``value``, ``source``, ``confidence``, ``note``.
    memory : mapping of str to the same
        Bandwidths by level: ``{"hbm": "3.35 TB/s"}``; or pairs of bandwidth and capacity, or tables
        of ``bandwidth``, ``capacity``, ``main`` and ``remote`` (the bandwidth to the memory of
        another socket). Levels are ordered by capacity; the largest is the main one where nothing
        else says so.
    capacity : Quantity or str, optional
        Capacity of the main level.
    link : Quantity, str or mapping, optional
        What the chip can send over its links, one direction; ``"900 GB/s bidirectional"`` is
        halved. A mapping describes one link (``bandwidth``, ``bidirectional``, ``kind``,
        ``latency``) or, by name, several.
    main : str, optional
        The level of memory that tensors live in, where there are several.
    default_peak : mapping of str to str, optional
        The key in full that a short one means, where there are several.
    sparse_peak : mapping, optional
        Peaks with structured sparsity; facts that no formula uses.
    ceiling : mapping of str to mapping, optional
        Ceilings under the roofs, by name: ``{"no simd": {"on": "peak", "factor": "1/8"}}``, with
        ``reason``, ``source``, ``confidence``, ``note``; or a ``rate`` below one roof.
    launch : Quantity, str or mapping, optional
        The fixed time of a kernel.
    compute_units : int, optional
        How many SMs, CUs or cores there are: tiles of a kernel run on them in waves.
    title, vendor, kind : str, optional
        What the chip is, for people.
    aliases, notes : sequence of str, optional
        Other names; remarks for who uses the numbers.

    Raises
    ------
    UnitError
        If a number has no unit, or another one.
    InputError
        If a rate is not positive, or a key, a name or a field is wrong; with a near match.

    Examples
    --------
    >>> mine = Chip("mine", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "3.35 TB/s"})
    >>> str(mine.ridge("bf16").value), mine.peak("bf16").expr
    ('19780/67', peak.bf16)
    >>> Chip("x", peak={"bf16": "9"}, memory={"hbm": "3.35 TB/s"})
    Traceback (most recent call last):
    ...
    symroof.errors.UnitError: chip 'x': peak.bf16: expected FLOP/s, as in '989 TFLOP/s', got '9'
    """

    name: str
    title: str
    vendor: str
    kind: str
    aliases: tuple[str, ...]
    notes: tuple[str, ...]
    peaks: tuple[Peak, ...]
    default_peaks: tuple[tuple[str, str], ...]
    sparse_peaks: tuple[Peak, ...]
    memory: tuple[MemoryLevel, ...]
    links: tuple[Link, ...]
    ceilings: tuple[Ceiling, ...]
    launch: Rate | None
    compute_units: int | None

    def __init__(
        self,
        name: str,
        *,
        peak: Mapping[str, object],
        memory: Mapping[str, object],
        capacity: object = None,
        link: object = None,
        main: str | None = None,
        default_peak: Mapping[str, str] | None = None,
        sparse_peak: Mapping[str, object] | None = None,
        ceiling: Mapping[str, object] | None = None,
        launch: object = None,
        compute_units: int | None = None,
        title: str = "",
        vendor: str = "",
        kind: str = "",
        aliases: Iterable[str] = (),
        notes: Iterable[str] = (),
    ) -> None:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InputError(f"a chip has a name, a line of text, not {name!r:.60}")
        line(name, "the name of a chip")
        place = f"chip {name[:60]!r}"
        fields = read_table(
            {
                "name": name,
                "title": title,
                "vendor": vendor,
                "kind": kind,
                "aliases": aliases,
                "notes": notes,
                "main": main,
                "peak": _as_dict(peak),
                "default_peak": _as_dict(default_peak),
                "sparse_peak": _as_dict(sparse_peak),
                "memory": _as_dict(memory),
                "capacity": capacity,
                "link": link,
                "ceiling": _as_dict(ceiling),
                "launch": launch,
                "compute_units": compute_units,
            },
            ChipFields,
            place,
        )
        for what, given in (("peak", fields.peak), ("memory", fields.memory)):
            if not given:
                raise InputError(f"no {what}; expected a rate by name", where=f"{place}: {what}")
        put = object.__setattr__
        for text in ("name", "title", "vendor", "kind", "aliases", "notes"):
            given = getattr(fields, text)
            for part in (given,) if isinstance(given, str) else given:
                line(part, f"{place}: {text}", DESCRIPTION if text == "notes" else TITLE)
            put(self, text, given)
        put(self, "peaks", read_peaks(fields.peak, f"{place}: peak"))
        defaults = read_defaults(fields.default_peak, self.peaks, f"{place}: default_peak")
        put(self, "default_peaks", defaults)
        put(self, "sparse_peaks", read_peaks(fields.sparse_peak, f"{place}: sparse_peak"))
        put(self, "memory", read_memory(fields.memory, fields.capacity, main, f"{place}: memory"))
        put(self, "links", read_links(fields.link, f"{place}: link"))
        roofs = self.peaks, self.memory
        put(self, "ceilings", read_ceilings(fields.ceiling, *roofs, f"{place}: ceiling"))
        floor = None
        if fields.launch is not None:
            floor = read_rate(fields.launch, SECOND, f"{place}: launch")
        put(self, "launch", floor)
        units = fields.compute_units
        if units is not None and not 1 <= units <= MOST_UNITS:
            message = f"expected a whole number from 1 to {MOST_UNITS:,}, not {shown(units)}"
            raise InputError(message, where=f"{place}: compute_units")
        put(self, "compute_units", units)
        try:
            _ = self.scope
        except UnitError as error:
            raise UnitError(f"{place}: {error}") from None

    # --- rates, as they stand in formulas -------------------------------------------------------

    def peak(
        self,
        dtype: str | DType,
        *,
        accumulate: str | DType | None = None,
        engine: str | None = None,
    ) -> Quantity:
        """Return the dense peak at a dtype, in FLOP/s.

        Parameters
        ----------
        dtype : str or DType
            ``bf16`` is the chip's default accumulate dtype and engine; ``bf16:fp32:tensor`` is one
            peak in full.
        accumulate, engine : optional
            Narrow the choice: ``peak("fp16", accumulate="fp16")``.

        Returns
        -------
        Quantity
            The symbol ``peak.bf16`` with its known value in scope; the chip's own expression if
            its peak is symbolic.

        Raises
        ------
        UnknownNameError
            If the chip has no such peak; lists those it has.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> rate = chip("h100-sxm").peak("bf16")
        >>> rate.expr, rate.to("TFLOP/s")
        (peak.bf16, 989.0)
        >>> chip("rtx-4090").peak("fp16", accumulate="fp16").to("TFLOP/s")
        330.3
        """
        found = self.find_peak(dtype, accumulate=accumulate, engine=engine)
        return in_formulas(self._peak_key(found), found.rate)

    def bandwidth(self, level: str | None = None) -> Quantity:
        """Return the bandwidth of a level of memory, of the main one by default, in byte/s.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> rate = chip("h100-sxm").bandwidth()
        >>> rate.expr, rate.to("TB/s")
        (bw.hbm, 3.35)
        """
        found = self.memory_level(level)
        if found.bandwidth is None:
            raise InputError(f"{self.name} does not say the bandwidth of {found.name}")
        return in_formulas(f"bw.{found.name}", found.bandwidth)

    def remote_bandwidth(self) -> Quantity:
        """Return the bandwidth to the memory of another socket, in byte/s.

        Raises
        ------
        InputError
            If the chip does not say it.

        Examples
        --------
        >>> mine = Chip("x", peak={"fp64": "1 TFLOP/s"},
        ...             memory={"ddr": {"bandwidth": "100 GB/s", "remote": "40 GB/s"}})
        >>> rate = mine.remote_bandwidth()
        >>> rate.expr, rate.to("GB/s")
        (bw.ddr.remote, 40.0)
        """
        main = self.memory[0]
        if main.remote is None:
            raise InputError(
                f"{self.name} does not say the remote bandwidth of {main.name}; its table of"
                f" {main.name} has it, as in remote = '40 GB/s'"
            )
        return in_formulas(f"bw.{main.name}.remote", main.remote)

    def link(self, name: str = "link") -> Quantity:
        """Return what the chip can send over a link, one direction, in byte/s.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> rate = chip("h100-sxm").link()
        >>> rate.expr, rate.to("GB/s")
        (link.link, 450.0)
        """
        return in_formulas(f"link.{name}", self.find_link(name).bandwidth)

    def latency(self, name: str = "link") -> Quantity:
        """Return the time of one hop over a link, in seconds.

        Raises
        ------
        InputError
            If it is not known.

        Examples
        --------
        >>> mine = Chip("x", peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"},
        ...             link={"bandwidth": "50 GB/s", "latency": "1 us"})
        >>> str(mine.latency().value)
        '1/1000000'
        """
        found = self.find_link(name)
        if found.latency is None:
            raise InputError(f"{self.name} does not say the latency of {name}")
        return in_formulas(f"latency.{name}", found.latency)

    def ridge(
        self,
        dtype: str | DType,
        *,
        accumulate: str | DType | None = None,
        engine: str | None = None,
        link: str | None = None,
    ) -> Quantity:
        """Return the ridge point: peak over bandwidth of the main level, or of a link; FLOP/byte.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> str(chip("h100-sxm").ridge("bf16").value)
        '19780/67'
        """
        below = self.bandwidth() if link is None else self.link(link)
        return self.peak(dtype, accumulate=accumulate, engine=engine) / below

    # --- facts ----------------------------------------------------------------------------------

    def find_peak(
        self,
        dtype: str | DType,
        *,
        accumulate: str | DType | None = None,
        engine: str | None = None,
        sparse: bool = False,
    ) -> Peak:
        """Return a peak with its source; see `peak`. With `sparse`, one for structured sparsity.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> chip("h100-sxm").find_peak("fp8").key
        'fp8:fp32:tensor'
        """
        among = self.sparse_peaks if sparse else self.peaks
        defaults = dict(self.default_peaks)
        if sparse:
            defaults = {peak.dtype: defaults.get(peak.dtype, peak.key) for peak in among}
        what = f"{self.name} with sparsity" if sparse else self.name
        return select_peak(among, defaults, dtype, accumulate, engine, what)

    def find_link(self, name: str = "link") -> Link:
        """Return a link with its source.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> chip("h100-sxm").find_link().kind
        'NVLink 4'
        """
        for link in self.links:
            if link.name == name:
                return link
        known = [link.name for link in self.links]
        hint = f"it has {', '.join(known)}" if known else "it has none"
        raise UnknownNameError(f"link of {self.name}", name, known, hint=hint)

    def memory_level(self, name: str | None = None) -> MemoryLevel:
        """Return a level of memory; the main one by default.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> chip("h100-sxm").memory_level("l2").capacity.text
        '50 MiB'
        """
        if name is None:
            return self.memory[0]
        for level in self.memory:
            if level.name == name:
                return level
        raise UnknownNameError(
            f"memory of {self.name}", name, [level.name for level in self.memory]
        )

    def capacity(self, level: str | None = None) -> Quantity:
        """Return the capacity of a level of memory, of the main one by default, in byte.

        Raises
        ------
        InputError
            If it is not known.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> chip("tpu-v4").capacity().value
        34359738368
        """
        found = self.memory_level(level)
        if found.capacity is None:
            raise InputError(f"{self.name} does not say the capacity of {found.name}")
        return found.capacity.value

    @property
    def hierarchy(self) -> tuple[MemoryLevel, ...]:
        """The levels of memory from the innermost, which is the smallest, outwards.

        Examples
        --------
        >>> mine = Chip("x", peak={"bf16": "1 PFLOP/s"},
        ...             memory={"hbm": ("3 TB/s", "80 GB"), "l2": ("6 TB/s", "50 MB")})
        >>> [level.name for level in mine.hierarchy], mine.main
        (['l2', 'hbm'], 'hbm')
        """
        return inner_to_outer(self.memory)

    @property
    def main(self) -> str:
        """Name of the main level of memory."""
        return self.memory[0].name

    @property
    def default_dtype(self) -> str:
        """Key of the dtype a question without dtypes is about: bf16 if there is a peak for it."""
        keys = [dtype for dtype, _ in self.default_peaks]
        return next((dtype for dtype in _FIRST_CHOICE if dtype in keys), keys[0])

    @property
    def scope(self) -> Scope:
        """Scope of all rates of the chip, with the values of the known ones."""
        scope = Scope()
        for key, rate in self._rates():
            scope = union(scope, in_formulas(key, rate).scope)
        return scope

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What an answer on this chip should say beside it: links that were halved.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> chip("h100-sxm").assumptions
        ('link: 450 GB/s per direction, half of 900 GB/s bidirectional',)
        """
        return tuple(
            f"{link.name}: {link.bandwidth.text} per direction, "
            f"half of {link.halved_from} bidirectional"
            + (" (unverified)" if link.bandwidth.confidence == "unverified" else "")
            for link in self.links
            if link.halved_from
        )

    def describe(self) -> list[Fact]:
        """Return a row for each number of the chip, and for the ridge points they make.

        Examples
        --------
        >>> from symroof.hardware import chip
        >>> row = chip("h100-sxm").describe()[0]
        >>> row.quantity, row.value, row.confidence
        ('peak bf16:fp32:tensor, default', '989 TFLOP/s', 'high')
        """
        rows = describe(self.peaks, dict(self.default_peaks), self.sparse_peaks)
        rows += describe_memory(self.memory, self.links)
        rows += describe_inside(self.ceilings, self.launch, self.compute_units)
        return rows + [
            Fact(f"ridge {dtype}", human(self.ridge(dtype), 5), "peak / bandwidth", "derived", "")
            for dtype, _ in self.default_peaks
        ]

    # --- files ----------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Chip:
        """Read a chip from a TOML file.

        Raises
        ------
        InputError
            If the file is not TOML or not a chip; one line with the file and the field.
        UnitError
            If a number in it has no unit, or another one.
        """
        fields = chip_file.read(path)
        try:
            return cls(**fields)
        except UnitError as error:
            raise UnitError(f"{path}: {error}") from None
        except SymroofError as error:
            raise InputError(str(error), where=str(path)) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chip as a TOML file that `load` reads back as an equal chip.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> mine = Chip("mine", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "3.35 TB/s"})
        >>> with TemporaryDirectory() as folder:
        ...     mine.save(Path(folder) / "mine.toml")
        ...     Chip.load(Path(folder) / "mine.toml") == mine
        True
        """
        chip_file.write(path, self.to_fields())

    def to_fields(self) -> dict[str, object]:
        """Return the fields of the chip, as its file has them and `Chip` takes them."""
        fields: dict[str, object] = {"name": self.name}
        fields |= {key: getattr(self, key) for key in ("title", "vendor", "kind")}
        fields |= {"aliases": list(self.aliases), "notes": list(self.notes)}
        fields["compute_units"] = self.compute_units
        fields["launch"] = None if self.launch is None else self.launch.to_fields()
        fields["default_peak"] = dict(self.default_peaks)
        fields["peak"] = _table_of_rates(self.peaks)
        fields["sparse_peak"] = _table_of_rates(self.sparse_peaks)
        fields["memory"] = {level.name: level.to_fields() for level in self.memory}
        fields["link"] = {link.name: link.to_fields() for link in self.links}
        fields["ceiling"] = {ceiling.name: ceiling.to_fields() for ceiling in self.ceilings}
        return {key: value for key, value in fields.items() if value}

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Chip) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"Chip({self.name!r})"

    def _identity(self) -> tuple[object, ...]:
        """Return what makes two chips equal: everything but the order of peaks and links."""
        texts = (self.name, self.title, self.vendor, self.kind, self.aliases, self.notes)
        tables = (self.peaks, self.default_peaks, self.sparse_peaks, self.memory, self.links)
        inside = (self.launch, self.compute_units, frozenset(self.ceilings))
        return (*texts, *map(frozenset, tables), *inside)

    def _peak_key(self, peak: Peak) -> str:
        short = dict(self.default_peaks)[peak.dtype] == peak.key
        return f"peak.{peak.dtype if short else peak.key}"

    def _rates(self) -> Iterator[tuple[str, Rate]]:
        for peak in self.peaks:
            yield self._peak_key(peak), peak.rate
        for level in self.memory:
            if level.bandwidth is not None:
                yield f"bw.{level.name}", level.bandwidth
            if level.remote is not None:
                yield f"bw.{level.name}.remote", level.remote
        for link in self.links:
            yield f"link.{link.name}", link.bandwidth
            if link.latency is not None:
                yield f"latency.{link.name}", link.latency


def in_formulas(key: str, rate: Rate) -> Quantity:
    """Return a rate as it stands in formulas: by its key, or as the formula it is given as.

    Examples
    --------
    >>> in_formulas("bw.hbm", Rate("3 TB/s")).expr, in_formulas("bw.hbm", Rate("3 TB/s")).value
    (bw.hbm, 3000000000000)
    """
    if not rate.is_known:
        return rate.value
    return Quantity.of(symbol(key), rate.value.unit, Scope(values={key: rate.value.expr}))


def _table_of_rates(peaks: Iterable[Peak]) -> dict[str, object]:
    """Return the rates as fields; all as tables if one is, because a file has texts first."""
    fields = {peak.key: peak.rate.to_fields() for peak in peaks}
    if all(isinstance(value, str) for value in fields.values()):
        return {**fields}
    return {
        key: {"value": value} if isinstance(value, str) else value for key, value in fields.items()
    }


def _as_dict(given: object) -> object:
    if given is None:
        return {}
    return dict(given) if isinstance(given, Mapping) else given
