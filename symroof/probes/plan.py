"""Which kernels to hold against the roofs of a chip, each with its bound; what is left out."""

from __future__ import annotations

from dataclasses import dataclass

from symroof.errors import InputError
from symroof.hardware import Chip
from symroof.probes.bounds import Bounds, Least
from symroof.probes.cases import Case, cases, graph_of
from symroof.probes.libraries import torch_if_there
from symroof.probes.products import NUMPY, TORCH
from symroof.probes.topology import read_topology

SHARE = 4
TOO_LONG = 1
"""Seconds of the bound of a kernel that is not run."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A kernel to run.

    Attributes
    ----------
    case : Case
        The kernel.
    least : Least
        Its bound on the chip.
    moved : int
        Bytes it moves.
    """

    case: Case
    least: Least
    moved: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The kernels to run, and what is left out, with the reason."""

    kernels: tuple[Planned, ...]
    skipped: tuple[str, ...]


def plan(chip: Chip, *, quick: bool) -> Plan:
    """Return the kernels that this machine can run and that the chip has peaks for.

    Raises
    ------
    InputError
        If there are none.

    Examples
    --------
    >>> mine = Chip("mine", peak={"fp64": "1 TFLOP/s"}, memory={"dram": "100 GB/s"})
    >>> [each.case.kernel for each in plan(mine, quick=True).kernels]
    ['gemm', 'gemm', 'gemv', 'dot', 'axpy', 'softmax', 'fft']
    """
    dtypes, skipped = _dtypes(chip)
    room = read_topology().available // SHARE
    bounds: dict[tuple[str, str], Bounds] = {}
    kernels = []
    for case in cases(dtypes, quick=quick):
        key = case.kernel, case.dtype
        if key not in bounds:
            bounds[key] = Bounds(graph_of(case), chip)
        least = bounds[key].at(case.sizes)
        if room and case.bytes > room:
            skipped.append(f"{case.text}: it takes more than a quarter of the free memory")
        elif least.seconds > TOO_LONG:
            skipped.append(f"{case.text}: it takes more than {TOO_LONG} s")
        else:
            kernels.append(Planned(case, least, bounds[key].moved(case.sizes)))
    if not kernels:
        raise InputError(f"no kernel to run: {'; '.join(skipped)}", where=chip.name)
    return Plan(tuple(kernels), tuple(skipped))


def _dtypes(chip: Chip) -> tuple[tuple[str, ...], list[str]]:
    """Return the dtypes to run in, and which are left out."""
    there = NUMPY if torch_if_there() is None else TORCH
    peaks = [peak.dtype for peak in chip.peaks]
    used = tuple(dtype for dtype in there if dtype in peaks)
    if not used:
        message = f"expected a peak in one of {', '.join(there)}; it has {', '.join(peaks)}"
        raise InputError(message, where=chip.name)
    without_torch = [dtype for dtype in TORCH if dtype in peaks and dtype not in there]
    without_peak = [dtype for dtype in TORCH if dtype not in peaks]
    skipped = [f"{dtype}: torch is not installed" for dtype in without_torch]
    return used, skipped + [f"{dtype}: the chip has no such peak" for dtype in without_peak]
