"""What all plots have around the data: title, axes with ticks, the frame."""

from __future__ import annotations

from dataclasses import replace

from symroof.reports.plots.geometry import Box
from symroof.reports.plots.plot import Axis
from symroof.reports.plots.scene import Anchor, Kind, Label, Mark, Side
from symroof.reports.plots.text import ASCENT, DESCENT, shorten, shown, width, wrap
from symroof.reports.plots.ticks import numbering, share, ticks

EDGE, GAP = 6.0, 7.0
TITLE = 1.15
LINE = 1.35
MOST_TITLE, TITLE_LINES = 160, 3


def title(text: str, wide: float, size: float) -> tuple[list[Label], float]:
    """Return the lines of a title, and where what is below it may begin.

    Examples
    --------
    >>> labels, bottom = title("Roofline", 300, 12)
    >>> labels[0].text, round(bottom)
    ('Roofline', 25)
    """
    lines = wrap(shown(text, MOST_TITLE), wide - 2 * EDGE, TITLE * size, TITLE_LINES, bold=True)
    labels = [
        Label(
            line,
            Kind.TITLE,
            (EDGE, EDGE + TITLE * size * (ASCENT + row * LINE)),
            size=TITLE * size,
        )
        for row, line in enumerate(lines)
    ]
    return labels, EDGE + TITLE * size * LINE * len(lines)


def side(axis: Axis, length: float, size: float, narrow: bool, upright: bool) -> tuple[Side, str]:
    """Return an axis with its ticks, and what is written at it.

    Examples
    --------
    >>> placed, said = side(Axis("m", "", 1, 100), 200, 12, narrow=False, upright=False)
    >>> said, [mark.at for mark in placed.marks if mark.major]
    ('m', [0.0, 100.0, 200.0])
    """
    numbers, said = numbering(axis, narrow)
    marks = tuple(
        Mark(share(axis, tick.value) * length, bool(tick.label))
        for tick in ticks(axis, length, size, numbers, upright)
    )
    return Side(axis, numbers, marks), said


def numbers_of(axis: Axis, length: float, size: float, narrow: bool, upright: bool) -> list[str]:
    """Return what is written at the ticks that have a number.

    Examples
    --------
    >>> numbers_of(Axis("m", "", 1, 100), 200, 12, narrow=False, upright=False)
    ['1', '10', '100']
    """
    numbers, _ = numbering(axis, narrow)
    return [tick.label for tick in ticks(axis, length, size, numbers, upright) if tick.label]


def widest(texts: list[str], size: float) -> float:
    """Return the width of the widest of some texts.

    Examples
    --------
    >>> widest([], 12), widest(["1", "10"], 10)
    (0.0, 12.8)
    """
    return max((width(text, size) for text in texts), default=0.0)


def x_labels(
    placed: Side, said: str, frame: Box, size: float, narrow: bool, canvas: float
) -> list[Label]:
    """Return the words under a frame: its name, then the numbers at the ticks.

    Examples
    --------
    >>> placed, said = side(Axis("m", "", 1, 100), 200, 12, narrow=False, upright=False)
    >>> labels = x_labels(placed, said, Box(8, 0, 208, 100), 12, narrow=False, canvas=220)
    >>> [label.text for label in labels]
    ['m', '1', '10', '100']
    """
    texts = numbers_of(placed.axis, frame.width, size, narrow, upright=False)
    below = frame.bottom + GAP + ASCENT * size
    name = Label(
        shorten(shown(said), canvas - 2 * EDGE, size),
        Kind.AXIS,
        ((frame.left + frame.right) / 2, below + LINE * size + 2),
        anchor=Anchor.MIDDLE,
        size=size,
    )
    reach = width(name.text, size) / 2
    middle = min(max(name.at[0], EDGE + reach), canvas - EDGE - reach)
    majors = [mark for mark in placed.marks if mark.major]
    return [
        replace(name, at=(middle, name.at[1])),
        *(
            Label(
                text,
                Kind.TICK,
                (frame.left + mark.at, below),
                anchor=Anchor.MIDDLE,
                size=size,
            )
            for mark, text in zip(majors, texts, strict=True)
        ),
    ]


def x_depth(size: float) -> float:
    """Return how much room the words under a frame need.

    Examples
    --------
    >>> round(x_depth(12))
    43
    """
    return GAP + size * (ASCENT + LINE + DESCENT) + 2 + EDGE
