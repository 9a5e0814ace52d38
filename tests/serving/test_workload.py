"""Workloads: mean lengths, the mean context over decode steps, public mixes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

from symroof.errors import InputError, UnknownNameError
from symroof.serving import Workload, mix, mixes
from symroof.symbolic import symbols

x = symbols("x")
REQUESTS = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 200)), min_size=1, max_size=20)


def test_fixed_lengths() -> None:
    load = Workload(512, 1024)
    assert (load.mean_context, load.tokens_per_request) == (1024, 1536)
    assert load.decode_share == Rational(2, 3)


def test_lengths_may_be_names_and_formulas() -> None:
    load = Workload("P", "2*P")
    assert load.decode_share == Rational(2, 3)
    assert str(Workload("p", "d").decode_share) == "d/(d + p)"
    assert str(load.in_names.decode_share) == "d/(d + p)"


@pytest.mark.parametrize(
    ("prefill", "decode", "match"),
    [
        (-1, 5, "prefill: expected a number of at least 0, not -1"),
        (5, 0, "decode: expected a number above 0, not 0"),
        (5, -2, "decode"),
        (float("nan"), 5, "prefill"),
        (float("inf"), 5, "prefill"),
        ("import os", 5, "prefill"),
    ],
)
def test_bad_lengths(prefill: object, decode: object, match: str) -> None:
    with pytest.raises(InputError, match=match):
        Workload(prefill, decode)


@given(REQUESTS)
def test_mean_context_of_a_trace_is_the_mean_over_all_steps(
    tmp_path_factory: pytest.TempPathFactory, requests: list[tuple[int, int]]
) -> None:
    """Each step sees the context before it and after it, p + i and p + i + 1: by brute force."""
    path = tmp_path_factory.mktemp("trace") / "trace.csv"
    rows = "".join(f"{p},{d}\n" for p, d in requests)
    path.write_text(f"prefill,decode\n{rows}", encoding="utf-8")
    steps = [p + i + Fraction(1, 2) for p, d in requests for i in range(d)]
    load = Workload.from_trace(path)
    assert Fraction(str(load.mean_context)) == sum(steps) / len(steps)
    assert load.requests == len(requests)
    assert load.prefill * len(requests) == sum(p for p, _ in requests)
    assert load.decode * len(requests) == len(steps)


def test_trace_of_equal_requests_is_the_workload_of_one(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("p,d\n" + "512,1024\n" * 3, encoding="utf-8")
    load = Workload.from_trace(path)
    assert (load.spread, load.mean_context) == (0, 1024)


def test_long_answers_to_long_prompts_add_to_the_context(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("p,d\n100,10\n300,30\n", encoding="utf-8")
    load = Workload.from_trace(path)
    # 10 steps at 105 tokens and 30 at 315, on average
    assert load.mean_context == Rational(10 * 105 + 30 * 315, 40)
    assert load.spread == load.mean_context - 210


@pytest.mark.parametrize(
    ("name", "prefill", "decode"),
    [("splitwise", 1155, 211), ("lmsys-chat", 102, 222), ("sharegpt", 246, 322)],
)
def test_public_mixes_as_table_4_prints_them(name: str, prefill: int, decode: int) -> None:
    load = mix(name)
    assert (load.prefill, load.decode) == (prefill, decode)
    assert "Table 4" in load.source
    assert any("independent" in line for line in load.assumptions)


def test_spread_of_a_mix_by_hand() -> None:
    assert mix("sharegpt").mean_context == 246 + 161 + Rational(244**2, 2 * 322)


def test_mixes_are_found_by_alias_and_unknown_ones_have_a_near_match() -> None:
    assert mix("LMSYS-Chat-1M") == mix("lmsys") == mix("lmsys-chat")
    assert len(mixes()) == 3
    with pytest.raises(UnknownNameError, match="did you mean 'sharegpt'"):
        mix("sharegtp")


@pytest.mark.parametrize("wrong", ["-x", "peak", "nan", float("inf")])
@pytest.mark.parametrize("field", ["prefill", "decode", "spread"])
def test_what_is_no_length(field: str, wrong: object) -> None:
    if (field, wrong) == ("spread", "-x"):
        assert Workload(5, 5, spread=wrong).mean_context == Workload(5, 5).mean_context - x
        return
    given = {"prefill": 5, "decode": 5, field: wrong}
    with pytest.raises(InputError, match=f"^{field}: "):
        Workload(**given)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3", float("nan")])
def test_requests_are_counted(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^requests: expected a whole number of 1 or more"):
        Workload(5, 5, requests=wrong)  # type: ignore[arg-type]
