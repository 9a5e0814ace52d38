from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Rational

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.graph import Graph, Role
from symroof.models import ModelConfig, Parallel

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
)

B, S, T = sr.symbols("B S T")
COUNTED = "weights+kv"


def graph(config: ModelConfig, phase: str = "decode", **options: object) -> Graph:
    return sr.model(config).graph(phase, traffic=COUNTED, **options)


def test_chips_and_axes() -> None:
    cut = Parallel(tp=8, dp=2, ep=4, pp=3)
    assert cut.chips == 192
    assert cut.replicas == 8
    assert dict(cut.mesh.axes) == {"tp": 8, "dp": 2, "ep": 4, "pp": 3}
    assert dict(Parallel(pp=4).mesh.axes) == {"pp": 4}
    assert Parallel().mesh is None
    assert Parallel() == Parallel(tp=1)


@pytest.mark.parametrize("chips", [0, -1, 2.0, "2", True, None])
def test_sizes_are_whole_numbers(chips: object) -> None:
    with pytest.raises(InputError, match="tp: expected a whole number of chips"):
        Parallel(tp=chips)


def test_given_as_an_object_or_by_sizes() -> None:
    model = sr.model(LLAMA_3_8B)
    one = model.graph("decode", parallel=Parallel(tp=8), traffic=COUNTED)
    other = model.graph("decode", tp=8, traffic=COUNTED)
    assert one.bytes.expr == other.bytes.expr
    with pytest.raises(InputError, match="parallel"):
        model.graph("decode", parallel=Parallel(tp=8), tp=8)
    with pytest.raises(InputError, match="parallel"):
        model.graph("decode", parallel=8)
    with pytest.raises(UnknownNameError, match="ttp"):
        model.graph("decode", ttp=8)


@pytest.mark.parametrize("tp", [2, 4, 8])
def test_tensor_parallel_sends_the_bytes_of_megatron(tp: int) -> None:
    # Two all-reduces of B·D for each layer (Shoeybi et al. 2019): 4·(N−1)/N·B·D·2 bytes; and an
    # all-gather of the embedded tokens.
    found = graph(LLAMA_2_70B, tp=tp)
    share = Rational(tp - 1, tp)
    layers = 80 * 4 * share * B * 8192 * 2
    assert found.link_bytes.expr == layers + share * B * 8192 * 2
    found = graph(LLAMA_2_70B, "prefill", tp=tp)
    assert found.link_bytes.expr == (80 * 4 + 1) * share * B * T * 8192 * 2


def test_layers_side_by_side_send_half() -> None:
    ((layer, count),) = LLAMA_3_8B.decoder.layers
    both = replace(layer, parallel=True, shared_norm=True)
    config = replace(LLAMA_3_8B, decoder=replace(LLAMA_3_8B.decoder, layers=((both, count),)))
    found = graph(config, tp=8).link_bytes.expr
    assert found == (32 * 2 + 1) * Rational(7, 8) * B * 4096 * 2


def test_a_tied_table_is_cut_over_its_rows() -> None:
    # Partial rows are summed: an all-reduce, twice the bytes of an all-gather.
    found = graph(gpt2(), tp=4).link_bytes.expr
    assert found == (12 * 4 + 2) * Rational(3, 4) * B * 768 * 2


def test_a_state_space_layer_sends_one_sum() -> None:
    found = graph(mamba(), tp=8).link_bytes.expr
    assert found == (64 * 2 + 2) * Rational(7, 8) * B * 2560 * 2


def test_one_chip_sends_nothing() -> None:
    for phase in ("decode", "prefill", "mixed", "steady"):
        found = graph(LLAMA_3_8B, phase)
        assert found.link_bytes.value == 0
        assert found.plan is None


def test_work_of_a_chip_is_its_share() -> None:
    whole, part = graph(LLAMA_2_70B), graph(LLAMA_2_70B, tp=8)
    assert (part.flops.expr * 8 - whole.flops.expr).expand() == 0
    norms = 161 * 8192 * 2
    assert (8 * (part.bytes.expr - norms) - (whole.bytes.expr - norms)).expand() == 0


