"""What keys of rates are called where a chip has several levels of memory."""

from __future__ import annotations

import symroof as sr
from symroof.reports.keys import inside_role, meaning
from tests.reports.inside import CPU, HAND, product


def test_ridges_of_levels_are_no_ridges_of_links() -> None:
    r = product(HAND, residency="partial")
    assert meaning(r, "ridge.fp16.bw.l2") == "ridge point, fp16 peak ÷ l2 bandwidth"
    link = sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm")
    assert "one direction" in meaning(link, "ridge.bf16.link")


def test_ceilings_say_whether_they_are_rates() -> None:
    r = product(CPU, ceilings=["no simd", "no prefetch"])
    factor, cap = (each.key for each in r.inside.ceilings)
    assert meaning(r, factor) == "ceiling no simd, a fraction of its roof"
    assert meaning(r, cap) == "ceiling no prefetch, the rate under bw.ddr"


def test_the_other_socket_and_the_local_fraction_are_named() -> None:
    r = product(CPU, numa="serial", local="near")
    assert meaning(r, "bw.ddr.remote") == "ddr bandwidth to another socket"
    assert inside_role(r, "near") == "fraction of the bytes that is in local ddr"
    assert inside_role(r, "f") == ""


def test_sizes_of_tiles_say_which_way_they_go() -> None:
    r = product(HAND, levels={"l2": sr.Tile("a", "b", "a")}, quantise=sr.Tile("a", "c", 8))
    assert [inside_role(r, name) for name in "abc"] == [
        "size of a tile",
        "columns of a tile",
        "columns of a tile",
    ]
