"""From rows to roofs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symroof.probes.bench import Level
from symroof.probes.measurement import Row
from symroof.probes.roofs import roofs_of

LEVELS = [Level("l1", 2**16), Level("l2", 2**21), Level("dram", 2**34)]
KEYS = ("bw.l1", "bw.l2", "bw.dram", "peak.fp64", "launch", "bw.dram.remote", "")


def test_best_median_and_spread() -> None:
    rows = [
        Row("peak.fp64", "matmul", 256, 2, (80.0, 100.0, 90.0)),
        Row("peak.fp64", "matmul", 512, 2, (95.0, 60.0, 70.0)),
    ]
    (roof,) = roofs_of(rows, LEVELS)
    assert roof.runs == (95.0, 100.0, 90.0)
    assert (roof.best, roof.median, roof.rate) == (100.0, 95.0, 100.0)
    assert roof.spread == 1 - 95.0 / 100.0
    assert roof.row is rows[0]


def test_a_level_without_rows_is_passed_over() -> None:
    rows = [Row("bw.l1", "copy", 1, 1, (10.0,)), Row("bw.dram", "copy", 1, 1, (20.0,))]
    l1, dram = roofs_of(rows, LEVELS)
    assert (l1.rate, l1.taken_from, l1.best) == (20.0, "dram", 10.0)
    assert (dram.rate, dram.taken_from) == (20.0, "")


rates = st.lists(st.floats(1, 1e12), min_size=3, max_size=3).map(tuple)


@given(st.lists(st.tuples(st.sampled_from(KEYS), rates), min_size=1, max_size=12))
def test_no_run_beats_its_roof_and_no_level_a_level_inside(
    drawn: list[tuple[str, tuple[float, ...]]],
) -> None:
    rows = [Row(key, f"k{i}", 8, 1, runs) for i, (key, runs) in enumerate(drawn)]
    roofs = {roof.key: roof for roof in roofs_of(rows, LEVELS)}
    assert set(roofs) == {row.roof for row in rows} - {""}
    for row in rows:
        assert not row.roof or row.best <= roofs[row.roof].rate
    heights = [roofs[f"bw.{level.name}"].rate for level in LEVELS if f"bw.{level.name}" in roofs]
    assert heights == sorted(heights, reverse=True)
    assert all(0 <= roof.spread < 1 for roof in roofs.values())
