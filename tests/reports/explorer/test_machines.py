"""Which chips can be picked, with which numbers."""

from __future__ import annotations

import symroof as sr
from symroof.reports.explorer.machines import machines
from symroof.reports.explorer.slots import Slots


def test_every_chip_is_there_or_said_to_lack_a_rate() -> None:
    found, left_out = machines(Slots(sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm")))
    names = [m.name for m in found if 0 in m.sets] + [out.name for out in left_out[0]]
    assert sorted(names) == list(sr.chips())
    assert found[0].name == "h100-sxm"
    assert {out.name: out.reason for out in left_out[0]}["t4"].startswith("no bf16 peak")


def test_rates_are_exact_and_in_the_order_of_the_slots() -> None:
    slots = Slots(sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm"))
    found = {machine.name: machine for machine in machines(slots)[0]}
    assert slots.rates == ("peak.bf16", "bw.hbm", "bw.l2", "cap.l2", "link.link")
    rates = dict(zip(slots.rates, found["h100-sxm"].rates, strict=True))
    assert str(rates["peak.bf16"]) == "989000000000000"
    assert str(rates["bw.hbm"]) == "3350000000000"
    assert str(rates["cap.l2"]) == str(50 * 2**20)
    assert str(rates["link.link"]) == "450000000000"
    for name in ("mi300x", "tpu-v5e"):
        chip = sr.chip(name)
        rates = dict(zip(slots.rates, found[name].rates, strict=True))
        wanted = (chip.peak("bf16").value, chip.bandwidth().value, chip.link().value)
        assert tuple(rates[key] for key in ("peak.bf16", "bw.hbm", "link.link")) == wanted


def test_a_chip_with_other_rates_stands_beside_the_one_of_the_catalogue() -> None:
    found, _ = machines(Slots(sr.analyze(sr.load("matmul"), "h100-sxm").at(bw="3 TB/s")))
    assert [machine.title for machine in found if machine.name == "h100-sxm"] == [
        "NVIDIA H100 SXM5 80 GB, as set",
        "NVIDIA H100 SXM5 80 GB",
    ]


def test_own_symbols_leave_one_machine() -> None:
    own = sr.Quantity(sr.symbols("W"), "byte/s")
    chip = sr.Chip("mine", peak={"bf16": "100 TFLOP/s"}, memory={"hbm": own})
    found, left_out = machines(Slots(sr.analyze(sr.load("mlp"), chip)))
    assert ([machine.name for machine in found], left_out) == (["mine"], ((),))
