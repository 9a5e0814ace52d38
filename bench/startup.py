"""Start-up, as whole processes: the command line, the import, the first answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from bench.results import Outcome, Ratio, duration
from bench.timing import medians

HEAVY = ("sympy", "pint", "networkx", "rich", "numpy")
REPETITIONS = 11
FIRST_REPETITIONS = 5

COMMAND = "import sys; from symroof.cli.main import main; main(sys.argv[1:])"
QUESTION = "crossover mn,nk->mk --for m --chip h100-sxm --dtype fp16 --set n=4096 --set k=4096"
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

OPTIONS = ("--version", "--help")
LIGHT = {
    "--version": ("-c", COMMAND, "--version"),
    "--help": ("-c", COMMAND, "--help"),
    "click": ("-c", "import click"),
    "import": ("-c", "import symroof"),
    "python": ("-c", ""),
}
WHOLE = {
    "answer": ("-c", FIRST_ANSWER),
    "command": ("-c", COMMAND, *QUESTION.split()),
    "imports": ("-c", "import sympy, pint, networkx"),
}


def run(repetitions: int = REPETITIONS, first: int = FIRST_REPETITIONS) -> Outcome:
    """Time processes in turn, all of them with compiled modules."""
    light, noise = _timed(LIGHT, repetitions)
    heavy, noise_of_first = _timed(WHOLE, first)
    ratios = [
        *(
            _ratio(f"symroof {option}", "python -c 'import click'", light[option], light["click"])
            for option in OPTIONS
        ),
        *(_heavy_ratio(option) for option in OPTIONS),
        _ratio("import symroof", "bare python", light["import"], light["python"]),
        *(
            _ratio(what, "import sympy, pint, networkx", heavy[name], heavy["imports"], 1.3)
            for name, what in (
                ("answer", "first answer in Python, a matmul's crossover"),
                ("command", "first answer of the command line, printed"),
            )
        ),
    ]
    return Outcome(tuple(ratios), (), max(noise, noise_of_first))


def process(arguments: Sequence[str]) -> float:
    """Return the CPU seconds of a Python process of its own, start to end."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, env=environment
    )
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


def _timed(
    processes: Mapping[str, Sequence[str]], repetitions: int
) -> tuple[dict[str, float], float]:
    for arguments in processes.values():
        process(arguments)  # compiles what it imports
    actions = {name: partial(process, arguments) for name, arguments in processes.items()}
    return medians(actions, repetitions)


def _heavy_ratio(option: str) -> Ratio:
    loaded = heavy_modules(option)
    what = f"heavy modules that symroof {option} imports"
    return Ratio(what, ", ".join(HEAVY), len(loaded), 0, ", ".join(loaded) or "none")


def _ratio(what: str, peer: str, own: float, other: float, target: float = 1.5) -> Ratio:
    return Ratio(what, peer, own / other, target, f"{duration(own)} to {duration(other)}")
