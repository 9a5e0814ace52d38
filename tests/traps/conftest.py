"""What the tests on traps share: the answer of their trap, and the chip most traps are about."""

from __future__ import annotations

from typing import Any

import pytest

import symroof as sr

from .answers import TRAPS, exact, trap_of


@pytest.fixture
def answer(request: pytest.FixtureRequest) -> Any:
    """What the data file says of the trap the test is named after, in exact numbers."""
    return exact(TRAPS[trap_of(request.function.__name__)]["answer"])


@pytest.fixture
def h100() -> sr.Chip:
    """The H100 of the traps: 989 TFLOP/s in 16 bits, 3.35 TB/s."""
    return sr.Chip(
        "H100",
        peak={"bf16": "989 TFLOP/s", "fp16": "989 TFLOP/s"},
        memory={"hbm": "3.35 TB/s"},
    )
