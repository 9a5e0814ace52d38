from __future__ import annotations

from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer

import symroof as sr
from symroof.models.config import ModelConfig

from .configs import (
    LLAMA_2_70B,
    LLAMA_3_8B,
    QWEN3_8B,
    bert,
    deepseek,
    gpt2,
    llama,
    mamba,
    mixtral,
    t5,
    vit,
    whisper,
)

# The numbers that the checkpoints have.
PUBLISHED = {
    "llama-3-8b": (LLAMA_3_8B, 8_030_261_248),
    "llama-2-70b": (LLAMA_2_70B, 68_976_648_192),
    "qwen3-8b": (QWEN3_8B, 8_190_735_360),
    "mixtral-8x7b": (mixtral(), 46_702_792_704),
    "gpt2": (gpt2(), 124_439_808),
    "mamba2-2.7b": (mamba(), 2_702_599_680),
    "bert-base": (bert(), 109_482_240),
    "vit-base": (vit(), 86_567_656),
    "t5-small": (t5(), 60_506_624),
    "whisper-tiny": (whisper(), 37_760_640),
}


@pytest.mark.parametrize(("config", "published"), PUBLISHED.values(), ids=PUBLISHED)
def test_totals_are_those_of_the_checkpoints(config: ModelConfig, published: int) -> None:
    model = sr.model(config)
    assert model.params == published
    assert sum(model.params_by_part.values()) == published
    assert model.active_params <= model.params


def test_deepseek_v3_has_671_billion_parameters_of_which_37_are_active() -> None:
    model = sr.model(deepseek())
    # By hand: attention of a layer, then the two kinds of layers, embedding and head.
    attended = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168
    norms = 1536 + 512 + 2 * 7168
    expert = 3 * 7168 * 2048
    dense = 3 * 7168 * 18432
    router = 256 * 7168 + 256
    ends = 2 * 129280 * 7168 + 7168
    total = 61 * (attended + norms) + 3 * dense + 58 * (257 * expert + router) + ends
    assert model.params == total
    assert round(total / 1e9) == 671
    assert model.active_params == total - 58 * 248 * expert
    assert round(model.multiplied_params / 1e9) == 37


def test_active_parameters_of_a_mixture_are_those_of_the_experts_of_a_token() -> None:
    model = sr.model(mixtral())
    assert model.params - model.active_params == 32 * 6 * 3 * 4096 * 14336
    assert round(model.active_params / 1e9, 1) == 12.9  # what Mistral prints


def test_a_tied_table_counts_once_and_is_called_embedding() -> None:
    model = sr.model(gpt2())
    assert "head" not in model.params_by_part
    assert model.params_by_part["embedding"] == (50257 + 1024) * 768


def test_a_token_is_multiplied_with_no_table_that_it_is_looked_up_in() -> None:
    D, S, V = sr.symbols("D S V")
    model = sr.model(LLAMA_3_8B)
    assert model.multiplied_params == 8_030_261_248 - 128256 * 4096
    # All but the norms: 2 FLOPs for each.
    step = model.graph("decode", traffic="weights+kv", batch=1)
    assert step.flops.expr.xreplace({S: Integer(0)}) / 2 == model.multiplied_params - 65 * 4096
    # The table is the matrix of the head too; positions are looked up alone.
    assert sr.model(gpt2()).multiplied_params == 124_439_808 - 1024 * 768
    assert sr.model(mixtral()).multiplied_params == sr.model(mixtral()).active_params - 32000 * 4096
    symbolic = sr.model(llama(hidden="D", vocabulary="V"))
    assert (symbolic.active_params - symbolic.multiplied_params - V * D).expand() == 0


def test_parts_of_llama_by_hand() -> None:
    assert dict(sr.model(LLAMA_3_8B).params_by_part) == {
        "embedding": 128256 * 4096,
        "attention": 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024),
        "feed-forward": 32 * 3 * 4096 * 14336,
        "norms": 65 * 4096,
        "head": 128256 * 4096,
    }


def test_small_parts_of_attention_are_counted() -> None:
    config = llama(64, 2, 4, 2, 16, 128, 1000)
    plain = sr.model(config).params

    def with_options(**options: object) -> int:
        return sr.model(llama(64, 2, 4, 2, 16, 128, 1000, **options)).params - plain

    assert with_options(qkv_bias=True) == 2 * (64 + 32 + 32)
    assert with_options(qkv_bias=True, key_bias=False) == 2 * (64 + 32)
    assert with_options(out_bias=True) == 2 * 64
    assert with_options(sinks=True) == 2 * 4
    assert with_options(query_norm="head") == 2 * (16 + 16)
    assert with_options(query_norm="full") == 2 * (64 + 32)


def test_symbols_make_a_closed_form() -> None:
    model = sr.model(llama("D", "L", "H", "G", "d", "F", "V"))
    D, L, H, G, d, F, V = sr.symbols("D L H G d F V")
    expected = 2 * D * V + D + L * (2 * D * H * d + 2 * D * G * d + 3 * D * F + 2 * D)
    assert (model.params - expected).expand() == 0
    assert model.params_by_part["feed-forward"] == 3 * D * F * L


@given(
    hidden=st.integers(1, 64),
    layers=st.integers(1, 100),
    kv_heads=st.integers(1, 4),
    group=st.integers(1, 4),
    head_dim=st.integers(1, 32),
    width=st.integers(1, 200),
    experts=st.integers(1, 8),
    top_k=st.integers(1, 8),
)
@settings(max_examples=25)
def test_totals_are_at_least_what_is_active(
    hidden: int,
    layers: int,
    kv_heads: int,
    group: int,
    head_dim: int,
    width: int,
    experts: int,
    top_k: int,
) -> None:
    chosen = min(experts, top_k)
    heads = kv_heads * group
    model = sr.model(
        mixtral(hidden, layers, heads, kv_heads, head_dim, width, experts, chosen, 100)
    )
    matrices = [(hidden, heads * head_dim)] * 2 + [(hidden, kv_heads * head_dim)] * 2
    layer = sum(map(prod, matrices)) + 2 * hidden + experts * hidden
    expert = 3 * hidden * width
    assert model.params == 201 * hidden + layers * (layer + experts * expert)
    assert model.active_params == 201 * hidden + layers * (layer + chosen * expert)
    assert model.params >= model.active_params


def test_kept_bytes_of_a_token() -> None:
    assert sr.model(LLAMA_3_8B).kv_bytes_per_token().value == 32 * 2 * 8 * 128 * 2
    assert sr.model(LLAMA_3_8B).kv_bytes_per_token(dtype="fp8").value == 32 * 2 * 8 * 128
    # DeepSeek-V2, section 2.1: the latent vector and the rotated key.
    assert sr.model(deepseek()).kv_bytes_per_token().value == 61 * (512 + 64) * 2
    assert str(sr.model(llama(heads="H", kv_heads="G")).kv_bytes_per_token()) == "16384*G byte"


def test_windows_keep_a_token_like_other_layers() -> None:
    config = llama(window=Integer(1024))
    assert sr.model(config).kv_bytes_per_token().value == 131072


def test_states_have_a_fixed_size() -> None:
    model = sr.model(mamba())
    assert model.kv_bytes_per_token().value == 0
    # A state of 80 x 64 x 128, and three inputs of the convolution over 5120 + 2 x 128 channels.
    assert model.state_bytes().value == 64 * (80 * 64 * 128 + 3 * 5376) * 2
    assert model.state_bytes(dtype="fp32").value == 64 * (80 * 64 * 128 + 3 * 5376) * 4
    assert sr.model(LLAMA_3_8B).state_bytes().value == 0
