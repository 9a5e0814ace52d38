"""Tables in columns of text: what does not fit is left out, folded, or written row by row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from symroof.reports.wrapping import TIE, width_of, wrapped

GAP = "  "
# A long name may fold after its dots, if nothing else helps.
_JOINT = re.compile(r"(?<=[^\W\d][._/:-])(?=\w)|(?<=\w[._/:-])(?=[^\W\d])")


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a column; the `optional` ones are left out first, the last of them first."""

    title: str
    right: bool = False
    optional: bool = False


def columns(headings: Sequence[Heading], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a table as lines of at most `width` columns of a terminal.

    Cells fold at spaces. Where that is not enough, long names fold after dots and the like; where
    that is not either, each row becomes a list of its cells.

    Parameters
    ----------
    headings : sequence of Heading
        The heads, from the left.
    rows : sequence of sequence of str
        The cells of each row, one for each head.
    width : int
        Columns of the terminal.

    Examples
    --------
    >>> for line in columns([Heading("op"), Heading("time", right=True)], [["add", "3 µs"]], 80):
    ...     print(line)
    op   time
    ───  ────
    add  3 µs
    """
    table = [[heading.title for heading in headings], *rows]
    shown = _shown(headings, table, width)
    if not shown:
        return []
    cells = [[row[at] for at in shown] for row in table]
    folding = cells
    for again in (False, True):
        if again:
            folding = [[_JOINT.sub("\u200b", cell) for cell in row] for row in cells]
        widths = _widths(folding, width)
        if widths is not None:
            right = [headings[at].right for at in shown]
            return _drawn(folding, widths, right)
    return _listed([headings[at].title for at in shown], cells[1:], width)


def _shown(headings: Sequence[Heading], table: Sequence[Sequence[str]], width: int) -> list[int]:
    shown = list(range(len(headings)))
    natural = [max(width_of(row[at]) for row in table) for at in shown]
    for at in reversed(range(len(headings))):
        if _total([natural[i] for i in shown]) <= width:
            break
        if headings[at].optional and len(shown) > 1:
            shown.remove(at)
    return shown


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _widths(table: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Return the widths of the columns, the widest folded; None where words are too long."""
    natural = [max(map(width_of, cells)) for cells in zip(*table, strict=True)]
    if _total(natural) <= width:
        return natural
    least = [max(map(_longest, cells)) for cells in zip(*table, strict=True)]
    if _total(least) > width:
        return None
    low, high = 1, max(natural)
    while low < high:  # the largest cap that fits
        cap = (low + high + 1) // 2
        low, high = (cap, high) if _total(_capped(natural, least, cap)) <= width else (low, cap - 1)
    return _capped(natural, least, low)


def _capped(natural: Sequence[int], least: Sequence[int], cap: int) -> list[int]:
    return [max(small, min(large, cap)) for small, large in zip(least, natural, strict=True)]


def _longest(cell: str) -> int:
    return max(map(width_of, re.split("[ \u200b]", cell)))


def _drawn(
    table: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool]
) -> list[str]:
    head, *body = [_row(row, widths, right) for row in table]
    lines = [*head, GAP.join(["─" * width for width in widths])]
    before: list[str] = []
    for row in body:
        if before and len(before) + len(row) > 2:  # rows of several lines stand apart
            lines.append("")
        lines.extend(row)
        before = row
    return lines


def _row(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    folded = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines = []
    for at in range(max(map(len, folded))):
        parts = []
        for cell, width, flush in zip(folded, widths, right, strict=True):
            text = cell[at] if at < len(cell) else ""
            space = " " * (width - width_of(text))
            parts.append(space + text if flush else text + space)
        lines.append(GAP.join(parts).rstrip())
    return lines


def _folded(cell: str, width: int) -> list[str]:
    plain = cell.replace("\u200b", "")
    if width_of(plain) <= width:
        return [plain.replace(TIE, " ")]
    lines = wrapped(cell.replace("\u200b", " \u200b"), width)
    return [line.replace(" \u200b", "").replace("\u200b", "") for line in lines]


def _listed(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    lines: list[str] = []
    for row in rows:
        for at, (title, cell) in enumerate(zip(titles, row, strict=True)):
            if cell:
                first = f"{title}: " if title else ""
                lines.extend(wrapped(cell, width, ("  " if at else "") + first, "    "))
    return lines
