"""``symroof compare`` and ``symroof calibrate`` at the prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import symroof as sr
from symroof.cli.main import run

GEMM = str(Path(__file__).parents[1] / "data" / "measured" / "aiconfigurator_gemm.csv")
COMPARE = ["compare", GEMM, "--chip", "l40s", "--where", "device=l40s"]
FEW = "m,n,k,latency_ms\n4096,4096,4096,0.6\n4096,4096,x,0.6\n4096,4096,4096,-1\n"


@pytest.fixture
def few(tmp_path: Path) -> str:
    path = tmp_path / "few.csv"
    path.write_text(FEW)
    return str(path)


def test_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(COMPARE) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    text = " ".join(captured.out.split())
    assert "C[m,n] = A[m,k] · B[k,n] measured on NVIDIA L40S 48 GB" in text
    assert "131 with residency cold (1 cached, 0 partial)" in text
    assert "fits l2 (96 MiB)" in text
    assert "left out 5900 by device=l40s" in text


def test_rows_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*COMPARE, "--format", "json", "--rows", "3", "--residency", "partial"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema_version"] == 1
    assert (found["rows_total"], found["rows_bad"], found["above_roof"]) == (750, 0, 0)
    assert len(found["rows"]) == 3
    assert found["rows"][0]["measured"]["unit"] == "s"
    assert run([*COMPARE, "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 750


def test_bad_rows_are_named_and_the_good_ones_reported(
    capsys: pytest.CaptureFixture[str], few: str
) -> None:
    assert run(["compare", few, "--chip", "l40s", "--dtype", "bf16"]) == 2
    captured = capsys.readouterr()
    assert captured.err == (
        f"symroof: {few}: 2 of 3 rows cannot be used: row 2, column k: 'x' is no number,"
        " and 1 more\n"
    )
    assert "row 3, column latency_ms: -1 is not above 0" in captured.out
    assert "4096" in captured.out


def test_columns_and_formulas(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "ops.csv"
    path.write_text("op,a,b,c,t\nmm,64,128,256,50\nadd,1,1,1,1\n")
    line = ["compare", str(path), "--chip", "h100-sxm", "--op", "mk,kn->mn", "--dtype", "bf16"]
    line += ["--map", "m=a,n=max(b, c)", "--map", "k=c", "--where", "op=mm", "--time", "t:us"]
    assert run([*line, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["dims"] == {"k": 256, "m": 64, "n": 256}
    assert row["measured"]["value"] == pytest.approx(50e-6)


def test_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, start in (("rows.png", b"\x89PNG"), ("rows.svg", b"<?xml"), ("rows.pdf", b"%PDF")):
        path = tmp_path / name
        assert run([*COMPARE, "--where", "n=1024", "--plot", str(path)]) == 0
        assert capsys.readouterr().err == f"wrote {path}\n"
        assert path.read_bytes().startswith(start)


def test_a_calibrated_chip_is_as_near_as_its_calibration(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "l40s-measured.toml"
    line = ["calibrate", GEMM, "--chip", "l40s", "--where", "device=l40s", "--resamples", "10"]
    assert run([*line, "--out", str(out), "--format", "json"]) == 0
    (fit,) = json.loads(capsys.readouterr().out)["fits"]
    line = ["compare", GEMM, "--chip", str(out), "--where", "device=l40s", "--above", "20 us"]
    assert run([*line, "--format", "json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    line += ["--ceiling", "calibrated bf16", "--ceiling", "calibrated gddr bf16"]
    assert run([*line, "--launch", "chip", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # All rows above 20 us, the fitted ones among them, against the other half of them.
    assert plain["rows_total"] == found["rows_total"] == fit["rows_fitted"] + fit["rows_tested"]
    assert plain["error"]["median"] == pytest.approx(fit["plain_error"]["median"], abs=0.02)
    assert found["error"]["median"] == pytest.approx(fit["error"]["median"], abs=0.01)
    assert set(found["above_roof_by_cause"]) == {"above its ceilings", "fits a cache"}
    page = (Path(__file__).parents[2] / "docs" / "measurements.md").read_text("utf-8")
    for name, each in (("the roofs", plain), ("and the launch time", found)):
        median = 100 * each["error"]["median"]
        assert f"| {name} | {median:.1f} % | {each['above_roof']} |" in page
    assert run([*line, "--launch", "chip"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "device=l40s, time of 20 µs or less" in text
    assert "inside ceiling calibrated bf16: 382/625 on peak.bf16" in text


def test_calibrate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "measured.toml"
    line = ["calibrate", GEMM, "--chip", "l40s", "--where", "device=l40s", "--resamples", "10"]
    assert run([*line, "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"wrote {out}\n"
    text = " ".join(captured.out.split())
    assert "bf16 198 rows fitted, 198 others" in text
    assert "plain roofline median 29.3 %" in text
    assert "bootstrap, 10 resamples" in text
    chip, base = sr.chip(str(out)), sr.chip("l40s")
    assert [each.name for each in chip.ceilings][-2:] == ["calibrated bf16", "calibrated gddr bf16"]
    assert (chip.peaks, chip.memory) == (base.peaks, base.memory)
    assert run(["analyze", "mk,kn->mn", "--chip", str(out), "--set", "m=64"]) == 0
    capsys.readouterr()
    assert (
        run([*line, "--format", "json", "--tiles", "128x128,128x256", "--preparation", "none"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["fits"][0]["tiles"] == "128 × 128 × 1, 128 × 256 × 1"
    assert found["preparation"] is None


def test_calibrate_reports_bad_rows_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = ["m,n,k,time_us"]
    lines += [f"4096,4096,{128 * n},{2 * 4096**2 * 128 * n / 181e6}" for n in range(20, 60)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([*lines, "1,1,1,nan"]))
    line = ["calibrate", str(path), "--chip", "l40s", "--dtype", "bf16", "--resamples", "10"]
    assert run(line) == 2
    captured = capsys.readouterr()
    assert "1 of 41 rows cannot be used: row 41, column time_us: nan is not finite" in captured.err
    assert "0.500" in captured.out  # of 362.05 TFLOP/s


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", GEMM], "no chip named; expected --chip"),
        (["compare", GEMM, "--chip", "l40x"], "did you mean 'l40s'"),
        (["compare", GEMM, "--chip", "l40s"], "rows of 3 devices (a100_sxm, b200_sxm, l40s)"),
        (["compare", "none.csv", "--chip", "l40s"], "none.csv: cannot be read"),
        ([*COMPARE, "--op", "matmull"], "did you mean 'matmul'"),
        ([*COMPARE, "--map", "k=kk"], "no column 'kk' for the dim k"),
        ([*COMPARE, "--map", "k"], "--map: expected NAME=VALUE"),
        ([*COMPARE, "--where", "device=a100_sxm"], "--where: device is given twice"),
        ([*COMPARE, "--where", "dtype=bf16"], "unknown dtype of"),
        ([*COMPARE, "--time", "latency"], "did you mean 'latency_ms'"),
        ([*COMPARE, "--dtype", "bf61"], "unknown dtype 'bf61'"),
        ([*COMPARE, "--rows", "-1"], "--rows"),
        ([*COMPARE, "--plot", "rows.jpg"], "unknown plot format 'jpg'"),
        ([*COMPARE, "--ceiling", "no simd"], "unknown ceiling of l40s 'no simd'"),
        ([*COMPARE, "--launch", "chip"], "launch"),
        ([*COMPARE, "--quantise", "bxb"], "--quantise"),
        ([*COMPARE, "--above", "20"], "above: expected a time of 0 or more"),
        (["calibrate", GEMM, "--chip", "l40s", "--where", "device=l40s", "-o", "x.json"], ".toml"),
        (["calibrate", GEMM, "--chip", "l40s", "--where", "device=l40s", "--above", "2"], "2"),
        (["calibrate", GEMM, "--chip", "l40s", "--where", "device=l40s", "--tiles", "0x4"], "0"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert said in captured.err


def test_a_missing_column_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("m,n,kdim,latency_ms\n1,1,1,1\n")
    assert run(["compare", str(path), "--chip", "l40s", "--dtype", "bf16"]) == 2
    assert capsys.readouterr().err == (
        f"symroof: {path}: no column 'k' for the dim k of C[m,n] = A[m,k] · B[k,n];"
        " there are: m, n, kdim, latency_ms\n"
    )
