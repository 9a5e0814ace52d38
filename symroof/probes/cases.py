"""Kernels to hold against a roof: each as a graph, whose bound is known, and as a call to time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from sympy import Expr

from symroof.graph import Graph, Tensor
from symroof.graph.ops.contraction import dot, gemv, matmul
from symroof.graph.ops.hpc import axpy, fft
from symroof.graph.ops.normalisation import softmax
from symroof.symbolic import symbol

BYTES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2}
GEMMS = (
    (64, 64, 64),
    (256, 256, 256),
    (512, 512, 512),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (16, 2048, 2048),
    (2048, 16, 2048),
    (2048, 2048, 16),
    (128, 4096, 512),
)
"""M, N, K: square, and with one side short."""
GEMVS = ((256, 256), (1024, 1024), (4096, 1024), (4096, 8192))
LENGTHS = tuple(2**power for power in (10, 14, 17, 20, 22, 24))
ROWS = ((64, 256), (1024, 1024), (8192, 1024))
TRANSFORMS = ((64, 256), (256, 4096), (16, 2**18))
HALVES = ("fp16", "bf16")


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel at one shape.

    Attributes
    ----------
    kernel : str
        ``dot``, ``axpy``, ``gemv``, ``gemm``, ``softmax`` or ``fft``.
    sizes : mapping of str to int
        Its dims.
    dtype : str
        Of its tensors.
    """

    kernel: str
    sizes: Mapping[str, int] = field(hash=False)
    dtype: str

    @property
    def shape(self) -> str:
        """Its dims as text.

        Examples
        --------
        >>> Case("gemv", {"M": 256, "N": 64}, "fp32").shape
        'M=256 N=64'
        """
        return " ".join(f"{name}={size}" for name, size in self.sizes.items())

    @property
    def text(self) -> str:
        """The whole of it as text."""
        return f"{self.kernel} {self.shape} {self.dtype}"

    @property
    def bytes(self) -> int:
        """Bytes that its tensors and those between them take, at most.

        Examples
        --------
        >>> Case("axpy", {"n": 1000}, "fp64").bytes
        24000
        """
        largest = prod(sorted(self.dims)[-2:])
        return 3 * BYTES[self.dtype] * largest * (2 if self.kernel == "fft" else 1)

    @property
    def dims(self) -> tuple[int, ...]:
        """Its dims, in order."""
        return tuple(self.sizes.values())


def cases(dtypes: tuple[str, ...], *, quick: bool) -> Iterator[Case]:
    """Yield kernels in the dtypes; in half precision products alone.

    Examples
    --------
    >>> len(list(cases(("fp64", "fp32"), quick=False)))
    62
    >>> sorted({case.kernel for case in cases(("bf16",), quick=True)})
    ['gemm']
    """
    for dtype in dtypes:
        for m, n, k in GEMMS[:2] if quick else GEMMS:
            yield Case("gemm", {"M": m, "N": n, "K": k}, dtype)
        if dtype in HALVES:
            continue
        for m, n in GEMVS[:1] if quick else GEMVS:
            yield Case("gemv", {"M": m, "N": n}, dtype)
        for length in LENGTHS[2:3] if quick else LENGTHS:
            yield Case("dot", {"n": length}, dtype)
            yield Case("axpy", {"n": length}, dtype)
        for rows, columns in ROWS[:1] if quick else ROWS:
            yield Case("softmax", {"B": rows, "S": columns}, dtype)
        for count, length in TRANSFORMS[:1] if quick else TRANSFORMS:
            yield Case("fft", {"B": count, "n": length}, dtype)


def graph_of(case: Case) -> Graph:
    """Return the graph of a kernel, in symbols: its dims are bound in the answer.

    Examples
    --------
    >>> graph = graph_of(Case("gemv", {"M": 256, "N": 64}, "fp32"))
    >>> str(graph.flops), graph.bytes.at(M=256, N=64).value
    ('2*M*N FLOP', 66816)
    """
    graph = Graph(case.kernel)
    dims = [symbol(name) for name in case.sizes]

    def tensor(name: str, *shape: Expr | int) -> Tensor:
        return graph.input(name, shape, case.dtype)

    match case.kernel:
        case "dot":
            dot(tensor("x", *dims), tensor("y", *dims))
        case "axpy":
            axpy(tensor("x", *dims), tensor("y", *dims))
        case "gemv":
            gemv(tensor("A", *dims), tensor("x", dims[1]))
        case "gemm":
            m, n, k = dims
            matmul(tensor("A", m, k), tensor("B", k, n))
        case "softmax":
            softmax(tensor("x", *dims))
        case "fft":
            fft(tensor("x", *dims, 2))
    return graph
