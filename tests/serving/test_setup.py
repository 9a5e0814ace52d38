"""How a model is put on a machine."""

from __future__ import annotations

import pytest
from sympy import Integer

import symroof as sr
from symroof.errors import InputError
from symroof.models import Model
from symroof.serving.setup import Setup

from .small import LLAMA_70B, dense


def test_a_chip_is_one_chip_and_a_system_is_cut_over_all_of_its_chips() -> None:
    model = Model(dense(heads=8))
    assert Setup.of(model, "h100-sxm", {}).chips == 1
    assert Setup.of(model, "dgx-h100", {}).parallel == sr.Parallel(tp=8)


def test_a_bare_chip_is_taken_as_often_as_the_cut_needs() -> None:
    setup = Setup.of(Model(dense()), "h100-sxm", {"tp": 2, "dp": 3})
    assert setup.machine.name == "6xh100-sxm"
    assert setup.machine.count == 6


def test_one_of_a_system_of_one_is_a_chip() -> None:
    assert Setup.of(Model(dense()), "1xh100-sxm", {}).machine.name == "h100-sxm"


def test_an_open_number_of_chips_needs_a_cut() -> None:
    many = sr.System("h100-sxm", count="n")
    with pytest.raises(InputError, match="has n chips; a number is expected"):
        Setup.of(Model(dense()), many, {})


def test_equal_configs_share_a_setup_and_other_precisions_do_not() -> None:
    first, second = (Setup.of(Model(dense()), "h100-sxm", {}, kv="fp8") for _ in range(2))
    assert first is second
    assert Setup.of(Model(dense()), "h100-sxm", {}) is not first
    assert first.cached.name == sr.dtype("fp8").name
    assert first.stored.name == "bf16"


def test_the_same_cut_has_the_graphs_that_were_made() -> None:
    setup = Setup.of(Model(dense()), "2xh100-sxm", {"tp": 2})
    made = setup.graph("decode")
    assert setup.on(tp=2).graph("decode") is made
    assert setup.on(tp=1).graph("decode") is not made


def test_stages_are_the_outermost_axis() -> None:
    setup = Setup.of(Model(dense(layers=4)), "8xh100-sxm", {"tp": 2, "pp": 4})
    plan = setup.graph("decode").plan
    assert plan is not None
    assert tuple(plan.mesh.axes.items()) == (("tp", Integer(2)), ("pp", Integer(4)))
    assert setup.stages == 4
    assert {name for kind, name in setup.roofline("decode").work if kind == "link"} == {"tp", "pp"}


def test_the_fewest_chips_of_a_model_are_stages_where_heads_allow_no_more() -> None:
    # One head: no tensor parallelism. 4 layers of 2·128·2^20 parameters in 1 GB of memory.
    wide = dense(hidden=1024, layers=4, heads=1, kv_heads=1, width=2**17, vocabulary=256)
    chip = sr.Chip(
        "c", peak={"bf16": "1 PFLOP/s"}, memory={"hbm": "1 TB/s"}, capacity="1 GB", link="1 GB/s"
    )
    found = sr.serve(wide, chip, context=64)
    assert found.fits is False
    cut = found.capacity.fewest
    assert cut is not None
    assert (cut.parallel.tp, cut.parallel.pp) == (1, 4)


def test_on_a_system_the_levels_are_said() -> None:
    found = sr.serve(LLAMA_70B, "8xa100-sxm-80gb", context=1024)
    assert any("tp: switch of 8" in said for said in found.assumptions)
