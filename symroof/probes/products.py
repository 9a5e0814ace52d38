"""Kernels that compute: products of square matrices; and kernels that do next to nothing."""

from __future__ import annotations

from typing import Any

from symroof.extras import need
from symroof.probes.race import Call, Kernel

NUMPY = {"fp64": "float64", "fp32": "float32"}
TORCH = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
CALLS = 100


def numpy_product(order: int, dtype: str, name: str) -> list[Kernel]:
    """Return the product of two matrices of an order, through numpy and its BLAS.

    Examples
    --------
    >>> numpy_product(8, "fp32", "matmul")[0].amount
    1024
    """
    numpy = need("numpy", "measure")
    a, b, c = (numpy.ones((order, order), NUMPY[dtype]) for _ in range(3))
    return [Kernel(name, [lambda: numpy.matmul(a, b, out=c)], 2 * order**3)]


def torch_product(torch: Any, order: int, dtype: str, device: str) -> list[Kernel]:
    """Return the product of two matrices of an order through torch, on a device."""
    kind = getattr(torch, TORCH[dtype])
    a, b, c = (torch.ones((order, order), dtype=kind, device=device) for _ in range(3))
    return [Kernel("matmul", [lambda: torch.matmul(a, b, out=c)], 2 * order**3)]


def least_calls() -> list[Kernel]:
    """Return calls on one number, whose time is that of the call itself.

    Examples
    --------
    >>> [kernel.name for kernel in least_calls()]
    ['add', 'copy', 'dot']
    """
    numpy = need("numpy", "measure")
    x, y = numpy.ones(1), numpy.ones(1)
    calls: dict[str, Call] = {
        "add": lambda: numpy.add(x, y, out=y),
        "copy": lambda: numpy.copyto(y, x),
        "dot": lambda: numpy.dot(x, y),
    }
    return [Kernel(name, [call] * CALLS, 1) for name, call in calls.items()]
