"""The kinds of crossover problems that are timed, as graphs on a chip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import symroof as sr
from symroof import ops
from symroof.solve import Problem

CHIP = "h100-sxm"


@dataclass(frozen=True)
class Kind:
    """One kind of problem: a symbolic question, and a question with one unknown and numbers.

    Attributes
    ----------
    name : str
        What the table calls it.
    symbolic : Problem
        Everything is a symbol, the rates of the chip too.
    bound : Problem
        Everything but the unknown is a number, the rates of the chip too.
    """

    name: str
    symbolic: Problem
    bound: Problem


@dataclass(frozen=True)
class Recipe:
    """How a kind is made.

    Attributes
    ----------
    name : str
        What the table calls it.
    make : callable
        Returns the symbolic problem for an unknown.
    unknown : str
        What the symbolic question asks for.
    sizes : mapping of str to object
        Numbers for the bound question.
    bound_unknown : str, optional
        What the bound question asks for, if not the same.
    """

    name: str
    make: Callable[[str], Problem]
    unknown: str
    sizes: Mapping[str, object]
    bound_unknown: str = ""

    def kind(self) -> Kind:
        """Make both problems."""
        asked = self.bound_unknown or self.unknown
        bound, _ = self.make(asked).bound(self.sizes)
        return Kind(self.name, self.make(self.unknown), bound.resolved())


def kinds() -> list[Kind]:
    """Return every kind, made afresh."""
    return [recipe.kind() for recipe in RECIPES]


# --- the graphs -----------------------------------------------------------------------------------


def matmul() -> sr.Graph:
    """A(M, N) B(N, K)."""
    g = sr.Graph("matmul")
    _ = g.input("A", ("M", "N"), "fp16") @ g.weight("B", ("N", "K"), "fp16")
    return g


def gated_mlp() -> sr.Graph:
    """down(silu(gate x) * up x), every op on its own."""
    g = sr.Graph("gated MLP")
    x = g.input("x", ("B", "D"), "bf16")
    up, gate = (g.weight(name, ("D", "F"), "bf16") for name in ("up", "gate"))
    _ = (ops.silu(x @ gate) * (x @ up)) @ g.weight("down", ("F", "D"), "bf16")
    return g


def attention_decode() -> sr.Graph:
    """One new token on a cache of S."""
    g = sr.Graph("attention decode")
    q = g.input("q", ("B", "H", 1, "d"), "bf16")
    k, v = (g.cache(name, ("B", "G", "S", "d"), "bf16") for name in ("k", "v"))
    ops.attention(q, k, v)
    return g


def attention_prefill() -> sr.Graph:
    """S tokens, causal."""
    g = sr.Graph("attention prefill")
    q = g.input("q", ("B", "H", "S", "d"), "bf16")
    k, v = (g.input(name, ("B", "G", "S", "d"), "bf16") for name in ("k", "v"))
    ops.attention(q, k, v, mask="causal")
    return g


def block(g: sr.Graph, x: sr.Tensor, length: object, cached: object = None) -> sr.Tensor:
    """One layer of a decoder: norm, attention, norm, gated MLP; weights are its own."""
    d, heads, groups, width = "D", "H", "G", "d"

    def weight(name: str, *shape: object) -> sr.Tensor:
        return g.weight(name, shape, "bf16")

    h = ops.rmsnorm(x)
    q = ops.einsum("btD,DHd->bHtd", h, weight("wq", d, heads, width))
    k = ops.einsum("btD,DGd->bGtd", h, weight("wk", d, groups, width))
    v = ops.einsum("btD,DGd->bGtd", h, weight("wv", d, groups, width))
    if cached is not None:
        k, v = (
            ops.cache_append(g.cache(name, ("B", groups, cached, width), "bf16"), new)
            for name, new in (("k", k), ("v", v))
        )
        o = ops.attention(q, k, v)
    else:
        o = ops.attention(q, k, v, mask="causal")
    x = x + ops.einsum("bHtd,HdD->btD", o, weight("wo", heads, width, d))
    h = ops.rmsnorm(x)
    h = ops.silu(h @ weight("gate", d, "F")) * (h @ weight("up", d, "F"))
    return x + h @ weight("down", "F", d)


def layer() -> sr.Graph:
    """One layer on S tokens of B sequences."""
    g = sr.Graph("layer")
    block(g, g.input("x", ("B", "S", "D"), "bf16"), "S")
    return g


def decode() -> sr.Graph:
    """A whole model on one new token of B sequences: embedding, L layers, head."""
    g = sr.Graph("decode")
    table = g.weight("embedding", ("V", "D"), "bf16")
    x = ops.gather(table, g.input("tokens", ("B", 1), "int32"))
    x = g.repeat("layer", "L", lambda h: block(g, h, 1, "S"), x)
    _ = ops.rmsnorm(x) @ g.weight("head", ("D", "V"), "bf16")
    return g


def mixture() -> sr.Graph:
    """B tokens, k of E experts each; a quarter of the experts is read whatever B is."""
    g = sr.Graph("mixture")
    up, gate = (g.weight(name, ("E", "D", "F"), "bf16") for name in ("up", "gate"))
    down = g.weight("down", ("E", "F", "D"), "bf16")
    x = g.input("x", ("B", "D"), "bf16")
    ops.experts(x, up, down, gate, top_k="k", experts="E/4")
    return g


def tensor_parallel_mlp() -> sr.Graph:
    """An MLP cut into n shards, then an all-reduce."""
    g = sr.Graph("tensor-parallel MLP")
    x = g.input("x", ("B", "D"), "bf16")
    h = ops.relu(x @ g.weight("up", ("D", "F/n"), "bf16"))
    ops.all_reduce(h @ g.weight("down", ("F/n", "D"), "bf16"), group="n")
    return g


def tiled_matmul() -> sr.Graph:
    """Compute charged for whole tiles of 128 by 128 of the output."""
    g = sr.Graph("tiled matmul")
    a, b = g.input("A", ("M", "K"), "fp16"), g.weight("B", ("K", "N"), "fp16")
    ops.custom(
        "tiles",
        inputs=[a, b],
        output_shape=("M", "N"),
        flops="2*K*128*ceil(M/128)*128*ceil(N/128)",
    )
    return g


def batched_matmul() -> sr.Graph:
    """B products of M by N with N by K."""
    g = sr.Graph("batched matmul")
    _ = g.input("A", ("B", "M", "N"), "fp16") @ g.input("C", ("B", "N", "K"), "fp16")
    return g


def conv() -> sr.Graph:
    """A 3 by 3 convolution that keeps the size of the picture."""
    g = sr.Graph("conv")
    x, w = g.input("x", ("B", "C", "H", "W"), "fp16"), g.weight("w", ("O", "C", 3, 3), "fp16")
    ops.conv(x, w, padding="same")
    return g


def fft() -> sr.Graph:
    """B complex transforms of length n."""
    g = sr.Graph("fft")
    ops.fft(g.input("x", ("B", "n", 2), "fp32"))
    return g


def quantised() -> sr.Graph:
    """A product with a weight of w bits per element."""
    g = sr.Graph("quantised")
    x = g.input("x", ("B", "D"), "bf16")
    ops.custom(
        "product",
        inputs=[x],
        output_shape=("B", "F"),
        flops="2*B*D*F",
        bytes="2*B*D + 2*B*F + D*F*w/8",
    )
    return g


def square_with_head() -> sr.Graph:
    """A square layer and a head of V columns: quadratic in the width D."""
    g = sr.Graph("square layer and head")
    x = g.input("x", ("B", "D"), "bf16")
    _ = (x @ g.weight("w", ("D", "D"), "bf16")) @ g.weight("head", ("D", "V"), "bf16")
    return g


# --- the questions --------------------------------------------------------------------------------


def compute_bound(graph: Callable[[], sr.Graph]) -> Callable[[str], Problem]:
    """Ask when compute takes at least as long as every other term."""
    return lambda unknown: sr.analyze(graph(), CHIP).crossover(unknown).problem


def beats(graph: Callable[[], sr.Graph], other: str) -> Callable[[str], Problem]:
    """Ask when compute takes at least as long as one other term."""

    def make(unknown: str) -> Problem:
        terms = sr.analyze(graph(), CHIP).groups
        return sr.region(terms["compute"], terms[other], unknown).problem

    return make


MODEL = {"D": 4096, "H": 32, "G": 8, "d": 128, "F": 14336}
SHARDS = {"D": 8192, "n": 8}

RECIPES = (
    Recipe("matmul", compute_bound(matmul), "M", {"N": 4096, "K": 4096}),
    Recipe("gated MLP", compute_bound(gated_mlp), "B", {"D": 4096, "F": 14336}),
    Recipe(
        "attention, decode",
        compute_bound(attention_decode),
        "S",
        {"B": 8, "H": 32, "G": 8, "d": 128},
    ),
    Recipe(
        "attention, causal prefill",
        compute_bound(attention_prefill),
        "S",
        {"B": 8, "H": 32, "G": 8, "d": 128},
    ),
    Recipe("transformer layer", compute_bound(layer), "B", {**MODEL, "S": 64}),
    Recipe(
        "decode of a model", compute_bound(decode), "B", {**MODEL, "S": 256, "L": 32, "V": 128256}
    ),
    Recipe(
        "mixture, fixed expert share",
        compute_bound(mixture),
        "B",
        {"D": 4096, "F": 14336, "E": 64, "k": 2},
    ),
    Recipe(
        "tensor-parallel MLP, network",
        beats(tensor_parallel_mlp, "network"),
        "F",
        {**SHARDS, "B": 64},
    ),
    Recipe("tile-quantised matmul", compute_bound(tiled_matmul), "K", {"N": 1024, "K": 600}, "M"),
    Recipe("batched matmul", compute_bound(batched_matmul), "M", {"B": 16, "N": 1024, "K": 2048}),
    Recipe("conv 3x3", compute_bound(conv), "O", {"B": 8, "C": 256, "H": 56, "W": 56}),
    Recipe("FFT (log2)", compute_bound(fft), "n", {"B": 64}),
    Recipe("bandwidth", compute_bound(matmul), "bw", {"M": 256, "N": 4096, "K": 4096}),
    Recipe("peak", compute_bound(gated_mlp), "peak", {"B": 256, "D": 4096, "F": 14336}),
    Recipe(
        "group size",
        beats(tensor_parallel_mlp, "network"),
        "n",
        {"B": 64, "D": 8192, "F": 28672},
    ),
    Recipe("bits per weight", compute_bound(quantised), "w", {"B": 256, "D": 4096, "F": 14336}),
    Recipe("hidden size (quadratic)", compute_bound(square_with_head), "D", {"B": 512, "V": 32000}),
    Recipe(
        "three terms",
        compute_bound(tensor_parallel_mlp),
        "B",
        {**SHARDS, "F": 28672},
    ),
)
