"""Samples of the legend, and heads of arrows."""

from __future__ import annotations

import math

from symroof.reports.plots.legend import SAMPLE
from symroof.reports.plots.plot import Place
from symroof.reports.plots.scene import Key, Swatch


def swatch(key: Key, hue: str, solid: bool) -> str:
    """Return the sample of a legend entry as SVG; areas of bars are solid.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind, Label
    >>> label = Label("op", Kind.KEY, (25.0, 10.0))
    >>> swatch(Key(Swatch.DOT, (0.0, 10.0), 1, label), "c1", solid=False)
    '<circle class="dot c1" cx="10" cy="10.00" r="4.5"/>'
    """
    x, y = f"{key.at[0]:g}", f"{key.at[1]:.2f}"
    middle = f"{key.at[0] + SAMPLE / 2:g}"
    line = f'd="M{x} {y}h{SAMPLE:g}"'
    match key.swatch:
        case Swatch.LINE:
            return f'<path class="curve {hue}" {line}/>'
        case Swatch.DASHED:
            return f'<path class="ceiling {hue}" {line}/>'
        case Swatch.RULE:
            return f'<path class="rule" {line}/>'
        case Swatch.AREA:
            name = "cell" if solid else "area"
            place = f'x="{key.at[0] + 3:g}" y="{key.at[1] - 6:.2f}"'
            return f'<rect class="{name} {hue}" {place} width="14" height="12"/>'
        case Swatch.DOT:
            return f'<circle class="dot {hue}" cx="{middle}" cy="{y}" r="4.5"/>'
        case Swatch.CROSS:
            form = f"M{key.at[0] + 6:g} {key.at[1] - 4:.2f}l8 8m-8 0l8-8"
            return f'<path class="cross {hue}" d="{form}"/>'
        case Swatch.ARROW:
            head = f'd="M{key.at[0] + SAMPLE:g} {y}l-9-4v8z"'
            return f'<path class="shaft {hue}" {line}/><path class="head {hue}" {head}/>'
        case Swatch.NONE:
            return ""


def arrow_head(start: Place, end: Place) -> float:
    """Return how far the head of an arrow is turned, in degrees clockwise from the right.

    Examples
    --------
    >>> arrow_head((0, 0), (0, 5))
    90.0
    """
    return math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
