"""What every named algorithm of the library must offer, and its counts worked by hand."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.graph import algorithms, footprint
from symroof.graph.spec_names import names_in
from symroof.symbolic import parse
from symroof.symbolic.polynomial import fraction

from ..graph.graph_facts import facts

LAYER_FLOPS = "4*D*H*d + 4*D*Hkv*d + 6*D*F + 10*D + 2*F"
LAYER_WEIGHTS = "2*(2*D*H*d + 2*D*Hkv*d + 3*D*F + 2*D)"
COUNTS = {
    # name: FLOPs, bytes of main memory, link bytes
    "attention": ("4*B*H*Tq*Tk*d", "2*(2*B*H*Tq*d + 2*B*Hkv*Tk*d)", "0"),
    "attention-decode": ("4*B*H*S*d", "2*(2*B*H*d + 2*B*Hkv*S*d)", "0"),
    "attention-prefill": ("2*B*H*d*S*(S + 1)", "2*(2*B*H*S*d + 2*B*Hkv*S*d)", "0"),
    "axpy": ("2*n", "24*n", "0"),
    "batched-matmul": ("2*B*M*N*K", "2*B*(M*N + N*K + M*K)", "0"),
    "cholesky": ("n**3/3 + n**2/2 + n/6", "8*n*(n + 1)", "0"),
    "conv": ("18*N*Cout*C*H*W", "2*(N*C*H*W + 9*C*Cout + N*Cout*H*W)", "0"),
    "dot": ("2*n - 1", "2*(2*n + 1)", "0"),
    "fft": ("5*B*n*log2(n)", "16*B*n", "0"),
    "gemv": ("2*m*n", "8*(m*n + m + n)", "0"),
    "llama-3-8b-decode": (
        # 32 layers; per token 2 FLOPs for each of 218,103,808 weights, 4*4096 for each key, norms
        # 2*4*4096, residuals 2*4096, silu and product 2*14336.
        "32*B*(2*218103808 + 4*4096*S + 2*4*4096 + 2*4096 + 2*14336)",
        # Weights with norms; the cache; and of activations in one layer 21 times the model dim,
        # 2 times the key-value dim, 8 times the hidden dim, in 2 bytes.
        "32*2*(218103808 + 2*4096 + B*(2*1024*S + 21*4096 + 2*1024 + 8*14336))",
        "0",
    ),
    "matmul": ("2*M*N*K", "2*(M*N + N*K + M*K)", "0"),
    "mlp": ("6*B*D*F + 2*B*F", "2*(3*D*F + 3*B*D + 8*B*F)", "0"),
    "mlp-fused": ("6*B*D*F + 2*B*F", "2*(3*D*F + 2*B*D + 2*B*F)", "0"),
    "moe": (
        "2*B*D*E + 5*B*E + 6*B*k*D*F",
        "2*(D*E + 3*D*F*E*(1 - (1 - k/E)**B) + 3*B*D + 3*B*E)",
        "0",
    ),
    "softmax": ("5*B*S", "4*B*S", "0"),
    "spmv": ("2*nnz", "12*nnz + 4*(n + 1) + 16*n", "0"),
    "stencil": ("13*n**3", "16*n**3", "0"),
    "tensor-parallel-mlp": (
        "(6*B*D*F + 2*B*F)/n",
        "2*(3*D*F/n + 3*B*D + 8*B*F/n)",
        "2*(n - 1)/n*2*B*D",
    ),
    "transformer-decode": (
        f"L*B*({LAYER_FLOPS} + 4*H*S*d)",
        # The output of a projection is H*d or Hkv*d wide, its operand D.
        f"L*({LAYER_WEIGHTS} + 2*B*(2*Hkv*d*S + 17*D + 4*H*d + 2*Hkv*d + 8*F))",
        "0",
    ),
    "transformer-layer": (
        f"B*S*({LAYER_FLOPS} + 2*H*d*(S + 1))",
        f"{LAYER_WEIGHTS} + 2*B*S*(17*D + 4*H*d + 4*Hkv*d + 8*F)",
        "0",
    ),
}


def equal(one, text: str) -> bool:
    difference, _ = fraction(one.expr - parse(text))
    return difference.is_zero


@pytest.mark.parametrize("name", algorithms())
def test_counts_are_those_worked_by_hand(name):
    graph = sr.load(name)
    flops, moved, sent = COUNTS[name]
    assert equal(graph.flops, flops)
    assert equal(graph.bytes, moved)
    assert equal(graph.link_bytes, sent)


@pytest.mark.parametrize("name", algorithms())
def test_it_says_what_it_is(name):
    graph = sr.load(name)
    about = graph.about
    assert graph.name == name
    assert about.title
    assert about.description.endswith(".")
    assert set(about.meanings) == set(about.defaults) == names_in(graph)
    assert all(value.is_Integer for value in about.defaults.values())


@pytest.mark.parametrize("name", algorithms())
def test_it_answers_at_its_defaults(name):
    graph = sr.load(name)
    roofline = sr.analyze(graph, "h100-sxm").at(dict(graph.about.defaults))
    assert roofline.verdict().value in ("compute", "memory", "network")
    assert footprint(graph).total.at(dict(graph.about.defaults)).value > 0


@pytest.mark.parametrize("name", algorithms())
def test_it_saves_and_loads_back_equal(name, tmp_path):
    graph = sr.load(name)
    graph.save(tmp_path / "saved.toml")
    assert facts(sr.load(tmp_path / "saved.toml")) == facts(graph)


@pytest.mark.parametrize("name", sorted(set(algorithms()) - {"spmv"}))
def test_its_dtype_can_be_chosen(name):
    other = "fp32" if sr.load(name).tensors[0].dtype.name == "fp16" else "fp16"
    assert {t.dtype.name for t in sr.load(name, dtype=other).tensors} == {other}


def test_names_are_found_as_people_write_them():
    assert sr.load("Llama 3 8B decode").name == "llama-3-8b-decode"
    assert sr.load("TENSOR_PARALLEL_MLP").name == "tensor-parallel-mlp"
