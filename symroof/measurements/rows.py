"""A CSV file of timings as columns: rows that cannot be read are named and counted."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from symroof.errors import InputError, UnknownNameError, brief, near_match

Floats: TypeAlias = NDArray[np.float64]

MAX_BYTES = 1 << 28
LEAST, MOST, MOST_WHOLE = 1e-30, 1e30, 2.0**53
"""Numbers that can be used: products of a few of them have a float, whole ones are exact."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_UNUSUAL = re.compile(r"[^0-9eE+\-.\s]")


class Reader(Protocol):
    """What `csv.reader` returns."""

    line_num: int

    def __iter__(self) -> Reader: ...
    def __next__(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be used.

    Attributes
    ----------
    row : int
        Its number; the first after the names of the columns is 1.
    column : str or None
        The column at fault; None where the row as a whole is.
    message : str
        What is wrong.
    """

    row: int
    column: str | None
    message: str

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {brief(self.column)}"
        return f"row {self.row}{column}: {self.message}"

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"row": self.row, "column": self.column, "message": self.message}


@dataclass(slots=True)
class Sheet:
    """Rows of a CSV file, and the faults found in them so far.

    Attributes
    ----------
    where : str
        The file.
    names : tuple of str
        Of the columns.
    numbers : list of int
        Of the rows; the first after the names is 1.
    rows : list of list of str
        One text per column.
    bad : dict of int to BadRow
        The first fault of each row that cannot be used, by its number.
    """

    where: str
    names: tuple[str, ...]
    numbers: list[int]
    rows: list[list[str]]
    bad: dict[int, BadRow]

    def column(self, name: str) -> list[str]:
        """Return the texts of a column.

        Raises
        ------
        InputError
            If there is no such column, or more than one; with the nearest one.
        """
        place = self.place(name)
        return [row[place] for row in self.rows]

    def place(self, name: str, what: str = "") -> int:
        """Return the place of a column.

        Parameters
        ----------
        name : str
            The column; one of another case is taken where no other is it too.
        what : str
            What it is wanted for, for the message.
        """
        found = [i for i, known in enumerate(self.names) if known == name]
        found = found or [i for i, known in enumerate(self.names) if known.lower() == name.lower()]
        if len(found) == 1:
            return found[0]
        wanted = f" for {what}" if what else ""
        if found:
            raise InputError(f"{len(found)} columns are called {brief(name)!r}", where=self.where)
        near = near_match(name, self.names)
        listed = ", ".join(brief(known, 30) or "''" for known in self.names[:12])
        listed += ", ..." * (len(self.names) > 12)
        hint = f"did you mean {near!r}?" if near else f"there are: {listed}"
        raise InputError(f"no column {brief(name)!r}{wanted}; {hint}", where=self.where)

    def fault(self, at: int, column: str | None, message: str) -> None:
        """Put down a fault of the row at a place, unless it has one already."""
        number = self.numbers[at]
        self.bad.setdefault(number, BadRow(number, column, message))

    def amounts(self, name: str, *, zero: bool = False, whole: bool = False) -> Floats:
        """Return a column of numbers; where there is no usable one, nan, and the fault is noted.

        Parameters
        ----------
        name : str
            The column.
        zero : bool
            Whether 0 is usable.
        whole : bool
            Whether only whole numbers are.
        """
        texts = self.column(name)
        values = _read(texts)
        return self.checked(values, name, texts, zero=zero, whole=whole)

    def checked(
        self,
        values: Floats,
        name: str,
        texts: Sequence[str] | None = None,
        *,
        zero: bool = False,
        whole: bool = False,
    ) -> Floats:
        """Return values with nan in place of those that are not usable, whose rows are bad."""
        with np.errstate(invalid="ignore"):
            usable = (values >= LEAST) & (values <= (MOST_WHOLE if whole else MOST))
            if zero:
                usable |= values == 0
            if whole:
                usable &= values == np.floor(values)
        for at in map(int, np.flatnonzero(~usable)):
            text = str(values[at]) if texts is None else texts[at].strip()
            self.fault(at, name, _why(text, float(values[at]), zero=zero))
        return np.where(usable, values, np.nan)

    def good(self) -> NDArray[np.bool_]:
        """Return which rows have no fault so far."""
        return np.array([number not in self.bad for number in self.numbers], dtype=bool)


def read_sheet(path: str | os.PathLike[str]) -> Sheet:
    """Return the rows of a CSV file, whose first line names the columns.

    Rows with another number of values than names are bad rows; blank lines are none.

    Raises
    ------
    InputError
        If the file cannot be read, is no CSV of UTF-8, is too large, or has no rows.
    """
    where = str(path)
    try:
        file = Path(path)
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"larger than {MAX_BYTES} bytes: not measurements", where=where)
        with file.open(encoding="utf-8-sig", newline="") as lines:
            return _read_lines(csv.reader(lines), where)
    except UnicodeDecodeError:
        raise InputError("not CSV: not UTF-8", where=where) from None
    except InputError:
        raise
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", where=where) from None


def _read_lines(reader: Reader, where: str) -> Sheet:
    try:
        return _sheet(reader, where)
    except csv.Error as error:
        raise InputError(f"not CSV: line {reader.line_num}: {error}", where=where) from None


def selected(sheet: Sheet, where: Mapping[str, str]) -> Sheet:
    """Return the rows whose columns have these values; bad rows stay with those they are of.

    Raises
    ------
    InputError
        If there is no such column.
    UnknownNameError
        If no row has the value; with the nearest one.
    """
    keep = range(len(sheet.rows))
    for name, value in where.items():
        texts = [text.strip() for text in sheet.column(name)]
        there = dict.fromkeys(texts)
        if value not in there:
            raise UnknownNameError(f"{name} of {sheet.where}", value, there)
        keep = [at for at in keep if texts[at] == value]  # type: ignore[assignment]
        if not keep:
            raise InputError(f"no row has {_said(where)}", where=sheet.where)
    rows = [sheet.rows[at] for at in keep]
    return Sheet(sheet.where, sheet.names, [sheet.numbers[at] for at in keep], rows, sheet.bad)


def _said(where: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in where.items())


def _sheet(reader: Reader, where: str) -> Sheet:
    header = [name.strip() for name in next(reader, [])]
    if not any(header):
        raise InputError("expected a line of names of columns, found nothing", where=where)
    sheet = Sheet(where, tuple(header), [], [], {})
    before = reader.line_num
    for number, row in enumerate(reader, start=1):
        lines, before = reader.line_num - before, reader.line_num
        if len(row) == len(header):
            sheet.numbers.append(number)
            sheet.rows.append(row)
        elif row:
            message = f"has {len(row)} values, expected {len(header)}"
            if lines > 1:
                message += f", and goes on for {lines:,} lines: a quote that is not closed?"
            sheet.bad[number] = BadRow(number, None, message)
    if not sheet.rows and not sheet.bad:
        raise InputError("expected rows under the names of columns, found none", where=where)
    return sheet


def _read(texts: list[str]) -> Floats:
    if not _UNUSUAL.search("".join(texts)):
        try:
            return np.array(texts, dtype=np.float64)
        except ValueError:
            pass
    return np.array([_number(text) for text in texts], dtype=np.float64)


def _number(text: str) -> float:
    return float(text) if _NUMBER.fullmatch(text.strip()) else math.nan


def _why(text: str, value: float, *, zero: bool) -> str:
    if not text:
        return "is empty"
    if not math.isfinite(value):
        known = text.lower().lstrip("+-") in ("nan", "inf", "infinity") or math.isinf(value)
        return f"{brief(text)} is not finite" if known else f"{brief(text)!r} is no number"
    if value < 0 or (value == 0 and not zero):
        return f"{brief(text)} is not above 0" if not zero else f"{brief(text)} is below 0"
    if not LEAST <= value <= MOST or value == math.floor(value):
        return f"{brief(text)} is out of range"
    return f"{brief(text)} is no whole number"
