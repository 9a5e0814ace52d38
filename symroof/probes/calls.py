"""The kernels of `symroof.probes.cases` as calls of numpy, or of torch on a device."""

from __future__ import annotations

from typing import Any

from symroof.extras import need
from symroof.probes.cases import Case
from symroof.probes.products import NUMPY, TORCH
from symroof.probes.race import Call

FACTOR = 0.5


def numpy_call(case: Case) -> Call:
    """Return one run of a kernel through numpy, results in memory that is there already.

    numpy has no axpy: it is a product and a sum, through a third vector.

    Examples
    --------
    >>> numpy_call(Case("dot", {"n": 8}, "fp64"))()
    np.float64(8.0)
    """
    numpy = need("numpy", "measure")
    kind = numpy.dtype(NUMPY[case.dtype])
    dims = case.dims

    def ones(*shape: int) -> Any:
        return numpy.ones(shape, kind)

    match case.kernel:
        case "dot":
            x, y = ones(*dims), ones(*dims)
            return lambda: numpy.dot(x, y)
        case "axpy":
            return _numpy_axpy(numpy, ones(*dims), ones(*dims))
        case "gemv":
            a, x, y = ones(*dims), ones(dims[1]), ones(dims[0])
            return lambda: numpy.dot(a, x, out=y)
        case "gemm":
            m, n, k = dims
            a, b, c = ones(m, k), ones(k, n), ones(m, n)
            return lambda: numpy.matmul(a, b, out=c)
        case "softmax":
            return _numpy_softmax(numpy, ones(*dims))
        case _:
            z = ones(*dims).astype(numpy.result_type(kind, numpy.complex64))
            return lambda: numpy.fft.fft(z)


def torch_call(torch: Any, case: Case, device: str) -> Call:
    """Return one run of a kernel through torch, on a device."""
    kind, dims = getattr(torch, TORCH[case.dtype]), case.dims

    def ones(*shape: int) -> Any:
        return torch.ones(shape, dtype=kind, device=device)

    match case.kernel:
        case "dot":
            x, y = ones(*dims), ones(*dims)
            return lambda: torch.dot(x, y)
        case "axpy":
            x, y, z = ones(*dims), ones(*dims), ones(*dims)
            return lambda: torch.add(y, x, alpha=FACTOR, out=z)
        case "gemv":
            a, x, y = ones(*dims), ones(dims[1]), ones(dims[0])
            return lambda: torch.mv(a, x, out=y)
        case "gemm":
            m, n, k = dims
            a, b, c = ones(m, k), ones(k, n), ones(m, n)
            return lambda: torch.matmul(a, b, out=c)
        case "softmax":
            x = ones(*dims)
            return lambda: torch.softmax(x, dim=-1)
        case _:
            z = torch.complex(ones(*dims), ones(*dims))
            return lambda: torch.fft.fft(z)


def _numpy_axpy(numpy: Any, x: Any, y: Any) -> Call:
    product = numpy.empty_like(x)

    def call() -> None:
        numpy.multiply(x, FACTOR, out=product)
        numpy.add(product, y, out=y)

    return call


def _numpy_softmax(numpy: Any, x: Any) -> Call:
    y = numpy.empty_like(x)

    def call() -> None:
        numpy.subtract(x, x.max(axis=-1, keepdims=True), out=y)
        numpy.exp(y, out=y)
        numpy.divide(y, y.sum(axis=-1, keepdims=True), out=y)

    return call
