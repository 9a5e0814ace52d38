"""Reports of served models: what they say where there is no closed form, or another cut."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError
from symroof.reports.served import Served


def test_without_a_closed_form_only_numbers_are_given() -> None:
    # The batch is in the exponent of what experts it misses, and in the cache beside it.
    served = sr.serve("mixtral-8x7b", "8xh100-sxm", prefill=512, decode=128)
    text = " ".join(sr.report(served).render("txt").split())
    assert f"Compute-bound here: B_dense ≥ {served.crossover().threshold_value:.6g}"[:40] in text
    assert "is inside" not in text
    assert "there is no closed form while lengths are symbols" in text


def test_the_network_of_another_cut_says_so() -> None:
    by_experts = sr.serve("mixtral-8x7b", "8xh100-sxm", context=512, ep=8)
    assert "cut by tensors alone" in sr.report(by_experts).render("md")
    by_tensors = sr.serve("mixtral-8x7b", "8xh100-sxm", context=512)
    assert "cut by tensors alone" not in sr.report(by_tensors).render("md")


def test_a_model_in_symbols_is_refused() -> None:
    served = sr.serve(sr.model("llama-3-8b", num_hidden_layers="n"), "h100-sxm", context=1024)
    with pytest.raises(InputError, match="leaves n open"):
        sr.report(served)


@pytest.mark.parametrize("memory", ["touched", "full"])
def test_every_name_has_a_meaning_or_is_a_rate(memory: str) -> None:
    subject = Served(sr.serve("llama-2-70b", "8xa100-sxm-80gb", context=1024, memory=memory))
    assert subject.names[0] == subject.serving.batch
    for name in subject.names:
        assert bool(subject.meaning(name)) != ("." in name)
        assert (subject.value(name) is None) == (name == subject.serving.batch)


def test_sums_over_chips_are_worked_out() -> None:
    subject = Served(sr.serve("llama-2-70b", "8xa100-sxm-80gb", context=1024, memory="full"))
    bandwidth = subject.value("MemBW")
    assert bandwidth is not None
    assert subject.resolved(bandwidth).to("GB/s") == pytest.approx(8 * 2039)
