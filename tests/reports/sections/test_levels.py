"""Levels of memory in a report: a line each, how they make one, intensity and ridge."""

from __future__ import annotations

import symroof as sr
from symroof.reports.document import Claim, Document, claims_of
from symroof.roofline import Roofline
from tests.reports.inside import BIG, CPU, HAND, product


def claims(r: Roofline) -> dict[str, Claim]:
    return {claim.id: claim for claim in claims_of(document(r))}


def document(r: Roofline) -> Document:
    return sr.report(r).document


def text(r: Roofline) -> str:
    return " ".join(str(sr.report(r)).split())


def test_partial_residency_by_hand() -> None:
    found = claims(product(residency="partial").at(BIG))
    shown = {key: found[f"level.{key}"].shown for key in ("l2.bytes", "hbm.bytes")}
    assert shown == {"l2.bytes": "96 MB", "hbm.bytes": "56 MB"}
    assert (found["level.l2.time"].exact, found["level.hbm.time"].exact) == ("3/125000", "7/125000")
    assert found["time.memory"].shown == "56 µs"
    assert found["level.l2.intensity"].exact == "4000/3"  # 128 GFLOP over 96 MB
    assert found["level.hbm.intensity"].exact == "16000/7"
    assert (found["level.l2.ridge"].exact, found["level.hbm.ridge"].exact) == ("16", "64")
    # 2 ms of compute and both levels, one after the other.
    assert found["time.serial"].shown == "2.08 ms"
    assert found["time.serial"].expr == "time.compute + level.l2.time + level.hbm.time"


def test_the_slowest_level_takes_the_time() -> None:
    said = text(product(residency="partial").at(BIG))
    assert "t_memory = max(t_l2, t_hbm)" in said
    assert "t_l2 = bytes_l2/β_l2" in said
    assert "residency partial" in said
    assert (
        "Residency partial: of l2, hbm each is charged what all inside of it do not hold." in said
    )
    assert "caches below main memory" not in said


def test_numa_in_series_adds_and_at_once_does_not() -> None:
    at = {**BIG, "f": "1/2"}
    serial = product(CPU, numa="serial").at(at)
    # 48 MB at 200 GB/s and 48 MB at 80 GB/s: 240 µs and 600 µs.
    assert "t_memory = t_ddr + t_remote" in text(serial)
    assert claims(serial)["time.memory"].shown == "840 µs"
    both = product(CPU, numa="concurrent").at(at)
    assert "t_memory = max(t_ddr, t_remote)" in text(both)
    assert claims(both)["time.memory"].shown == "600 µs"


def test_a_level_without_bytes_says_so() -> None:
    small = product(residency="partial").at(m=1000, n=1000, k=1000)  # 6 MB
    found = claims(small)
    assert found["level.hbm.bytes"].exact == "0"
    assert "level.hbm.intensity" not in found
    assert "∞" in text(small)


def test_one_level_has_no_section_and_the_default_is_said() -> None:
    r = product().at(BIG)
    assert "levels" not in [section.id for section in document(r).sections]
    said = text(r)
    assert "Residency cold: all bytes at hbm, caches hold nothing before an op." in said
    assert "traffic unfused, residency cold" in said
    assert "caches below main memory" in said
    assert "t_memory = bytes/β" in said


def test_closed_forms_without_numbers() -> None:
    said = text(product(residency="partial"))
    assert "max(0, 2·(m·n + m·k + n·k) − Z)/β_hbm" in said
    assert "l2 capacity" in said


def test_whole_tiles_are_more_than_the_work() -> None:
    r = product(HAND, quantise=sr.Tile(1000, 1000, 1)).at(BIG)
    # 16 tiles on 10 units are two waves: 20 tiles of time, of which 16 are work.
    found = claims(r)
    assert found["work.run"].exact == str(2 * 20 * 1000 * 1000 * 4000)
    assert found["work.efficiency"].shown == "80 %"
    assert found["time.compute"].shown == "2.5 ms"
    assert "Compute in tiles, 1000 × 1000 × 1, in waves of 10." in text(r)
