"""Rounds of a measurement, each in a process of its own.

Where a process puts its code and data alone changes rates by a percent or two, which rounds of one
process would not show in their spread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from symroof.errors import InputError
from symroof.probes.bench import Bench, Point
from symroof.probes.benches import bench_of

QUICK_SECONDS, SECONDS = 0.005, 0.06
"""How long each kernel runs."""

Rates = Mapping[str, float]
"""The best rate by kernel."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What another process needs to know to run the same points.

    Attributes
    ----------
    device : str
        ``cpu`` or ``gpu``.
    threads : int or None
        CPU threads at most.
    most : int
        Bytes of the largest working set.
    quick : bool
        Whether it is a try-out.
    """

    device: str
    threads: int | None
    most: int
    quick: bool

    @property
    def bench(self) -> Bench:
        """The device."""
        return bench_of(self.device, self.threads, self.most)


def here(points: Sequence[Point], *, quick: bool) -> Iterator[Rates]:
    """Yield what each point reaches, run in this process."""
    for point in points:
        yield point.run(QUICK_SECONDS if quick else SECONDS)


def elsewhere(asked: Asked) -> Iterator[Rates]:
    """Yield what each point reaches, run in a new process.

    Raises
    ------
    InputError
        If that process fails; with the last line it wrote.
    """
    command = [sys.executable, "-m", __name__, json.dumps(asdict(asked))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(  # noqa: S603 - this interpreter and this module
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            for line in process.stdout:
                yield json.loads(line)
        except BaseException:
            process.kill()
            raise
        said = process.stderr.read().strip()
    if process.returncode:
        reason = said.splitlines()[-1] if said else f"it ended with {process.returncode}"
        raise InputError(f"a round did not end: {reason}", where="measure")


def each_round(
    asked: Asked | Sequence[Point], count: int, quick: bool, tell: Callable[[int, int], None]
) -> Iterator[list[Rates]]:
    """Yield the rates of all points, round by round; `tell` hears of each before it runs.

    Parameters
    ----------
    asked : Asked or sequence of Point
        What to run in processes of their own, or in this one.
    count : int
        How many rounds.
    quick : bool
        Whether it is a try-out.
    tell : callable
        Takes the number of the round, from 1, and the place of the point.
    """
    for number in range(1, count + 1):
        found: list[Rates] = []
        tell(number, 0)
        results = elsewhere(asked) if isinstance(asked, Asked) else here(asked, quick=quick)
        for rates in results:
            found.append(rates)
            tell(number, len(found))
        yield found


def main(text: str) -> None:
    """Run one round of what is asked for, and write a line of JSON for each point."""
    asked = Asked(**json.loads(text))
    for rates in here(asked.bench.points(quick=asked.quick), quick=asked.quick):
        print(json.dumps(rates), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
