"""A comparison for people: the summary, and the rows that stand out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.cli.timings_options import bad_rows
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

if TYPE_CHECKING:
    from symroof.measurements.comparison import Comparison
    from symroof.measurements.points import Row


def compare_view(found: Comparison, most: int) -> tuple[str, list[Block]]:
    """Return the title and the blocks of a comparison.

    Parameters
    ----------
    found : Comparison
        The rows beside their bounds.
    most : int
        How many rows to list above the roof, and how many far below it.
    """
    blocks: list[Block] = [Lines(_summary(found), strong=True)]
    above, below = found.above_rows(most), found.farthest_below(most)
    if above:
        blocks += [Sentence("Above the roof, the farthest first:"), _rows(above, reasons=True)]
    if below:
        blocks += [Sentence("Farthest below it:"), _rows(below, reasons=False)]
    blocks.append(Lines(bad_rows(found.bad)))
    return _title(found), [block for block in blocks if block.filled]


def _title(found: Comparison) -> str:
    machine = found.chip.title or found.chip.name
    return f"{found.measured.title}   measured on {machine}, against its bound"


def _summary(found: Comparison) -> list[tuple[str, str]]:
    measured = found.measured
    dtypes = ", ".join(f"{p.group.name} {number(len(p.group.measured))}" for p in found.parts)
    least, p10, median, p90, largest = np.quantile(found.ratio, (0, 0.1, 0.5, 0.9, 1))
    rows = [
        ("rows", f"{number(found.rows)} of {measured.source}   ({dtypes})"),
        ("left out", f"{number(measured.left_out)} by {_asked(found)}"),
        ("columns", _pairs(measured.columns)),
        ("bound by", _counts(found.limits)),
        (
            "measured/bound",
            f"{median:.3g} in the median; 10 % below {p10:.3g}, 10 % above {p90:.3g};"
            f" {least:.3g} to {largest:.3g}",
        ),
        ("error of bound", f"{100 * np.median(found.error):.1f} % in the median"),
        ("above the roof", _above(found)),
        ("likely because", _counts(found.causes)),
    ]
    if not measured.left_out:
        rows.pop(1)
    rows += [("inside" if place == 0 else "", line) for place, line in enumerate(found.said)]
    return [row for row in rows if row != ("likely because", "")]


def _asked(found: Comparison) -> str:
    limit = (
        f"time of {human(Quantity(found.measured.above, 's'))} or less"
        if found.measured.above
        else ""
    )
    return ", ".join(text for text in (_pairs(found.measured.where), limit) if text)


def _above(found: Comparison) -> str:
    others = [
        f"{number(count)} {name}"
        for name, count in found.above_by_residency.items()
        if name != found.residency
    ]
    text = f"{number(found.above)} with residency {found.residency}"
    return f"{text}   ({', '.join(others)})" if others else text


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number(count)}" for name, count in counts.items())


def _pairs(given: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in given.items())


def _rows(rows: list[Row], *, reasons: bool) -> Grid:
    dims = list(rows[0].dims)
    header = ["row", "dtype", *dims, "measured", "bound", "by", "ratio"]
    words = {1, header.index("by")}
    lines = []
    for row in rows:
        line = [str(row.number), row.dtype, *(number(row.dims[name]) for name in dims)]
        line += [human(row.measured), human(row.bound), row.limit, f"{row.ratio:.3g}"]
        lines.append([*line, str(row.reasons[0])] if reasons else line)
    right = frozenset(place for place in range(len(header)) if place not in words)
    return Grid([*header, "likely because"] if reasons else header, lines, right)
