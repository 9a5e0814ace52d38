"""The table of docs/measurements.md: bounds and calibrations on tables of timings of others.

``python tests/measurements/table.py`` prints it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symroof.measurements import calibrate, compare
from symroof.measurements.calibration import Calibration
from symroof.measurements.comparison import Comparison

DATA = Path(__file__).parents[1] / "data" / "measured"
GEMM = DATA / "aiconfigurator_gemm.csv"


@dataclass(frozen=True, slots=True)
class Case:
    """Rows of one device and dtype, and the target for the error of their calibration."""

    device: str
    chip: str
    dtype: str
    table: Path
    where: dict[str, str]
    options: dict[str, Any]
    target: float

    def compared(self, residency: str = "cold") -> Comparison:
        return compare(self.table, self.chip, where=self.where, residency=residency, **self.options)

    def calibrated(self, **changes: Any) -> Calibration:
        return calibrate(self.table, self.chip, where=self.where, **{**self.options, **changes})


def _sampled(device: str, chip: str, dtype: str, target: float) -> Case:
    name = {"bfloat16": "bf16"}.get(dtype, dtype)
    where = {"device": device, "dtype": dtype}
    return Case(device.split("_")[0].upper(), chip, name, GEMM, where, {}, target)


V100, V100_CHIP = DATA / "deepbench_gemm.csv", "v100-sxm2-32gb"
A100 = DATA / "llmcompass_ops.csv"
CASES = (
    _sampled("a100_sxm", "a100-sxm-80gb", "bfloat16", 0.10),
    _sampled("b200_sxm", "b200-sxm", "bfloat16", 0.10),
    _sampled("b200_sxm", "b200-sxm", "fp8", 0.10),
    _sampled("b200_sxm", "b200-sxm", "fp8_block", 0.15),
    _sampled("b200_sxm", "b200-sxm", "nvfp4", 0.15),
    _sampled("l40s", "l40s", "bfloat16", 0.10),
    Case("V100", V100_CHIP, "fp32", V100, {"sheet": "Results FP32"}, {"dtype": "fp32"}, 0.10),
    Case(
        "V100",
        V100_CHIP,
        "fp16",
        V100,
        {"sheet": "Results - FP16 ip, Mixed math"},
        {"dtype": "fp16"},
        0.10,
    ),
    Case(
        "A100",
        "a100-sxm-80gb",
        "fp16",
        A100,
        {"op": "matmul"},
        {"dtype": "fp16", "columns": {"m": "d0", "n": "d1", "k": "d2"}},
        0.10,
    ),
)
RESIDENCIES = ("cold", "cached", "partial")


def line(case: Case) -> str:
    """Return a line of the table."""
    found = case.compared()
    (fit,) = case.calibrated().fits
    above = [found.above_by_residency[name] for name in RESIDENCIES]
    values = [
        case.device,
        case.dtype,
        str(found.rows),
        " / ".join(map(str, above)),
        f"{fit.fitted} + {fit.tested}",
        _percent(fit.plain.median),
        f"{_percent(fit.error.median)}, {_percent(fit.error.p90)}",
        str(fit.compute),
        str(fit.memory),
        str(fit.launch),
        "" if fit.preparation is None else str(fit.preparation),
        fit.tiles,
    ]
    return f"| {' | '.join(values)} |"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


if __name__ == "__main__":
    for each in CASES:
        print(line(each))
