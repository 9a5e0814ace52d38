"""Serving against published numbers and numbers worked by hand."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Integer, Rational

import symroof as sr
from symroof.errors import InputError, SymroofError, UnboundError, UnitError, UnknownNameError
from symroof.serving import Workload
from symroof.solve import Kind

from .small import LATENT, LLAMA_8B, LLAMA_70B, MAMBA, MIXTRAL, dense

A100, H100 = "a100-sxm-80gb", "h100-sxm"
EIGHT = "8xa100-sxm-80gb"


def at_1024(**options: Any) -> sr.Serving:
    return sr.serve(LLAMA_8B, H100, context=1024, **options)


# --- touched: an 8B model on one H100, published within 1% --------------------------------------


@pytest.mark.parametrize(("batch", "ms"), [(1, 4.52), (8, 4.80), (64, 7.05), (256, 14.75)])
def test_a_step_of_8b_on_an_h100(batch: int, ms: float) -> None:
    found = at_1024()
    assert found.time(batch).overlapped.to("ms") == pytest.approx(ms, rel=0.01)
    assert found.bound(batch) is sr.Bound.MEMORY


def test_8b_is_never_compute_bound_at_context_1024() -> None:
    found = at_1024()
    assert found.crossover().kind is Kind.NEVER
    assert found.symbolic.crossover().at(S=1024).kind is Kind.NEVER


def test_context_limit_of_8b_counts_matmul_parameters() -> None:
    # By hand: S < F/(kv·I - f), with F = 2·7504658432 FLOPs a token of products, f = 4·32·32·128
    # of attention a token of context, kv = 131072 bytes, I = 989/3.35.
    limit = at_1024().context_limit
    by_hand = Rational(2 * 7504658432) / (131072 * Rational(989_00, 335) - 4 * 32 * 32 * 128)
    assert limit.crossover.threshold_bound == by_hand
    assert limit.last == 393
    for counted in ("without the embedding table", "each cached token once", "no activations"):
        assert counted in limit.means
    assert str(limit) == "no batch is compute-bound beyond a context of 393 tokens"


def test_70b_turns_compute_bound_at_237_sequences_however_it_is_cut() -> None:
    one = sr.serve(LLAMA_70B, A100, context=1024)
    assert one.crossover(over="memory").threshold_value == pytest.approx(236.9, abs=0.05)
    eight = sr.serve(LLAMA_70B, EIGHT, context=1024)
    # Norms are on every chip, which is 0.01% more to read.
    assert eight.crossover(over="memory").threshold_value == pytest.approx(236.9, abs=0.05)


def test_rule_of_thumb_is_the_ridge() -> None:
    found = sr.serve(LLAMA_8B, H100, context=256).rule_of_thumb
    assert found is not None
    assert found.batch == pytest.approx(989 / 3.35, rel=1e-4)
    assert found.truth.first == 847
    assert at_1024().rule_of_thumb.truth.kind is Kind.NEVER


def test_caches_exceed_weights_of_8b_from_1789_tokens_at_batch_64() -> None:
    answer = at_1024().kv_exceeds_weights(64)
    # 2·(8030261248 - 128256·4096) bytes over 64·131072
    assert answer.threshold_bound == Rational(2 * (8030261248 - 525336576), 64 * 131072)
    assert int(answer.threshold_value) == 1789
    assert answer.first == 1790


# --- elasticities -------------------------------------------------------------------------------


def test_elasticities_of_8b_at_batch_64() -> None:
    found = {e.name: e for e in at_1024().elasticities(64)}
    assert found["parameters"].value == pytest.approx(0.636, abs=5e-4)
    assert found["batch"].value == pytest.approx(0.364, abs=5e-4)
    assert found["context"].value == pytest.approx(0.364, abs=5e-4)
    assert found["memory bandwidth"].value == -1
    assert found["peak compute"].value == 0
    assert str(found["batch"].expr) == "16*B*S/(16*B*S + 1832257)"


# --- B71 and what fits --------------------------------------------------------------------------


def trap_b71() -> Any:
    """8.03e9 parameters that are all read: the head is the embedding table."""
    # 4000·(V + 1 + 32·(2 + 10240 + 3·F)) = 8.03e9, with 32 heads on 8, of 128
    return dense(
        hidden=4000,
        layers=32,
        heads=32,
        kv_heads=8,
        head_dim=128,
        width=14000,
        vocabulary=335755,
        tied=True,
    )


def test_b71_full_or_touched_and_the_largest_batch() -> None:
    chip = sr.Chip("h", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "3.35 TB/s"}, capacity="80 GB")
    model = sr.model(trap_b71())
    assert model.params == 8_030_000_000
    touched = sr.serve(model, chip, context=8192)
    full = sr.serve(model, chip, context=8192, memory="full")
    assert touched.time(1).overlapped.value == Rational(66928679, 13085937500)
    assert full.t_mem.value == Rational(8, 335)
    assert touched.max_batch == full.max_batch == 59
    assert any("right only at the largest batch" in said for said in full.assumptions)
    assert "B_dense = 59" in " ".join(full.assumptions)


def test_what_does_not_fit_is_an_answer() -> None:
    found = sr.serve(LLAMA_70B, A100, context=1024)
    assert found.fits is False
    # 68976648192 parameters and 1024 tokens of 327680 bytes, in 80 GB
    assert found.shortfall.value == 2 * 68976648192 + 1024 * 327680 - 80 * 10**9
    assert found.fewest_chips == 2
    assert found.max_batch == 0
    assert found.at(8).fits is False
    two = sr.serve(LLAMA_70B, f"2x{A100}", context=1024)
    assert two.fits is True
    assert two.shortfall is None


def test_copies_hold_whole_sequences_each() -> None:
    one = at_1024().max_batch
    four = sr.serve(LLAMA_8B, "4xh100-sxm", context=1024, dp=4)
    # (80e9 - 2·8030261248) / (1024·131072) is 476.4 in a copy: 1905.6 in all, and 1904 in fours.
    assert one == 476
    assert four.max_batch == 1904


def test_states_do_not_grow_with_the_context() -> None:
    short, long = (sr.serve(MAMBA, H100, context=s).max_batch for s in (64, 10**6))
    assert short == long > 0


def test_windows_bound_what_is_kept() -> None:
    windowed = sr.model(dense(window=128))
    full = sr.model(dense())
    inside, at, beyond = (sr.serve(windowed, H100, context=s).max_batch for s in (64, 128, 4096))
    assert inside == sr.serve(full, H100, context=64).max_batch
    assert at == beyond == sr.serve(full, H100, context=128).max_batch


# --- context limits -----------------------------------------------------------------------------


def test_a_short_window_has_no_context_limit() -> None:
    # Attention of 1 window token costs 2·2 FLOPs a byte: at most 256 tokens·16 KiB against
    # 1.4e9 FLOPs of products, so that a large batch is always compute-bound.
    wide = dense(hidden=4096, layers=4, heads=32, kv_heads=8, head_dim=128, width=14336, window=64)
    limit = sr.serve(wide, H100).context_limit
    assert limit.value == float("inf")
    assert limit.last is None
    assert limit.crossover.kind is Kind.ALWAYS
    assert sr.serve(wide, H100).to_dict()["context_limit"]["value"] is None


def test_states_alone_keep_every_batch_memory_bound() -> None:
    # Each step reads and writes 80·64·128 numbers of state a layer: 4 bytes for about 4 FLOPs.
    limit = sr.serve(MAMBA, H100).context_limit
    assert limit.value == 0
    assert limit.crossover.kind is Kind.NEVER


def test_latent_attention_has_a_far_limit() -> None:
    # By hand, 4 layers: a token of context is 576 elements, read once (1152 bytes), and meets
    # 128 heads twice (2·128·(576 + 512) FLOPs).
    limit = sr.serve(LATENT, H100).context_limit
    per_token = 1152 * Rational(98900, 335) - 2 * 128 * (576 + 512)
    flops = limit.value * 4 * float(per_token)
    params = sr.model(LATENT).params - 129280 * 7168
    assert flops == pytest.approx(2 * params, rel=0.01)


def test_experts_that_a_batch_reaches_do_not_move_the_context_limit() -> None:
    # At a large batch all are read, once: 2 of 8 experts' FLOPs and the caches decide.
    limit = sr.serve(MIXTRAL, H100).context_limit
    per_token = 131072 * Rational(98900, 335) - 4 * 32 * 32 * 128
    active = sr.model(MIXTRAL).active_params - 32000 * 4096
    assert limit.value == pytest.approx(2 * active / float(per_token), rel=1e-3)


# --- a workload, the network, cuts --------------------------------------------------------------


def test_full_terms_of_70b_on_eight_a100s() -> None:
    a100 = sr.Chip(
        "a",
        peak={"bf16": "312 TFLOP/s"},
        memory={"hbm": "2 TB/s"},
        capacity="80 GB",
        link="300 GB/s",
    )
    found = sr.serve(LLAMA_70B, sr.System(a100, 8), prefill=512, decode=1024, memory="full")
    assert found.t_mem.to("ms") == 40
    # 2·2048·68976648192 FLOPs over 8·312e12, and 4·7·2048·8192·2·80 bytes over 8·300e9
    assert found.t_compute.at(B_dense=2048).to("ms") == pytest.approx(113.19, abs=0.01)
    assert found.t_net.at(B_dense=2048).to("ms") == pytest.approx(31.32, abs=0.01)
    assert str(found.t_net) == "4*B_dense*D_model*L*S_type*(N_gpus - 1)/NetBW s"
    assert found.bound(2048) is sr.Bound.COMPUTE


def test_70b_is_network_bound_from_27_chips_in_totals() -> None:
    found = sr.serve(LLAMA_70B, EIGHT, prefill=512, decode=1024, memory="full")
    assert found.network_bound_from.first == 27
    (pair,) = (p for p in found.pairs if (p.term, p.over) == ("network", "compute"))
    assert pair.batch_cancels
    assert pair.answer.first == 27
    assert str(pair).startswith("network ≥ compute: no batch changes this; N_gpus ≥ ")


def test_network_crossover_by_hand() -> None:
    # Of a token each of N chips sends (N - 1)/N·(4·80 + 1)·8192·2 bytes over 300e9 byte/s: two
    # all-reduces a layer, and the row of the embedding, which is cut. It does 1/N of the FLOPs:
    # products with all but the embedding and norms, attention on 1024 tokens. Beyond 8 chips the
    # products for keys and values, 2·2·8192·1024 FLOPs a layer, stay those of one head.
    products = 2 * (68976648192 - 32000 * 8192 - 161 * 8192)
    keys = 80 * 2 * 2 * 8192 * 1024
    spread = products + 4 * 80 * 64 * 128 * 1024 - keys
    sent = Rational((4 * 80 + 1) * 8192 * 2, 300 * 10**9) * 312 * 10**12
    by_hand = (spread + sent) / (sent - Rational(keys, 8))
    found = sr.serve(LLAMA_70B, EIGHT, context=1024).network_bound_from
    assert found.threshold_bound == by_hand
    assert found.first == 28


# Matrices that all chips have: those to the ranks of latent attention, and routers; keys and
# values of fewer heads than chips.
@pytest.mark.parametrize(
    ("name", "chip", "options", "below", "above"),
    [
        ("deepseek-v3", "h200-sxm", {"weights": "fp8"}, 16, 32),
        ("llama-2-70b", A100, {}, 16, 32),
        ("qwen3-30b-a3b", H100, {}, 2, 8),
        ("mamba2-2.7b", H100, {}, 2, 16),
    ],
)
def test_network_bound_from_agrees_with_models_that_are_cut(
    name: str, chip: str, options: dict[str, Any], below: int, above: int
) -> None:
    found = sr.serve(name, chip, context=1024, **options).network_bound_from
    assert below < found.first <= above
    for chips in (below, above):
        cut = sr.serve(name, chip, context=1024, tp=chips, **options)
        assert cut.network_bound_from.first == found.first
        terms = cut.at(64).terms
        assert (terms["network"] >= terms["compute"]) is (chips >= found.first)


def test_chips_in_networks_at_two_levels_have_no_such_number() -> None:
    assert sr.serve(LLAMA_70B, "dgx-h100-2", tp=16, context=512).network_bound_from is None


# --- the context limit on many chips ------------------------------------------------------------


@pytest.mark.parametrize("chips", [8, 16, 32])
@pytest.mark.parametrize("link", [348, 450])
def test_below_the_context_limit_alone_some_batch_is_compute_bound(chips: int, link: int) -> None:
    chip = sr.Chip(
        "a",
        peak={"bf16": "312 TFLOP/s"},
        memory={"hbm": "2039 GB/s"},
        capacity="80 GB",
        link=f"{link} GB/s",
    )
    limit = sr.serve(LLAMA_70B, chip, tp=chips).context_limit
    assert limit.last > 600
    for context in (1, 100, 300, limit.last - 4, limit.last + 4, 3000):
        there = sr.serve(LLAMA_70B, chip, tp=chips, context=context)
        assert (there.crossover().kind is not Kind.NEVER) is (
            (limit.first or 1) <= context <= limit.last
        )


def test_no_context_makes_a_batch_compute_bound_that_waits_for_the_network() -> None:
    served = sr.serve(LLAMA_70B, A100, tp=32, context=64)
    assert served.crossover().kind is Kind.NEVER
    assert served.context_limit.last == 0
    assert str(served.context_limit) == "no batch is compute-bound at any context"
    assert served.context_limit.means.endswith("what chips send")


def test_one_chip_has_no_network() -> None:
    found = at_1024()
    assert found.t_net.expr == 0
    assert [(p.term, p.over) for p in found.pairs] == [("compute", "memory")]


def test_a_steady_state_by_hand() -> None:
    # One layer, 1 head of 1, hidden 1, width 1, 1 word: weights by hand, B_dense = 6 with p = d = 4
    # is 3 sequences at context 6 and 3/4 prompts of 4.
    tiny = dense(hidden=1, layers=1, heads=1, kv_heads=1, head_dim=1, width=1, vocabulary=1)
    found = sr.serve(tiny, H100, prefill=4, decode=4)
    terms = found.terms
    moved = terms.quantities["memory"].at(B_dense=6) * sr.Quantity("3.35 TB/s")
    read = 2 * (4 + 3 + 1 + 3)  # matrices of attention and feed-forward, head, norms
    kept = 2 * 2 * (3 * 6 + Rational(3, 4) * 4)
    assert moved.value == read + kept
    work = terms.quantities["compute"].at(B_dense=6) * sr.Quantity("989 TFLOP/s")
    products = 2 * 7 * 6 + 2 * (3 + Rational(3, 4))
    attended = 4 * (3 * 6 + Rational(3, 4) * 10)
    assert work.value == products + attended


def test_a_step_has_the_rates_of_the_formulas() -> None:
    found = sr.serve(LLAMA_8B, H100, prefill=512, decode=256)
    step = found.at(768)
    assert step.sequences.value == 256  # a third of the tokens are decoded
    assert step.tpot == step.time.overlapped
    assert found.throughput.at(B_dense=768) == step.throughput
    assert found.per_request_throughput.at(B_dense=768) == step.requests_per_second
    assert found.max_tokens == found.max_batch * 3


def test_optimal_throughput_is_peak_over_flops_of_a_token() -> None:
    found = sr.serve(LLAMA_70B, EIGHT, prefill=512, decode=512, memory="full")
    # compute/(2·P_model) of all chips, and of one
    assert found.optimal_throughput.value == Rational(8 * 312 * 10**12, 2 * 68976648192)
    assert found.optimal_throughput_per_gpu.value * 8 == found.optimal_throughput.value


def test_copies_multiply_the_throughput() -> None:
    one = at_1024().at(64)
    four = sr.serve(LLAMA_8B, "4xh100-sxm", context=1024, dp=4).at(256)
    assert four.throughput == 4 * one.throughput
    assert four.throughput_per_gpu == one.throughput
    assert four.tpot == one.tpot


def test_the_first_token_of_copies_is_no_faster() -> None:
    one, four = at_1024(), sr.serve(LLAMA_8B, "4xh100-sxm", context=1024, dp=4)
    assert one.ttft.value == four.ttft.value


def test_stages_read_their_weights_once_for_each_part_of_the_batch() -> None:
    found = sr.serve(LLAMA_8B, "4xh100-sxm", context=1024, pp=4)
    # A stage has 8 layers and the head; a chip keeps a quarter of the caches of all sequences.
    layer = 2 * (4096 * 128 * 48 + 4096**2 + 3 * 4096 * 14336 + 2 * 4096)
    stage = 8 * layer + 2 * (128256 * 4096 + 4096)
    cached = 1024 * 131072 // 4
    assert found.t_mem.at(B=64).value == 4 * Rational(stage + 16 * cached, 3350 * 10**9)
    assert found.capacity.caches.at(B=64).value == 64 * cached
    assert found.t_net.at(B=64).value > 0


def test_the_first_token_goes_through_all_stages() -> None:
    one = sr.serve(LLAMA_8B, H100, prefill=2048, decode=64)
    four = sr.serve(LLAMA_8B, H100, prefill=2048, decode=64, pp=4)
    # Compute-bound: 32 layers in any case, and each stage takes as long as the last with the head.
    head = Rational(2 * 4096 * 128256, 989 * 10**12)
    assert four.ttft.value == one.ttft.value + 3 * head


def test_stages_hold_each_weight_once() -> None:
    whole = 2 * 8030261248
    for pp in (2, 3, 4, 32):
        found = sr.serve(LLAMA_8B, H100, context=1024, pp=pp)
        assert found.capacity.total_weights.value == whole
    assert at_1024(pp=2, dp=3).capacity.total_weights.value == 3 * whole


@pytest.mark.parametrize(
    ("cut", "parts"), [({"dp": 8}, 8), ({"pp": 4}, 4), ({"dp": 2, "pp": 4}, 8)]
)
def test_sequences_are_not_cut_in_pieces(cut: dict[str, int], parts: int) -> None:
    found = at_1024(**cut)
    assert found.parts == parts
    for ask in (found.tpot, found.at, found.bound, found.helps, found.time, found.mfu):
        with pytest.raises(InputError) as error:
            ask(parts + 1)
        assert str(error.value) == (
            f"batch: a batch of {parts + 1} does not divide into {parts} equal parts, for copies"
            f" and stages; {2 * parts} does"
        )
    batches = [step["batch"] for step in found.to_dict()["batches"]]
    assert batches
    assert not any(batch % parts for batch in batches)
    assert found.largest_batch("20 ms") % parts == 0


def test_a_sequence_takes_no_less_time_where_others_have_copies() -> None:
    one, eight = at_1024(), at_1024(dp=8)
    assert eight.tpot(8).value == one.tpot(1).value
    assert eight.bound(8) is one.bound(1)


def test_tokens_of_a_steady_state_are_parts_on_average() -> None:
    found = sr.serve(LLAMA_8B, H100, prefill=512, decode=64, dp=2)
    assert found.parts == 1
    assert found.at(3).throughput.value > 0


def test_experts_are_spread_where_there_are_some() -> None:
    with pytest.raises(InputError, match="ep: model has no experts to spread over 2 chips"):
        at_1024(ep=2).to_dict()
    assert sr.serve(MIXTRAL, H100, context=1024, ep=2).at(2).tpot.value > 0


def test_an_encoder_reads_what_is_said() -> None:
    found = sr.serve("t5-small", H100, context=20, source=512)
    # 6 layers keep keys and values of 8 heads of 64, of the answer and of what was read.
    assert found.capacity.caches.at(B=1).value == 6 * (20 + 512) * 2 * 8 * 64 * 2
    with pytest.raises(InputError, match="source: the encoder of t5-small reads any number"):
        sr.serve("t5-small", H100, context=20)
    with pytest.raises(InputError, match="source: expected a whole number of at least 1"):
        sr.serve("t5-small", H100, context=20, source=1.5)
    with pytest.raises(InputError, match="source: model has no encoder"):
        at_1024(source=512)
    with pytest.raises(InputError, match="source: the encoder of whisper-large-v3 reads 1500"):
        sr.serve("whisper-large-v3", H100, context=20, source=512)
    assert sr.serve("whisper-large-v3", H100, context=20, source=1500).fits


def test_a_context_beyond_what_a_model_is_made_for_is_said() -> None:
    said = "gpt2 is made for contexts of up to 1024 tokens, and these are of 1025."
    assert said in sr.serve("gpt2", H100, context=1025).assumptions
    assert not any("made for" in line for line in sr.serve("gpt2", H100, context=1024).assumptions)
    load = sr.serve("gpt2", H100, prefill=1000, decode=100)
    assert any("these are of 1100" in line for line in load.assumptions)


def test_a_model_in_symbols_is_answered_without_a_word_on_what_fits() -> None:
    found = sr.serve(sr.model("llama-3-8b", num_hidden_layers="L"), H100, context=1024)
    data = found.to_dict()
    assert data["fits"] is data["shortfall"] is data["fewest_chips"] is data["max_batch"] is None
    assert data["batches"] == []
    assert found.has_room(8) is None
    known = sr.serve("llama-3-8b", H100, context=1024)
    assert found.t_mem.at(L=32, B=8).value == known.t_mem.at(B=8).value


def test_heads_are_repeated_where_there_are_fewer_than_chips() -> None:
    few = dense(heads=8, kv_heads=2, head_dim=16)
    two, eight = (sr.serve(few, f"{n}xh100-sxm", context=512) for n in (2, 8))
    # Of 2 heads each of 2 chips keeps one, and each of 8 chips too.
    assert two.capacity.caches == eight.capacity.caches


# --- latency and cost ---------------------------------------------------------------------------


def test_largest_batch_within_a_time() -> None:
    found = at_1024()
    most = found.largest_batch("10 ms")
    # (3.35e12·0.010 - 15009849344) / 134217728 = 137.8
    assert most == 137
    assert found.tpot(most).to("ms") <= 10 < found.tpot(most + 1).to("ms")
    assert found.largest_batch("1 ms") == 0
    assert found.largest_batch("1 s") == found.max_batch


def test_the_first_token_is_a_prefill() -> None:
    found = at_1024()
    # 1024 tokens, causal: 1024·1025/2 pairs of 4·32·32·128 FLOPs, the head for the last alone
    inner = 8030261248 - 2 * 525336576 - 65 * 4096
    flops = 2 * 1024 * inner + 2 * 525336576 + 4 * 32 * 32 * 128 * 1024 * 1025 // 2
    assert found.ttft.value == Rational(flops, 989 * 10**12)


def test_chips_for_a_rate_of_requests() -> None:
    found = sr.serve(LLAMA_8B, H100, prefill=512, decode=256)
    each = found.at(found.max_tokens).requests_per_second.to("1/s")
    assert found.chips_for(int(each)) == 1
    assert found.chips_for(int(each) + 1) == 2
    assert found.chips_for(10 * each) == 10
    with pytest.raises(InputError, match="needs prefill and decode"):
        at_1024().chips_for(1)


def test_cost_of_a_million_tokens() -> None:
    found = at_1024(price="3.6 USD/h")
    step = found.at(64)
    # 3.6 USD/h is 0.001 USD/s
    by_hand = 1000 * step.time.overlapped.value / 64
    assert step.cost_per_million_tokens.value == by_hand
    assert found.cost_per_million_tokens(64, "7.2 USD/h").value == 2 * by_hand
    assert at_1024().at(64).cost_per_million_tokens is None


def test_utilisation_of_a_measured_step() -> None:
    found = at_1024()
    best = found.time(64).overlapped
    assert found.mbu(64) == 1
    assert found.mbu(64, 2 * best) == 0.5
    assert found.mfu(64, 2 * best) == pytest.approx(found.mfu(64) / 2)


# --- precisions ---------------------------------------------------------------------------------


def test_bits_per_weight_balance_a_batch() -> None:
    found = sr.serve(LLAMA_8B, H100, context=128)
    answer = found.bits_per_weight(64)
    assert answer.relation == "<="
    bits = answer.threshold_bound
    weights = Integer(2 * (8030261248 - 525336576))
    moved = weights * bits / 16 + 64 * 128 * 131072
    work = found.t_compute.at(B=64).value * 3350 * 10**9
    assert moved == work


def test_no_bits_balance_a_batch_whose_caches_take_longer() -> None:
    assert at_1024().bits_per_weight(64).kind is Kind.NEVER


def test_weights_in_four_bits_use_the_peak_of_activations() -> None:
    found = at_1024(weights="int4")
    assert found.t_compute == at_1024().t_compute
    assert found.t_mem.at(B=1) < at_1024().t_mem.at(B=1) / 3
    assert any("Weights in int4" in said and "bf16 peak" in said for said in found.assumptions)


# --- surface ------------------------------------------------------------------------------------


def test_a_cut_may_be_an_object() -> None:
    by_name = sr.serve(LLAMA_8B, "4xh100-sxm", context=64, tp=2, dp=2)
    by_object = sr.serve(LLAMA_8B, "4xh100-sxm", context=64, parallel=sr.Parallel(tp=2, dp=2))
    assert by_object.setup is by_name.setup
    assert sr.serve(LLAMA_8B, H100, context=64, parallel=sr.Parallel()).chips == 1
    with pytest.raises(InputError, match="parallel: give it as an object or by tp"):
        at_1024(parallel=sr.Parallel(), tp=2)


def test_several_of_a_chip_are_called_as_in_the_catalogue() -> None:
    title = sr.system("8xh100-sxm").title
    assert at_1024(tp=8).setup.machine.title == title == "8 NVIDIA H100 SXM5 80 GB"


def test_open_lengths_are_said_to_go_to_serve() -> None:
    for ask in (lambda s: s.max_batch, lambda s: s.at(8)):
        with pytest.raises(UnboundError, match="depends on S; give serve numbers, as in context="):
            ask(sr.serve(LLAMA_8B, H100))


def test_exponents_of_experts_add_up_to_the_batch() -> None:
    load = sr.serve(MIXTRAL, "8xh100-sxm", prefill=512, decode=1024).symbolic
    # 6 of 8 experts are missed by a token
    assert "(3/4)**B_dense" in str(load.t_mem)
    assert "(3/4)**(" not in str(load.t_mem)


def test_lengths_may_be_names() -> None:
    found = sr.serve(LLAMA_8B, H100, prefill="p", decode="d")
    numbers = sr.serve(LLAMA_8B, H100, prefill=512, decode=256)
    assert found.t_mem.at(p=512, d=256) == numbers.t_mem
    assert found.throughput.at(p=512, d=256, B_dense=512) == numbers.at(512).throughput
    with pytest.raises(UnboundError):
        found.at(512)


def test_a_trace_with_spread_has_longer_contexts(tmp_path: Any) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("ContextTokens,GeneratedTokens\n100,10\n300,30\n", encoding="utf-8")
    found = sr.serve(LLAMA_8B, H100, workload=Workload.from_trace(path))
    assert found.context.value == Rational(525, 2)
    assert found.max_tokens == found.max_batch * 11  # 220 tokens for each 20 decoded


def test_in_symbols_nothing_is_put_in() -> None:
    found = at_1024()
    assert found.symbolic.t_mem.at(S=1024) == found.t_mem
    assert found.symbolic.crossover().name == "B"
    assert "S" in found.symbolic.crossover().free


def test_a_serving_does_not_change() -> None:
    with pytest.raises(AttributeError, match="does not change"):
        at_1024().batch = 3
    assert repr(at_1024()) == "<Serving model on h100-sxm, context 1024, memory touched>"


def test_the_mode_is_said_in_every_answer() -> None:
    for memory in ("full", "touched"):
        found = at_1024(memory=memory)
        assert found.memory == memory
        assert found.to_dict()["memory_mode"] == memory
        assert any(f"Memory mode {memory}" in said for said in found.assumptions)


def test_equal_questions_share_their_graphs() -> None:
    first, second = at_1024(), at_1024()
    assert first.setup.graph("decode") is second.setup.graph("decode")


@pytest.mark.parametrize(
    ("machine", "options", "message"),
    [
        (H100, {"context": -5}, "context: expected a number of at least 1, not -5"),
        (H100, {"prefill": 0, "decode": 4}, "prefill: expected a number of at least 1, not 0"),
        (H100, {"prefill": 4}, "decode: prefill is given without decode"),
        (H100, {"prefill": 4, "decode": 4, "context": 4}, "context: give either a context"),
        (H100, {"context": "B"}, "context: B is the batch"),
        ("0xh100-sxm", {}, "0xh100-sxm: expected 1 to"),
        ("64xh100-sxm", {}, "tp: 64 chips for 32 heads"),
        ("8xh100-sxm", {"tp": 4}, "parallel: tp=4 is 4 chips, and 8xh100-sxm has 8"),
        ("8xh100-sxm", {"tp": 0}, "tp: expected a whole number of chips"),
        (H100, {"price": "-1 USD/h"}, "price: expected 0 or more"),
        (H100, {"price": "x USD/h"}, "price: expected a number and a unit"),
        (H100, {"context": "nan"}, "context: 'nan' is no number"),
        (H100, {"context": "-x"}, "context: expected a number of at least 1, not -x"),
        (H100, {"workload": "sharegpt"}, "workload: expected a Workload"),
        (H100, {"tp": []}, "tp: expected a whole number of chips"),
        (H100, {"kv": []}, "a dtype is a name such as 'bf16', not list"),
        ([], {}, "machine: expected a name, a chip or a system, not list"),
    ],
)
def test_bad_input_is_one_line(machine: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        sr.serve(LLAMA_8B, machine, **options).to_dict()
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_bad_names_and_units() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'full'"):
        sr.serve(LLAMA_8B, H100, memory="ful")
    with pytest.raises(InputError, match="model: expected a name"):
        sr.serve([1], H100)  # type: ignore[arg-type]
    with pytest.raises(UnitError, match="price"):
        sr.serve(LLAMA_8B, H100, price="2 USD")
    with pytest.raises(UnitError, match="tpot"):
        at_1024().largest_batch("5")
    for batch in (0, -1, float("inf"), "n"):
        with pytest.raises(SymroofError):
            at_1024().at(batch)
    with pytest.raises(UnknownNameError):
        at_1024().crossover(term="mem")


def test_numbers_that_answers_need() -> None:
    load = sr.serve(LLAMA_8B, H100, prefill=512, decode=64)
    with pytest.raises(InputError, match="requests_per_second: expected a number, not x"):
        load.chips_for("x")
    full = at_1024(memory="full")
    for wrong in (-1, float("inf"), "nan"):
        for found in (load, full):
            with pytest.raises(InputError, match=r"^batch: "):
                found.prefill_chunk(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="memory: all of memory is streamed, whatever the bits"):
        full.bits_per_weight(64)


def test_no_batch_is_the_largest_where_nobody_says_the_memory() -> None:
    chip = sr.Chip("bare", peak={"bf16": "100 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    with pytest.raises(InputError, match="bare does not say how much memory it has"):
        sr.serve(LLAMA_8B, chip, prefill=512, decode=64).chips_for(10)
