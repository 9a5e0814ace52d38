from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Integer, Rational

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.graph import Graph, Role, load
from symroof.models import ModelConfig
from symroof.symbolic import bind

from .configs import (
    LLAMA_2_70B,
    LLAMA_3_8B,
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

B, E, P, R, S, T = sr.symbols("B E P R S T")
COUNTED = "weights+kv"
PHASES = ("decode", "prefill", "mixed", "steady", "training")

# Elements of the matrices of a layer of Llama 3 8B, and of its head.
LAYER = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336
HEAD = 4096 * 128256


def graph(config: ModelConfig, phase: str = "decode", **options: Any) -> Graph:
    return sr.model(config).graph(phase, **{"traffic": COUNTED, **options})


def test_a_decode_step_by_hand() -> None:
    found = graph(LLAMA_3_8B)
    assert found.flops.expr == 2 * (32 * LAYER + HEAD) * B + 4 * 32 * 32 * 128 * S * B
    norms = 65 * 4096
    assert found.bytes.expr == 2 * (32 * LAYER + HEAD + norms) + 32 * 2 * 1024 * 2 * S * B
    assert found.traffic == COUNTED


@pytest.mark.parametrize(
    ("batch", "milliseconds"), [(1, 4.52), (8, 4.80), (64, 7.05), (256, 14.75)]
)
def test_decode_times_on_an_h100(batch: int, milliseconds: float) -> None:
    roofline = sr.analyze(graph(LLAMA_3_8B), "h100-sxm")
    numbers = {"B": batch, "S": 1024}
    found = roofline.time.overlapped.at(**numbers).to("ms")
    assert found == pytest.approx(milliseconds, rel=0.01)
    assert roofline.verdict(**numbers) is sr.Bound.MEMORY


def test_activations_are_counted_on_request() -> None:
    roofline = sr.analyze(graph(LLAMA_3_8B, traffic="unfused"), "h100-sxm")
    found = roofline.time.overlapped.at(B=256, S=1024).to("ms")
    assert found == pytest.approx(15.4, rel=0.03)


def test_traffic_from_least_to_most() -> None:
    numbers = {"B": 64, "S": 1024}
    moved = [
        graph(LLAMA_3_8B, traffic=traffic).bytes.at(**numbers).value
        for traffic in (COUNTED, "fused", "unfused")
    ]
    assert moved[0] < moved[1] < moved[2]


def test_a_prompt_by_hand() -> None:
    found = graph(LLAMA_3_8B, "prefill")
    pairs = T * (T + 1) / 2
    expected = 2 * 32 * LAYER * B * T + 2 * HEAD * B + 4 * 32 * 32 * 128 * pairs * B
    assert (found.flops.expr - expected).expand() == 0
    # Keys and values are written once.
    weights = 2 * (32 * LAYER + HEAD + 65 * 4096)
    assert (found.bytes.expr - weights - 131072 * B * T).expand() == 0


def test_a_chunk_attends_to_what_is_cached() -> None:
    found = graph(LLAMA_3_8B, "prefill", batch=1, tokens=512, context=1024)
    pairs = sum(1024 + place for place in range(1, 513))
    assert found.flops.value == 2 * (32 * LAYER * 512 + HEAD) + 4 * 32 * 32 * 128 * pairs
    weights = 2 * (32 * LAYER + HEAD + 65 * 4096)
    assert found.bytes.value - weights == 131072 * 1536


@pytest.mark.parametrize("config", [LLAMA_3_8B, gpt2(), t5()], ids=lambda config: config.name)
def test_a_mixed_step_is_both_steps_with_the_weights_read_once(config: ModelConfig) -> None:
    mixed = graph(config, "mixed")
    decode = graph(config, "decode")
    prefill = graph(config, "prefill", batch=1)
    assert (mixed.flops.expr - decode.flops.expr - prefill.flops.expr).expand() == 0
    caches = [g.bytes_by_role[Role.CACHE].expr for g in (mixed, decode, prefill)]
    assert (caches[0] - caches[1] - caches[2]).expand() == 0
    weights = [g.bytes_by_role[Role.WEIGHT].expr for g in (mixed, decode, prefill)]
    assert weights[0] == max(weights[1], weights[2])


def test_a_steady_step_has_prompts_of_any_number() -> None:
    steady, mixed = graph(LLAMA_3_8B, "steady"), graph(LLAMA_3_8B, "mixed")
    for what in ("flops", "bytes"):
        one = getattr(steady, what).at(R=1, P=100, B=8, S=50).value
        assert one == getattr(mixed, what).at(T=100, B=8, S=50).value
    weights = graph(LLAMA_3_8B).bytes.at(B=1, S=1).value - 131072
    assert steady.bytes.expr.expand() == weights + 131072 * (B * S + P * R)
    assert graph(LLAMA_3_8B, "steady", prompts=2, prompt=64).flops.at(B=1, S=64).value > 0


def test_training_is_three_times_the_products() -> None:
    layer = 2 * LAYER
    forward = 32 * layer * B * T + 2 * HEAD * B * T + 4 * 32 * 32 * 128 * B * T * (T + 1) / 2
    model = sr.model(LLAMA_3_8B)
    found = model.graph("training", traffic="unfused").flops.expr
    at = {"B": 4, "T": 2048}
    expected = 3 * forward.xreplace({B: Integer(4), T: Integer(2048)})
    assert sr.Quantity(found, "FLOP").at(**at).value == pytest.approx(float(expected), rel=1e-3)
    again = model.graph("training", traffic="unfused", recompute="full")
    more = 32 * layer * B * T + 4 * 32 * 32 * 128 * B * T * (T + 1) / 2
    expected += more.xreplace({B: Integer(4), T: Integer(2048)})
    assert again.flops.at(**at).value == pytest.approx(float(expected), rel=1e-3)


def test_an_expected_number_of_experts_is_read() -> None:
    found, experts = graph(mixtral()), 3 * 4096 * 14336 * 2
    once = found.bytes.at(B=1, S=1).value
    for batch in (2, 7, 64):
        reached = 8 * (1 - Rational(3, 4) ** batch)
        more = found.bytes.at(B=batch, S=1).value - once
        assert more == 32 * experts * (reached - 2) + 131072 * (batch - 1)


def test_flops_of_a_mixture_are_those_of_the_experts_of_a_token() -> None:
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 4096 * 8 + 2 * 3 * 4096 * 14336
    expected = 2 * (32 * layer + 4096 * 32000) * B + 4 * 32 * 32 * 128 * S * B
    assert (graph(mixtral()).flops.expr - expected).expand() == 0


def test_a_window_keeps_and_reads_no_more_than_it_sees() -> None:
    config = llama(window=Integer(1024))
    found = graph(config)
    weights = 2 * (32 * LAYER + HEAD + 65 * 4096)
    for context, kept in ((100, 100), (1024, 1024), (5000, 1024)):
        numbers = {"B": 4, "S": context}
        assert found.bytes.at(**numbers).value == weights + 131072 * 4 * kept
        assert found.footprint(Role.CACHE).at(**numbers).value == 131072 * 4 * kept
        dense = 2 * (32 * LAYER + HEAD) * 4
        assert found.flops.at(**numbers).value == dense + 4 * 32 * 32 * 128 * 4 * kept
    prompt = graph(config, "prefill", batch=1, tokens=3000)
    pairs = sum(min(place, 1024) for place in range(1, 3001))
    dense = 2 * (32 * LAYER * 3000 + HEAD)
    assert prompt.flops.value == dense + 4 * 32 * 32 * 128 * pairs


def test_each_thing_is_stored_in_its_own_dtype() -> None:
    found = graph(LLAMA_3_8B, dtype="bf16", weights="block(4,128,16)", kv="fp8")
    matrices, norms = 32 * LAYER + HEAD, 65 * 4096
    expected = matrices * Rational(33, 64) + norms * 2 + 65536 * B * S
    assert (found.bytes.expr - expected).expand() == 0
    # Four-bit weights are dequantised: the products run at the 16-bit peak.
    assert set(found.flops_by_dtype) == {"bf16"}
    plain = graph(LLAMA_3_8B)
    assert found.flops.expr == plain.flops.expr


def test_weights_that_a_config_says_are_quantised() -> None:
    config = replace(LLAMA_3_8B, weights="fp8", plain_parts=("embedding", "head"))
    expected = 32 * LAYER + 2 * HEAD + 2 * 65 * 4096 + 131072 * B * S
    assert (graph(config).bytes.expr - expected).expand() == 0
    whole = 2 * (32 * LAYER + HEAD + 65 * 4096) + 131072 * B * S
    assert (graph(config, weights="bf16").bytes.expr - whole).expand() == 0


def test_latent_attention_keeps_keys_compressed() -> None:
    found = graph(deepseek())
    assert found.bytes_by_role[Role.CACHE].expr == 61 * 576 * 2 * B * S
    pair = 61 * 128 * 2 * (576 + 512)
    assert found.flops.expr.coeff(S).coeff(B) == pair
    expanded = graph(deepseek(), absorbed=False)
    # Keys and values of all heads are made again from every latent vector.
    pair = 61 * (128 * 2 * (192 + 128) + 2 * 512 * 128 * 256)
    assert expanded.flops.expr.coeff(S).coeff(B) == pair


def test_encoders_take_whole_inputs() -> None:
    layer = 4 * 768 * 768 + 2 * 768 * 3072
    found = graph(bert(), "prefill")
    # Biases are part of the products; the pooler reads one vector of a sequence.
    expected = 12 * ((2 * layer + 5 * 768 + 3072) * T + 4 * 768 * T**2) + 2 * 768**2 + 768
    assert (found.flops.expr - B * expected).expand() == 0
    assert found.footprint(Role.CACHE).value == 0
    images = graph(vit(), "prefill", batch=1, tokens=197)
    # 17.6 G multiply-adds, as published for ViT-B/16 at 224 x 224.
    assert images.flops.value / 2e9 == pytest.approx(17.5, rel=0.02)


def test_a_decoder_with_an_encoder_reads_its_output_from_caches() -> None:
    found = graph(t5())
    caches = 6 * 2 * 8 * 64 * 2
    assert found.bytes_by_role[Role.CACHE].expr == caches * B * S + caches * B * E
    assert graph(whisper()).bytes_by_role[Role.CACHE].expr == 4 * 2 * 384 * 2 * (B * S + 1500 * B)
    longer = graph(t5(), source=512)
    assert longer.bytes_by_role[Role.CACHE].expr == caches * B * S + caches * B * 512


def test_the_encoder_runs_with_the_prompt() -> None:
    encoder = 6 * (2 * (4 * 512 * 512 + 2 * 512 * 2048) * E + 4 * 512 * E**2)
    cross = 6 * 2 * 2 * 512 * 512 * E
    decoder = 6 * (2 * (6 * 512 * 512 + 2 * 512 * 2048) * T + 4 * 512 * T * (T + 1) / 2)
    attended = 6 * 4 * 512 * T * E
    head = 2 * 512 * 32128
    found = graph(t5(), "prefill").flops.expr
    assert (found - B * (encoder + cross + decoder + attended + head)).expand() == 0


def test_a_state_is_read_and_written_whatever_the_context() -> None:
    found = graph(mamba())
    assert "S" not in {symbol.name for symbol in found.bytes.expr.free_symbols}
    state = 64 * (80 * 64 * 128 + 3 * 5376) * 2
    assert found.bytes_by_role[Role.CACHE].expr == 2 * state * B
    prompt = graph(mamba(), "prefill")
    assert prompt.bytes_by_role[Role.CACHE].expr == state * B
    # The two products with the state, for each token.
    products = 2560 * (2 * 5120 + 256 + 80) + 5120 * 2560
    per_token = 64 * (2 * products + 2 * 2 * 80 * 64 * 128 + (2 * 4 + 1) * 5376)
    assert (prompt.flops.expr - B * T * per_token - 2 * 2560 * 50288 * B).expand() == 0


# Every number of an architecture as a symbol, with the number it stands for.
SYMBOLIC: dict[str, tuple[Callable[..., ModelConfig], dict[str, int]]] = {
    "llama": (
        llama,
        {"hidden": 64, "layers": 3, "heads": 8, "kv_heads": 2, "head_dim": 16, "width": 96}
        | {"vocabulary": 1000},
    ),
    "mixtral": (
        mixtral,
        {"hidden": 64, "layers": 3, "heads": 8, "kv_heads": 2, "head_dim": 16, "width": 96}
        | {"experts": 8, "top_k": 2, "vocabulary": 1000},
    ),
    "deepseek": (
        deepseek,
        {"hidden": 64, "dense": 1, "sparse": 3, "heads": 4, "query_rank": 24, "rank": 32}
        | {"plain": 16, "rotary": 8, "value": 12, "width": 96, "experts": 8, "top_k": 2}
        | {"expert_width": 20, "vocabulary": 1000},
    ),
    "mamba": (
        mamba,
        {"hidden": 64, "layers": 3, "heads": 8, "head_dim": 16, "state": 32, "groups": 2}
        | {"kernel": 4, "vocabulary": 1000},
    ),
    "gpt2": (
        gpt2,
        {"hidden": 64, "layers": 3, "heads": 8, "head_dim": 8, "width": 256}
        | {"vocabulary": 1000, "positions": 128},
    ),
    "bert": (
        bert,
        {"hidden": 64, "layers": 3, "heads": 8, "head_dim": 8, "width": 256, "vocabulary": 1000},
    ),
    "vit": (vit, {"hidden": 512, "layers": 3, "heads": 8, "width": 256}),
    "t5": (
        t5,
        {"hidden": 64, "layers": 3, "heads": 8, "head_dim": 8, "width": 256, "vocabulary": 1000},
    ),
}


def number(expr: Expr, sizes: dict[str, int]) -> Expr:
    """What a formula is at these sizes, of which it may have some alone."""
    return bind(expr, {symbol.name: sizes[symbol.name] for symbol in expr.free_symbols})


LENGTHS = {"B": 3, "S": 40, "T": 24, "P": 16, "R": 2, "E": 20}


@pytest.mark.parametrize("family", SYMBOLIC)
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("traffic", ["unfused", COUNTED])
def test_symbols_and_numbers_agree(family: str, phase: str, traffic: str) -> None:
    make, sizes = SYMBOLIC[family]
    numbers = make(**sizes)
    if not numbers.decoder.causal and phase not in ("prefill", "training"):
        return
    if phase == "training" and traffic == COUNTED:
        return
    names = {f"n_{name}": size for name, size in sizes.items()}
    formula = make(**{name: f"n_{name}" for name in sizes})
    one, other = (graph(config, phase, traffic=traffic) for config in (formula, numbers))
    for what in ("flops", "bytes"):
        made, whole = getattr(one, what).expr, getattr(other, what).expr
        assert number(made, names | LENGTHS) == number(whole, LENGTHS)


@pytest.mark.parametrize("family", SYMBOLIC)
def test_one_symbol_at_a_time(family: str) -> None:
    make, sizes = SYMBOLIC[family]
    numbers = sr.model(make(**sizes)).params
    for name, size in sizes.items():
        made = sr.model(make(**(sizes | {name: "X"}))).params
        assert number(Integer(0) + made, {"X": size}) == numbers


@given(
    batch=st.integers(1, 300),
    context=st.integers(1, 5000),
    layers=st.integers(1, 50),
    more=st.integers(1, 50),
)
@settings(max_examples=25, deadline=None)
def test_work_never_falls_as_sizes_grow(batch: int, context: int, layers: int, more: int) -> None:
    def work(b: int, s: int, number: int) -> list[Any]:
        found = graph(llama(64, number, 8, 2, 16, 96, 1000))
        return [found.flops.at(B=b, S=s).value, found.bytes.at(B=b, S=s).value]

    least = work(batch, context, layers)
    for sizes in (
        (batch + more, context, layers),
        (batch, context + more, layers),
        (batch, context, layers + more),
    ):
        assert all(a < b for a, b in zip(least, work(*sizes), strict=True))


def test_a_graph_is_ones_own() -> None:
    model = sr.model(LLAMA_3_8B)
    for traffic in (COUNTED, "fused", "unfused"):
        first = model.graph("decode", traffic=traffic)
        before = first.flops.expr
        first.input("more", (B, 8), "bf16") + first.input("still", (B, 8), "bf16")
        assert model.graph("decode", traffic=traffic).flops.expr == before


@pytest.mark.parametrize("phase", ["decode", "prefill", "mixed"])
@pytest.mark.parametrize("traffic", ["fused", COUNTED])
def test_graphs_are_saved_and_read(phase: str, traffic: str, tmp_path: Path) -> None:
    made = graph(mixtral(), phase, traffic=traffic, tp=2)
    made.save(tmp_path / "model.toml")
    again = load(tmp_path / "model.toml")
    assert again.flops.expr == made.flops.expr
    assert again.bytes.expr == made.bytes.expr
    assert again.link_bytes.expr == made.link_bytes.expr


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"phase": "decod"}, UnknownNameError, "decode"),
        ({"traffic": "weights"}, UnknownNameError, "weights\\+kv"),
        ({"dtype": "bf17"}, UnknownNameError, "bf16"),
        ({"weights": "int3"}, UnknownNameError, "int"),
        ({"batch": 0}, InputError, "batch"),
        ({"phase": []}, UnknownNameError, "phase"),
        ({"recompute": "ful"}, UnknownNameError, "full"),
        ({"recompute": "full"}, InputError, "recompute: decode has nothing to compute again"),
        ({"absorbed": 1}, InputError, "absorbed: expected True or False, not 1"),
        ({"tokens": 64}, InputError, "tokens: "),
        ({"ep": 2}, InputError, "ep: llama-3-8b has no experts to spread over 2 chips"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        sr.model(LLAMA_3_8B).graph(**options)


def test_sources_of_a_model(tmp_path: Path) -> None:
    assert sr.model("llama-3-8b").params == 8_030_261_248
    file = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_hidden_layers": 32,
        "vocab_size": 128256,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        "rms_norm_eps": 1e-5,
        "max_position_embeddings": 8192,
        "torch_dtype": "bfloat16",
    }
    assert sr.model(file).params == 8_030_261_248
    path = tmp_path / "config.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    for given_as in (path, str(path), tmp_path):
        assert sr.model(given_as).params == 8_030_261_248
    assert str(sr.model(file, num_hidden_layers="L").params) == "218112000*L + 1050677248"
    assert sr.model(sr.model(file).config).params == 8_030_261_248


def test_what_is_no_model() -> None:
    with pytest.raises(UnknownNameError, match="llama-3-8b"):
        sr.model("llama-3-8bb")
    with pytest.raises(InputError, match="no fields of a file"):
        sr.model(LLAMA_3_8B, hidden_size=3)
    with pytest.raises(InputError, match="expected a ModelConfig"):
        sr.Model(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="model"):
        sr.model(3)  # type: ignore[call-overload]
    for name in ("./llama-3-8b", "../llama-3-8b", "/no/llama-3-8b", "~/llama-3-8b"):
        with pytest.raises(InputError, match=r"llama-3-8b: cannot be read"):
            sr.model(name)
    for name in ("x" * 5000, "\0", ""):
        with pytest.raises(UnknownNameError, match="unknown model"):
            sr.model(name)


def test_names() -> None:
    model = sr.model(LLAMA_2_70B)
    assert model.name == "llama-2-70b"
    assert repr(model) == "<model 'llama-2-70b'>"
    assert model.graph("decode").name == "llama-2-70b-decode"
