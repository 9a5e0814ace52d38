"""What moves an algorithm under the roofs."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, SymroofError
from symroof.reports.plots.moves import moves
from symroof.reports.plots.spots import Spot, whole_spot


def spot_of(r: sr.Roofline) -> Spot:
    found = whole_spot(r)
    assert found is not None
    return found


def test_nothing_to_fuse_and_no_batch_is_no_move() -> None:
    r = sr.analyze(sr.load("dot"), "h100-sxm").at(n=2**20)
    assert moves(r, spot_of(r), None, None) == []


def test_a_rate_can_grow() -> None:
    r = sr.analyze(sr.load("mlp"), "h100-sxm").at(B=64, D=4096, F=14336)
    (move,) = moves(r, spot_of(r), False, "bw")
    assert move.end[0] == move.start[0]
    assert move.end[1] == pytest.approx(4 * move.start[1])


def test_growth_stops_where_the_algorithm_does() -> None:
    r = sr.analyze(sr.load("attention-decode"), "h100-sxm")
    r = r.at(B=64, H=32, Hkv=16, S=8192, d=128)
    with pytest.raises(SymroofError, match="Hkv <= H"):
        moves(r, spot_of(r), False, "Hkv")


def test_growth_of_a_matmul_by_hand() -> None:
    r = sr.analyze(sr.load("matmul"), "h100-sxm").at(M=64, N=4096, K=4096)
    (move,) = moves(r, spot_of(r), False, {"N": 16384})
    assert move.end[0] == pytest.approx(1 / (1 / 64 + 1 / 16384 + 1 / 4096))
    assert move.said == "With N = 16,384 instead of 4096 it has 62.77 FLOP/byte"


def test_bad_growth() -> None:
    r = sr.analyze(sr.load("matmul"), "h100-sxm").at(M=64, N=4096, K=4096)
    with pytest.raises(InputError, match="one symbol"):
        moves(r, spot_of(r), False, {"M": 1, "N": 2})
