"""Where sliders start, and what names there are."""

from __future__ import annotations

import pytest
from sympy import Integer

import symroof as sr
from symroof.errors import InputError
from symroof.reports.explorer.slots import Slots


def starts(roofline: sr.Roofline) -> dict[str, str]:
    return {slot.name: str(slot.start) for slot in Slots(roofline).all}


def test_values_come_before_defaults_and_defaults_before_a_common_size() -> None:
    mine = sr.Chip("mine", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "4 TB/s"})
    mlp = sr.analyze(sr.load("mlp"), mine).at(B=7, bw="3 TB/s")
    assert starts(mlp) == {
        "B": "7",
        "D": "4096",
        "F": "14336",
        "peak.bf16": "989000000000000",
        "bw.hbm": "3000000000000",
    }
    assert starts(sr.analyze(sr.load("mn,nk->mk"), "h100-sxm"))["m"] == "1024"


def test_names_bound_to_formulas_follow_the_others() -> None:
    slots = Slots(sr.analyze(sr.load("mlp"), "h100-sxm").at(F="4*D", B="2*users"))
    assert slots.names == ("D", "users")
    assert {name: str(form) for name, form in slots.derived.items()} == {"F": "4*D", "B": "2*users"}


def test_what_nobody_set_is_moved_into_the_domain() -> None:
    moe = sr.analyze(sr.load("moe"), "h100-sxm")
    assert starts(moe)["k"] == "2"
    graph = sr.Graph("experts")
    weights = [graph.weight(name, ("E", 8, 8), "bf16") for name in ("up", "down")]
    graph.output(sr.ops.experts(graph.input("x", ("B", 8), "bf16"), *weights, top_k="k"))
    roofline = sr.analyze(graph, "h100-sxm")
    assert starts(roofline.at(E=8))["k"] == "8"
    assert starts(roofline.at(k=2000))["E"] == "2000"
    assert Slots(roofline).all[0].start == Integer(1024)


def test_a_default_against_the_domain_is_one_line() -> None:
    with pytest.raises(InputError, match="k <= E; not so at E=8, k=9"):
        starts(sr.analyze(sr.load("moe"), "h100-sxm").at(k=9))


def test_rates_that_are_symbols_of_the_user_are_sliders() -> None:
    own = sr.Quantity(sr.symbols("W"), "byte/s")
    chip = sr.Chip("mine", peak={"bf16": "100 TFLOP/s"}, memory={"hbm": own})
    slots = Slots(sr.analyze(sr.load("mlp"), chip))
    assert slots.rates == ("peak.bf16",)
    assert [(s.kind, s.unit) for s in slots.all if s.name == "W"] == [("rate", "byte/s")]
