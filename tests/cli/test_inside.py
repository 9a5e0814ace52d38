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
    assert "t_memory max(t_l3, t_ddr) = 1.12 s" in text  # 448 bytes at 400 B/s
    assert "⌈min(2, …)⌉ 1 for an op whose bytes the level holds, else 2" in text
    assert "an op is charged at the smallest of l3, ddr that holds its bytes" in text


def test_a_table_of_levels(said: Any) -> None:
    text = said(
        "analyze", "--residency", "partial", "--set", "m=4", "--set", "n=16", "--set", "k=64"
    )
    # 2*(64 + 256 + 1024) bytes = 2688, 8192 FLOPs: 3.05 and, on the 2188 l3 does not hold, 3.74
    assert "l3 400 byte/s 2.69 kB 6.72 s 3.05 4 " in text
    assert "ddr 50 byte/s 2.19 kB 43.76 s 3.74 32 " in text


def test_levels_in_steps(said: Any) -> None:
    text = said("analyze", "--residency", "partial", "--explain", *AT)
    assert (
        "t_memory max(t_l3, t_ddr) → 1.12 s t_l3 2·(m·n + m·k + n·k)/β_l3 → 448/β_l3 → 1.12 s"
        in text
    )


def test_numa_in_series_adds(said: Any) -> None:
    text = said("analyze", "--numa", "serial", "--local", "1/2", *AT)
    assert "t_memory t_ddr + t_remote = 15.68 s" in text  # 224 B at 50 and at 20 B/s


def test_what_is_set_is_on_one_line(said: Any) -> None:
    assert "at m = 4, n = 8, k = 16 FLOPs" in said("analyze", *AT)


def test_ceilings_and_what_lifting_them_gains(said: Any) -> None:
    text = said("analyze", "--ceiling", "no simd", "--ceiling", "strided", *AT)
    # 448 B at 12.5 B/s are 35.84 s; 1024 FLOPs at 200/s 5.12 s, and 8.96 s at 50 B/s.
    assert "strided 1/4 on bw.ddr; lifting it: 4 times faster" in text
    assert "no simd 1/8 on peak (write it with vectors); lifting it alone gains nothing" in text
    assert "binding ceiling strided" in text
    assert "under its ceilings" in text
    assert text.count("write it with vectors") == 1
    assert "unless more is fused or a ceiling is lifted" in text


def test_a_ceiling_that_is_set(said: Any) -> None:
    text = said("analyze", "--ceiling", "strided", "--set", "ceiling.strided=1/2", *AT)
    # 448 B at 25 B/s are 17.92 s, at 50 B/s 8.96 s
    assert "strided 1/2 on bw.ddr; lifting it: 2 times faster" in text


def test_a_ceiling_that_does_not_bind(said: Any) -> None:
    text = said("analyze", "--ceiling", "no simd", *AT)  # 5.12 s of compute under 8.96 s of memory
    assert "binding ceiling none memory" in text


def test_tiles_are_no_lower_bound(said: Any) -> None:
    text = said("analyze", "--level", "ddr=4x4", "--set", "m=64", "--set", "n=64", "--set", "k=64")
    assert "nothing fused; bytes of ddr: in tiles of 4 × 4 × 1" in text
    assert "reads its inputs" not in text
    assert "unless more is fused or other tiles move less" in text


def test_launches(said: Any) -> None:
    text = said("analyze", "--launch", "chip", *AT)
    assert "t_launch t_0 = 2 s" in text
    assert "launch-bound" in said("analyze", "--launch", "1 min", *AT)


def test_a_case_is_a_line(said: Any) -> None:
    text = said(
        "crossover", "--for", "m", "--residency", "partial", "--set", "n=8", "--set", "k=16"
    )
    assert text.count(" or ") == 2
    assert "else never at n = 8, k = 16" in text


def test_no_closed_form(said: Any) -> None:
    asked = ("crossover", "--for", "m", "--residency", "cached", "--set", "n=512")
    needs = "compute-bound no closed form: m is inside ⌈…⌉; set k to have numbers at n = 512"
    assert needs in said(*asked)
    # Nothing of that size fits l3: 512*512*m/(1024*m + 512*512) >= 1600/50 from m = 256/7 on.
    text = said(*asked, "--set", "k=512")
    assert "at n = 512, k = 512 compute-bound m ≥ 256/7 = 36.5714, so from m = 37 on" in text
    assert "no closed form m is inside ⌈…⌉" in text


def test_never_is_said_plainly(said: Any) -> None:
    text = said("crossover", "--for", "m", "--level", "ddr=4x4", "--set", "n=64", "--set", "k=64")
    assert "compute-bound never no closed form" in text  # 4 x 4 tiles reach 2 of 32 FLOP/byte


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
