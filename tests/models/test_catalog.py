"""Built-in models: parameters against the totals their makers publish."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.models import catalog
from symroof.models.catalog import FOLDER, find, models, published


def last_digit(number: int) -> int:
    """Return the unit of the last digit of a rounded number that is not 0: 10**9 of 671 * 10**9."""
    unit = 1
    while number % (10 * unit) == 0:
        unit *= 10
    return unit


@pytest.mark.parametrize("name", models())
def test_parameters_are_the_published_ones(name: str) -> None:
    found, told = sr.model(name).params, published(name)
    if told.exact:
        assert found == told.params
    else:
        assert 2 * abs(found - told.params) <= last_digit(told.params)


@pytest.mark.parametrize("name", models())
def test_active_parameters_are_the_published_ones(name: str) -> None:
    found, told = sr.model(name), published(name)
    if told.active_params is None:
        assert found.active_params == found.params
        return
    left = sum(found.params_by_part[part] for part in told.active_without)
    # Some makers round, others cut digits off.
    assert abs(found.active_params - left - told.active_params) < last_digit(told.active_params)


@pytest.mark.parametrize("name", models())
def test_every_file_names_its_sources(name: str) -> None:
    data = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    assert data["schema_version"] == 1
    assert data["name"] == name
    assert data["source"].startswith("huggingface.co/")
    assert data["published"]["source"]
    assert type(data["published"]["params"]) is int


@pytest.mark.parametrize("name", models())
def test_every_field_of_a_file_is_understood(name: str) -> None:
    said = find(name).left_out
    assert not [line for line in said if "understood" in line]


def test_no_two_models_have_a_name_in_common() -> None:
    seen: dict[str, str] = {}
    for name in models():
        data = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
        for alias in (name, *data["aliases"]):
            assert seen.setdefault(catalog._key(alias), name) == name


def test_all_models_the_library_speaks_of_are_there() -> None:
    expected = {"llama-3-8b", "llama-2-70b", "mixtral-8x7b", "qwen3-8b", "deepseek-v3"}
    assert expected | {"gpt-oss-120b", "mamba2-2.7b", "bert-base", "t5-small"} <= set(models())
    assert models() == tuple(sorted(models()))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Llama-3 8B", "llama-3-8b"),
        ("LLAMA_3.1_8B", "llama-3.1-8b"),
        ("meta-llama/Llama-2-70b-hf", "llama-2-70b"),
        ("Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("deepseek r1", "deepseek-v3"),
        ("Qwen 2.5 7B", "qwen2.5-7b"),
        ("qwen2-57b", "qwen2-57b-a14b"),
        ("gptoss 20b", "gpt-oss-20b"),
        ("Mixtral 8x7B", "mixtral-8x7b"),
        ("openai/whisper-large-v3", "whisper-large-v3"),
    ],
)
def test_names_are_found_however_they_are_written(written: str, name: str) -> None:
    assert find(written).name == name


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("lama-3-8b", "llama-3-8b"),
        ("llama-318b", "llama-3.1-8b"),
        ("qwen2-75b-a14b", "qwen2-57b-a14b"),
        ("deepseek-v33", "deepseek-v3"),
        ("meta-llama/Llama-2-70b-fh", "llama-2-70b"),
    ],
)
def test_a_name_that_is_wrong_brings_the_nearest(written: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean '{near}'"):
        find(written)


def test_a_name_is_a_text() -> None:
    with pytest.raises(InputError, match="named by a text, not int"):
        find(3)  # type: ignore[arg-type]


def test_a_name_reads_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    text = Path.read_text

    def counted(path: Path, *args: str) -> str:
        read.append(path.name)
        return text(path, *args)

    monkeypatch.setattr(Path, "read_text", counted)
    catalog._data.cache_clear()
    assert find("gemma-2-9b").name == "gemma-2-9b"
    assert read == ["gemma-2-9b.json"]


def test_fields_can_be_symbols() -> None:
    found = sr.model("llama-3-8b", hidden_size="D", num_hidden_layers="L")
    # Two matrices of D x 128256 and 32 heads of D/32 each: attention 2*D^2 + 2*D*8*D/32.
    D, L = sr.symbols("D L")
    matrices = 2 * D**2 + 2 * D * 8 * D / 32 + 3 * 14336 * D + 2 * D
    assert (found.params - (2 * 128256 * D + D + L * matrices)).expand() == 0


@pytest.mark.parametrize(("name", "gibibytes"), [("gpt-oss-120b", 60.8), ("gpt-oss-20b", 12.8)])
def test_weights_are_stored_as_their_makers_store_them(name: str, gibibytes: float) -> None:
    # OpenAI 2025, gpt-oss model card, table 1: the sizes of the checkpoints.
    stored = sr.serve(sr.model(name), "h100-sxm", context=1024).to_dict()["weights_bytes"]
    assert stored["value"] / 2**30 == pytest.approx(gibibytes, abs=0.05)
