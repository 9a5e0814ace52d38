"""Models in notebooks."""

from __future__ import annotations

from xml.etree import ElementTree

import symroof as sr


def rows(model: sr.Model) -> dict[str, list[str]]:
    """The texts of the cells by the first one of their row."""
    page = model._repr_html_()
    assert page is not None
    whole = ElementTree.fromstring(f"<div>{page}</div>")
    cells = [["".join(cell.itertext()) for cell in row] for row in whole.iter("tr")]
    return {first: rest for first, *rest in cells}


def test_parts_and_their_shares() -> None:
    found = rows(sr.model("mixtral-8x7b"))
    # 32 layers of 8 experts of 3·4096·14336
    assert found["experts"] == ["45,097,156,608", "96.6 %"]
    assert found["all"] == ["46,702,792,704", "100.0 %"]
    assert found["active"][0] == "12,879,925,248"
    assert found["cache of a token, bf16"][0] == "131.07 kB"


def test_sizes_that_are_names_have_formulas() -> None:
    found = rows(sr.model("llama-3-8b", num_hidden_layers="L"))
    assert "L" in found["all"][0]
    assert found["embedding"] == ["525,336,576", ""]
