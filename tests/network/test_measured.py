"""No measured collective is faster than its bound on the datasheet rate of the links.

The rows are from ai-dynamo/aiconfigurator (Apache-2.0): NCCL in one node, `message_size` in
elements of half, of the full gathered tensor or the full input buffer.
"""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

import symroof as sr
from symroof.network import Switch, flow

DATA = Path(__file__).parents[1] / "data" / "measured_collectives.csv"
ROWS = list(csv.DictReader(DATA.read_text(encoding="utf-8").splitlines()))
CHIPS = {"a100_sxm": "a100-sxm-80gb", "b200_sxm": "b200-sxm"}
NAMES = {"alltoall": "all_to_all"}


def ratio(row: dict[str, str]) -> Fraction:
    """The bound over the measured time."""
    name = NAMES.get(row["collective"], row["collective"])
    made = flow(name, Switch(int(row["num_gpus"])), 2 * int(row["message_size"]))
    bound = made.time(sr.chip(CHIPS[row["device"]]).link().resolved()).value
    return Fraction(int(bound.p), int(bound.q)) / (Fraction(row["latency_ms"]) / 1000)


def test_all_rows_are_there() -> None:
    assert len(ROWS) == 504
    assert set(Counter(row["collective"] for row in ROWS).values()) == {126}


@pytest.mark.parametrize("device", CHIPS)
def test_bound_is_at_most_measured(device: str) -> None:
    ratios = [ratio(row) for row in ROWS if row["device"] == device]
    assert len(ratios) == 252
    assert max(ratios) <= 1
    # The largest messages come near: the bound is not idle either.
    assert max(ratios) > Fraction(7, 10)
