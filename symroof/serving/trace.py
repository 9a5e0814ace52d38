"""Traces: CSV files with the lengths of prompts and answers of requests, read row by row."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sympy import Expr, Rational

from symroof.errors import InputError, near_match

COLUMNS = (
    ("ContextTokens", "GeneratedTokens"),
    ("num_prefill_tokens", "num_decode_tokens"),
    ("Request tokens", "Response tokens"),
    ("input_length", "output_length"),
    ("prompt_tokens", "completion_tokens"),
    ("input_tokens", "output_tokens"),
    ("prefill", "decode"),
    ("p", "d"),
)
"""What public traces call the lengths of prompts and answers."""
MOST_TOKENS = 10**9
_WHOLE = re.compile(r"\d{1,12}(\.0{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the requests of a trace: exact, whatever their number.

    Attributes
    ----------
    requests : int
        How many there are.
    p, d : int
        Tokens of all prompts, and of all answers.
    pd, dd : int
        Sums of the products of both lengths, and of the squares of answers.
    """

    requests: int
    p: int
    d: int
    pd: int
    dd: int

    @property
    def prefill(self) -> Expr:
        """Tokens of a prompt, on average."""
        return Rational(self.p, self.requests)

    @property
    def decode(self) -> Expr:
        """Tokens of an answer, on average."""
        return Rational(self.d, self.requests)

    @property
    def mean_context(self) -> Expr:
        """Tokens in the context, on average over all decode steps of all requests."""
        return Rational(2 * self.pd + self.dd, 2 * self.d)

    @property
    def spread(self) -> Expr:
        """What the mean context is beyond that of requests of mean lengths.

        Examples
        --------
        >>> Moments(requests=2, p=400, d=40, pd=10_000, dd=1_000).spread
        105/2
        """
        return self.mean_context - self.prefill - self.decode / 2


def read_trace(
    path: str | os.PathLike[str], prefill: str | None = None, decode: str | None = None
) -> Moments:
    """Return the sums over a trace.

    Parameters
    ----------
    path : str or PathLike
        A CSV file; its first line names the columns.
    prefill, decode : str, optional
        The columns of lengths; by default those of `COLUMNS` that are there.

    Raises
    ------
    InputError
        If the file cannot be read, a column is missing, or a row does not say whole numbers of
        tokens; with the number of the row, the first after the names being 1.
    """
    where = str(path)
    for name, column in (("prefill", prefill), ("decode", decode)):
        if column is not None and not isinstance(column, str):
            raise InputError(
                f"expected the name of a column, not {type(column).__name__}", where=name
            )
    if prefill is not None and prefill == decode:
        raise InputError(f"{prefill[:60]!r} is the column of prefill too", where="decode")
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as lines:
            return _sum(csv.reader(lines, strict=True), where, prefill, decode)
    except UnicodeDecodeError:
        raise InputError("not CSV: not UTF-8", where=where) from None
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", where=where) from None
    except InputError:
        raise
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", where=where) from None


def _sum(rows: Iterator[list[str]], where: str, prefill: str | None, decode: str | None) -> Moments:
    header = next(rows, None)
    if not header or header == [""]:
        raise InputError("expected a line of names of columns, found nothing", where=where)
    first, second = _columns([name.strip() for name in header], prefill, decode, where)
    n = p_sum = d_sum = pd_sum = dd_sum = 0
    for row_number, row in enumerate(rows, start=1):
        if not row:
            continue
        place = f"{where}: row {row_number}"
        if len(row) != len(header):
            raise InputError(f"has {len(row)} values, expected {len(header)}", where=place)
        p = _tokens(row[first], header[first], place)
        d = _tokens(row[second], header[second], place)
        if p + d == 0:
            raise InputError("has no tokens at all", where=place)
        n, p_sum, d_sum = n + 1, p_sum + p, d_sum + d
        pd_sum, dd_sum = pd_sum + p * d, dd_sum + d * d
    if not d_sum:
        found = "no requests" if not n else f"no new tokens in {n} requests"
        raise InputError(f"expected requests, found {found}", where=where)
    return Moments(n, p_sum, d_sum, pd_sum, dd_sum)


def _columns(
    header: list[str], prefill: str | None, decode: str | None, where: str
) -> tuple[int, int]:
    """Return the places of both columns; a name that was given stands for itself."""
    named = [(prefill or p, decode or d) for p, d in COLUMNS]
    if prefill is not None and decode is not None:
        named = named[:1]
    by_name = {name.lower(): place for place, name in reversed(list(enumerate(header)))}
    for p, d in named:
        if p.lower() in by_name and d.lower() in by_name:
            return by_name[p.lower()], by_name[d.lower()]
    shown = ", ".join(name[:40] or "''" for name in header[:12]) + ", ..." * (len(header) > 12)
    for given, what in ((prefill, "prefill"), (decode, "decode")):
        if given is not None and given.lower() not in by_name:
            near = near_match(given, header)
            hint = f"did you mean {near!r}?" if near else f"there are: {shown}"
            raise InputError(f"no column {given[:60]!r} for {what}; {hint}", where=where)
    raise InputError(
        f"no columns of lengths among {shown}; name them prefill and decode in the first line, or"
        " say which they are: Workload.from_trace(path, prefill=..., decode=...)",
        where=where,
    )


def _tokens(text: str, column: str, where: str) -> int:
    plain = text.strip()
    if not _WHOLE.fullmatch(plain) or (tokens := int(plain.partition(".")[0])) > MOST_TOKENS:
        raise InputError(
            f"{column[:40]} is {plain[:40]!r}, expected a whole number of tokens", where=where
        )
    return tokens
