"""Served models in notebooks."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import symroof as sr

from .small import LLAMA_8B, LLAMA_70B

H100 = "h100-sxm"


def rows(served: sr.Serving) -> dict[str, list[str]]:
    """The texts of the cells by the first one of their row."""
    page = served._repr_html_()
    assert page is not None
    whole = ElementTree.fromstring(f"<div>{page}</div>")
    cells = [["".join(cell.itertext()) for cell in row] for row in whole.iter("tr")]
    return {first: rest for first, *rest in cells}


def test_terms_verdicts_and_rates() -> None:
    found = rows(sr.serve(LLAMA_8B, H100, context=1024))
    assert list(found) == [
        "", "compute time", "memory time", "fits", "compute-bound", "context limit", "β", "π",
    ]  # fmt: skip
    # 1024·131072 bytes a sequence and 15009849344 bytes of weights over 3.35 TB/s
    assert found["memory time"][1] == "40.06 µs·B + 4.481 ms"
    assert found["fits"][0] == "yes, at most 476 sequences"
    assert found["compute-bound"][0] == "never"
    assert found["context limit"][0].endswith("393 tokens")
    assert found["β"] == ["hbm bandwidth", "3.35 TB/s"]


def test_the_ridge_is_shown_where_the_answer_has_it() -> None:
    found = rows(sr.serve(LLAMA_8B, H100, context=256))
    assert found["compute-bound"][0].endswith("= 846.071 → B ≥ 847")
    assert found["I"][1] == "295.22 FLOP/byte"


def test_several_chips_what_does_not_fit_and_open_lengths() -> None:
    assert "network time" in rows(sr.serve(LLAMA_70B, "8xa100-sxm-80gb", context=1024))
    lacking = rows(sr.serve(LLAMA_70B, H100, context=1024))["fits"][0]
    assert lacking == "no: 58.29 GB too much on a chip"  # 2·68976648192 + 1024·327680 - 80e9
    assert rows(sr.serve(LLAMA_8B, H100))["memory time"][1] == ""
    full = rows(sr.serve(LLAMA_8B, H100, prefill=512, decode=64, memory="full"))
    assert "context limit" not in full
    assert "GPUmem" in full["memory time"][0]


def test_a_name_is_only_text() -> None:
    page = sr.serve(replace(LLAMA_8B, name="<script>"), H100, context=64)._repr_html_()
    assert page is not None
    assert "<script" not in page
