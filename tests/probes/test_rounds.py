"""Rounds in this process and in others."""

from __future__ import annotations

import json

import pytest

from symroof.errors import InputError
from symroof.probes.bench import Bench
from symroof.probes.benches import bench_of
from symroof.probes.rounds import Asked, each_round, elsewhere, main

QUICK = Asked("cpu", 1, 2**24, True)


def test_rounds_here(bench: Bench) -> None:
    told: list[tuple[int, int]] = []
    points = bench.points(quick=True)
    found = list(each_round(points, 2, True, lambda *place: told.append(place)))
    assert [len(rates) for rates in found] == [len(points)] * 2
    assert found[0][1] == {"matmul": 200e9}
    assert found[1][1] == {"matmul": 180e9}
    assert told == [(number, place) for number in (1, 2) for place in range(len(points) + 1)]


def test_another_process_runs_the_same_points() -> None:
    points = bench_of("cpu", 1, 2**24).points(quick=True)
    found = list(elsewhere(QUICK))
    assert len(found) == len(points)
    assert set(found[0]) == {"add", "copy", "dot"}
    assert all(rate > 0 for rates in found for rate in rates.values())


def test_a_line_for_each_point(capsys: pytest.CaptureFixture[str]) -> None:
    main(json.dumps({"device": "cpu", "threads": 1, "most": 2**24, "quick": True}))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(QUICK.bench.points(quick=True))
    assert all(json.loads(line) for line in lines)


def test_a_process_that_fails_is_one_line() -> None:
    with pytest.raises(InputError, match=r"a round did not end: .*expected cpu or gpu, not 'tpu'"):
        list(elsewhere(Asked("tpu", None, 2**24, True)))
