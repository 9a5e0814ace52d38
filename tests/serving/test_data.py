"""The data of an answer: its fields, open lengths, what does not fit."""

from __future__ import annotations

import json

import symroof as sr
from symroof.serving.data import usual_batches

from .small import LLAMA_8B, LLAMA_70B, dense

H100 = "h100-sxm"


def test_fields_of_an_answer() -> None:
    data = sr.serve(LLAMA_8B, H100, context=1024).to_dict([1, 64])
    assert data["schema_version"] == 1
    assert data["params"] == data["active_params"] == 8030261248
    assert data["kv_bytes_per_token"] == {
        "expr": "131072",
        "exact": "131072",
        "value": 131072.0,
        "unit": "byte",
    }
    assert data["weights_bytes"]["value"] == 2 * 8030261248
    assert data["fits"] is True
    assert data["fewest_chips"] is None
    assert data["max_batch"] == 476
    assert data["crossover"]["kind"] == "never"
    assert data["crossover"]["unknown"] == "B"
    assert data["context_limit"]["expr"] == "114512/(ridge.bf16 - 4)"
    assert 393 < data["context_limit"]["value"] < 394
    assert [row["batch"] for row in data["batches"]] == [1, 64]
    assert data["batches"][1]["bound"] == "memory"
    assert data["terms"]["memory"]["unit"] == "s"
    assert data["throughput"]["unit"] == "token/s"


def test_open_lengths_are_formulas_and_null() -> None:
    data = sr.serve(LLAMA_8B, H100).to_dict()
    assert data["context"]["expr"] == "S"
    assert data["max_batch"] is None
    assert data["batches"] == []
    assert data["crossover"]["cases"]
    assert 393 < data["context_limit"]["value"] < 394
    json.dumps(data, allow_nan=False)


def test_what_does_not_fit_has_numbers_all_the_same() -> None:
    data = sr.serve(LLAMA_70B, H100, context=1024).to_dict()
    assert data["fits"] is False
    assert data["shortfall"]["value"] > 0
    assert data["fewest_chips"] == 2
    assert data["fewest_chips_parallel"] == {"tp": 2, "dp": 1, "ep": 1, "pp": 1}
    assert data["max_batch"] == 0
    assert all(row["fits"] is False for row in data["batches"])
    json.dumps(data, allow_nan=False)


def test_a_chip_that_does_not_say_its_memory() -> None:
    chip = sr.Chip("c", peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    data = sr.serve(dense(), chip, context=64).to_dict()
    assert data["fits"] is None
    assert data["max_batch"] is None
    assert [row["batch"] for row in data["batches"]] == [1, 8, 64, 256]


def test_usual_batches_end_with_the_largest() -> None:
    assert usual_batches(sr.serve(LLAMA_8B, H100, context=1024)) == (1, 8, 64, 256, 476)
    assert usual_batches(sr.serve(LLAMA_8B, H100, context=100_000)) == (1, 4)


def test_a_usual_batch_is_below_the_one_that_turns() -> None:
    served = sr.serve(LLAMA_70B, "8xa100-sxm-80gb", prefill=512, decode=1024)
    assert served.crossover().first == 201
    batches = usual_batches(served)
    assert batches[:2] == (128, 256)
    assert [str(served.bound(batch)) for batch in batches[:2]] == ["memory", "compute"]


def test_network_pairs_name_the_unknown_they_answer() -> None:
    data = sr.serve(LLAMA_70B, "8xa100-sxm-80gb", context=1024).to_dict([256])
    pairs = {(row["term"], row["over"]): row for row in data["crossovers"]}
    assert pairs["compute", "memory"]["first"] == 237
    assert pairs["network", "compute"]["unknown"] == "N_gpus"
    assert pairs["network", "compute"]["batch_cancels"] is True
    assert pairs["network", "compute"]["first"] == 28


def test_pairs_are_of_the_cut_that_was_asked_for() -> None:
    cut = sr.serve("mixtral-8x7b", "8xh100-sxm", context=512, ep=8)
    pair = cut.to_dict([8])["crossovers"][2]
    assert (pair["term"], pair["over"], pair["unknown"]) == ("network", "compute", "B")
    assert pair["batch_cancels"] is True
    terms = cut.at(8).terms
    assert (pair["kind"] == "always") is (terms["network"] >= terms["compute"])
