"""A plot of each of the five kinds, with the numbers of an H100 SXM, and one of thirty points.

989 TFLOP/s in bf16, twice that in fp8, 67 TFLOP/s in fp32, 3.35 TB/s: ridges at 295, 591, 20.
"""

from __future__ import annotations

from symroof.reports.plots.plot import (
    Arrow,
    Axis,
    Bars,
    Chart,
    Line,
    Plot,
    Point,
    Region,
    Role,
    Rule,
    Scale,
)

BANDWIDTH, CACHE = 3.35e12, 12e12
PEAKS = {"bf16": 989e12, "fp8": 1979e12, "fp32": 67e12}
LEFT, RIGHT, LOW, HIGH = 0.25, 8000.0, 4e11, 6e15
OPS = (
    ("q projection", 62.0, 0.12),
    ("k projection", 48.0, 0.03),
    ("v projection", 48.0, 0.03),
    ("scores", 0.98, 0.16),
    ("softmax", 0.6, 0.02),
    ("weighted sum", 0.98, 0.16),
    ("output projection", 62.0, 0.12),
    ("gate projection", 63.0, 0.14),
    ("up projection", 63.0, 0.14),
    ("down projection", 63.5, 0.14),
    ("RMS norm", 0.45, 0.01),
)


def roofline() -> Chart:
    top = PEAKS["fp8"]
    ridge = top / BANDWIDTH
    roof = ((LEFT, BANDWIDTH * LEFT), (ridge, top))
    return Chart(
        "Roofline of a Llama-3-8B layer, decoding at batch 64, on an H100 SXM",
        "All ops are under the slanted roof of the main memory.",
        Axis("arithmetic intensity", "FLOP/byte", LEFT, RIGHT),
        Axis("performance", "FLOP/s", LOW, HIGH),
        (
            Region(((LEFT, LOW), *roof, (ridge, LOW)), "memory-bound", 1),
            Region(((ridge, LOW), (ridge, top), (RIGHT, top), (RIGHT, LOW)), "compute-bound", 0),
            Region(
                (roof[0], (LEFT, HIGH), (RIGHT, HIGH), (RIGHT, top), roof[1]), "unattainable", 6
            ),
            Line(roof, "HBM 3.35 TB/s", Role.ROOF, 1),
            Line(((LEFT, CACHE * LEFT), (top / CACHE, top)), "L2 12 TB/s", Role.CEILING, 4),
            *(
                Line(((peak / BANDWIDTH, peak), (RIGHT, peak)), f"{name} roof", Role.ROOF, colour)
                for (name, peak), colour in zip(PEAKS.items(), (0, 2, 3), strict=True)
            ),
            Rule(PEAKS["bf16"] / BANDWIDTH, "ridge bf16 295 FLOP/byte"),
            Rule(ridge, "ridge fp8 591 FLOP/byte"),
            *(Point(x, BANDWIDTH * x, name, share, 0, f"{share:.0%}") for name, x, share in OPS),
            Point(62.0, 1.5e14, "measured q", 0.1, 1, "150 TFLOP/s", measured=True),
            Arrow((63.0, BANDWIDTH * 63), (256.0, BANDWIDTH * 256), "batch 64 → 256", 2),
        ),
    )


def intensity() -> Chart:
    points = tuple((1.1**step, 2048 / (1 + 2048 / 1.1**step)) for step in range(101))
    end = points[-1][0]
    return Chart(
        "Intensity of matmul against m, n = k = 4096",
        "It rises and reaches the ridge point at m = 345.",
        Axis("m", "", 1.0, end),
        Axis("arithmetic intensity", "FLOP/byte", 0.8, 4000.0),
        (
            Line(points, "intensity", Role.CURVE, 6),
            Line(((1.0, 2048.0), (end, 2048.0)), "limit 2048", Role.GUIDE, 6),
            Rule(295.2, "ridge point 295 FLOP/byte", vertical=False),
            Rule(344.9, "m = 345"),
            Point(344.9, 295.2, "crossover: m ≥ 345", 0.3, 3),
        ),
    )


def times() -> Chart:
    def line(name: str, colour: int, fixed: float, slope: float) -> Line:
        places = tuple((1.1**step, fixed + slope * 1.1**step) for step in range(90))
        return Line(places, name, Role.CURVE, colour)

    return Chart(
        "Time terms of an MLP against the batch",
        "The compute time overtakes the memory time at B = 345.",
        Axis("batch B", "", 1.0, 1.1**89),
        Axis("time", "s", 2e-8, 3e-4),
        (
            line("compute time", 0, 0.0, 3.393e-8),
            line("memory time", 1, 1.0017e-5, 4.891e-9),
            line("network time", 2, 5e-6, 1.82e-8),
            Rule(345.0, "crossover B = 345"),
        ),
    )


def regimes() -> Chart:
    rest = 1 / 295.2 - 1 / 4096  # 1/M + 1/N = 1/I - 1/K is the boundary
    found = ((x, 1 / (rest - 1 / x)) for x in (319 * 1.02**step for step in range(165)))
    curve = tuple((x, y) for x, y in found if 0 < y < 1e4)
    return Chart(
        "Regimes of matmul over M and N, K = 4096",
        "Compute-bound to the right of the curve, and above it.",
        Axis("M", "", 32.0, 8192.0),
        Axis("N", "", 32.0, 8192.0),
        (
            Region((*curve, (8192.0, 8192.0)), "compute-bound", 0),
            Region(((32.0, 32.0), (32.0, 1e4), *curve, (1e4, 32.0)), "memory-bound", 1),
            Line(curve, "1/M + 1/N + 1/K = 1/I", Role.BOUNDARY, 6),
            Point(64.0, 4096.0, "decode, M = 64", 0.3, 3),
        ),
    )


def bars() -> Bars:
    return Bars(
        "Where the time of a layer goes",
        "The MLP takes the most of it.",
        Axis("time", "s", 0.0, 1.75e-4, Scale.LINEAR),
        (
            ("attention, all heads", (12.1e-6, 41.3e-6, 0.0)),
            ("MLP: gate, up and down projections", (66e-6, 88.2e-6, 9e-6)),
            ("norms", (0.1e-6, 2.2e-6, 0.0)),
            ("all-reduce", (0.0, 1.1e-6, 21e-6)),
        ),
        ("compute", "memory", "network"),
    )


def crowd() -> Chart:
    return Chart(
        "Thirty ops at one place",
        "",
        Axis("arithmetic intensity", "FLOP/byte", LEFT, RIGHT),
        Axis("performance", "FLOP/s", LOW, HIGH),
        tuple(Point(60.0, 2e14, f"op number {n}", n / 30, n % 8) for n in range(30)),
    )


PLOTS: dict[str, Plot] = {
    made.__name__: made() for made in (roofline, intensity, times, regimes, bars, crowd)
}
