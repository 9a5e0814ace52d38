"""Language models: depth must not cost, an answer comes at once, grids run compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import numpy as np

import symroof as sr
from bench.results import Outcome, Ratio, duration
from bench.startup import WHOLE, process
from bench.timing import medians, seconds

REPETITIONS = 7
FIRST_REPETITIONS = 5
BUDGET = 0.050
CONFIGURATIONS = 1000
DEPTHS = (1, 100)

# Modules first, those of sympy too that its sums ask for: what is timed is the answer alone.
FIRST = """
import sys
from importlib import import_module
from pkgutil import walk_packages
from time import process_time
import networkx, pint, sympy.tensor.tensor
import symroof as sr
for layer in ("graph", "hardware", "models", "network", "roofline", "serving", "solve", "units"):
    package = import_module(f"symroof.{layer}")
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
begin = process_time()
sr.serve(sr.model(sys.argv[1]), sys.argv[2], context=1024).to_dict()
print(process_time() - begin)
"""
ONE, EIGHT = ("llama-3-8b", "h100-sxm"), ("llama-2-70b", "8xa100-sxm-80gb")


def analysed(depth: int) -> object:
    """Build and analyse a decoding step of so many layers."""
    model = sr.model("llama-3-8b", num_hidden_layers=depth)
    return sr.analyze(model.graph("decode"), "h100-sxm").crossover("B").at(S=1024)


def answered() -> object:
    """Answer what `symroof serve` prints: fits, terms, crossover, limit, largest batch."""
    return sr.serve("llama-3-8b", "h100-sxm", context=1024).to_dict()


def first(model: str, machine: str) -> float:
    """Return the CPU seconds of the first answer in a process of its own, imports done."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", FIRST, model, machine]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


def run(repetitions: int = REPETITIONS, firsts: int = FIRST_REPETITIONS) -> Outcome:
    """Time each in turn, imports done: in this process, and first answers in their own."""
    warm, noise = _warm(repetitions)
    cold, noise_of_first = _first(firsts)
    return Outcome((*warm, *cold), (), max(noise, noise_of_first))


def _first(repetitions: int) -> tuple[tuple[Ratio, ...], float]:
    first(*ONE)  # compiles what it imports
    times, spread = medians(
        {
            "one": partial(first, *ONE),
            "eight": partial(first, *EIGHT),
            "imports": partial(process, WHOLE["imports"]),
        },
        repetitions,
    )
    one, eight, imports = times["one"], times["eight"], times["imports"]
    what = "first serving answer of a process"
    return (
        Ratio(f"{what}, on one chip", duration(BUDGET), one / BUDGET, 1, duration(one)),
        Ratio(
            f"{what}, on one chip",
            "import sympy, pint, networkx",
            one / imports,
            1 / 8,
            f"{duration(one)} against {duration(imports)}",
        ),
        Ratio(
            f"{what}, over 8 chips by tensors",
            "the first on one chip",
            eight / one,
            2,
            f"{duration(eight)} against {duration(one)}",
        ),
    ), spread


def _warm(repetitions: int) -> tuple[tuple[Ratio, ...], float]:
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
    return ratios, spread
