"""Well-known models as configs made by hand from the numbers of their papers and files."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer

from symroof.models import (
    Attention,
    Embedding,
    FeedForward,
    Head,
    LatentAttention,
    Layer,
    Mixture,
    ModelConfig,
    Norm,
    Stack,
    StateSpace,
)
from symroof.symbolic import adopt

LAYER_NORM = Norm("layer", bias=True)


def size(given: Any) -> Expr:
    """A dim: a number or a formula."""
    return adopt(given)


def attention(heads: Any, kv_heads: Any, head_dim: Any, **options: Any) -> Attention:
    return Attention(size(heads), size(kv_heads), size(head_dim), **options)


def stack(*layers: tuple[Layer, Any], **options: Any) -> Stack:
    return Stack(tuple((layer, size(count)) for layer, count in layers), **options)


def decoder(
    name: str, hidden: Any, vocabulary: Any, *layers: tuple[Layer, Any], tied: bool = False
) -> ModelConfig:
    """A decoder with RMS norms and no biases."""
    rows = size(vocabulary)
    return ModelConfig(
        name, "test", size(hidden), stack(*layers), Embedding(rows), Head(rows, tied=tied)
    )


def llama(
    hidden: Any = 4096,
    layers: Any = 32,
    heads: Any = 32,
    kv_heads: Any = 8,
    head_dim: Any = 128,
    width: Any = 14336,
    vocabulary: Any = 128256,
    *,
    name: str = "llama-3-8b",
    **options: Any,
) -> ModelConfig:
    layer = Layer(attention(heads, kv_heads, head_dim, **options), FeedForward(size(width)))
    return decoder(name, hidden, vocabulary, (layer, layers))


def mixtral(
    hidden: Any = 4096,
    layers: Any = 32,
    heads: Any = 32,
    kv_heads: Any = 8,
    head_dim: Any = 128,
    width: Any = 14336,
    experts: Any = 8,
    top_k: Any = 2,
    vocabulary: Any = 32000,
) -> ModelConfig:
    mixture = Mixture(size(experts), size(top_k), size(width))
    layer = Layer(attention(heads, kv_heads, head_dim), mixture)
    return decoder("mixtral-8x7b", hidden, vocabulary, (layer, layers))


def deepseek(
    hidden: Any = 7168,
    dense: Any = 3,
    sparse: Any = 58,
    heads: Any = 128,
    query_rank: Any = 1536,
    rank: Any = 512,
    plain: Any = 128,
    rotary: Any = 64,
    value: Any = 128,
    width: Any = 18432,
    experts: Any = 256,
    top_k: Any = 8,
    expert_width: Any = 2048,
    vocabulary: Any = 129280,
) -> ModelConfig:
    mixer = LatentAttention(*map(size, (heads, query_rank, rank, plain, rotary, value)))
    narrow = size(expert_width)
    mixture = Mixture(
        size(experts), size(top_k), narrow, shared=FeedForward(narrow), correction_bias=True
    )
    return decoder(
        "deepseek-v3",
        hidden,
        vocabulary,
        (Layer(mixer, FeedForward(size(width)), name="dense"), dense),
        (Layer(mixer, mixture, name="moe"), sparse),
    )


def mamba(
    hidden: Any = 2560,
    layers: Any = 64,
    heads: Any = 80,
    head_dim: Any = 64,
    state: Any = 128,
    groups: Any = 1,
    kernel: Any = 4,
    vocabulary: Any = 50288,
) -> ModelConfig:
    mixer = StateSpace(*map(size, (heads, head_dim, state, groups, kernel)))
    return decoder("mamba2-2.7b", hidden, vocabulary, (Layer(mixer, None), layers), tied=True)


def gpt2(
    hidden: Any = 768,
    layers: Any = 12,
    heads: Any = 12,
    head_dim: Any = 64,
    width: Any = 3072,
    vocabulary: Any = 50257,
    positions: Any = 1024,
) -> ModelConfig:
    mixer = attention(heads, heads, head_dim, qkv_bias=True, out_bias=True, rotary=False)
    network = FeedForward(size(width), gated=False, bias=True, activation="gelu_new")
    layer = Layer(mixer, network, norm=LAYER_NORM)
    rows = size(vocabulary)
    return ModelConfig(
        "gpt2",
        "gpt2",
        size(hidden),
        stack((layer, layers), final_norm=LAYER_NORM),
        Embedding(rows, positions=size(positions)),
        Head(rows, tied=True),
    )


def bert(
    hidden: Any = 768,
    layers: Any = 12,
    heads: Any = 12,
    head_dim: Any = 64,
    width: Any = 3072,
    vocabulary: Any = 30522,
) -> ModelConfig:
    mixer = attention(heads, heads, head_dim, qkv_bias=True, out_bias=True, rotary=False)
    network = FeedForward(size(width), gated=False, bias=True, activation="gelu")
    layer = Layer(mixer, network, norm=LAYER_NORM, before=False)
    embedding = Embedding(
        size(vocabulary), positions=Integer(512), kinds=Integer(2), norm=LAYER_NORM
    )
    return ModelConfig(
        "bert-base",
        "bert",
        size(hidden),
        stack((layer, layers), causal=False, final_norm=None),
        embedding,
        Head(size(hidden), bias=True, pooled=True),
    )


def vit(hidden: Any = 768, layers: Any = 12, heads: Any = 12, width: Any = 3072) -> ModelConfig:
    mixer = attention(heads, heads, 64, qkv_bias=True, out_bias=True, rotary=False)
    network = FeedForward(size(width), gated=False, bias=True, activation="gelu")
    embedding = Embedding(
        None, positions=Integer(197), patch=Integer(16 * 16 * 3), extra=Integer(1)
    )
    return ModelConfig(
        "vit-base",
        "vit",
        size(hidden),
        stack(
            (Layer(mixer, network, norm=LAYER_NORM), layers), causal=False, final_norm=LAYER_NORM
        ),
        embedding,
        Head(Integer(1000), bias=True, pooled=True),
    )


def t5(
    hidden: Any = 512,
    layers: Any = 6,
    heads: Any = 8,
    head_dim: Any = 64,
    width: Any = 2048,
    vocabulary: Any = 32128,
) -> ModelConfig:
    mixer = attention(heads, heads, head_dim, rotary=False)
    network = FeedForward(size(width), gated=False, activation="relu")
    table = 32 * size(heads)
    rows = size(vocabulary)
    return ModelConfig(
        "t5-small",
        "t5",
        size(hidden),
        stack((Layer(mixer, network, cross=mixer), layers), relative=table),
        Embedding(rows),
        Head(rows, tied=True),
        encoder=stack((Layer(mixer, network), layers), causal=False, relative=table),
    )


def whisper(hidden: int = 384, layers: int = 4, heads: int = 6) -> ModelConfig:
    mixer = attention(heads, heads, 64, qkv_bias=True, out_bias=True, key_bias=False, rotary=False)
    network = FeedForward(Integer(4 * hidden), gated=False, bias=True, activation="gelu")
    layer = Layer(mixer, network, cross=mixer, norm=LAYER_NORM)
    rows = Integer(51865)
    return ModelConfig(
        "whisper-tiny",
        "whisper",
        Integer(hidden),
        stack((layer, layers), final_norm=LAYER_NORM),
        Embedding(rows, positions=Integer(448)),
        Head(rows, tied=True),
        encoder=stack(
            (Layer(mixer, network, norm=LAYER_NORM), layers), causal=False, final_norm=LAYER_NORM
        ),
        encoder_embedding=Embedding(
            None, positions=Integer(1500), patch=Integer(3 * hidden), stem=Integer(80 * 3)
        ),
        encoder_tokens=Integer(1500),
    )


LLAMA_3_8B = llama()
LLAMA_2_70B = llama(8192, 80, 64, 8, 128, 28672, 32000, name="llama-2-70b")
QWEN3_8B = llama(layers=36, width=12288, vocabulary=151936, name="qwen3-8b", query_norm="head")
