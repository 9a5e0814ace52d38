"""``validate`` with times that are made up."""

from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.hardware import Chip
from symroof.probes import validate
from symroof.probes.bounds import Bounds
from symroof.probes.cases import Case, graph_of

PEAK = {"fp64": "100 GFLOP/s"}
CACHED = {
    "l2": ("200 GB/s", "2 MiB"),
    "dram": {"bandwidth": "20 GB/s", "capacity": "16 GiB", "main": True},
}
PLAIN = {
    "dram": {"bandwidth": "20 GB/s", "capacity": "16 GiB", "main": True},
    "l2": {"capacity": "2 MiB"},
}


@pytest.fixture(autouse=True)
def _no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symroof.probes.plan.torch_if_there", lambda: None)


def test_bounds_by_hand() -> None:
    chip = Chip("mine", peak=PEAK, memory=CACHED, launch="1 us")
    dot = Bounds(graph_of(Case("dot", {"n": 1}, "fp64")), chip)
    assert dot.at({"n": 16}) == (1e-6, "launch")
    assert dot.at({"n": 100_000}) == (pytest.approx(1_600_008 / 200e9), "bw.l2")
    assert dot.at({"n": 10**6}) == (pytest.approx((16_000_008 - 2 * 2**20) / 20e9), "bw.dram")
    gemm = Bounds(graph_of(Case("gemm", {"M": 1, "N": 1, "K": 1}, "fp64")), chip)
    assert gemm.at({"M": 500, "N": 500, "K": 500}) == (pytest.approx(2.5e-3), "peak.fp64")


def test_every_bound_holds_on_a_slow_machine() -> None:
    found = validate(Chip("mine", peak=PEAK, memory=CACHED), quick=True, timing=lambda *_: 1.0)
    assert found.fraction == 1
    assert {row.case.kernel for row in found.rows} >= {"dot", "axpy", "gemv", "gemm", "fft"}
    assert not any(row.reason for row in found.rows)
    assert found.residency == "partial"
    assert "fp32: the chip has no such peak" in found.skipped


def test_the_best_of_all_rounds_counts() -> None:
    times = iter([3.0, 1.0, 2.0] * 1000)
    chip = Chip("mine", peak=PEAK, memory=CACHED)
    found = validate(chip, quick=True, rounds=3, timing=lambda *_: next(times))
    assert {row.measured for row in found.rows} == {1.0}


def test_a_kernel_above_the_roof_is_explained() -> None:
    chip = Chip("mine", peak=PEAK, memory=CACHED)
    bounds = {case: Bounds(graph_of(case), chip).at(case.sizes).seconds for case in dots()}
    found = validate(
        chip, timing=lambda case, _: bounds[case] / 1.25 if case in bounds else 1.0, rounds=1
    )
    above = [row for row in found.rows if not row.holds]
    assert [row.case for row in above] == dots()
    assert found.fraction == 1 - len(above) / len(found.rows)
    assert {row.reason.split(":")[0] for row in above} == {
        "25.0% above bw.l2",
        "25.0% above bw.dram",
    }
    assert above[0].to_dict()["reached"] == pytest.approx(1.25)


def dots() -> list[Case]:
    from symroof.probes.cases import LENGTHS

    return [Case("dot", {"n": length}, "fp64") for length in LENGTHS]


def test_without_bandwidths_of_caches_what_fits_one_is_explained() -> None:
    found = validate(Chip("mine", peak=PEAK, memory=PLAIN), rounds=1, timing=lambda *_: 1e-9)
    assert found.residency == "cold"
    assert found.fraction == 0
    by_case = {row.case.text: row.reason for row in found.rows}
    assert by_case["dot n=16384 fp64"] == "its data fit l2; the bound charges them at dram"
    assert "above bw.dram" in by_case["dot n=1048576 fp64"]


def test_plain_data() -> None:
    found = validate(Chip("mine", peak=PEAK, memory=CACHED), quick=True, timing=lambda *_: 1.0)
    document = found.to_dict()
    assert document["fraction"] == 1
    row = document["rows"][0]
    assert row["sizes"] == {"M": 64, "N": 64, "K": 64}
    assert row["measured"] == {"value": 1.0, "unit": "s"}
    assert row["set_by"] == "peak.fp64"


def test_what_takes_too_long_is_left_out_and_said() -> None:
    slow = Chip("slow", peak={"fp64": "1 GFLOP/s"}, memory=CACHED)
    found = validate(slow, rounds=1, timing=lambda *_: 100.0)
    assert "gemm M=1024 N=1024 K=1024 fp64: it takes more than 1 s" in found.skipped


@pytest.mark.parametrize(
    ("chip", "more", "said"),
    [
        ("h100sxm9", {}, "unknown chip"),
        ("no-such-file.toml", {}, "no-such-file.toml"),
        (Chip("odd", peak={"int8": "1 TOPS"}, memory=CACHED), {}, "odd: expected a peak in one of"),
        (Chip("mine", peak=PEAK, memory=CACHED), {"rounds": 0}, "rounds"),
        (Chip("mine", peak=PEAK, memory=CACHED), {"threads": 0}, "threads"),
    ],
)
def test_bad_input(chip: Chip | str, more: dict[str, int], said: str) -> None:
    from symroof.errors import SymroofError

    with pytest.raises(SymroofError, match=said):
        validate(chip, quick=True, **more)  # type: ignore[arg-type]


def test_a_gpu_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symroof.probes.validating.torch_if_there", lambda: None)
    gpu = Chip("gpu", kind="gpu", peak=PEAK, memory=CACHED)
    with pytest.raises(InputError, match="the chip is a GPU, and torch sees none"):
        validate(gpu, quick=True)


def test_numpy_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(asked: str) -> object:
        raise ImportError(asked)

    monkeypatch.setattr("symroof.extras.import_module", find)
    with pytest.raises(InputError, match="numpy is not installed"):
        validate(Chip("mine", peak=PEAK, memory=CACHED), quick=True)
