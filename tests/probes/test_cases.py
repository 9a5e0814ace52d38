"""Kernels: their counts by hand, and what their calls compute."""

from __future__ import annotations

import numpy as np
import pytest

from symroof.probes.calls import numpy_call
from symroof.probes.cases import Case, cases, graph_of

COUNTS = [
    (Case("dot", {"n": 1000}, "fp64"), 1999, 16_008),
    (Case("axpy", {"n": 1000}, "fp32"), 2000, 12_000),
    (Case("gemv", {"M": 30, "N": 20}, "fp64"), 1200, 8 * (600 + 20 + 30)),
    (Case("gemm", {"M": 30, "N": 20, "K": 10}, "fp32"), 12_000, 4 * (300 + 200 + 600)),
    (Case("softmax", {"B": 8, "S": 16}, "fp64"), 640, 8 * 2 * 128),
    (Case("fft", {"B": 2, "n": 64}, "fp64"), 5 * 2 * 64 * 6, 2 * 2 * 64 * 16),
]


@pytest.mark.parametrize(("case", "flops", "moved"), COUNTS, ids=lambda c: getattr(c, "kernel", ""))
def test_counts(case: Case, flops: int, moved: int) -> None:
    graph = graph_of(case)
    assert graph.flops.at(**case.sizes).value == flops
    assert graph.bytes.at(**case.sizes).value == moved


def test_results() -> None:
    assert numpy_call(Case("dot", {"n": 10}, "fp64"))() == 10
    assert (numpy_call(Case("gemv", {"M": 3, "N": 7}, "fp32"))() == 7).all()
    product = numpy_call(Case("gemm", {"M": 3, "N": 4, "K": 5}, "fp64"))()
    assert product.shape == (3, 4)
    assert (product == 5).all()
    spectrum = numpy_call(Case("fft", {"B": 2, "n": 8}, "fp64"))()
    assert spectrum.dtype == np.complex128
    assert spectrum[1].tolist() == [8, 0, 0, 0, 0, 0, 0, 0]


def test_no_kernel_takes_more_than_it_says() -> None:
    for case in cases(("fp64", "fp32"), quick=False):
        graph = graph_of(case)
        assert graph.bytes.at(**case.sizes).value <= case.bytes * 4 / 3


def test_every_kernel_runs() -> None:
    kernels = set()
    for case in cases(("fp64", "fp32"), quick=True):
        numpy_call(case)()
        kernels.add(case.kernel)
    assert kernels == {"dot", "axpy", "gemv", "gemm", "softmax", "fft"}
