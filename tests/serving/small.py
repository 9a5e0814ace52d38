"""Configs made by hand, so that a test knows every number in them."""

from __future__ import annotations

from sympy import Integer

from symroof.models import (
    Attention,
    Embedding,
    FeedForward,
    Head,
    LatentAttention,
    Layer,
    Mixture,
    ModelConfig,
    Stack,
    StateSpace,
)


def attention(heads: int, kv_heads: int, head_dim: int, window: int | None = None) -> Attention:
    seen = None if window is None else Integer(window)
    return Attention(Integer(heads), Integer(kv_heads), Integer(head_dim), window=seen)


def config(
    layers: list[tuple[Layer, int]],
    *,
    hidden: int,
    vocabulary: int,
    tied: bool = False,
    name: str = "model",
) -> ModelConfig:
    return ModelConfig(
        name=name,
        family="test",
        hidden=Integer(hidden),
        decoder=Stack(tuple((layer, Integer(count)) for layer, count in layers)),
        embedding=Embedding(Integer(vocabulary)),
        head=Head(Integer(vocabulary), tied=tied),
    )


def dense(
    *,
    hidden: int = 64,
    layers: int = 2,
    heads: int = 4,
    kv_heads: int = 2,
    head_dim: int = 16,
    width: int = 128,
    vocabulary: int = 256,
    tied: bool = False,
    window: int | None = None,
) -> ModelConfig:
    """A decoder of equal layers; by default one that is small in every number."""
    layer = Layer(attention(heads, kv_heads, head_dim, window), FeedForward(Integer(width)))
    return config([(layer, layers)], hidden=hidden, vocabulary=vocabulary, tied=tied)


LLAMA_8B = dense(
    hidden=4096,
    layers=32,
    heads=32,
    kv_heads=8,
    head_dim=128,
    width=14336,
    vocabulary=128256,
)
LLAMA_70B = dense(
    hidden=8192,
    layers=80,
    heads=64,
    kv_heads=8,
    head_dim=128,
    width=28672,
    vocabulary=32000,
)
MIXTRAL = config(
    [
        (
            Layer(attention(32, 8, 128), Mixture(Integer(8), Integer(2), Integer(14336))),
            32,
        )
    ],
    hidden=4096,
    vocabulary=32000,
)
LATENT = config(
    [
        (
            Layer(
                LatentAttention(*map(Integer, (128, 1536, 512, 128, 64, 128))),
                FeedForward(Integer(18432)),
            ),
            4,
        )
    ],
    hidden=7168,
    vocabulary=129280,
)
MAMBA = config(
    [(Layer(StateSpace(*map(Integer, (80, 64, 128, 1, 4))), None), 64)],
    hidden=2560,
    vocabulary=50288,
    tied=True,
)
# 1000·(V + 1 + 10·(2 + 4·384 + 3·F)) = 70e9 parameters, the head being the table
SEVENTY_BILLION = dense(
    hidden=1000,
    layers=10,
    heads=4,
    kv_heads=4,
    head_dim=96,
    width=2_000_000,
    vocabulary=9_984_619,
    tied=True,
)
