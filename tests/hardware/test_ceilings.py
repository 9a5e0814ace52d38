"""Ceilings, the order of levels, launches and compute units of a chip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sympy import Rational

import symroof as sr
from symroof.errors import SymroofError

PEAK = {"bf16:fp32:tensor": "100 TFLOP/s", "bf16:fp32:vector": "20 TFLOP/s", "fp32": "10 TFLOP/s"}
MEMORY = {"l2": ("6 TB/s", "50 MB"), "hbm": ("3 TB/s", "80 GB")}


def chip(**fields: Any) -> sr.Chip:
    given = {"peak": PEAK, "memory": MEMORY, "default_peak": {"bf16": "bf16:fp32:tensor"}}
    return sr.Chip("mine", **{**given, **fields})


def test_a_ceiling_is_a_fraction_of_its_roof() -> None:
    made = chip(
        ceiling={
            "stream": {"on": "bw.hbm", "rate": "2.7 TB/s", "source": "a run", "confidence": "low"},
            "no SIMD": {"on": "peak", "factor": 0.125, "reason": "vectorise"},
        }
    )
    stream, simd = made.ceilings
    assert (stream.fraction, stream.text, stream.key) == (
        Rational(9, 10),
        "2.7 TB/s",
        "ceiling.bw.stream",
    )
    assert (simd.fraction, simd.text, simd.key) == (Rational(1, 8), "1/8", "ceiling.no_SIMD")
    assert simd.is_on_compute
    assert not stream.is_on_compute
    assert made.describe()[-4:][0].quantity == "ceiling stream on bw.hbm"


def test_a_file_keeps_ceilings_launch_and_units(tmp_path: Path) -> None:
    launch = {"value": "3 us", "source": "measured", "confidence": "low"}
    made = chip(
        ceiling={"cached 1": {"on": "bw", "factor": "1/3", "note": "x"}},
        launch=launch,
        compute_units=108,
        memory={**MEMORY, "l1": {"bandwidth": "30 TB/s", "capacity": "9 MB", "private": True}},
    )
    made.save(tmp_path / "mine.toml")
    again = sr.Chip.load(tmp_path / "mine.toml")
    assert again == made
    assert (again.compute_units, again.launch.text, again.ceilings) == (108, "3 us", made.ceilings)
    again.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_bytes() == (tmp_path / "mine.toml").read_bytes()
    assert made != chip()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"on": "peak", "factor": "9/8"}, "9/8 of its roof, is above its roof"),
        ({"on": "bw.hbm", "rate": "3.1 TB/s"}, "3.1 TB/s, is above its roof, bw.hbm 3 TB/s"),
        ({"on": "bw.hmb", "factor": "1/2"}, "did you mean 'bw.hbm'"),
        ({"on": "flops", "factor": "1/2"}, "unknown roof 'flops'"),
        ({"on": "peak.fp9", "factor": "1/2"}, "fp9"),
        ({"on": "peak.bf16", "rate": "1 TFLOP/s"}, "a rate lies under one roof"),
        ({"on": "bw", "rate": "1 TB/s"}, "a rate lies under one roof"),
        ({"on": "bw.hbm", "rate": "1 TFLOP/s"}, "expected byte/s"),
        ({"on": "bw.hbm", "rate": 1}, r"ceiling.x.rate: 1 is a bare number"),
        ({"on": "bw.hbm", "rate": {"valeu": 1}}, r"ceiling.x.rate: unknown field 'valeu'"),
        ({"on": "bw.hbm", "factor": []}, r"ceiling.x.factor: expected a number or a formula"),
        ({"on": "bw.hbm", "factor": 0}, "above 0"),
        ({"on": "bw.hbm", "factor": "-1/2"}, "above 0"),
        ({"on": "bw.hbm", "factor": "x"}, "a factor is a number"),
        ({"on": "bw.hbm"}, "give one of factor and rate"),
        ({"on": "bw.hbm", "factor": "1/2", "rate": "1 TB/s"}, "give one of factor and rate"),
        ({"factor": "1/2"}, "missing field 'on'"),
        ({"on": "bw", "factor": "1/2", "why": "x"}, "unknown field 'why'"),
        ({"on": "bw", "factor": "1/2", "confidence": "hi"}, "unknown confidence 'hi'"),
        ({"on": "bw", "factor": "1/2", "reason": "a\nb"}, "does not print"),
        ("1/2", "expected a table"),
    ],
)
def test_a_wrong_ceiling_is_one_line(fields: object, message: str) -> None:
    with pytest.raises(SymroofError) as caught:
        chip(ceiling={"x": fields})
    said = str(caught.value)
    assert message in said
    assert "\n" not in said
    assert "mine" in said


def test_two_ceilings_have_two_keys() -> None:
    half = {"on": "bw", "factor": "1/2"}
    with pytest.raises(SymroofError, match=r"is that of .no simd. too"):
        chip(ceiling={"no simd": half, "no-simd": half})


def test_levels_are_ordered_by_what_they_hold() -> None:
    made = chip(memory={**MEMORY, "host": "63 GB/s", "l1": ("30 TB/s", "9 MB")}, main="hbm")
    assert [level.name for level in made.hierarchy] == ["l1", "l2", "hbm", "host"]
    assert chip().main == "hbm"  # the largest, where nothing says it


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ({"l2": ("2 TB/s", "50 MB"), "hbm": ("3 TB/s", "80 GB")}, "hbm holds more than l2"),
        ({"l2": ("6 TB/s", "50 GB"), "hbm": ("7 TB/s", "80 GB")}, "levels out of order"),
        ({"l2": "6 TB/s", "hbm": "3 TB/s"}, "which of l2, hbm is the main level"),
        ({"hbm": ("3 TB/s", "80 GB", "x")}, "expected a text"),
        ({"hbm": ("3 TB/s", "80 TB/s")}, "expected byte, as in"),
        ({"hbm": ("3 TB/s", 80)}, "bare number"),
        ({"hbm": {"bandwidth": "3 TB/s", "remote": "3 GB"}}, "remote: expected byte/s"),
    ],
)
def test_wrong_levels_are_one_line(memory: dict[str, Any], message: str) -> None:
    with pytest.raises(SymroofError, match=message) as caught:
        chip(memory=memory)
    assert "\n" not in str(caught.value)


def test_a_name_is_short_enough_for_a_key() -> None:
    table = {"on": "peak", "factor": "1/2"}
    assert len(chip(ceiling={"x" * 190: table}).ceilings[0].key) == 198
    with pytest.raises(SymroofError, match="a name of 193 letters is too long") as caught:
        chip(ceiling={"x" * 193: table})
    assert len(str(caught.value)) < 200


def test_names_that_differ_in_their_letters_alone_have_one_key() -> None:
    table = {"on": "peak", "factor": "1/2"}
    with pytest.raises(SymroofError, match=r"the key ceiling.no_simd is that of 'no simd' too"):
        chip(ceiling={"no simd": table, "\uff4e\uff4f simd": table})


@pytest.mark.parametrize("units", [0, -1, 1.5, "108", True, 10**9 + 1, 10**400])
def test_compute_units_are_a_whole_number(units: object) -> None:
    with pytest.raises(SymroofError, match="compute_units"):
        chip(compute_units=units)
