"""Reports of a graph of a hundred ops, as whole commands, against its analysis."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import symroof as sr
from bench.results import Outcome, Ratio, duration
from bench.startup import COMMAND, process
from bench.timing import medians
from symroof import ops

FORMATS = ("txt", "md", "tex", "html", "json")
LAYERS = 25
REPETITIONS = 5
DIMS = ("B=64", "D=4096", "F=1024")


def network(layers: int = LAYERS) -> sr.Graph:
    """Return a chain of feed-forward layers, each wider than the one before: four ops a layer."""
    g = sr.Graph("network")
    x: sr.Tensor = g.input("x", ("B", "D"), "bf16")
    for layer in range(1, layers + 1):
        h = ops.gelu(ops.rmsnorm(x) @ g.weight(f"up_{layer}", ("D", f"{layer}*F"), "bf16"))
        x = h @ g.weight(f"down_{layer}", (f"{layer}*F", "D"), "bf16")
    return g


def run(repetitions: int = REPETITIONS) -> Outcome:
    """Time each command in turn."""
    with TemporaryDirectory() as folder:
        spec = Path(folder) / "network.toml"
        network().save(spec)
        common = [str(spec), "--chip", "h100-sxm"]
        for dim in DIMS:
            common += ["--set", dim]
        commands = {"analyze": ("-c", COMMAND, "analyze", *common)}
        for extension in FORMATS:
            target = str(Path(folder) / f"report.{extension}")
            commands[extension] = ("-c", COMMAND, "report", *common, "--for", "B", "-o", target)
        times, spread = medians(
            {name: partial(process, arguments) for name, arguments in commands.items()},
            repetitions,
        )
    ratios = tuple(
        Ratio(
            f"symroof report, {LAYERS * 4} ops, .{extension}",
            "symroof analyze",
            times[extension] / times["analyze"],
            2,
            f"{duration(times[extension])} against {duration(times['analyze'])}",
        )
        for extension in FORMATS
    )
    return Outcome(ratios, (), spread)
