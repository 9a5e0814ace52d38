"""Start-up, as whole processes: the command line, the import, the first answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from tempfile import TemporaryDirectory

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
    "imports": ("-c", "import sympy, pint, networkx"),
}


def run(repetitions: int = REPETITIONS, first: int = FIRST_REPETITIONS) -> Outcome:
    """Time processes in turn, all of them with compiled modules."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        light, noise = _timed(LIGHT, repetitions, environment)
        heavy, noise_of_first = _timed(WHOLE, first, environment)
    ratios = [
        *(
            _ratio(f"symroof {option}", "python -c 'import click'", light[option], light["click"])
            for option in OPTIONS
        ),
        *(_heavy_ratio(option) for option in OPTIONS),
        _ratio("import symroof", "bare python", light["import"], light["python"]),
        _ratio(
            "first answer, a matmul's crossover",
            "import sympy, pint, networkx",
            heavy["answer"],
            heavy["imports"],
            1.3,
        ),
    ]
    return Outcome(tuple(ratios), (), max(noise, noise_of_first))


def process(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """Return the CPU seconds of a Python process of its own, start to end."""
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
    processes: Mapping[str, Sequence[str]], repetitions: int, environment: Mapping[str, str]
) -> tuple[dict[str, float], float]:
    for arguments in processes.values():
        process(arguments, environment)  # compiles what it imports
    actions = {
        name: partial(process, arguments, environment) for name, arguments in processes.items()
    }
    return medians(actions, repetitions)


def _heavy_ratio(option: str) -> Ratio:
    loaded = heavy_modules(option)
    what = f"heavy modules that symroof {option} imports"
    return Ratio(what, ", ".join(HEAVY), len(loaded), 0, ", ".join(loaded) or "none")


def _ratio(what: str, peer: str, own: float, other: float, target: float = 1.5) -> Ratio:
    return Ratio(what, peer, own / other, target, f"{duration(own)} to {duration(other)}")
