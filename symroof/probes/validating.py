"""``validate``: kernels of many kinds and shapes, their bound on a chip beside their best time."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from time import perf_counter

from symroof.errors import InputError
from symroof.extras import need
from symroof.hardware import Chip
from symroof.hardware import chip as find_chip
from symroof.probes.bounds import residency_on
from symroof.probes.calls import numpy_call, torch_call
from symroof.probes.cases import HALVES, Case
from symroof.probes.gpu import timed_by_events
from symroof.probes.libraries import torch_if_there
from symroof.probes.measuring import checked
from symroof.probes.plan import Planned, plan
from symroof.probes.race import Call, Clock, Kernel, batch_size, timed
from symroof.probes.validation import Check, Validation

ROUNDS, QUICK_ROUNDS = 5, 1
SECONDS, QUICK_SECONDS = 0.1, 0.005
GPU = "gpu"

Timing = Callable[[Case, float], float]
"""Takes a kernel and seconds; returns its best time."""


def validate(
    chip: Chip | str | os.PathLike[str],
    *,
    threads: int | None = None,
    rounds: int | None = None,
    quick: bool = False,
    timing: Timing | None = None,
    tick: Callable[[str], None] = lambda note: None,
) -> Validation:
    """Hold kernels against the roofs of a chip: this machine's, as `measure` writes them.

    Runs dot, axpy, gemv, gemm, softmax and FFT at many sizes through numpy, or through torch where
    the chip is a GPU, and puts the bound of each beside its best time. Data stay where a run
    leaves them, so bytes are charged with ``residency="partial"`` where the chip says enough of
    its caches; otherwise at main memory, and kernels whose data fit a cache may beat that bound.

    Parameters
    ----------
    chip : Chip, str or PathLike
        A chip, the name of one, or a file.
    threads : int, optional
        Threads of BLAS; all CPUs by default. Every kernel runs on one thread too, and the better
        time counts.
    rounds : int, optional
        How often every kernel is timed; 5 by default.
    quick : bool
        A few small kernels, timed once.
    timing : callable, optional
        Takes a kernel and seconds and returns its best time; runs it by default.
    tick : callable
        Is told each kernel as it begins.

    Returns
    -------
    Validation
        A row for each kernel with bound, time and, where the bound is larger, the reason; the
        fraction of rows whose bound is no more than the time.

    Raises
    ------
    InputError
        If numpy, or for a GPU torch, is not installed, or the chip has no peak of a dtype that
        kernels run in.
    """
    used = chip if isinstance(chip, Chip) else find_chip(chip)
    count = checked(rounds, QUICK_ROUNDS if quick else ROUNDS)
    todo = plan(used, quick=quick)
    best = [inf] * len(todo.kernels)
    with ExitStack() as stack:
        if timing is None:
            timing = _timing(used, threads, stack)
        for number in range(1, count + 1):
            for place, kernel in enumerate(todo.kernels):
                tick(f"round {number} of {count}: {kernel.case.text}")
                seconds = timing(kernel.case, QUICK_SECONDS if quick else SECONDS)
                best[place] = min(best[place], seconds)
    rows = (_check(used, *pair) for pair in zip(todo.kernels, best, strict=True))
    return Validation(used, tuple(rows), str(residency_on(used)), todo.skipped)


def steps(chip: Chip, *, rounds: int | None, quick: bool) -> int:
    """Return how many kernels `validate` tells of."""
    return len(plan(chip, quick=quick).kernels) * checked(rounds, QUICK_ROUNDS if quick else ROUNDS)


def best_time(call: Call, seconds: float, clock: Clock = perf_counter) -> float:
    """Return the least time of a call, of those that fit `seconds`.

    Examples
    --------
    >>> 0 < best_time(lambda: sum(range(100)), 0.001) < 1
    True
    """
    kernel = Kernel("", [call], 1)
    return timed(kernel, batch_size(kernel, clock), seconds, clock).best


def _timing(chip: Chip, threads: int | None, stack: ExitStack) -> Timing:
    """Return how kernels are timed on the device that the chip is."""
    if chip.kind == GPU:
        return _on_gpu()
    need("numpy", "measure")
    blas = need("threadpoolctl", "measure").ThreadpoolController().select(user_api="blas")
    if threads is not None and threads < 1:
        raise InputError(f"expected a number from 1, not {threads}", where="threads")
    if threads is not None and blas.lib_controllers:
        stack.enter_context(blas.limit(limits=threads))
    torch = torch_if_there()

    def timing(case: Case, seconds: float) -> float:
        if case.dtype in HALVES:
            return best_time(torch_call(torch, case, "cpu"), seconds)
        call = numpy_call(case)
        together = best_time(call, seconds / 2)
        with blas.limit(limits=1):
            return min(together, best_time(call, seconds / 2))

    return timing


def _on_gpu() -> Timing:
    torch = torch_if_there()
    if torch is None or not torch.cuda.is_available():
        raise InputError("the chip is a GPU, and torch sees none", where="validate")

    def timing(case: Case, seconds: float) -> float:
        kernel = Kernel("", [torch_call(torch, case, "cuda")], 1)
        return timed_by_events(torch, kernel, seconds).best

    return timing


def _check(chip: Chip, kernel: Planned, measured: float) -> Check:
    held = kernel.least.seconds <= measured
    return Check(
        kernel.case, kernel.least, measured, "" if held else _reason(chip, kernel, measured)
    )


def _reason(chip: Chip, kernel: Planned, measured: float) -> str:
    """Return why a kernel ran faster than its bound."""
    least = kernel.least
    if least.rate == f"bw.{chip.main}":
        for level in chip.hierarchy:
            held = level.capacity
            if held is None or level.main or not held.is_known:
                continue
            if held.value.expr >= kernel.moved:
                return f"its data fit {level.name}; the bound charges them at {chip.main}"
    faster = f"{least.seconds / measured - 1:.1%}"
    return f"{faster} above {least.rate}: no run was so fast when the roof was measured"
