"""The roofline between chips: performance against link intensity, under the roof of the links."""

from __future__ import annotations

from fractions import Fraction

from symroof.errors import InputError
from symroof.reports.plots.axes import (
    COLOURS,
    WHOLE,
    formula_text,
    headline,
    nice,
    number_or_raise,
    prefixed,
    short,
)
from symroof.reports.plots.plot import Axis, Chart, Line, Mark, Point, Region, Role, Rule
from symroof.reports.plots.roofs import INTENSITY
from symroof.roofline import Bound, Roofline
from symroof.symbolic import adopt, symbol
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

AROUND, ABOVE = 16.0, 4.0


def network(r: Roofline) -> Chart:
    """Draw an algorithm under the roof of its links.

    Link intensity is FLOPs per byte that a chip sends; the slanted roof is the bandwidth of the
    links, with several of them that of their bytes together; the flat one is the peak. Where the
    algorithm is bound by memory it stays below both.

    Parameters
    ----------
    r : Roofline
        With numbers for all symbols, and bytes that are sent.

    Returns
    -------
    Chart
        On log-log axes: the roofs, the critical link intensity, the algorithm.

    Raises
    ------
    NumbersNeededError
        If symbols are free.
    InputError
        If nothing is sent, or nothing computed.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm")
    >>> chart = network(r.at(B=1024, D=4096, F=14336, n=8))
    >>> [mark.label for mark in chart.marks if isinstance(mark, Point | Rule)]
    ['critical 2198 FLOP/byte', 'tensor-parallel-mlp']
    """
    critical, intensity = r.critical_link_intensity, r.link_intensity
    if critical is None or intensity is None:
        raise InputError(f"{r.graph.name} sends nothing between chips, so it has no link roof")
    if r.flops.expr == 0:
        raise InputError(f"{r.graph.name} computes nothing, so it has no performance to draw")
    ridge, at, peak = (_exact(amount) for amount in (critical, intensity, r.peak))
    reached = _exact(r.flops) / _exact(r.time.overlapped)
    speed = peak / ridge
    low = nice(min(float(ridge), float(at)) / AROUND, up=False)
    high = nice(max(float(ridge), float(at)) * AROUND, up=True)
    unit, factor = prefixed("FLOP/s", float(peak))
    bottom = min(float(speed) * low, float(reached) / 2) / float(factor)
    x = Axis("link intensity", "FLOP/byte", low, high)
    top = nice(float(peak / factor) * ABOVE, up=True)
    y = Axis("performance", unit, nice(bottom, up=False), top)
    bend = (float(ridge), float(peak / factor))
    bandwidth = human(Quantity(adopt(speed), "byte/s"))
    slanted = formula_text(adopt(speed) * symbol(INTENSITY), INTENSITY, Fraction(1), factor)
    flat = formula_text(adopt(peak), INTENSITY, Fraction(1), factor)
    start = max(low, y.low * float(factor / speed))
    height = float(speed * Fraction(start) / factor)
    peaks = human(Quantity(adopt(peak), "FLOP/s"))
    bound = r.verdict()
    label = f"critical {number(ridge, 4)} FLOP/byte"
    marks: list[Mark] = [
        *_regions(x, y, bend, (start, height)),
        Line(((start, height), bend), f"links {bandwidth}", Role.ROOF, WHOLE, slanted, INTENSITY),
        Line((bend, (high, bend[1])), f"peak {peaks}", Role.ROOF, WHOLE, flat, INTENSITY),
        Rule(bend[0], label),
        Point(
            float(at),
            float(reached / factor),
            short(r.graph.name),
            1.0,
            COLOURS[str(bound)] if bound is not Bound.NO_WORK else WHOLE,
            f"{number(at, 4)} FLOP per link byte, at most"
            f" {human(Quantity(adopt(reached), 'FLOP/s'))}, {bound}",
        ),
    ]
    said = (
        f"{short(r.graph.name, 60)} under the roof of its links, {bandwidth} per chip and"
        f" direction: {number(at, 4)} FLOP per byte sent, where {number(ridge, 4)} are critical."
    )
    if bound is Bound.MEMORY:
        said += " It is below the roof because it is memory-bound."
    return Chart(headline("Network", r), said, x, y, tuple(marks))


def _regions(
    x: Axis, y: Axis, bend: tuple[float, float], start: tuple[float, float]
) -> list[Region]:
    """Return what lies under the roof, left and right of the ridge, and over it."""
    ridge, peak = bend
    return [
        Region(
            (start, bend, (ridge, y.low), (start[0], y.low)), "network-bound", COLOURS["network"]
        ),
        Region(
            ((ridge, y.low), bend, (x.high, peak), (x.high, y.low)),
            "compute-bound",
            COLOURS["compute"],
        ),
        Region(
            ((x.low, y.high), (x.low, y.low), start, bend, (x.high, peak), (x.high, y.high)),
            "unattainable",
            COLOURS["no work"],
        ),
    ]


def _exact(amount: Quantity) -> Fraction:
    """Return a quantity as a number of base units."""
    near = number_or_raise("network", amount)
    found = amount.resolved().expr
    return Fraction(int(found.p), int(found.q)) if found.is_Rational else Fraction(near)
