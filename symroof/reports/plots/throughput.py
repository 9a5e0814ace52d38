"""Throughput of a served model against the batch, under what peak compute allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from symroof.reports.plots.plot import Axis, Chart, Line, Mark, Role, Rule
from symroof.serving.serving import Serving
from symroof.symbolic import adopt, bind, to_float

SAMPLES = 64
FARTHEST = 4096


def throughput(serving: Serving, batches: Sequence[int] = ()) -> Chart:
    """Draw the tokens per second of a served model against its batch.

    Parameters
    ----------
    serving : Serving
        With numbers for its lengths.
    batches : sequence of int
        Batches that are to lie on the axis, where the memory sets no limit.

    Examples
    --------
    >>> import symroof as sr
    >>> chart = throughput(sr.serve("llama-3-8b", "h100-sxm", context=1024))
    >>> chart.x.high, [mark.label for mark in chart.marks]
    (512.0, ['at peak compute', 'throughput', '476 fit'])
    """
    most = serving.max_tokens or max(FARTHEST, *batches)
    low, high = 1.0, float(2 ** math.ceil(math.log2(max(most, 2))))
    rate = serving.throughput.resolved()
    points = tuple(
        (size, to_float(bind(rate.expr, {serving.batch: adopt(size)})))
        for size in _spread(int(low), int(high))
    )
    best = serving.optimal_throughput.resolved()
    marks: list[Mark] = []
    heights = [y for _, y in points]
    if not best.expr.free_symbols:
        top = to_float(best.expr)
        marks.append(Line(((low, top), (high, top)), "at peak compute", Role.ROOF, 5))
        heights.append(top)
    marks.append(Line(points, "throughput", Role.CURVE, 0))
    if serving.max_tokens:
        marks.append(Rule(float(serving.max_tokens), f"{serving.max_tokens:,} fit"))
    unit = "sequences" if serving.workload is None else "tokens of an iteration"
    x = Axis(f"{serving.batch}, {unit}", "", low, high)
    y = Axis("throughput", "token/s", min(heights) / 1.5, max(heights) * 1.5)
    told = "; ".join(f"{a:,} : {b:,.0f}" for a, b in points[:: max(1, len(points) // 8)])
    description = f"Tokens per second by batch (batch : tokens per second): {told}."
    return Chart("Throughput", description, x, y, tuple(marks))


def _spread(low: int, high: int) -> Iterator[int]:
    """Yield whole numbers that lie even on a log axis."""
    last = 0
    for place in range(SAMPLES + 1):
        size = round(low * (high / low) ** (place / SAMPLES))
        if size > last:
            last = size
            yield size
