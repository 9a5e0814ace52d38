"""The devices of this machine."""

from __future__ import annotations

from symroof.errors import InputError
from symroof.probes.bench import Bench
from symroof.probes.cpu import Cpu
from symroof.probes.gpu import Gpu
from symroof.probes.libraries import torch_if_there

DEVICES = ("cpu", "gpu")


def bench_of(device: str | None, threads: int | None = None, most: int | None = None) -> Bench:
    """Return a device of this machine; the GPU by default where torch sees one.

    Parameters
    ----------
    device : str, optional
        ``cpu`` or ``gpu``.
    threads : int, optional
        CPU threads at most.
    most : int, optional
        Bytes of the largest working set; a quarter of the free memory by default.

    Raises
    ------
    InputError
        If there is no such device.
    """
    if device is None:
        torch = torch_if_there()
        device = "gpu" if torch is not None and torch.cuda.is_available() else "cpu"
    if device not in DEVICES:
        raise InputError(f"expected {' or '.join(DEVICES)}, not {device!r:.60}", where="device")
    return Cpu(threads, most=most) if device == "cpu" else Gpu(most)
