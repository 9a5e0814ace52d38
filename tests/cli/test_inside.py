"""The inside of a chip at the prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symroof.cli.main import run

CHIP = """
schema_version = 1
name = "my-cpu"
launch = "2 s"
compute_units = 8
[peak]
fp16 = "1600 FLOP/s"
[memory.l3]
bandwidth = "400 B/s"
capacity = "500 B"
[memory.ddr]
main = true
bandwidth = "50 B/s"
capacity = "64 kB"
remote = "20 B/s"
[ceiling."no simd"]
on = "peak"
factor = "1/8"
reason = "write it with vectors"
[ceiling.strided]
on = "bw.ddr"
factor = "1/4"
"""
AT = ("--set", "m=4", "--set", "n=8", "--set", "k=16")  # 1024 FLOPs, 448 bytes


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    chip = tmp_path / "cpu.toml"
    chip.write_text(CHIP, "utf-8")

    def words(command: str, *arguments: str, code: int = 0) -> str:
        assert run([command, "mn,nk->mk", "--chip", str(chip), *arguments]) == code
        out, err = capsys.readouterr()
        return " ".join((err if code else out).split())

    return words


def test_cold_says_so(said: Any) -> None:
    assert "every byte at ddr (residency cold)" in said("analyze", *AT)


def test_levels_of_a_cached_working_set(said: Any) -> None:
    text = said("analyze", "--residency", "cached", *AT)
    assert "at l3" in text
    assert "1.12 s" in text  # 448 bytes at 400 B/s
    assert "an op is charged at the smallest of l3, ddr that holds its bytes" in text


def test_ceilings_and_what_lifting_them_gains(said: Any) -> None:
    text = said("analyze", "--ceiling", "no simd", "--ceiling", "strided", *AT)
    # 448 B at 12.5 B/s are 35.84 s; 1024 FLOPs at 200/s 5.12 s, and 8.96 s at 50 B/s.
    assert "strided 1/4 on bw.ddr; lifting it: 4 times faster" in text
    assert "no simd 1/8 on peak (write it with vectors); lifting it alone gains nothing" in text
    assert "binding ceiling strided" in text
    assert "under its ceilings" in text


def test_launches(said: Any) -> None:
    text = said("analyze", "--launch", "chip", *AT)
    assert "t_launch t_0 = 2 s" in text
    assert "launch-bound" in said("analyze", "--launch", "1 min", *AT)


def test_numa(said: Any) -> None:
    text = said("crossover", "--for", "f", "--numa", "concurrent", *AT)
    assert "NUMA: f of the bytes is local, the rest remote, at the same time" in text


def test_json_has_the_choices(said: Any) -> None:
    found = json.loads(said("analyze", "--residency", "partial", "--format", "json", *AT))
    assert found["inside"]["residency"] == "partial"
    assert [level["name"] for level in found["levels"]] == ["l3", "ddr"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ceiling", "no smd"), "unknown ceiling of my-cpu 'no smd'; did you mean 'no simd'?"),
        (("--level", "l3"), "--level: expected NAME=HOW"),
        (("--level", "l4=once"), "unknown memory of my-cpu 'l4'"),
        (("--level", "l3=0x4"), "a size is a whole number of 1 or more"),
        (("--launch", "2"), "launch: expected s, as in '1 us'"),
        (("--local", "1/2"), "local: it goes with numa"),
        (("--numa", "serial", "--local", "2"), "expected a fraction from 0 to 1"),
        (("--residency", "warm"), "'warm'"),
        (("--quantise", "128"), "--quantise: a tile has two or three sizes"),
        (("--level", "l3=4x4x4x4"), "--level: a tile has two or three sizes"),
        (("--level", "l3=once", "--level", "l3=2*m"), "--level: l3 is given twice"),
        (("--ceiling", "no simd", "--set", "ceiling.no_simd=2"), "needs ceiling.no_simd <= 1"),
        (("--level", "l3=twice"), "unknown symbol 'twice'"),
    ],
)
def test_a_wrong_choice_is_one_line(said: Any, arguments: tuple[str, ...], message: str) -> None:
    text = said("analyze", *arguments, *AT, code=2)
    assert message in text
