"""Stacked bars on a canvas."""

from __future__ import annotations

from dataclasses import replace

from symroof.reports.plots.frame import EDGE, numbers_of, side, title, widest, x_depth, x_labels
from symroof.reports.plots.geometry import Box
from symroof.reports.plots.legend import legend
from symroof.reports.plots.plot import Bars, Scale, seen
from symroof.reports.plots.scene import Anchor, Cell, Kind, Label, Scene, Swatch
from symroof.reports.plots.text import ASCENT, DESCENT, shorten, shown, width
from symroof.reports.plots.ticks import amount

BAR, GAP = 1.7, 0.75
NAMES, TOTALS = 0.34, 0.3


def bars_scene(plot: Bars, wide: float, size: float, narrow: bool) -> Scene:
    r"""Return stacked bars laid out, each row with its sum and the parts that have room.

    Examples
    --------
    >>> from symroof.reports.plots.plot import Axis
    >>> axis = Axis("time", "s", 0, 4e-6, Scale.LINEAR)
    >>> scene = bars_scene(Bars("t", "", axis, (("op", (1e-6, 2e-6)),), ("a", "b")), 600, 12, False)
    >>> [shape.said for shape in scene.shapes]
    ['op\na: 1 µs (33.3 %)', 'op\nb: 2 µs (66.7 %)']
    """
    axis = replace(plot.axis, scale=Scale.LINEAR)
    labels, top = title(plot.title, wide, size)
    keys, top = legend(
        ((Swatch.AREA, index, plot.segments[index]) for index in seen(plot)),
        wide,
        top + 2,
        size,
    )
    names = [shown(name) for name, _ in plot.rows]
    totals = [amount(sum(parts), axis.unit) for _, parts in plot.rows]
    left = EDGE if narrow else EDGE + min(NAMES * wide, widest(names, size)) + 8
    if widest(totals, size) > TOTALS * wide:
        totals = [""] * len(totals)
    right = wide - EDGE - 6 - widest(totals, size)
    rough = numbers_of(axis, right - left, size, narrow, upright=False)
    overhang = widest(rough[-1:], size) / 2
    right = min(right, wide - EDGE - overhang)
    left = max(left, EDGE + widest(rough[:1], size) / 2)
    above = (ASCENT + DESCENT) * size + 3 if narrow else 0.0
    step = above + (BAR + GAP) * size
    top += 6
    frame = Box(left, top, right, top + step * len(plot.rows) + GAP * size / 2)
    placed, said = side(axis, frame.width, size, narrow, upright=False)
    labels += x_labels(placed, said, frame, size, narrow, wide)
    cells: list[Cell] = []
    for row, ((_, parts), name, total) in enumerate(zip(plot.rows, names, totals, strict=True)):
        bar = frame.top + GAP * size / 2 + row * step + above
        middle = bar + BAR * size / 2 + (ASCENT - DESCENT) / 2 * size
        x = frame.left
        for index, part in enumerate(parts):
            end = min(frame.right, x + max(0.0, part) / (axis.high - axis.low) * frame.width)
            text = amount(part, axis.unit)
            if end - x > 0.05:
                share = f" ({100 * part / sum(parts):.3g} %)" if sum(parts) > 0 else ""
                segment = shown(plot.segments[index]) if index < len(plot.segments) else ""
                box = Box(x, bar, end, bar + BAR * size)
                cells.append(Cell(box, index, f"{name}\n{segment}: {text}{share}"))
                if width(text, 0.92 * size) + 8 <= end - x:
                    labels.append(
                        Label(
                            text,
                            Kind.VALUE,
                            ((x + end) / 2, middle),
                            anchor=Anchor.MIDDLE,
                            size=0.92 * size,
                            colour=index,
                        )
                    )
            x = end
        if total:
            labels.append(Label(total, Kind.TOTAL, (x + 6, middle), size=size))
        if narrow:
            at = (frame.left, bar - 3 - DESCENT * size)
            text = shorten(name, wide - left - EDGE, size)
            labels.append(Label(text, Kind.ROW, at, size=size))
        else:
            at = (frame.left - 8, middle)
            text = shorten(name, NAMES * wide, size)
            labels.append(Label(text, Kind.ROW, at, anchor=Anchor.END, size=size))
    return Scene(
        shown(plot.title, 200),
        plot.description,
        wide,
        frame.bottom + x_depth(size),
        size,
        frame,
        placed,
        None,
        tuple(cells),
        tuple(labels),
        keys,
    )
