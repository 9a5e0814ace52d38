"""Language models: depth must not cost, an answer comes at once, grids run compiled."""

from __future__ import annotations

from functools import partial

import numpy as np

import symroof as sr
from bench.results import Outcome, Ratio, duration
from bench.timing import medians, seconds

REPETITIONS = 7
BUDGET = 0.050
CONFIGURATIONS = 1000
DEPTHS = (1, 100)


def analysed(depth: int) -> object:
    """Build and analyse a decoding step of so many layers."""
    model = sr.model("llama-3-8b", num_hidden_layers=depth)
    return sr.analyze(model.graph("decode"), "h100-sxm").crossover("B").at(S=1024)


def answered() -> object:
    """Answer what `symroof serve` prints: fits, terms, crossover, limit, largest batch."""
    return sr.serve("llama-3-8b", "h100-sxm", context=1024).to_dict()


def run(repetitions: int = REPETITIONS) -> Outcome:
    """Time each in turn, in this process, imports done."""
    time = sr.serve("llama-3-8b", "h100-sxm", context=2048).symbolic.time().overlapped
    batches = np.arange(1, CONFIGURATIONS + 1)
    contexts = 8 * batches
    compiled = sr.compile(time, ["B", "S"])
    pairs = list(zip(batches.tolist(), contexts.tolist(), strict=True))
    times, spread = medians(
        {
            **{f"{depth} layers": partial(seconds, partial(analysed, depth)) for depth in DEPTHS},
            "serve": partial(seconds, answered),
            "compiled": partial(seconds, lambda: compiled(batches, contexts)),
            "loop": partial(seconds, lambda: [time.at(B=b, S=s).to("s") for b, s in pairs]),
        },
        repetitions,
    )
    shallow, deep = (times[f"{depth} layers"] for depth in DEPTHS)
    ratios = (
        Ratio(
            f"a model of {DEPTHS[1]} layers, built and analysed",
            f"of {DEPTHS[0]} layer",
            deep / shallow,
            1.5,
            f"{duration(deep)} against {duration(shallow)}",
        ),
        Ratio(
            "one serving answer, in process",
            f"{duration(BUDGET)}",
            times["serve"] / BUDGET,
            1,
            duration(times["serve"]),
        ),
        Ratio(
            f"{CONFIGURATIONS} configurations, compiled",
            "the closed form in a Python loop",
            times["compiled"] / times["loop"],
            1 / 100,
            f"{duration(times['compiled'])} against {duration(times['loop'])}",
        ),
    )
    return Outcome(ratios, (), spread)
