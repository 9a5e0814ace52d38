"""``measure`` on a device whose rates are known, and where libraries are missing."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from symroof import extras
from symroof.errors import InputError
from symroof.hardware import Chip
from symroof.probes import libraries, measure
from symroof.probes.bench import Bench
from symroof.probes.benches import bench_of
from symroof.probes.measuring import steps


def test_the_chip_has_the_best_runs(bench: Bench) -> None:
    chip = measure(bench=bench, rounds=3, name="mine").chip
    assert chip.peak("fp64").to("GFLOP/s") == 100
    assert chip.peak("fp32").to("GFLOP/s") == 200
    assert chip.bandwidth().to("GB/s") == 50
    assert chip.bandwidth("l2").to("GB/s") == 310
    assert chip.bandwidth("l1").to("GB/s") == 310
    assert chip.launch is not None
    assert chip.launch.value.to("ns") == pytest.approx(250, rel=1e-4)
    assert chip.main == "dram"
    assert chip.compute_units == 2
    assert chip.capacity("l2").value == 2**21


def test_each_number_says_where_it_is_from(bench: Bench) -> None:
    chip = measure(bench=bench, rounds=3, name="mine").chip
    rates = [peak.rate for peak in chip.peaks] + [level.bandwidth for level in chip.memory]
    assert {rate.source for rate in rates if rate is not None} == {"measured"}
    assert chip.find_peak("fp64").rate.note == (
        "best of 3, the median 10.0% below; matmul of order 256 by 2 threads"
    )
    l1 = chip.memory_level("l1").bandwidth
    assert l1 is not None
    assert l1.note == "taken from l2, which ran faster; by itself 300.00 GB/s"
    remote = chip.memory_level("dram").remote
    assert remote is not None
    assert remote.text == "10.000 GB/s"
    text = " ".join(chip.notes)
    for said in ("Measured on mine on 20", "3 rounds", "numpy 0, BLAS 0", "compulsory", "no torch"):
        assert said in text


def test_the_host_is_named_unless_a_name_is_given(bench: Bench) -> None:
    host = platform.node()
    assert measure(bench=bench, rounds=1).chip.name == host
    saved = measure(bench=bench, rounds=1, name="mine").chip
    assert host not in str(saved.to_fields())


def test_one_thread_is_a_ceiling(bench: Bench) -> None:
    (ceiling,) = measure(bench=bench, rounds=2, name="mine").chip.ceilings
    assert (ceiling.name, ceiling.on) == ("one thread, fp64", "peak.fp64")
    assert float(ceiling.fraction) == 0.6


def test_spread_rows_and_scaling(bench: Bench) -> None:
    found = measure(bench=bench, rounds=3, name="mine")
    assert found.spread["peak.fp32"] == pytest.approx(0.1)
    assert found.scaling == {"peak.fp64": {1: 60e9, 2: 100e9}}
    assert {len(row.runs) for row in found.rows} == {3}
    assert len(found.rows) == 14


def test_two_measurements_agree_within_their_spread(bench: Bench) -> None:
    first = measure(bench=bench, rounds=3, name="first")
    second = measure(bench=bench, rounds=2, name="second")
    apart, allowed = first.differences(second)["peak.fp64"]
    assert (apart, allowed) == (pytest.approx(0), pytest.approx(0.1))
    assert set(first.differences(second)) == set(first.spread)


def test_a_measurement_that_is_slower_than_the_median_differs(bench: Bench) -> None:
    first = measure(bench=bench, rounds=3, name="first")
    slower = tuple(
        replace(roof, runs=tuple(rate * 0.85 for rate in roof.runs)) for roof in first.roofs
    )
    apart, allowed = first.differences(replace(first, roofs=slower))["bw.dram"]
    assert (apart, allowed) == (pytest.approx(0.15), pytest.approx(0.1))


def test_the_file_loads_back_equal(bench: Bench, tmp_path: Path) -> None:
    found = measure(bench=bench, rounds=2, name="mine")
    found.save(tmp_path / "mine.toml")
    assert Chip.load(tmp_path / "mine.toml") == found.chip
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_plain_data_has_units(bench: Bench) -> None:
    document = json.loads(json.dumps(measure(bench=bench, rounds=2, name="mine").to_dict()))
    roof = next(each for each in document["roofs"] if each["roof"] == "bw.l1")
    assert roof["best"] == {"value": 300e9, "unit": "byte/s"}
    assert (roof["taken_from"], roof["threads"], roof["runs"]) == ("l2", 2, 2)
    assert roof["working_set"] == {"value": 2**15, "unit": "byte"}
    assert document["skipped"] == ["fp16: no torch"]


def test_each_point_is_told(bench: Bench) -> None:
    told: list[str] = []
    measure(bench=bench, rounds=2, name="mine", tick=told.append)
    assert len(told) == steps(len(bench.points(quick=False)), rounds=2, quick=False) == 18
    assert told[0] == "round 1 of 2: fp64, order 256, 2 threads"


def test_a_missing_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Callable[[str], object]:
        def find(asked: str) -> object:
            if asked == name:
                raise ImportError(asked)
            return __import__(asked)

        return find

    monkeypatch.setattr(extras, "import_module", missing("numpy"))
    with pytest.raises(InputError, match=r"^numpy is not installed; pip install 'symroof\[mea"):
        bench_of("cpu")
    monkeypatch.setattr(extras, "import_module", missing("threadpoolctl"))
    with pytest.raises(InputError, match=r"^threadpoolctl is not installed"):
        bench_of("cpu")
    monkeypatch.setattr(libraries, "import_module", missing("torch"))
    with pytest.raises(InputError, match=r"^device gpu: torch is not installed"):
        bench_of("gpu")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rounds": 0}, "rounds: expected a number from 1 to 1000, not 0"),
        ({"rounds": 10**9}, "rounds"),
        ({"threads": 0}, "threads: expected a number from 1"),
        ({"threads": 10**6}, "the CPUs there are"),
        ({"device": "tpu"}, "device: expected cpu or gpu, not 'tpu'"),
    ],
)
def test_bad_input(asked: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        measure(**{"device": "cpu", "quick": True, **asked})  # type: ignore[arg-type]
