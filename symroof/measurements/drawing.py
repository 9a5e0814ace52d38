"""A comparison as a picture: measured rows under the roofs of the chip."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from symroof.errors import InputError
from symroof.symbolic.numerals import number

if TYPE_CHECKING:
    from symroof.measurements.comparison import Comparison, Part
    from symroof.plot import Picture


def picture(found: Comparison) -> Picture:
    """Return the rows of a comparison as crosses under the roofs.

    Raises
    ------
    InputError
        If no row has a place on log axes.
    """
    from symroof.plot import Picture
    from symroof.reports.plots.plot import Arrow, Point
    from symroof.reports.plots.roofline import roofline

    points = [each.drawable for each in found.points]
    if not any(map(len, points)):
        message = f"{found.measured.title} has no intensity: it computes or moves nothing"
        raise InputError(message, where="plot")
    part = max(found.parts, key=_peak)
    largest = int(np.argmax(part.times.bytes))  # The row that uses all levels of memory.
    dims = {name: int(values[largest]) for name, values in part.group.dims.items()}
    chart = roofline(part.forms.roofline.at(dims), fused=False, grow="", points=points)
    rows = sum(map(len, points))
    above = sum(int(each.above.sum()) for each in points)
    marks = tuple(
        mark
        for mark in chart.marks
        if not isinstance(mark, Arrow) and (not isinstance(mark, Point) or mark.measured)
    )
    title = f"{found.measured.title} on {found.chip.name}: {number(rows)} rows, {above} above"
    said = (
        f"{number(rows)} rows of {found.measured.title} under the roofs of {found.chip.name},"
        f" residency {found.residency}; {number(above)} above."
    )
    return Picture(replace(chart, title=title, description=said, marks=marks))


def _peak(part: Part) -> float:
    """Return the FLOP/s of the roof of a dtype; 0 for an op that computes nothing."""
    compute = part.times.terms.get("compute")
    if compute is None:
        return 0.0
    return float(np.max(part.times.flops / compute))
