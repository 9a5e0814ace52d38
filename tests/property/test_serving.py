"""Random small models on random machines: what holds of serving whatever the numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import Integer

import symroof as sr
from symroof.models import (
    Attention,
    FeedForward,
    LatentAttention,
    Layer,
    Mixture,
    ModelConfig,
    Stack,
    StateSpace,
)
from symroof.units import Quantity

from ..serving.small import config

FEW = settings(max_examples=25, deadline=None)
BATCHES = st.integers(1, 2000)
CONTEXTS = st.integers(1, 100_000)


@st.composite
def mixers(draw: Any) -> Any:
    """What mixes tokens: attention, with a window or latent, or a state."""
    heads = Integer(4 * draw(st.integers(1, 2)))
    kind = draw(st.sampled_from(["full", "window", "latent", "state"]))
    size = Integer(draw(st.sampled_from([8, 64])))
    if kind == "latent":
        return LatentAttention(heads, Integer(32), Integer(64), size, Integer(16), size)
    if kind == "state":
        return StateSpace(heads, size, Integer(16), Integer(1), Integer(4))
    window = Integer(draw(st.integers(1, 5000))) if kind == "window" else None
    return Attention(heads, Integer(draw(st.sampled_from([1, 2, 4]))), size, window=window)


@st.composite
def layers(draw: Any) -> Layer:
    width = Integer(8 * draw(st.integers(1, 64)))
    experts = Integer(4 * draw(st.integers(1, 4)))
    top_k = Integer(draw(st.integers(1, 4)))
    mixture = Mixture(experts, top_k, width)
    return Layer(draw(mixers()), draw(st.sampled_from([FeedForward(width), mixture])))


@st.composite
def models(draw: Any) -> ModelConfig:
    """One or two kinds of layers."""
    kinds = draw(st.lists(layers(), min_size=1, max_size=2))
    named = [replace(layer, name=f"kind_{place}") for place, layer in enumerate(kinds)]
    counts = [(layer, draw(st.integers(1, 40))) for layer in named]
    return config(
        counts,
        hidden=8 * draw(st.integers(1, 64)),
        vocabulary=8 * draw(st.integers(1, 500)),
        tied=draw(st.booleans()),
    )


@st.composite
def chips(draw: Any) -> sr.Chip:
    return sr.Chip(
        "random",
        peak={"bf16": f"{draw(st.integers(1, 5000))} TFLOP/s"},
        memory={"hbm": f"{draw(st.integers(100, 9000))} GB/s"},
        capacity=f"{draw(st.integers(1, 200_000))} MB",
        link=f"{draw(st.integers(1, 900))} GB/s",
    )


@st.composite
def servings(draw: Any) -> sr.Serving:
    """On one chip or several, for a context or a workload, in either memory mode."""
    load = {"context": draw(CONTEXTS)}
    if draw(st.booleans()):
        load = {"prefill": draw(st.integers(1, 4000)), "decode": draw(st.integers(1, 4000))}
    chip, tp = draw(chips()), draw(st.sampled_from([1, 2, 4]))
    memory = draw(st.sampled_from(["touched", "touched", "full"]))
    return sr.serve(draw(models()), chip, tp=tp, memory=memory, **load)


@FEW
@given(servings(), BATCHES)
def test_no_throughput_exceeds_peak_compute_over_the_flops_of_a_token(
    serving: sr.Serving, batch: int
) -> None:
    best = serving.optimal_throughput.at({serving.batch: batch})
    assert serving.at(batch).throughput <= best


@FEW
@given(servings(), BATCHES)
def test_times_are_ordered(serving: sr.Serving, batch: int) -> None:
    time = serving.time(batch)
    assert time.overlapped <= time.exposed <= time.serial
    if time.per_op is not None:
        assert time.overlapped <= time.per_op <= time.serial
    bound = serving.bound(batch)
    terms = serving.at(batch).terms
    if bound is not sr.Bound.BALANCED:
        assert terms[bound.value] == time.overlapped


@FEW
@given(models(), chips(), BATCHES, CONTEXTS, st.integers(0, 100), st.integers(0, 10_000))
def test_time_never_falls_with_more_work(
    model: ModelConfig, chip: sr.Chip, batch: int, context: int, more: int, longer: int
) -> None:
    def time(model: ModelConfig, batch: int, context: int) -> Quantity:
        return sr.serve(model, chip, context=context).time(batch).overlapped

    here = time(model, batch, context)
    assert here <= time(model, batch + more, context)
    assert here <= time(model, batch, context + longer)
    (first, count), *others = model.decoder.layers
    deeper = Stack(((first, count + more), *others))
    assert here <= time(replace(model, decoder=deeper), batch, context)


@FEW
@given(
    models(),
    chips(),
    BATCHES,
    CONTEXTS,
    st.sampled_from(["tp", "dp", "pp"]),
    st.sampled_from([2, 4]),
)
def test_no_cut_speeds_up_by_more_than_its_chips(
    model: ModelConfig, chip: sr.Chip, batch: int, context: int, kind: str, size: int
) -> None:
    assume(kind != "pp" or int(model.decoder.depth) >= size)
    whole = batch * size
    one = sr.serve(model, chip, context=context).time(whole).overlapped
    many = sr.serve(model, chip, context=context, **{kind: size}).time(whole).overlapped
    assert one <= size * many


@FEW
@given(models(), chips(), CONTEXTS)
def test_one_chip_has_no_network_and_params_hold_the_active_ones(
    model: ModelConfig, chip: sr.Chip, context: int
) -> None:
    for memory in ("touched", "full"):
        assert sr.serve(model, chip, context=context, memory=memory).t_net.expr == 0
    found = sr.model(model)
    assert found.params >= found.active_params > 0


@FEW
@given(servings())
def test_the_largest_batch_fits_and_one_more_does_not(serving: sr.Serving) -> None:
    most, room = serving.max_batch, serving.capacity
    if most is None:
        return
    kept = room.weights + room.caches
    if most:
        assert kept.at(B=most) <= room.memory
    assert kept.at(B=most + 1) > room.memory
    assert serving.fits is (most > 0)
    assert (serving.shortfall is None) is serving.fits


@FEW
@given(servings(), BATCHES)
def test_data_goes_through_json_and_back(serving: sr.Serving, batch: int) -> None:
    data = serving.to_dict([batch])
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text) == data
    for name, term in serving.terms.quantities.items():
        stored = data["terms"][name]
        assert Quantity.from_dict(stored, term.scope) == term
    assert data["batches"][0]["time"]["overlapped"]["unit"] == "s"


@FEW
@given(servings(), BATCHES)
def test_a_crossover_agrees_with_the_terms(serving: sr.Serving, batch: int) -> None:
    answer = serving.crossover(over="memory")
    terms = serving.at(batch).terms
    assert answer.integers is not None
    assert answer.integers.contains(batch) is (terms["compute"] >= terms["memory"])


@FEW
@given(models(), chips(), BATCHES, CONTEXTS)
def test_twice_the_bandwidth_gains_what_is_said(
    model: ModelConfig, chip: sr.Chip, batch: int, context: int
) -> None:
    here = sr.serve(model, chip, context=context)
    rate = chip.bandwidth().value
    faster = sr.Chip(
        "faster",
        peak={"bf16": chip.peak("bf16").resolved()},
        memory={"hbm": Quantity(2 * rate, "byte/s")},
        capacity=chip.capacity().resolved(),
    )
    before = here.at(batch).throughput.value
    after = sr.serve(model, faster, context=context).at(batch).throughput.value
    (said,) = [h.gain for h in here.helps(batch) if h.input == "memory bandwidth"] or [1.0]
    assert abs(float(after / before) - said) <= 1e-3
