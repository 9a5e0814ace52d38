"""Built-in models: parameters against the totals their makers publish."""

from __future__ import annotations

import json

import pytest

import symroof as sr
from symroof.errors import UnknownNameError
from symroof.models.catalog import FOLDER, find, models, published

# Rounded as published, to the digits given: 2.4B of DeepSeek-V2-Lite counts no embedding table.
ACTIVE_WITHOUT_TABLE = {"gpt-oss-20b", "gpt-oss-120b", "deepseek-v2-lite"}


@pytest.mark.parametrize("name", models())
def test_parameters_are_the_published_ones(name: str) -> None:
    found, told = sr.model(name), published(name)
    if told.exact:
        assert found.params == told.params
    else:
        assert found.params == pytest.approx(told.params, rel=1e-3)
    active = found.active_params
    if told.active_params is None:
        assert active == found.params
        return
    if name in ACTIVE_WITHOUT_TABLE:
        active -= found.params_by_part["embedding"]
    assert active == pytest.approx(told.active_params, rel=0.025)


@pytest.mark.parametrize("name", models())
def test_every_file_names_its_sources(name: str) -> None:
    data = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    assert data["name"] == name
    assert data["source"]
    assert data["published"]["source"]
    assert data["schema_version"] == 1


def test_names_are_found_however_they_are_written() -> None:
    assert find("Llama-3 8B").name == "llama-3-8b"
    assert find("deepseek r1").name == "deepseek-v3"
    with pytest.raises(UnknownNameError, match="did you mean 'llama-3-8b'"):
        find("lama-3-8b")


def test_fields_can_be_symbols() -> None:
    found = sr.model("llama-3-8b", hidden_size="D", num_hidden_layers="L")
    # Two matrices of D x 128256 and 32 heads of D/32 each: attention 2*D^2 + 2*D*8*D/32.
    D, L = sr.symbols("D L")
    matrices = 2 * D**2 + 2 * D * 8 * D / 32 + 3 * 14336 * D + 2 * D
    assert (found.params - (2 * 128256 * D + D + L * matrices)).expand() == 0
