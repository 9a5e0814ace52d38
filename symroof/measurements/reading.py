"""From a CSV file to groups of rows, each of one dtype, ready to be evaluated."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symroof.errors import InputError, SymroofError, brief
from symroof.graph import Graph
from symroof.measurements.formats import Format, format_of
from symroof.measurements.rows import BadRow, Floats, Sheet, read_sheet, selected
from symroof.measurements.workload import mapped, names_of, op_graph, title_of
from symroof.symbolic.exact import shown
from symroof.units import Quantity, human

UNITS = ("s", "ms", "us", "ns")
TIME_NAMES = ("time", "latency", "duration", "elapsed", "measured", "runtime", "t")
ONE_KIND = {
    "devices": ("device", "gpu", "chip", "hardware", "machine"),
    "ops": ("op", "operation", "kernel", "phase"),
}
"""Columns that say what a row is of: one roof is for one device, and one op."""
_TIME = re.compile(r"(.+?)(?:_|\s*[(\[])(s|ms|us|µs|ns)[)\]]?", re.I)


@dataclass(frozen=True, slots=True)
class Group:
    """Good rows of one dtype.

    Attributes
    ----------
    graph : Graph
        The op at this dtype.
    form : Format or None
        The dtypes; None where the spec says them.
    numbers : array of int
        Numbers of the rows in the file.
    dims : dict of str to array
        Numbers of the op by name.
    measured : array
        Seconds.
    """

    graph: Graph
    form: Format | None
    numbers: NDArray[np.int64]
    dims: dict[str, Floats]
    measured: Floats

    @property
    def name(self) -> str:
        """The dtype, as answers call it."""
        return self.graph.name if self.form is None else self.form.name

    def __getitem__(self, places: NDArray[np.bool_]) -> Group:
        dims = {name: values[places] for name, values in self.dims.items()}
        return Group(self.graph, self.form, self.numbers[places], dims, self.measured[places])


@dataclass(frozen=True, slots=True)
class Measured:
    """The rows of a file that are asked about.

    Attributes
    ----------
    source : str
        The file.
    op : str or Graph
        As it was given.
    title : str
        The op, for people.
    groups : tuple of Group
        Good rows by dtype.
    bad : tuple of BadRow
        Rows that could not be used.
    left_out : int
        Good rows that were not asked for.
    where : dict of str to str
        What was asked for.
    columns : dict of str to str
        The column of each dim, and of the time.
    above : float
        Seconds that all of them take more than.
    """

    source: str
    op: str | Graph
    title: str
    groups: tuple[Group, ...]
    bad: tuple[BadRow, ...]
    left_out: int
    where: dict[str, str]
    columns: dict[str, str]
    above: float = 0.0

    @property
    def rows(self) -> int:
        """How many good rows there are."""
        return sum(len(group.measured) for group in self.groups)

    def longer(self, least: float) -> Measured:
        """Return the rows that took more than so many seconds.

        Raises
        ------
        InputError
            If there is none.
        """
        kept = [(group, group.measured > least) for group in self.groups]
        groups = tuple(group[places] for group, places in kept if places.any())
        if not groups:
            limit = human(Quantity(least, "s"))
            raise InputError(f"no row is above {limit}", where=self.source)
        rows = sum(len(group.measured) for group in groups)
        left_out = self.left_out + self.rows - rows
        return replace(self, groups=groups, left_out=left_out, above=least)


def read_measured(
    path: str | os.PathLike[str],
    op: str | Graph,
    columns: Mapping[str, str] | None,
    time: str | None,
    where: Mapping[str, str] | None,
    dtype: str | None,
) -> Measured:
    """Return the rows of a CSV file, in groups of one dtype.

    Raises
    ------
    InputError
        If a column is missing, rows are of several devices, or no row can be used; one line.
    """
    whole = read_sheet(path)
    wanted, given = texts(where, "where"), texts(columns, "columns")
    sheet = selected(whole, wanted)
    _check_one_kind(sheet, wanted)
    by_dtype = _dtypes(sheet, given.pop("dtype", None), dtype, isinstance(op, Graph))
    name, seconds = _times(sheet, time)
    first = next((form for form in by_dtype if form is not None), None)
    sample = op_graph(op, first)
    names = names_of(sample)
    found = mapped(sheet, names, given, title_of(sample))
    good = sheet.good()
    groups = []
    for form, places in by_dtype.items():
        at = places[good[places]]
        if len(at):
            graph = sample if form == first else op_graph(op, form)
            dims = {dim: values[at] for dim, values in found.dims.items()}
            numbers = np.asarray(sheet.numbers, dtype=np.int64)[at]
            groups.append(Group(graph, form, numbers, dims, seconds[at]))
    bad = tuple(sheet.bad[number] for number in sorted(sheet.bad))
    if not groups:
        raise InputError(f"no row can be used: {bad[0]}", where=sheet.where)
    return Measured(
        source=sheet.where,
        op=op,
        title=title_of(sample),
        groups=tuple(groups),
        bad=bad,
        left_out=len(whole.rows) - len(sheet.rows),
        where=wanted,
        columns={**found.columns, "time": name},
    )


def seconds_of(given: str | Quantity, where: str) -> float:
    """Return a time of 0 or more in seconds.

    Raises
    ------
    InputError
        If it is none.

    Examples
    --------
    >>> seconds_of("20 us", "above")
    2e-05
    """
    expected = "expected a time of 0 or more, as in '20 us'"
    try:
        found = Quantity(given).to("s")
    except SymroofError:
        raise InputError(f"{expected}, got {shown(given)}", where=where) from None
    if found < 0:
        raise InputError(f"{expected}, got {shown(given)}", where=where)
    return found


def texts(given: Mapping[str, object] | None, where: str) -> dict[str, str]:
    """Return what is given by column or dim as text; numbers as they are written.

    Raises
    ------
    InputError
        If it is no mapping, or has other things.

    Examples
    --------
    >>> texts({"m": 4096, "device": "l40s"}, "where")
    {'m': '4096', 'device': 'l40s'}
    """
    if not isinstance(given, Mapping | None):
        raise InputError(f"expected texts by name, not {type(given).__name__}", where=where)
    found = {}
    for name, value in (given or {}).items():
        if not isinstance(name, str) or isinstance(value, bool) or not isinstance(value, str | int):
            message = f"expected texts by name, not {shown(value)!r} by {shown(name)!r}"
            raise InputError(message, where=where)
        found[name] = str(value)
    return found


def _check_one_kind(sheet: Sheet, where: Mapping[str, str]) -> None:
    """Refuse rows of several devices or ops: a roof is that of one."""
    for what, names in ONE_KIND.items():
        for name in sheet.names:
            if name.lower() not in names or name in where:
                continue
            there = list(dict.fromkeys(text.strip() for text in sheet.column(name)))
            if len(there) > 1:
                listed = ", ".join(brief(text, 30) for text in there[:6])
                raise InputError(
                    f"rows of {len(there)} {what} ({listed}); say which, as in"
                    f" --where {name}={brief(there[0], 30)}",
                    where=sheet.where,
                )


def _dtypes(
    sheet: Sheet, column: str | None, dtype: str | None, fixed: bool
) -> dict[Format | None, NDArray[np.int64]]:
    """Return the places of the rows of each dtype; the spec's own where nothing else says it."""
    every = np.arange(len(sheet.rows))
    if fixed:
        return {None: every}
    if dtype is not None:
        return {format_of(dtype): every}
    if column is None and "dtype" not in [name.lower() for name in sheet.names]:
        return {None: every}
    name = sheet.names[sheet.place(column or "dtype", "dtype")]
    places: dict[str, list[int]] = {}
    for at, text in enumerate(sheet.column(name)):
        places.setdefault(text.strip(), []).append(at)
    found: dict[Format | None, list[int]] = {}
    for text, at_all in places.items():
        try:
            found.setdefault(format_of(text), []).extend(at_all)
        except SymroofError as error:
            for at in at_all:
                sheet.fault(at, name, str(error))
    if not found:
        raise InputError(f"no row can be used: {next(iter(sheet.bad.values()))}", where=sheet.where)
    return {form: np.asarray(sorted(at)) for form, at in found.items()}


