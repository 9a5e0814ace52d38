"""Start-up, as whole processes: the command line, the import, the first answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from bench.results import Outcome, Ratio, duration
from bench.timing import medians

HEAVY = ("sympy", "pint", "networkx", "rich", "numpy", "msgspec")
REPETITIONS = 15
FIRST_REPETITIONS = 7

COMMAND = "import sys; from symroof.cli.main import main; main(sys.argv[1:])"
FIRST_ANSWER = """
import symroof as sr
g = sr.Graph("matmul")
c = g.input("A", ("M", "N"), "fp16") @ g.weight("B", ("N", "K"), "fp16")
print(sr.analyze(g, "h100-sxm").crossover("M").at(N=4096, K=4096))
"""
LOADED = """
import sys
from symroof.cli.main import run
run(sys.argv[1:])
print("loaded:", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def run(repetitions: int = REPETITIONS, first: int = FIRST_REPETITIONS) -> Outcome:
    """Time processes in turn."""
    light, noise = medians(
        {
            name: lambda arguments=arguments: process(arguments)
            for name, arguments in {
                "--version": ("-c", COMMAND, "--version"),
                "--help": ("-c", COMMAND, "--help"),
                "click": ("-c", "import click"),
                "import": ("-c", "import symroof"),
                "python": ("-c", ""),
            }.items()
        },
        repetitions,
    )
    heavy, noise_of_first = medians(
        {
            "answer": lambda: process(("-c", FIRST_ANSWER)),
            "imports": lambda: process(("-c", "import sympy, pint, networkx")),
        },
        first,
    )
    ratios = [
        _ratio(f"symroof {option}", "python -c 'import click'", light[option], light["click"], 1.5)
        for option in ("--version", "--help")
    ]
    ratios += [
        Ratio(
            f"heavy modules that symroof {option} imports",
            ", ".join(HEAVY),
            len(loaded),
            0,
            ", ".join(loaded) or "none",
        )
        for option in ("--version", "--help")
        for loaded in [heavy_modules(option)]
    ]
    ratios.append(_ratio("import symroof", "bare python", light["import"], light["python"], 1.5))
    ratios.append(
        _ratio(
            "first answer, a matmul's crossover",
            "import sympy, pint, networkx",
            heavy["answer"],
            heavy["imports"],
            1.3,
        )
    )
    return Outcome(tuple(ratios), (), max(noise, noise_of_first))


def process(arguments: Sequence[str]) -> float:
    """Return the CPU seconds of a Python process of its own, start to end."""
    child = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, child.args)
    return usage.ru_utime + usage.ru_stime


def heavy_modules(option: str) -> list[str]:
    """Return which heavy modules a run of the command line has imported."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, option], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.rpartition("loaded:")[2].split()
    return [name for name in HEAVY if name in loaded]


def _ratio(what: str, peer: str, own: float, other: float, target: float) -> Ratio:
    return Ratio(what, peer, own / other, target, f"{duration(own)} to {duration(other)}")
