"""Measure speed as ratios in one run: ``python -m bench.run [--only NAME] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from bench import crossover, graphs, reports, serving, startup
from bench.results import Outcome, Ratio, Table, as_text

MEASUREMENTS: Mapping[str, Callable[[], Outcome]] = {
    "startup": startup.run,
    "crossover": crossover.run,
    "graphs": graphs.run,
    "reports": reports.run,
    "serving": serving.run,
}
WIDTH = 140


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the measurements and print the tables; a missed target is no failure."""
    parser = argparse.ArgumentParser(prog="bench", description="Speed, as ratios of one run.")
    parser.add_argument("--only", choices=MEASUREMENTS, help="run one measurement")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args(arguments)
    console = Console(highlight=False)
    console.width = max(console.width, WIDTH)
    outcomes = {}
    for name in [options.only] if options.only else MEASUREMENTS:
        begin = perf_counter()
        outcomes[name] = MEASUREMENTS[name]()
        console.print(f"{name}: {perf_counter() - begin:.0f} s", style="dim")
        for table in outcomes[name].tables:
            console.print(detail(table))
    conclude(console, outcomes)
    if options.json:
        document = {name: outcome.to_dict() for name, outcome in outcomes.items()}
        options.json.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def conclude(console: Console, outcomes: Mapping[str, Outcome]) -> None:
    """Print the ratios, and how noisy they are."""
    console.print(summary([ratio for outcome in outcomes.values() for ratio in outcome.ratios]))
    spreads = ", ".join(f"{name} {outcome.spread:.0%}" for name, outcome in outcomes.items())
    console.print(
        "CPU time, medians of interleaved repetitions;"
        f" distance of the quartiles over the median: {spreads}.",
        style="dim",
    )


def summary(ratios: Sequence[Ratio]) -> Grid:
    """Return the table of ratios against their targets."""
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold", title="Ratios")
    for header in ("", "what", "against", "ratio", "target", ""):
        grid.add_column(header, justify="right" if header in ("ratio", "target") else "left")
    for ratio in ratios:
        mark = Text("✓", "green") if ratio.passes else Text("✗", "red")
        grid.add_row(
            mark, ratio.what, ratio.peer, as_text(ratio.value), as_text(ratio.target), ratio.note
        )
    return grid


def detail(table: Table) -> Grid:
    """Return a table of what stands behind ratios."""
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold", title=table.title)
    for place, header in enumerate(table.header):
        grid.add_column(header, justify="right" if table.is_number(place) else "left")
    for row in table.rows:
        grid.add_row(*row)
    return grid


if __name__ == "__main__":
    main()
