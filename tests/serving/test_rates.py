"""Rates of an iteration, by hand."""

from __future__ import annotations

import symroof as sr
from symroof.serving.rates import Rates

from .small import LLAMA_8B


def test_rates_of_requests_by_hand() -> None:
    # 1536 tokens in 20 ms, on 4 chips: 512 of them are new, and 2 requests are done.
    asked = sr.serve(LLAMA_8B, "4xh100-sxm", prefill=512, decode=256).asked
    rates = Rates(asked, sr.Quantity("1536 token"), sr.Quantity("20 ms"))
    assert rates.throughput == sr.Quantity("76800 token/s")
    assert rates.per_gpu == sr.Quantity("19200 token/s")
    assert rates.decoding == sr.Quantity("25600 token/s")
    assert rates.requests == sr.Quantity("100 Hz")


def test_without_answers_all_tokens_are_new_and_there_are_no_requests() -> None:
    asked = sr.serve(LLAMA_8B, "h100-sxm", context=512).asked
    rates = Rates(asked, sr.Quantity("64 token"), sr.Quantity("8 ms"))
    assert rates.decoding == rates.throughput == sr.Quantity("8000 token/s")
    assert rates.requests is None
