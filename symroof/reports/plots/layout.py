"""A plot laid out on a canvas: margins, ticks, shapes in the frame, and words without overlaps."""

from __future__ import annotations

import math

from symroof.errors import InputError
from symroof.reports.plots.bars_layout import bars_scene
from symroof.reports.plots.chart_layout import chart_scene
from symroof.reports.plots.plot import Axis, Bars, Plot, Scale
from symroof.reports.plots.scene import Scene

LEAST_WIDTH, LEAST_HEIGHT = 240.0, 200.0
NARROW = 480.0


def layout(plot: Plot, width: float = 720.0, height: float = 440.0) -> Scene:
    """Lay a plot out; the same plot gives the same scene.

    Parameters
    ----------
    plot : Plot
        What to draw.
    width : float
        Of the canvas, in pixels or any other unit.
    height : float
        Of the canvas without the legend: what finds no place in the plot is named below it, and
        the canvas grows by that. Bars are as high as they are many.

    Raises
    ------
    InputError
        If the canvas is too small, or an axis has no extent.

    Examples
    --------
    >>> from symroof.reports.plots.plot import Chart
    >>> scene = layout(Chart("t", "", Axis("x", "", 1, 100), Axis("time", "s", 1e-6, 1e-3), ()))
    >>> [label.text for label in scene.labels][:4]
    ['t', 'time', 'x', '1']
    """
    if not (width >= LEAST_WIDTH and height >= LEAST_HEIGHT):
        raise InputError(
            f"a plot needs {LEAST_WIDTH:g} by {LEAST_HEIGHT:g} pixels, not {width:g} by {height:g}"
        )
    size = 12.0 if width < NARROW else 13.0
    if isinstance(plot, Bars):
        _check(plot.axis)
        return bars_scene(plot, width, size, narrow=width < NARROW)
    _check(plot.x)
    _check(plot.y)
    return chart_scene(plot, width, height, size, narrow=width < NARROW)


def _check(axis: Axis) -> None:
    ends = (axis.low, axis.high)
    if not all(map(math.isfinite, ends)) or axis.low >= axis.high:
        raise InputError(f"axis {axis.label!r} goes from {axis.low:g} to {axis.high:g}")
    if axis.scale is Scale.LOG and axis.low <= 0:
        raise InputError(f"axis {axis.label!r} is logarithmic and begins at {axis.low:g}")
