"""Random models cut over chips in every way: no cut beats as many chips as it has."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symroof as sr
from symroof.models import Mixture, ModelConfig

from .test_serving import CONTEXTS, chips, models

FEW = settings(max_examples=25, deadline=None)
SIZES = st.sampled_from([1, 2, 4])


@st.composite
def cuts(draw: Any, model: ModelConfig) -> dict[str, int]:
    """Over at least two chips, as far as the model can be cut.

    Stages are drawn of layers of one kind: of several, the one that is built need not be the
    slowest.
    """
    kinds = model.decoder.layers
    sparse = any(isinstance(layer.feed_forward, Mixture) for layer, _ in kinds)
    alike = len(kinds) == 1 and model.decoder.depth >= 4
    cut = {
        "tp": draw(SIZES),
        "dp": draw(SIZES),
        "ep": draw(SIZES) if sparse else 1,
        "pp": draw(SIZES) if alike else 1,
    }
    assume(any(size > 1 for size in cut.values()))
    return cut


@FEW
@given(st.data(), models(), chips(), st.integers(1, 100), CONTEXTS)
def test_no_cut_beats_the_sum_of_chips(
    data: st.DataObject, model: ModelConfig, chip: sr.Chip, each: int, context: int
) -> None:
    cut = data.draw(cuts(model))
    number = cut["tp"] * cut["dp"] * cut["ep"] * cut["pp"]
    batch = each * cut["dp"] * cut["ep"] * cut["pp"]
    one = sr.serve(model, chip, context=context)
    many = sr.serve(model, chip, context=context, **cut)
    alone, spread = one.at(batch).terms, many.at(batch).terms
    for name in ("compute", "memory"):
        assert alone[name] <= number * spread[name]
    assert one.time(batch).overlapped <= number * many.time(batch).overlapped
    assert many.at(batch).throughput <= number * one.at(batch).throughput


@FEW
@given(st.data(), models(), chips(), st.integers(1, 4000), st.integers(1, 4000))
def test_no_cut_reads_a_prompt_faster_than_the_sum_of_chips(
    data: st.DataObject, model: ModelConfig, chip: sr.Chip, prefill: int, decode: int
) -> None:
    cut = data.draw(cuts(model))
    number = cut["tp"] * cut["dp"] * cut["ep"] * cut["pp"]
    load = {"prefill": prefill, "decode": decode}
    one, many = sr.serve(model, chip, **load).ttft, sr.serve(model, chip, **load, **cut).ttft
    assert one is not None
    assert many is not None
    assert one <= number * many


@FEW
@given(st.data(), models(), chips())
def test_chips_together_keep_no_less_than_one(
    data: st.DataObject, model: ModelConfig, chip: sr.Chip
) -> None:
    cut = data.draw(cuts(model))
    number = cut["tp"] * cut["dp"] * cut["ep"] * cut["pp"]
    one = sr.serve(model, chip, context=64).capacity
    many = sr.serve(model, chip, context=64, **cut).capacity
    batch = cut["dp"] * cut["ep"] * cut["pp"]
    assert one.weights <= number * many.weights
    assert one.caches.at(B=batch) <= number * many.caches.at(B=batch)
