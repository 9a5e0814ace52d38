"""Bounds and calibrations on timings of others: what holds, what fails, and by how much."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import pytest

from symroof.measurements import compare
from symroof.measurements.calibration import Calibration

from .table import CASES, DATA, GEMM, Case

DOCS = Path(__file__).parents[2] / "docs" / "measurements.md"
NAMES = [f"{case.device}-{case.dtype}" for case in CASES]

# Bytes of an element of A, B and C, from the README of the data.
BYTES = {
    "bfloat16": (2, 2, 2),
    "fp8": (1, 1, 2),
    "fp8_block": (1 + 4 / 128, 1 + 4 / 128**2, 2),
    "nvfp4": (9 / 16, 9 / 16, 2),
}
# FLOP/s by dtype, byte/s of main memory, bytes of L2; datasheets.
RATES = {
    "a100_sxm": ({"bfloat16": 312e12}, 2.039e12, 40 * 2**20),
    "b200_sxm": (
        {"bfloat16": 2250e12, "fp8": 4500e12, "fp8_block": 4500e12, "nvfp4": 9000e12},
        8e12,
        126 * 2**20,
    ),
    "l40s": ({"bfloat16": 362.05e12}, 864e9, 96 * 2**20),
}


def _rows() -> list[tuple[dict[str, str], float, float, float, float]]:
    """Return each row with its compute time, bytes, seconds, and number."""
    found = []
    with GEMM.open() as lines:
        for number, row in enumerate(csv.DictReader(lines), start=1):
            m, n, k = (int(row[name]) for name in "mnk")
            peaks, *_ = RATES[row["device"]]
            a, b, c = BYTES[row["dtype"]]
            moved = a * m * k + b * k * n + c * m * n
            work = 2 * m * n * k / peaks[row["dtype"]]
            found.append((row, work, moved, 1e-3 * float(row["latency_ms"]), number))
    return found


@cache
def calibrated(place: int) -> Calibration:
    return CASES[place].calibrated(resamples=10)


@pytest.mark.parametrize(
    ("case", "rows"),
    list(zip(CASES, (1500, 1500, 1500, 700, 700, 750, 159, 159, 20), strict=True)),
    ids=NAMES,
)
def test_with_caches_no_row_beats_its_bound(case: Case, rows: int) -> None:
    found = case.compared("partial")
    assert (found.rows, found.above, found.bad) == (rows, 0, ())


def test_rows_above_the_roof_are_those_counted_by_hand() -> None:
    for device, chip in (("l40s", "l40s"), ("b200_sxm", "b200-sxm"), ("a100_sxm", "a100-sxm-80gb")):
        _, bandwidth, cache_size = RATES[device]
        cold, cached = set(), set()
        for row, work, moved, seconds, number in _rows():
            if row["device"] != device:
                continue
            if seconds < max(work, moved / bandwidth):
                cold.add(number)
            if seconds < max(work, 0 if moved <= cache_size else moved / bandwidth):
                cached.add(number)
        found = compare(GEMM, chip, where={"device": device})
        assert {row.number for row in found.above_rows()} == cold
        counts = {"l40s": (131, 1), "b200_sxm": (1, 0), "a100_sxm": (0, 0)}
        assert (len(cold), len(cached)) == counts[device]
        above = found.above_by_residency
        assert (above["cold"], above["cached"], above["partial"]) == (*counts[device], 0)
        assert {str(row.reasons[0].cause) for row in found.above_rows()} <= {"fits a cache"}


def test_the_two_rows_that_are_odd() -> None:
    """On the L40S one row does not fit its cache; on the B200 one alone is above the roof."""
    found = compare(GEMM, "l40s", where={"device": "l40s"}, residency="cached")
    (row,) = found.above_rows()
    assert row.dims == {"m": 4096, "n": 64, "k": 12288}
    assert row.bytes == 2 * (4096 * 12288 + 12288 * 64 + 4096 * 64) > 96 * 2**20
    assert str(row.reasons[0]) == "fits l2 (96 MiB) in part"
    (row,) = compare(GEMM, "b200-sxm", where={"device": "b200_sxm"}).above_rows()
    assert row.dims == {"m": 32768, "n": 32, "k": 768}
    assert row.bytes < 126 * 2**20
    assert str(row.reasons[0]) == "fits l2 (126 MiB)"


def test_attention_is_slower_than_its_bound() -> None:
    columns = {
        "B": "batch",
        "S": "isl + step",
        "H": "n_heads",
        "Hkv": "n_kv_heads",
        "d": "head_dim",
        "dtype": "attn_dtype",
    }
    for phase, op in (("context", "attention-prefill"), ("generation", "attention-decode")):
        found = compare(
            DATA / "aiconfigurator_attention.csv",
            "a100-sxm-80gb",
            op=op,
            columns=columns,
            where={"phase": phase},
        )
        assert (found.rows, found.above, found.bad) == (600, 0, ())


def test_a_table_of_another_dtype_is_found_out() -> None:
    """Half of the rows of this file are fp16: as fp32 they lie far above the roof of V100."""
    found = compare(DATA / "deepbench_gemm.csv", "v100-sxm2-32gb", dtype="fp32")
    assert found.rows == 318
    assert found.causes["dtype"] > 100
    assert "dtype: under the roof of fp16" in {str(row.reasons[0]) for row in found.above_rows()}


@pytest.mark.parametrize("place", range(len(CASES)), ids=NAMES)
def test_calibrated_error_on_the_other_half(place: int) -> None:
    (fit,) = calibrated(place).fits
    assert fit.error.median <= CASES[place].target
    assert fit.error.median < fit.plain.median / 2
    assert abs(fit.tested - fit.fitted) <= 1


def test_block_formats_need_tiles_and_what_is_timed_before() -> None:
    """Neither one tile nor the plain model predicts fp8_block within 15 %."""
    case = next(case for case in CASES if case.dtype == "fp8_block")
    errors = {
        name: case.calibrated(resamples=10, **options).fits[0].error.median
        for name, options in {
            "neither": {"tiles": None, "preparation": None},
            "one tile": {"tiles": ["128x128"], "preparation": None},
            "tiles": {"preparation": None},
            "both": {},
        }.items()
    }
    assert errors["one tile"] > errors["neither"] > 0.15
    assert errors["both"] < 0.10 < errors["tiles"] < errors["neither"]


def test_bf16_rows_show_nothing_before_them() -> None:
    """The same term, given for bf16, where no kernel quantises, finds nothing."""
    for device in ("A100", "B200"):
        case = next(c for c in CASES if (c.device, c.dtype) == (device, "bf16"))
        found = case.calibrated(resamples=10, tiles=None, preparation="4*m*k")
        assert found.fits[0].preparation is None


@pytest.mark.parametrize("place", range(len(CASES)), ids=NAMES)
def test_the_table_of_the_docs(place: int) -> None:
    case = CASES[place]
    (line,) = [
        text
        for text in DOCS.read_text("utf-8").split("\n")
        if text.startswith(f"| {case.device} | {case.dtype} |")
    ]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    found = case.compared()
    (fit,) = calibrated(place).fits
    assert cells[2] == str(found.rows)
    above = found.above_by_residency
    assert cells[3] == " / ".join(str(above[name]) for name in ("cold", "cached", "partial"))
    assert cells[4] == f"{fit.fitted} + {fit.tested}"
    said = [float(number) for number in re.findall(r"[\d.]+", f"{cells[5]} {cells[6]}")]
    errors = (fit.plain.median, fit.error.median, fit.error.p90)
    assert said == pytest.approx([100 * error for error in errors], abs=0.3)
    for cell, estimate in ((cells[7], fit.compute), (cells[8], fit.memory)):
        assert estimate is not None
        value, low, high = (float(number) for number in re.findall(r"[\d.]+", cell))
        assert value == pytest.approx(estimate.value, abs=0.01)
        assert low <= value <= high
    launch = float(re.findall(r"[\d.]+", cells[9])[0])
    assert launch == pytest.approx(1e6 * fit.launch.value, abs=0.5)
    assert cells[11] == fit.tiles
