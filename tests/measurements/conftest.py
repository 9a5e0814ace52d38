"""Small tables of timings, and a chip whose rates divide easily."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import symroof as sr

Table = Callable[[str], Path]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a function that writes a table and returns its path."""

    def written(text: str) -> Path:
        path = tmp_path / "gemm.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def mine() -> sr.Chip:
    """Return a chip of 100 TFLOP/s in bf16, 1 TB/s, and 10 MB at 10 TB/s."""
    return sr.Chip(
        "mine",
        peak={
            "bf16": "100 TFLOP/s",
            "fp8": "200 TFLOP/s",
            "fp16": "100 TFLOP/s",
            "fp16:fp16:tensor": "150 TFLOP/s",
        },
        sparse_peak={"bf16": "200 TFLOP/s"},
        memory={"hbm": ("1 TB/s", "10 GB"), "l2": ("10 TB/s", "10 MB")},
        compute_units=100,
    )
