"""Every chip of the catalogue: complete, sane, written as `save` writes it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from sympy import Rational

from symroof.errors import InputError
from symroof.hardware import Chip, chip, chips
from symroof.hardware.catalog import FOLDER
from symroof.hardware.rates import CONFIDENCES

FACTS = json.loads((Path(__file__).parents[1] / "data" / "chips.json").read_text("utf-8"))["chips"]

# Facts that a second look at the sources changed, and what they said.
CORRECTED = {
    ("tpu7x", "bandwidth"): "Google's TPU7x page prints 7380 GBps",
    ("tpu-v3", "link"): "ISCA 2023, table 4: 4 links at 70 GB/s",
    ("tpu-v4", "link"): "ISCA 2023, table 4: 6 links at 50 GB/s",
    ("grace", "fp64:fp64:vector"): "7.1 TFLOP/s per superchip of two",
    ("h200-sxm", "l2"): "devices report 60 MiB",
}

ACCELERATORS = [name for name in chips() if chip(name).kind != "cpu"]
each = pytest.mark.parametrize("name", chips())


def rates(made):
    for peak in (*made.peaks, *made.sparse_peaks):
        yield f"peak {peak.key}", peak.rate
    for level in made.memory:
        if level.bandwidth:
            yield f"bandwidth {level.name}", level.bandwidth
        if level.capacity:
            yield f"capacity {level.name}", level.capacity
    for link in made.links:
        yield f"link {link.name}", link.bandwidth


@each
def test_the_file_is_what_save_writes(name, tmp_path):
    made = Chip.load(FOLDER / f"{name}.toml")
    assert made.name == name
    made.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_bytes() == (FOLDER / f"{name}.toml").read_bytes()


@each
def test_the_chip_says_what_it_is(name):
    made = chip(name)
    assert made.title
    assert made.vendor
    assert made.kind in ("gpu", "accelerator", "cpu")


@each
def test_every_number_has_unit_source_and_confidence(name):
    for what, rate in rates(chip(name)):
        assert re.fullmatch(r"[\d.]+ ([TG]?FLOP/s|TOP/s|[TG]B/s|GB|MB|[GM]iB)", rate.text), what
        assert len(rate.source) > 3, what
        assert rate.confidence in CONFIDENCES[:-1], what
        assert rate.is_known, what


@each
def test_sources_are_public_and_honest(name):
    text = (FOLDER / f"{name}.toml").read_text("utf-8")
    assert not re.search(r"from memory|session|audit|re-verify|/work/|/home/", text)
    for what, rate in rates(chip(name)):
        if "not re-read" in rate.source:
            assert rate.confidence == "unverified", what
    raw = tomllib.loads(text)
    assert next(iter(raw)) == "schema_version"


@each
def test_each_input_dtype_states_its_default(name):
    raw = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    assert set(raw["default_peak"]) == {key.split(":")[0] for key in raw["peak"]}
    assert set(raw["default_peak"].values()) <= set(raw["peak"])
    assert all(len(key.split(":")) == 3 for key in raw["peak"])


@each
def test_peaks_are_ordered_like_their_widths(name):
    made = chip(name)
    value = {dtype: made.peak(dtype).value for dtype, _ in made.default_peaks}
    engine = {dtype: key.split(":")[2] for dtype, key in made.default_peaks}
    if made.name == "gaudi3":  # its fp16 runs at a quarter of bf16, by design
        value.pop("fp16")
    for wide, narrow in (("fp64", "fp32"), ("fp32", "bf16"), ("bf16", "fp8"), ("fp8", "fp4")):
        if wide in value and narrow in value and engine[wide] == engine[narrow]:
            assert value[wide] <= value[narrow], (wide, narrow)
    if {"bf16", "fp16"} <= value.keys():
        assert value["bf16"] == value["fp16"]


@each
def test_sparse_peaks_are_above_dense_ones(name):
    made = chip(name)
    for peak in made.sparse_peaks:
        dense = made.peak(peak.key).value
        assert dense < peak.rate.value.value <= 4 * dense, peak.key


@each
def test_ridges_are_sane(name):
    made = chip(name)
    for dtype, _ in made.default_peaks:
        assert Rational(1, 10) < made.ridge(dtype).value < 2000, dtype
    if made.kind != "cpu" and "bf16" in dict(made.default_peaks):
        assert 30 < made.ridge("bf16").value < 700


@pytest.mark.parametrize("name", ACCELERATORS)
def test_accelerators_hold_something(name):
    assert chip(name).capacity().value >= 10**9


@each
def test_links_are_slower_than_memory(name):
    made = chip(name)
    for link in made.links:
        assert made.link(link.name).value <= made.bandwidth().value
        if link.halved_from:
            both = Rational(2) * link.bandwidth.value.value
            assert (
                Chip(
                    "x",
                    peak={"bf16": "1 TFLOP/s"},
                    memory={"m": "1 TB/s"},
                    link=f"{link.halved_from} bidirectional",
                )
                .link()
                .value
                * 2
                == both
            )


@each
def test_only_the_main_memory_is_main(name):
    main, *rest = chip(name).memory
    assert main.main
    assert main.name in ("hbm", "gddr", "ddr", "lpddr")
    assert not any(level.main for level in rest)
    assert all(level.name not in ("hbm", "gddr", "ddr", "lpddr") for level in rest)


@each
def test_no_fp16_where_there_is_none(name):
    if name.startswith("tpu"):
        assert "fp16" not in dict(chip(name).default_peaks)


@pytest.mark.parametrize("name", FACTS)
def test_values_equal_the_collected_facts(name):
    made, facts = chip(name), FACTS[name]
    found = {peak.key: peak.rate for peak in made.peaks}
    found["bandwidth"] = made.memory[0].bandwidth
    found["capacity"] = made.memory[0].capacity
    if made.links:
        found["link"] = made.links[0].bandwidth
    found |= {level.name: level.capacity for level in made.memory[1:]}
    expected = {**facts["peak"], **{key: facts[key] for key in facts if key != "peak"}}
    for key, value in expected.items():
        same = found[key].value.value == value
        assert same != ((name, key) in CORRECTED), (key, found[key].text, value)


def test_facts_and_catalogue_have_the_same_chips():
    assert set(FACTS) == set(chips())


def test_the_headline_chip():
    gpu = chip("h100-sxm")
    assert gpu.peak("fp16").to("TFLOP/s") == gpu.peak("bf16").to("TFLOP/s") == 989
    assert gpu.bandwidth().to("TB/s") == 3.35
    assert gpu.ridge("fp16").value == Rational(19780, 67)


@each
def test_aliases_find_the_chip_or_say_what_else_they_fit(name):
    for alias in (*chip(name).aliases, chip(name).title):
        assert name in fits(alias), alias


def fits(alias):
    try:
        return {chip(alias).name}
    except InputError as error:
        return set(re.findall(r"[\w-]+", str(error)))


def test_few_aliases_are_ambiguous():
    aliases = [alias for name in chips() for alias in chip(name).aliases]
    assert {alias for alias in aliases if len(fits(alias)) > 1} == {"a100"}
