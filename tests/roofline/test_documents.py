"""The JSON of an analysis: residency, levels, ceilings with their gains, launches."""

from __future__ import annotations

import json

import symroof as sr
from symroof.roofline.documents import analysis_document, crossover_document, unit_of
from tests.reports.inside import ALL, BIG, CPU, HAND, product


def test_the_default_says_so() -> None:
    found = analysis_document(product().at(BIG))
    assert found["inside"] == {
        "residency": "cold",
        "levels": {},
        "numa": None,
        "local": None,
        "ceilings": [],
        "launch": None,
        "quantise": None,
        "compute_units": None,
    }
    assert [row["name"] for row in found["levels"]] == ["hbm"]
    assert (found["ceilings"], found["binding_ceiling"]) == ([], None)
    assert "launch" not in found["terms"]


def test_levels_by_hand() -> None:
    found = analysis_document(product(residency="partial").at(BIG))
    assert found["inside"]["residency"] == "partial"
    inner, outer = found["levels"]
    assert (inner["name"], outer["name"]) == ("l2", "hbm")
    assert (inner["bytes"]["exact"], outer["bytes"]["exact"]) == ("96000000", "56000000")
    assert (inner["time"]["exact"], outer["time"]["exact"]) == ("3/125000", "7/125000")
    assert (inner["intensity"]["exact"], inner["ridge"]["exact"]) == ("4000/3", "16")
    assert (inner["capacity"]["exact"], inner["bandwidth"]["expr"]) == ("40000000", "bw.l2")
    assert found["rates"]["cap.l2"]["unit"] == "byte"
    json.dumps(found)


def test_ceilings_with_their_gains() -> None:
    found = analysis_document(product(CPU, ceilings=ALL).at(BIG))
    gains = {row["name"]: row["gain"]["exact"] for row in found["ceilings"]}
    assert gains == {"no simd": "16", "no fma": "2", "no prefetch": "1"}
    first, _, last = found["ceilings"]
    assert (first["key"], first["on"], first["fraction"]) == ("ceiling.no_simd", "peak", "1/16")
    assert (first["rate"], last["rate"]["exact"]) == (None, "120000000000")
    assert first["time"]["exact"] == "1/16"
    assert found["binding_ceiling"] == "no simd"
    assert found["rates"]["ceiling.no_simd"]["unit"] == ""
    free = analysis_document(product(CPU, ceilings=ALL))
    assert free["binding_ceiling"] is None
    assert free["ceilings"][0]["gain"]["value"] is None


def test_the_other_choices() -> None:
    tile = sr.Tile(128, "b", 32)
    found = analysis_document(product(HAND, levels={"l2": tile}, launch="5 us", quantise=tile))
    inside = found["inside"]
    assert inside["levels"] == {"l2": "128 × b × 32"}
    assert (inside["quantise"], inside["compute_units"]) == ("128 × b × 32", 10)
    assert (inside["launch"]["exact"], inside["launch"]["unit"]) == ("1/200000", "s")
    assert found["terms"]["launch"]["expr"] == "launch.kernel"
    numa = analysis_document(product(CPU, numa="serial", local="1/4"))["inside"]
    assert (numa["numa"], numa["local"]) == ("serial", "1/4")
    given = analysis_document(product(HAND, levels={"l2": "8*m*n"}))["inside"]
    assert given["levels"] == {"l2": "8*m*n"}


def test_a_crossover_says_it_too() -> None:
    r = product(residency="partial").at(n=2000, k=2000)
    x = r.crossover("m")
    found = crossover_document(r, r.unbound.crossover("m"), x, "compute", None)
    assert found["question"]["inside"]["residency"] == "partial"
    assert found["answer"]["first"] == 17  # m/8 µs of compute, (8000 m + 8·10⁶)/4 ps from l2


def test_units_of_keys() -> None:
    units = {key: unit_of(key) for key in ("cap.l2", "launch.kernel", "ceiling.x", "latency.X")}
    assert units == {"cap.l2": "byte", "launch.kernel": "s", "ceiling.x": "", "latency.X": "s"}
