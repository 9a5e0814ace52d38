"""``measure``: every point of a device in rounds, and the chip that the best runs make."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from datetime import date

from symroof.errors import InputError
from symroof.probes.bench import LAUNCH, Bench, Point
from symroof.probes.benches import bench_of
from symroof.probes.measurement import Measurement, Row
from symroof.probes.roofs import roofs_of
from symroof.probes.rounds import Asked, Rates, each_round
from symroof.probes.written import chip_of

ROUNDS, QUICK_ROUNDS = 10, 2
MOST_ROUNDS = 1000


def measure(
    *,
    device: str | None = None,
    threads: int | None = None,
    rounds: int | None = None,
    quick: bool = False,
    name: str | None = None,
    bench: Bench | None = None,
    tick: Callable[[str], None] = lambda note: None,
) -> Measurement:
    """Measure the roofs of this machine, as ERT and STREAM do.

    Peaks are those of products of matrices through numpy and its BLAS, and through torch where it
    is installed; bandwidths those of five kernels over working sets from 16 KiB to several times
    the last cache; a launch is the least time of a call. Everything runs once a round, each round
    in a process of its own. The roof is the best run of all: under a median the same kernel would
    beat its own roof. The spread is how far the median of the rounds lies below the best; a second
    measurement may differ by as much.

    Sources: Empirical Roofline Tool (Lo et al. 2014); McCalpin, STREAM (1995).

    Parameters
    ----------
    device : str, optional
        ``cpu`` or ``gpu``; the GPU by default where torch sees one.
    threads : int, optional
        CPU threads to use at most; all CPUs by default.
    rounds : int, optional
        How often everything is repeated; 10 by default.
    quick : bool
        A few sizes and two short rounds: a try-out, whose roofs are too low.
    name : str, optional
        What the machine is called, instead of its host name.
    bench : Bench, optional
        Another device, run in this process.
    tick : callable
        Is told each point as it begins.

    Returns
    -------
    Measurement
        The chip, with every rate ``source = "measured"``; the roofs with their spread; all rows.

    Raises
    ------
    InputError
        If numpy or threadpoolctl is not installed, there is no such device, there are not so many
        CPUs, or a round fails.
    """
    count = checked(rounds, QUICK_ROUNDS if quick else ROUNDS)
    used = bench or bench_of(device, threads)
    points, facts = used.points(quick=quick), used.facts

    def tell(number: int, place: int) -> None:
        if place < len(points):
            tick(f"round {number} of {count}: {described(points[place])}")

    asked = points if bench else Asked(facts.kind, threads, used.most, quick)
    rows = rows_of(points, list(each_round(asked, count, quick, tell)))
    roofs = roofs_of(rows, facts.levels)
    host = platform.node() or "this machine" if name is None else name
    chip = chip_of(facts, roofs, rows, host=host, day=date.today().isoformat())
    return Measurement(chip, roofs, rows, facts.skipped)


def rows_of(points: Sequence[Point], rounds: Sequence[Sequence[Rates]]) -> tuple[Row, ...]:
    """Return a row for each point and kernel; one that was left out in a round has none.

    Examples
    --------
    >>> point = Point("bw.l2", 2**20, 2, dict)
    >>> rounds = [[{"copy": 90.0, "read": 50.0}], [{"copy": 80.0}]]
    >>> [(row.kernel, row.runs) for row in rows_of([point], rounds)]
    [('copy', (90.0, 80.0))]
    """
    rows = []
    for point, results in zip(points, zip(*rounds, strict=True), strict=True):
        for kernel in results[0]:
            if all(kernel in rates for rates in results):
                runs = tuple(rates[kernel] for rates in results)
                rows.append(Row(point.roof, kernel, point.size, point.threads, runs))
    return tuple(rows)


def steps(points: int, *, rounds: int | None, quick: bool) -> int:
    """Return how many points `measure` tells of."""
    return points * checked(rounds, QUICK_ROUNDS if quick else ROUNDS)


def checked(rounds: int | None, default: int) -> int:
    """Return how often to repeat.

    Raises
    ------
    InputError
        If it is no number of rounds.

    Examples
    --------
    >>> checked(None, 10), checked(3, 10)
    (10, 3)
    >>> checked(0, 10)
    Traceback (most recent call last):
    symroof.errors.InputError: rounds: expected a number from 1 to 1000, not 0
    """
    if rounds is None:
        return default
    if not isinstance(rounds, int) or not 1 <= rounds <= MOST_ROUNDS:
        message = f"expected a number from 1 to {MOST_ROUNDS}, not {rounds!r:.60}"
        raise InputError(message, where="rounds")
    return rounds


def described(point: Point) -> str:
    """Return what a point is, in a few words.

    Examples
    --------
    >>> described(Point("bw.l2", 2**20, 2, dict)), described(Point("peak.fp64", 512, 1, dict))
    ('bytes, 1 MiB, 2 threads', 'fp64, order 512, 1 thread')
    """
    if point.roof == LAUNCH:
        return "calls"
    if point.roof.startswith("peak."):
        what = f"{point.roof.removeprefix('peak.')}, order {point.size}"
    else:
        what = f"bytes, {in_bytes(point.size)}"
    if not point.threads:
        return what
    return f"{what}, {point.threads} thread{'s' if point.threads > 1 else ''}"


def in_bytes(size: int) -> str:
    """Return bytes with a binary prefix.

    Examples
    --------
    >>> in_bytes(2**14), in_bytes(3 * 2**19), in_bytes(2**35)
    ('16 KiB', '1.5 MiB', '32 GiB')
    """
    for power, prefix in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if size >= 2**power:
            return f"{size / 2**power:.4g} {prefix}B"
    return f"{size} B"