def _times(sheet: Sheet, given: str | None) -> tuple[str, Floats]:
    """Return the column of times and its seconds."""
    name, unit = _time_column(sheet, given)
    seconds = sheet.amounts(name) * Quantity(1, unit).to("s")
    return name, seconds


def _time_column(sheet: Sheet, given: str | None) -> tuple[str, str]:
    if given is not None:
        if not isinstance(given, str):
            message = f"expected a column, as in 'latency_ms', not {shown(given)}"
            raise InputError(message, where="time")
        name, colon, unit = given.rpartition(":")
        if not colon:
            name, unit = given, ""
        column = sheet.names[sheet.place(name, "the time")]
        return column, _unit(unit or _suffix(column), column)
    known = [name for name in sheet.names if _is_time(name)]
    if len(known) == 1:
        return known[0], _unit(_suffix(known[0]), known[0])
    if known:
        raise InputError(
            f"which column is the time: {', '.join(map(brief, known))}? say --time {known[0]}",
            where=sheet.where,
        )
    listed = ", ".join(brief(name, 30) for name in sheet.names[:12])
    raise InputError(
        f"no column of times such as latency_ms; there are: {listed}; say --time COLUMN:ms",
        where=sheet.where,
    )


def _is_time(name: str) -> bool:
    found = _TIME.fullmatch(name.strip())
    return bool(found) and found[1].lower() in TIME_NAMES if found else False


def _suffix(name: str) -> str:
    found = _TIME.fullmatch(name.strip())
    return found[2].lower() if found else ""


def _unit(unit: str, column: str) -> str:
    plain = unit.strip().replace("µ", "u")
    if plain not in UNITS:
        said = f"unknown unit {brief(unit)!r}" if unit else "its name says no unit"
        raise InputError(
            f"{said}; expected one of {', '.join(UNITS)}, as in --time {brief(column)}:ms",
            where=f"column {brief(column)}",
        )
    return plain
