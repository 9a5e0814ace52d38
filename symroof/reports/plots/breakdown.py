"""Where the time goes: a bar for each op, a segment for each time term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from sympy import Expr

from symroof.errors import InputError
from symroof.reports.plots.axes import headline, number_or_raise, prefixed, short
from symroof.reports.plots.plot import Axis, Bars, Scale
from symroof.reports.plots.sampling import number_of
from symroof.roofline import OpRow, Roofline
from symroof.symbolic.numerals import number
from symroof.units import human

MOST_OPS = 12
ROOM = 1.1
SEGMENTS = ("compute", "memory", "network", "launch")


def breakdown(r: Roofline) -> Bars:
    """Draw the time terms of the ops that take longest, the others together by kind.

    Parameters
    ----------
    r : Roofline
        With numbers for all symbols.

    Returns
    -------
    Bars
        A row per op, longest first; the terms of one op may overlap in time.

    Raises
    ------
    NumbersNeededError
        If symbols are free.
    InputError
        If there is no work.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mlp"), "h100-sxm").at(B=64, D=4096, F=14336)
    >>> [name for name, _ in breakdown(r).rows]
    ['gate ×2', 'y', 'hidden', 'act']
    """
    number_or_raise("breakdown", r.time.serial)
    number_or_raise("breakdown", r.time.per_op)
    found = sorted((row for row in r.ops() if row.time.expr != 0), key=_longest_bar_first)
    if not found:
        raise InputError(f"{r.graph.name} does no work, so it takes no time to draw")
    rows = [(_name(row), _times(row)) for row in found[:MOST_OPS]]
    rows.extend(_by_kind(found[MOST_OPS:]))
    longest = max(sum(times) for _, times in rows)
    unit, factor = prefixed("s", float(longest))
    used = [i for i in range(len(SEGMENTS)) if any(times[i] for _, times in rows)]
    last = max(used) + 1
    shown = tuple(
        (name, tuple(float(time / factor) for time in times[:last])) for name, times in rows
    )
    axis = Axis("time", unit, 0.0, ROOM * float(longest / factor), Scale.LINEAR)
    return Bars(headline("Breakdown", r), _description(r, found), axis, shown, SEGMENTS[:last])


def _longest_bar_first(row: OpRow) -> Fraction:
    return -sum(_times(row), Fraction(0))


def _exact(value: Expr) -> Fraction:
    """Return a time as a fraction; the one of its float where it is irrational."""
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return Fraction(number_of(value))


def _name(row: OpRow) -> str:
    count = row.count.value
    return short(row.name) if count == 1 else f"{short(row.name)} ×{number(count)}"


def _times(row: OpRow) -> tuple[Fraction, ...]:
    return tuple(
        _exact(row.terms[name].value) if name in row.terms else Fraction(0) for name in SEGMENTS
    )


def _by_kind(rest: Sequence[OpRow]) -> Iterable[tuple[str, tuple[Fraction, ...]]]:
    kinds: dict[str, list[OpRow]] = {}
    for row in rest:
        kinds.setdefault(row.kind, []).append(row)
    for kind, rows in kinds.items():
        columns = zip(*map(_times, rows), strict=True)
        runs = number(sum(row.ops for row in rows))
        yield f"{runs} more {short(kind)}", tuple(sum(column, Fraction(0)) for column in columns)


def _description(r: Roofline, rows: list[OpRow]) -> str:
    first = max(rows, key=lambda row: _exact(row.time.value))
    launches = "launch" in first.terms
    terms = "Compute, memory, network and launch" if launches else "Compute, memory and network"
    return (
        f"{terms} time of the ops of {short(r.graph.name, 60)}, one after the"
        f" other. Where the terms of an op overlap it takes as long as the longest of them:"
        f" {_name(first)} takes {human(first.time.resolved())} so,"
        f" {(first.share or 0) * 100:.3g} % of the per-op bound."
    )
