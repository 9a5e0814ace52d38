"""``symroof tiles`` at the prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from symroof.cli.main import run

CUBE = ("--set", "m=4096", "--set", "n=4096", "--set", "k=4096")


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    def words(*arguments: str, code: int = 0) -> str:
        assert run(["tiles", *arguments]) == code
        out, err = capsys.readouterr()
        return " ".join((err if code else out).split())

    return words


def test_a_card_of_a_square_tile(said: Any) -> None:
    text = said("mk,kn->mn", "--chip", "h100-sxm", *CUBE, "--capacity", "228 KiB")
    assert "M = 4096, N = 4096, K = 4096; 137.4 GFLOP" in text
    # 2*b*K <= ... : 4096/(8192/b) >= 295.2 from b = 2*K*I/(K - I) = 636.3
    assert "b ≥ 8192·I / (4096 − I) = 636.311 → b ≥ 637" in text
    assert "where I 295.224 FLOP/byte" in text
    assert "316 × 342 × 1 under capacity" in text


def test_waves_of_a_tile(said: Any) -> None:
    text = said("mk,kn->mn", "--chip", "a100-sxm-80gb", "--tile", "128x128x32", "--set", "m=1000",
                "--set", "n=1000", "--set", "k=64")  # fmt: skip
    # 8 x 8 tiles on 108 SMs; 1000*1000/(108*128*128) of the work is wanted
    assert "64 tiles in 1 wave of 108, 56.51 % useful" in text


def test_json_has_units(said: Any) -> None:
    found = json.loads(said("mk,kn->mn", "--tile", "2x3x4", "--set", "m=4", "--set", "n=6",
                            "--set", "k=8", "--format", "json"))  # fmt: skip
    # A (4 x 8) twice, B (8 x 6) twice, C (4 x 6) once, 2 bytes each
    assert found["traffic"]["value"] == 2 * (2 * 32 + 2 * 48 + 24)
    assert found["traffic"]["unit"] == "byte"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mk,kn->mn", "--tile", "0x3"), "tile m: a size is a whole number of 1 or more, not 0"),
        (("mk,kn->mn", "--tile", "3"), "--tile: a tile has two or three sizes"),
        (("mk,kn->mn", "--tile", "bxb"), "or 'b, b, 32' with symbols, not 'bxb'"),
        (("mk,kn->mn", "--capacity", "1 B", "--tile", "4x4"), "is smaller than the tile 4 × 4 × 1"),
        (("mk,kn->mn", "--chip", "h100-sxm", "--level", "l3"), "unknown memory of h100-sxm 'l3'"),
        (("softmax",), "is no contraction"),
        (("mk,kn->mn", "--set", "q=3"), "unknown symbol 'q'"),
        (("mk,kn->mn", "--level", "l2"), "would be a level of a chip"),
    ],
)
def test_a_wrong_question_is_one_line(said: Any, arguments: tuple[str, ...], message: str) -> None:
    assert message in said(*arguments, code=2)
