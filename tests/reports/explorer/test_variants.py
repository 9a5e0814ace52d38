"""The residencies a page can switch between, and tiles that can be moved."""

from __future__ import annotations

import symroof as sr
from symroof.reports.explorer import explore
from symroof.reports.explorer.machines import machines
from symroof.reports.explorer.slots import Slots
from symroof.reports.explorer.variants import freed, variants
from tests.reports.inside import ALL, BIG, CPU, HAND, product


def test_the_residency_of_the_roofline_comes_first() -> None:
    assert [v.name for v in variants(product(residency="partial"))] == ["partial", "cold", "cached"]
    words = {v.name: v.words for v in variants(product())}
    assert words == {
        "cold": "cold: all bytes at hbm",
        "cached": "cached: at the smallest of l2, hbm that holds them",
        "partial": "partial: at l2, what it does not hold farther out",
    }


def test_without_a_cache_or_with_levels_counted_there_is_no_choice() -> None:
    assert [v.name for v in variants(product(CPU))] == ["cold"]
    assert [v.name for v in variants(product(levels={"l2": "once"}))] == ["cold"]


def test_other_choices_stay() -> None:
    found = variants(product(HAND, launch="5 us"))
    assert all(v.general.inside.launch is not None for v in found)
    assert all("launch" in v.general.groups for v in found)


def test_what_a_residency_has_no_use_for() -> None:
    slots = Slots(product())
    assert slots.rates == ("peak.fp16", "bw.hbm", "bw.l2", "cap.l2")
    used = {v.name: slots.keys_of(v) for v in slots.variants}
    assert used["cold"] == {"peak.fp16", "bw.hbm"}
    assert used["cached"] == used["partial"] == set(slots.rates)


def test_numbers_of_the_inside_are_slots() -> None:
    slots = Slots(product(CPU, ceilings=ALL, launch="2 us", numa="serial"))
    kinds = {slot.name: (slot.kind, slot.unit, str(slot.start)) for slot in slots.all}
    assert kinds["ceiling.no_simd"] == ("fraction", "", "1/16")
    assert kinds["launch.kernel"] == ("rate", "s", "1/500000")
    assert kinds["f"] == ("fraction", "", "1/2")
    assert kinds["bw.ddr.remote"] == ("rate", "byte/s", "80000000000")


def test_sizes_of_tiles_get_names() -> None:
    tile = sr.Tile(128, "b", 32)
    r = product(levels={"l2": tile}, quantise=tile)
    made, sizes = freed(r)
    assert {name: str(size) for name, size in sizes.items()} == {"bm": "128", "bk": "32"}
    assert made.inside.levels["l2"] == made.inside.quantise == sr.Tile("bm", "b", "bk")
    slots = {slot.name: slot for slot in Slots(r).all}
    assert (str(slots["bm"].start), slots["bm"].kind) == ("128", "count")
    assert slots["bm"].meaning == "rows of a tile"


def test_a_name_that_is_taken_is_not_given() -> None:
    g = sr.Graph("g")
    g.output(g.input("x", ("bm", 64), "fp16") @ g.weight("w", (64, 64), "fp16"))
    _, sizes = freed(sr.analyze(g, HAND, levels={"l2": sr.Tile(16, 16)}))
    assert list(sizes) == ["bm_", "bn"]


def test_chips_go_with_the_residencies_they_have_the_levels_for() -> None:
    graph = sr.load("mlp")
    slots = Slots(sr.analyze(graph, "h100-sxm"))
    found, left_out = machines(slots)
    sets = {machine.name: machine.sets for machine in found}
    for at, variant in enumerate(slots.variants):
        reasons = {out.name: out.reason for out in left_out[at]}
        for name in sr.chips():
            if name == "h100-sxm":
                continue
            assert (at in sets.get(name, ())) is (name not in reasons)
            try:
                levels = sr.analyze(graph, name, residency=variant.name).rates.by_resource
            except sr.SymroofError:
                assert reasons[name]
                continue
            same = levels.keys() == variant.general.rates.by_resource.keys()
            assert same is (name not in reasons)
    assert sets["tpu-v5e"] == (0,)
    assert "tpu-v5e" not in {out.name for out in left_out[0]}


def test_ceilings_and_waves_are_those_of_one_chip() -> None:
    _, (left_out, *_) = machines(Slots(product(CPU, ceilings=ALL)))
    reasons = {out.name: out.reason for out in left_out}
    assert "no simd" in reasons["h100-sxm"]
    found, (left_out, *_) = machines(Slots(product(HAND, quantise=sr.Tile(128, 128, 32))))
    assert [machine.name for machine in found] == ["hand"]
    assert {out.name: out.reason for out in left_out}["h100-sxm"] == "waves of 132"


def test_steps_are_tried_and_not_solved() -> None:
    page = explore(sr.analyze(sr.load("transformer-layer"), "h100-sxm", residency="partial"))
    assert "where times have steps; values are tried" in page.html
    few = explore(product(residency="partial").at(BIG))
    assert "where times have steps" not in few.html
