"""Calibration: values that rows were made with, and what is saved of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.measurements import calibrate
from symroof.measurements.calibration import Calibration

Table = Callable[[str], Path]
COMPUTE, MEMORY, LAUNCH = 0.6, 0.75, 6.0


def _rows(
    *, noise: float = 0.0, narrow: bool = False, before: float = 0.0, count: int = 160
) -> str:
    """Return rows of a chip of 100 TFLOP/s (200 at fp8) and 1 TB/s that reaches part of it."""
    random = np.random.default_rng(11)
    size, peak = (1, 200e6) if narrow else (2, 100e6)
    lines = ["m,n,k,time_us"]
    for m, n, k in 2 ** random.integers((1, 9, 9), (14, 14, 14), (count, 3)):
        moved = (size * (m * k + k * n) + 2 * m * n) / 1e6
        time = max(2 * m * n * k / peak / COMPUTE, moved / MEMORY) + LAUNCH
        time += before * (2 + size) * m * k / 1e6
        lines.append(f"{m},{n},{k},{time * np.exp(random.normal(0, noise))}")
    return "\n".join(lines)


@pytest.fixture
def found(table: Table, mine: sr.Chip) -> Calibration:
    return calibrate(table(_rows(noise=0.05)), mine, dtype="bf16", resamples=60, tiles=None)


def test_the_values_are_within_their_intervals(found: Calibration) -> None:
    (fit,) = found.fits
    assert fit.compute is not None
    assert fit.memory is not None
    assert fit.compute.low <= COMPUTE <= fit.compute.high
    assert fit.memory.low <= MEMORY <= fit.memory.high
    assert fit.launch.low <= LAUNCH * 1e-6 <= fit.launch.high
    assert fit.preparation is None
    # The median of |x| of a normal x with a deviation of 5 %, and its 90 %.
    assert fit.error.median == pytest.approx(0.034, abs=0.012)
    assert fit.error.p90 == pytest.approx(0.082, abs=0.03)
    assert fit.plain.median > 0.2
    assert 0 < fit.compute_bound < fit.fitted


def test_the_chip_keeps_its_own_numbers(found: Calibration, mine: sr.Chip, tmp_path: Path) -> None:
    chip = found.chip
    assert (chip.peaks, chip.memory, chip.links) == (mine.peaks, mine.memory, mine.links)
    assert [(each.name, each.on) for each in chip.ceilings] == [
        ("calibrated bf16", "peak.bf16"),
        ("calibrated hbm bf16", "bw.hbm"),
    ]
    (fit,) = found.fits
    for ceiling, estimate in zip(chip.ceilings, (fit.compute, fit.memory), strict=True):
        assert estimate is not None
        assert float(ceiling.fraction) == pytest.approx(estimate.value, rel=1e-3)
        assert ceiling.source == f"calibrated on gemm.csv, {fit.fitted} rows"
        assert ceiling.note.startswith("95% interval 0.")
        assert "bootstrap, 60 resamples" in ceiling.note
    assert chip.launch is not None
    assert chip.launch.value.to("us") == pytest.approx(LAUNCH, rel=0.3)
    path = tmp_path / "mine.toml"
    found.save(path)
    assert sr.Chip.load(path) == chip


def test_the_ceilings_predict_what_the_fit_does(found: Calibration) -> None:
    (fit,) = found.fits
    assert fit.compute is not None
    assert fit.memory is not None
    graph = sr.load("mk,kn->mn", dtype="bf16")
    names = [each.name for each in found.chip.ceilings]
    r = sr.analyze(graph, found.chip, ceilings=names, launch=True)
    for m, n, k in ((4096, 4096, 4096), (16, 4096, 4096)):
        work = 2 * m * n * k / 100e12 / fit.compute.value
        moved = 2 * (m * k + k * n + m * n) / 1e12 / fit.memory.value
        exposed = r.at(m=m, n=n, k=k).exposed.to("s")
        assert exposed == pytest.approx(max(work, moved) + fit.launch.value, rel=1e-3)


def _cached(m: int, n: int, k: int, residency: str) -> float:
    """Return us: half of 100 TFLOP/s, three quarters of 10 TB/s (10 MB) and of 1 TB/s, and 6 us."""
    moved = 2 * (m * k + k * n + m * n) / 1e6
    beyond = moved if residency == "cached" else max(moved / 10, moved - 10)
    memory = moved / 10 if moved <= 10 else beyond
    return max(2 * m * n * k / 100e6 / 0.5, memory / 0.75) + 6


@pytest.mark.parametrize("residency", ["cached", "partial"])
def test_ceilings_of_caches_predict_what_the_fit_does(
    table: Table, mine: sr.Chip, residency: str
) -> None:
    sizes = 2 ** np.random.default_rng(5).integers((1, 8, 8), (13, 14, 14), (160, 3))
    lines = [f"{m},{n},{k},{_cached(m, n, k, residency)}" for m, n, k in sizes]
    options = {"dtype": "bf16", "above": "7 us", "resamples": 10, "tiles": None}
    path = table("\n".join(["m,n,k,time_us", *lines]))
    found = calibrate(path, mine, residency=residency, **options)  # type: ignore[arg-type]
    (fit,) = found.fits
    assert fit.memory is not None
    assert fit.memory.value == pytest.approx(0.75, rel=1e-2)
    chip = found.chip
    assert [each.on for each in chip.ceilings] == ["peak.bf16", "bw"]
    assert all(f"residency {residency}" in each.note for each in chip.ceilings)
    graph = sr.load("mk,kn->mn", dtype="bf16")
    names = [each.name for each in chip.ceilings]
    r = sr.analyze(graph, chip, residency=residency, ceilings=names, launch=True)
    # 4.3 MB in the cache, 34 MB beyond it, and a product that computes.
    for m, n, k in ((16, 2048, 1024), (16, 8192, 2048), (4096, 4096, 4096)):
        exposed = r.at(m=m, n=n, k=k).exposed.to("us")
        assert exposed == pytest.approx(_cached(m, n, k, residency), rel=1e-2)


def test_a_second_calibration_takes_the_place_of_the_first(
    found: Calibration, table: Table
) -> None:
    again = calibrate(table(_rows(count=100)), found.chip, dtype="bf16", resamples=10, tiles=None)
    chip = again.chip
    assert len(chip.ceilings) == 2
    assert float(chip.ceilings[0].fraction) == pytest.approx(COMPUTE, rel=1e-3)
    assert chip.launch is not None
    assert chip.launch.source == again.chip.ceilings[0].source


def test_a_launch_time_of_the_datasheet_stays(table: Table, mine: sr.Chip) -> None:
    fields = {**mine.to_fields(), "launch": {"value": "3 us", "source": "datasheet"}}
    chip = sr.Chip(**fields)  # type: ignore[arg-type]
    found = calibrate(table(_rows()), chip, dtype="bf16", resamples=10)
    assert found.chip.launch == chip.launch


def test_quantising_of_the_input_is_found_where_it_is_timed(table: Table, mine: sr.Chip) -> None:
    text = _rows(narrow=True, before=2.5)
    (fit,) = calibrate(table(text), mine, dtype="fp8", resamples=10, tiles=None).fits
    assert fit.prepared == "3*k*m"
    assert fit.preparation is not None
    assert fit.preparation.value == pytest.approx(1 / 2.5, rel=0.01)
    assert fit.compute is not None
    assert fit.compute.value == pytest.approx(COMPUTE, rel=0.01)
    (plain,) = calibrate(
        table(text), mine, dtype="fp8", resamples=10, tiles=None, preparation=None
    ).fits
    assert plain.error.median > 5 * fit.error.median
    (own,) = calibrate(
        table(text), mine, dtype="fp8", resamples=10, tiles=None, preparation="m*k"
    ).fits
    assert own.preparation is not None
    assert own.preparation.value == pytest.approx(1 / 7.5, rel=0.01)


def test_quantising_is_not_seen_where_it_is_not_timed(table: Table, mine: sr.Chip) -> None:
    found = calibrate(table(_rows(narrow=True)), mine, dtype="fp8", resamples=10, tiles=None)
    assert found.fits[0].preparation is None
    assert not found.chip.notes


def test_tiles_are_chosen_where_rows_were_made_with_them(table: Table, mine: sr.Chip) -> None:
    lines = ["m,n,k,time_us"]
    for m, n, k in np.random.default_rng(12).integers(100, 4000, (200, 3)):
        waves = np.ceil(np.ceil(m / 128) * np.ceil(n / 128) / 100)
        padded = 2 * 128 * 128 * 100 * waves * k
        lines.append(f"{m},{n},{k},{padded / 100e6 / 0.6 + 5}")
    path = table("\n".join(lines))
    (fit,) = calibrate(path, mine, dtype="bf16", resamples=10).fits
    assert fit.tiles == "128 × 128"
    assert fit.compute is not None
    assert fit.compute.value == pytest.approx(0.6, rel=1e-3)
    (without,) = calibrate(path, mine, dtype="bf16", resamples=10, tiles=None).fits
    assert without.error.median > 10 * fit.error.median
    note = calibrate(path, mine, dtype="bf16", resamples=10).chip.ceilings[0].note
    assert note.endswith("of the peak left by tiles 128 × 128")


def test_a_regime_without_rows_has_no_ceiling(table: Table, mine: sr.Chip) -> None:
    lines = ["m,n,k,time_us"]
    lines += [f"4096,4096,{128 * n},{2 * 4096**2 * 128 * n / 100e6 / 0.5}" for n in range(20, 60)]
    found = calibrate(table("\n".join(lines)), mine, dtype="bf16", resamples=10, tiles=None)
    (fit,) = found.fits
    assert fit.memory is None
    assert fit.compute is not None
    assert fit.compute.value == pytest.approx(0.5, rel=1e-3)
    assert [each.name for each in found.chip.ceilings] == ["calibrated bf16"]
    assert found.chip.launch is None  # nothing is seen of it


def test_halves(table: Table, mine: sr.Chip) -> None:
    path = table(_rows(noise=0.05))
    one, same, other = (
        calibrate(path, mine, dtype="bf16", resamples=10, tiles=None, seed=seed)
        for seed in (1, 1, 2)
    )
    assert one.to_dict() == same.to_dict()
    assert one.to_dict() != other.to_dict()
    (fit,) = one.fits
    long = sum(float(line.rpartition(",")[2]) > 20 for line in path.read_text().split("\n")[1:])
    assert fit.fitted + fit.tested == long
    assert fit.tested - fit.fitted in (0, 1)


def test_the_other_half_has_no_part_in_the_fit(table: Table, mine: sr.Chip) -> None:
    text = _rows(noise=0.05)
    (before,) = calibrate(table(text), mine, dtype="bf16", resamples=10, tiles=None).fits
    header, *lines = text.split("\n")
    times = [float(line.rpartition(",")[2]) for line in lines]
    long = [place for place, time in enumerate(times) if time > 20]
    order = np.random.default_rng(0).permutation(len(long))
    for place in order[len(long) // 2 :]:
        at = long[place]
        lines[at] = f"{lines[at].rpartition(',')[0]},{2 * times[at]}"
    path = table("\n".join([header, *lines]))
    (after,) = calibrate(path, mine, dtype="bf16", resamples=10, tiles=None).fits
    assert after.found == before.found
    assert (after.compute, after.launch) == (before.compute, before.launch)
    assert after.error.median > 0.4


def test_dtypes_with_few_rows_are_said(table: Table, mine: sr.Chip) -> None:
    lines = _rows().split("\n")
    text = [f"dtype,{lines[0]}", *(f"bf16,{line}" for line in lines[1:]), "fp8,512,512,512,50"]
    found = calibrate(table("\n".join(text)), mine, resamples=10, tiles=None)
    assert found.skipped == {"fp8": 1}
    assert found.to_dict()["rows_too_few"] == {"fp8": 1}


def test_json(found: Calibration) -> None:
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    fit = document["fits"][0]
    assert document["above"] == {"value": 2e-5, "unit": "s"}
    assert document["interval"] == {"level": 0.95, "method": "bootstrap", "resamples": 60}
    assert fit["peak"] == "peak.bf16"
    assert fit["launch"]["unit"] == "s"
    assert fit["compute_fraction"]["low"] <= fit["compute_fraction"]["value"]
    assert fit["rows_fitted"] + fit["rows_tested"] > 100
    assert str(found).startswith("mine, bf16: e_c 0.")


def test_rows_of_one_size_tell_no_fraction_from_a_launch(table: Table, mine: sr.Chip) -> None:
    same = "\n".join(["m,n,k,time_us", *["4096,4096,4096,3000"] * 40])
    with pytest.raises(
        InputError, match=r"40 rows above 20 µs; a fit needs 16 of one dtype, and 4"
    ):
        calibrate(table(same), mine, dtype="bf16", resamples=10)


def test_one_tile_is_a_set_of_one(table: Table, mine: sr.Chip) -> None:
    given = {"dtype": "bf16", "resamples": 10}
    (alone,) = calibrate(table(_rows()), mine, tiles=sr.Tile(128, 128), **given).fits
    (listed,) = calibrate(table(_rows()), mine, tiles=["128x128"], **given).fits
    assert alone == listed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"above": "20"}, r"above: expected a time of 0 or more, as in '20 us', got 20"),
        ({"above": "5 GB"}, r"^above: expected a time"),
        ({"seed": 1.5}, r"seed: expected a whole number of 0 or more, got 1.5"),
        ({"resamples": "x"}, r"resamples: expected 10 to 100,000, got x"),
        ({"tiles": 5}, r"tiles: expected tiles, 'auto' or None, not int"),
        ({"above": "-1 us"}, "0 or more"),
        ({"above": "1 h"}, "0 rows above 60 min; a fit needs 16 of one dtype"),
        ({"resamples": 5}, "expected 10 to"),
        ({"seed": -1}, "seed"),
        ({"tiles": "128x128"}, "expected tiles"),
        ({"preparation": "3*q"}, "unknown dim 'q'"),
        ({"preparation": "0 - m"}, "negative for some rows"),
        ({"residency": "warm"}, "unknown residency"),
        ({"dtype": "fp64"}, "peak of mine"),
    ],
)
def test_bad_input(table: Table, mine: sr.Chip, options: dict[str, object], said: str) -> None:
    given = {"dtype": "bf16", "resamples": 10, "tiles": None, **options}
    with pytest.raises((sr.SymroofError, InputError, UnknownNameError), match=said):
        calibrate(table(_rows()), mine, **given)  # type: ignore[arg-type]


def test_an_op_that_computes_nothing_shows_its_bandwidth(table: Table, mine: sr.Chip) -> None:
    graph = sr.Graph("copy")
    x = graph.input("x", ("n",), "fp32")
    sr.ops.cast(x, "bf16", name="y")
    rows = [f"{n},{6 * n / 1e6 / 0.8}" for n in range(10**7, 3 * 10**7, 10**6)]
    path = table("\n".join(["n,time_us", *rows]))
    (fit,) = calibrate(path, mine, op=graph, resamples=10).fits
    assert fit.compute is None
    assert fit.memory is not None
    assert fit.memory.value == pytest.approx(0.8, rel=1e-3)