def test_memory_of_a_chip_is_that_of_its_graph() -> None:
    model = sr.model(LLAMA_2_70B)
    norms = model.params_by_part["norms"]
    part = graph(LLAMA_2_70B, tp=8)
    assert part.footprint(Role.WEIGHT).value == 2 * ((model.params - norms) // 8 + norms)
    assert part.footprint(Role.CACHE).expr == 80 * 2 * 1 * 128 * 2 * B * S


@pytest.mark.parametrize(("tp", "heads"), [(1, 8), (2, 4), (8, 1), (16, 1), (64, 1)])
def test_each_chip_has_a_key_value_head(tp: int, heads: int) -> None:
    cache = graph(LLAMA_2_70B, tp=tp).tensor("layer/k_cache")
    assert cache.shape == (B, heads, S, 128)


def test_data_parallel_cuts_sequences_alone() -> None:
    whole, part = graph(LLAMA_3_8B), graph(LLAMA_3_8B, dp=4)
    assert part.link_bytes.value == 0
    assert part.footprint(Role.WEIGHT).value == whole.footprint(Role.WEIGHT).value
    assert part.footprint(Role.CACHE).expr * 4 == whole.footprint(Role.CACHE).expr
    assert (part.flops.expr * 4 - whole.flops.expr).expand() == 0


def test_expert_parallel_sends_tokens_there_and_back() -> None:
    # Each of B/8 tokens goes to 2 of 8 experts and returns, all but one in eight to another chip.
    found = graph(mixtral(), ep=8)
    assert found.link_bytes.expr == 32 * 2 * (B / 8 * 2) * 4096 * 2 * Rational(7, 8)
    own = found.tensor("layer/experts.w_up")
    assert own.shape == (1, 4096, 14336)


def test_experts_of_a_chip_are_reached_by_the_tokens_of_all() -> None:
    whole, part = graph(mixtral()), graph(mixtral(), ep=8)
    experts = 3 * 4096 * 14336 * 2
    for batch in (8, 64):
        read = 8 * (1 - Rational(3, 4) ** batch)
        shared = whole.bytes.at(B=batch, S=1).value - 32 * read * experts - 131072 * batch
        found = part.bytes.at(B=batch, S=1).value
        assert found == shared + 32 * read / 8 * experts + 131072 * batch // 8


def test_a_stage_has_its_share_of_the_layers_and_the_head() -> None:
    part = graph(LLAMA_3_8B, pp=4)
    assert part.op("layer").times == 8
    assert part.link_bytes.expr == B * 4096 * 2
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336
    assert part.flops.expr == 2 * (8 * layer + 4096 * 128256) * B + 4 * 8 * 32 * 128 * B * S
    assert graph(deepseek(), pp=4).op("dense").times == 1
    assert graph(deepseek(), pp=4).op("moe").times == 15


def test_stages_of_a_symbolic_depth() -> None:
    part = graph(llama(layers="L"), pp=4)
    assert str(part.op("layer").times) == "ceiling(L/4)"


def test_context_parallel_gathers_keys_and_values() -> None:
    found = graph(LLAMA_3_8B, "prefill", cp=4)
    share = Rational(3, 4)
    assert found.link_bytes.expr == 32 * share * B * T * 2 * 1024 * 2
    with pytest.raises(InputError, match="cp: context parallel decode is not modelled"):
        graph(LLAMA_3_8B, cp=2)


@pytest.mark.parametrize(
    ("config", "options", "said"),
    [
        (LLAMA_3_8B, {"tp": 64}, "tp: 64 chips for 32 heads; at most 32"),
        (LLAMA_3_8B, {"tp": 3}, "tp: 32 heads do not divide over 3 chips; over 2 they do"),
        (llama(heads=31, kv_heads=31), {"tp": 8}, "tp: 31 heads do not divide over 8 chips"),
        (LLAMA_3_8B, {"ep": 2}, "ep: llama-3-8b has no experts to spread over 2 chips; dp makes"),
        (mamba(), {"ep": 4}, "ep: "),
        (llama(heads=6, kv_heads=3, width=1200), {"tp": 2}, "tp: 3 key-value heads"),
        (llama(width=14337), {"tp": 2}, "tp: 14337 hidden units do not divide over 2 chips"),
        (mixtral(), {"ep": 3}, "ep: 8 experts do not divide over 3 chips"),
        (mixtral(), {"ep": 16}, "ep: 16 chips for 8 experts"),
        (LLAMA_3_8B, {"pp": 33}, "pp: 33 stages for 32 layers"),
        (t5(), {"pp": 2}, "pp: "),
        (mamba(groups=5), {"tp": 2}, "tp: 5 groups of state-space heads do not divide"),
    ],
)
def test_what_cannot_be_cut(config: ModelConfig, options: dict[str, int], said: str) -> None:
    with pytest.raises(InputError) as error:
        graph(config, **options)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("phase", "options", "said"),
    [
        ("decode", {"batch": 6, "dp": 4}, "batch: 6 sequences do not divide over 4 replicas"),
        ("steady", {"prompts": 3, "dp": 2}, "prompts: 3 sequences do not divide over 2 replicas"),
        ("prefill", {"tokens": 9, "cp": 2}, "cp: 9 new tokens do not divide over 2 chips"),
    ],
)
def test_numbers_that_do_not_divide(phase: str, options: dict[str, int], said: str) -> None:
    with pytest.raises(InputError) as error:
        graph(LLAMA_3_8B, phase, **options)
    assert str(error.value).startswith(said)


def test_a_vocabulary_that_does_not_divide_is_rounded_up() -> None:
    assert graph(gpt2(), tp=4).tensor("embedding").shape == (12565, 768)  # ceil(50257/4)


def test_encoders_are_cut_too() -> None:
    found = graph(bert(), "prefill", tp=4)
    share = Rational(3, 4)
    assert found.link_bytes.expr == (12 * 4 + 1) * share * B * T * 768 * 2


@given(
    group=st.sampled_from([1, 2, 4]),
    kv_heads=st.sampled_from([1, 2, 4, 8]),
    tp=st.sampled_from([1, 2, 4, 8]),
    batch=st.integers(1, 64),
)
@settings(max_examples=20, deadline=None)
def test_chips_together_hold_the_model_and_do_its_work(
    group: int, kv_heads: int, tp: int, batch: int
) -> None:
    heads = group * kv_heads
    if heads < tp:
        return
    config = llama(64, 3, heads, kv_heads, 16, 128, 1024)
    whole, part = graph(config), graph(config, tp=tp)
    numbers = {"B": batch, "S": 100}
    assert part.flops.at(**numbers).value * tp >= whole.flops.at(**numbers).value
    assert part.bytes.at(**numbers).value * tp >= whole.bytes.at(**numbers).value
    assert part.footprint().value * tp >= whole.footprint().value
    if kv_heads >= tp:
        assert part.flops.at(**numbers).value * tp == whole.flops.at(**numbers).value
    assert part.footprint(Role.CACHE).at(**numbers).value == (
        3 * 2 * max(1, -(-kv_heads // tp)) * 16 * 2 * batch * Integer(100)
    )
