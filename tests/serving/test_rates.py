"""Rates: each by hand, with its unit, and in a range."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof.errors import InputError, UnitError
from symroof.serving import rates

COUNTS = st.integers(1, 10**6)


def test_training_is_a_forward_pass_and_two_products_backward() -> None:
    assert rates.training_flops("P", "T") == 3 * rates.forward_flops("P", "T")


@given(COUNTS, COUNTS, COUNTS, st.integers(1, 100))
def test_utilisation_of_the_time_at_a_utilisation_is_that(
    params: int, tokens: int, chips: int, percent: int
) -> None:
    share = Rational(percent, 100)
    time = rates.training_time(params, tokens, chips, "7 TFLOP/s", share)
    found = rates.mfu(rates.training_flops(params, tokens), time, chips * sr.Quantity("7 TFLOP/s"))
    assert found.value == share
    assert time >= rates.training_time(params, tokens, chips, "7 TFLOP/s")


def test_bandwidth_utilisation_by_hand() -> None:
    assert rates.mbu("14 GB", "10 ms", "2 TB/s").value == Rational(7, 10)


def test_throughput_of_chips_and_users_by_hand() -> None:
    whole = rates.tokens_per_second(64, "40 ms")
    assert whole == sr.Quantity("1600 token/s")
    assert rates.per_chip(whole, 8) == sr.Quantity("200 token/s")
    assert rates.per_user("40 ms") == sr.Quantity("25 token/s")


@given(COUNTS, COUNTS, COUNTS)
def test_fewest_chips_for_a_rate_of_requests(requests: int, length: int, each: int) -> None:
    throughput = sr.Quantity(each, "token/s")
    chips = rates.chips_for(sr.Quantity(requests, "1/s"), length, throughput).value
    assert chips * each >= requests * length > (chips - 1) * each


def test_chips_for_a_rate_stay_a_formula() -> None:
    found = rates.chips_for("10 Hz", "n", "1000 token/s")
    assert found.at(n=150).value == 2


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_servers_that_take_prompts_make_as_many_requests_as_are_finished(
    prefill: int, step: int, batch: int, new: int
) -> None:
    servers = rates.prefill_servers(
        sr.Quantity(prefill, "ms"), sr.Quantity(step, "us"), batch, new
    ).value
    started = servers / Rational(prefill, 1000)
    finished = Rational(batch) / (new * Rational(step, 10**6))
    assert started == finished


@given(st.integers(1, 12), st.integers(0, 30), st.integers(1, 12))
def test_tokens_freed_in_a_step_by_brute_force(each: int, prefill: int, new: int) -> None:
    """At every stage of an answer are as many requests; the last stage frees prompt and answer."""
    batch = each * new
    freed = sum(prefill + new for stage in range(1, new + 1) for _ in range(each) if stage == new)
    assert rates.kv_tokens_freed(batch, prefill, new) == sr.Quantity(freed, "token")


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: rates.time_at("1 FLOP", 8, "1 TFLOP/s", mfu=45), "mfu: expected a share"),
        (lambda: rates.time_at("1 FLOP", 8, "1 TFLOP/s", mfu=0), "mfu: expected a share"),
        (lambda: rates.time_at("1 FLOP", 0, "1 TFLOP/s"), "chips: expected a number above 0"),
        (lambda: rates.mfu("1 FLOP", "0 s", "1 TFLOP/s"), "time: expected a positive amount"),
        (lambda: rates.tokens_per_second(-1, "1 s"), "batch: expected a number of at least 0"),
        (lambda: rates.kv_tokens_freed(1, 1, 0), "decode: expected a number above 0"),
    ],
)
def test_out_of_range(call: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        call()


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: rates.mfu("1 byte", "1 s", "1 TFLOP/s"), "flops: expected an amount in FLOP"),
        (lambda: rates.mbu("1 byte", "1 s", "1 TFLOP/s"), "bandwidth: expected an amount in byte"),
        (lambda: rates.per_user("1 token/s"), "step: expected an amount in s"),
        (lambda: rates.chips_for("3 token/s", 1, "1 token/s"), "rate: expected an amount in 1/s"),
        (lambda: rates.tokens_per_second(sr.Quantity("3 s"), "1 s"), "batch: expected a plain"),
    ],
)
def test_wrong_unit(call: Any, match: str) -> None:
    with pytest.raises(UnitError, match=match):
        call()
