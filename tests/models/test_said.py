from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Integer

import symroof as sr
from symroof.models import ModelConfig

from .configs import LLAMA_2_70B, LLAMA_3_8B, bert, deepseek, gpt2, llama, mamba, mixtral


def said(config: ModelConfig, phase: str = "decode", **options: Any) -> str:
    return " ".join(sr.model(config).said(phase, **options))


def test_attention_says_that_softmax_and_rotation_are_left_out() -> None:
    assert "softmax" in said(LLAMA_3_8B)
    assert "rotation" in said(LLAMA_3_8B)
    assert "softmax" in said(gpt2())
    assert "rotation" not in said(gpt2())
    assert "softmax" not in said(mamba())


def test_each_sentence_stands_once_and_ends() -> None:
    found = sr.model(deepseek()).said("steady", tp=2, pp=2)
    assert len(set(found)) == len(found)
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in found)


def test_routing_is_even() -> None:
    assert "Each token goes to 2 of 8 experts, all equally likely" in said(mixtral())
    assert "equal parts of the tokens" not in said(mixtral())
    assert "equal parts of the tokens" in said(mixtral(), ep=2)
    assert "experts" not in said(LLAMA_3_8B)


def test_latent_attention_says_which_form_it_has() -> None:
    assert "decode works on compressed" in said(deepseek())
    assert "decode expands" in said(deepseek(), absorbed=False)
    assert "prompts expands" not in said(deepseek())
    both = said(deepseek(), "steady")
    assert "decode works on compressed" in both
    assert "prompts expands" in both


def test_a_scan_of_prompts_says_that_work_within_chunks_is_left_out() -> None:
    assert "chunked scan" in said(mamba(), "prefill")
    assert "chunked scan" not in said(mamba(), "decode")


def test_chunks_that_are_taken_as_windows_are_an_upper_bound() -> None:
    (layer, count), *_ = LLAMA_3_8B.decoder.layers
    chunked = replace(layer, mixer=replace(layer.mixer, chunk=Integer(8192)))
    stack = replace(LLAMA_3_8B.decoder, layers=((chunked, count),))
    assert "8192 tokens" in said(replace(LLAMA_3_8B, decoder=stack))
    assert "upper bounds" in said(replace(LLAMA_3_8B, decoder=stack))
    assert "chunks" not in said(LLAMA_3_8B)


def test_a_cut_says_what_it_changes() -> None:
    assert "The 8 key-value heads take the room of 16 on 16 chips" in said(LLAMA_2_70B, tp=16)
    assert "key-value heads take" not in said(LLAMA_2_70B, tp=8)
    assert "Of 4 stages the last is built, with 20 layers" in said(LLAMA_2_70B, pp=4)
    assert "stages" not in said(LLAMA_2_70B)
    assert "not exchanged" in said(llama(query_norm="full"), tp=2)
    assert "not exchanged" not in said(llama(query_norm="full"))
    assert "not exchanged" in said(mamba(), tp=2)


@pytest.mark.parametrize(
    ("stored", "options", "expected"),
    [
        ("fp32", {}, "stores weights in fp32; here they are in bf16"),
        ("fp32", {"dtype": "fp32"}, None),
        ("fp32", {"weights": "fp8"}, None),
        ("bf16", {}, None),
        ("fp16", {}, None),
        (None, {}, None),
    ],
)
def test_files_in_another_format(
    stored: str | None, options: dict[str, Any], expected: str | None
) -> None:
    found = said(replace(LLAMA_3_8B, dtype=stored), **options)
    assert (expected is None and "stores" not in found) or (expected or "?") in found


def test_encoders_have_no_decode() -> None:
    with pytest.raises(sr.errors.InputError, match=r"phase: .* is an encoder"):
        said(bert())
    assert "softmax" in said(bert(), "prefill")
