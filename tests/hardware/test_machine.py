"""Chip: rates as they stand in formulas, ridge points, identity."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pint
import pytest
from sympy import Rational

from symroof.errors import InputError, UnboundError, UnitError
from symroof.hardware import Chip, Rate, chip
from symroof.symbolic.symbols import symbols
from symroof.units.dtype import compute_dtype
from symroof.units.quantity import Quantity
from symroof.units.registry import unit_text

RIDGE = Rational(19780, 67)


def mine(**fields):
    given = {"peak": {"bf16": "989 TFLOP/s"}, "memory": {"hbm": "3.35 TB/s"}, "link": "450 GB/s"}
    return Chip("mine", **{**given, **fields})


def test_rates_stand_in_formulas_as_keys_with_values_in_scope():
    made = mine()
    rates = [made.peak("bf16"), made.bandwidth(), made.link()]
    assert [rate.expr.name for rate in rates] == ["peak.bf16", "bw.hbm", "link.link"]
    assert [rate.value for rate in rates] == [989 * 10**12, 335 * 10**10, 450 * 10**9]
    assert [rate.unit for rate in rates] == ["FLOP/s", "byte/s", "byte/s"]
    assert {key: int(value) for key, value in made.scope.values.items()} == {
        "peak.bf16": 989 * 10**12,
        "bw.hbm": 335 * 10**10,
        "link.link": 450 * 10**9,
    }
    assert unit_text(made.scope.dimensions["peak.bf16"]) == "FLOP/s"


def test_the_ridge_is_exact():
    assert mine().ridge("bf16").value == RIDGE
    assert mine().ridge("bf16").unit == "FLOP/byte"
    assert chip("h100-sxm").ridge("fp16").value == RIDGE
    assert mine().ridge("bf16", link="link").value == Rational(989000, 450)


def test_rates_can_be_overridden_where_they_are_used():
    time = Quantity("335 GB") / mine().bandwidth()
    assert time.value == Rational(1, 10)
    assert time.at(bw="6.7 TB/s").value == Rational(1, 20)


def test_symbolic_rates_are_their_own_expression():
    BW, P = symbols("BW P")
    made = mine(peak={"bf16": Quantity(2 * P, "FLOP/s")}, memory={"hbm": Quantity(BW, "byte/s")})
    assert made.peak("bf16").expr == 2 * P
    assert made.bandwidth().expr == BW
    assert made.ridge("bf16").expr == 2 * P / BW
    assert list(made.scope.values) == ["link.link"]
    with pytest.raises(UnboundError, match=r"BW"):
        _ = made.bandwidth().value
    assert made.bandwidth().at(BW="3.35 TB/s").value == 335 * 10**10
    assert "BW" in made.scope.dimensions


def test_w4a16_uses_the_16_bit_peak_and_half_a_byte_per_weight():
    # 2*B*K*N FLOP over K*N/2 byte: intensity 4*B meets the ridge at 4945/67.
    key = compute_dtype("bf16", "int4")
    assert key == "bf16"
    assert mine().ridge(key).value / 4 == Rational(4945, 67)


def test_a_peak_with_fp32_accumulate_is_not_the_one_with_fp16_accumulate():
    # 2048 keys, 8 heads, d = 128, fp16: 4194304 FLOP and byte, at 838 TFLOP/s and 1.8 TB/s, and
    # with the quarter of the peak that fp32 accumulate has.
    card = Chip(
        "card",
        peak={"fp16:fp16:tensor": "838 TFLOP/s", "fp16:fp32:tensor": "209.5 TFLOP/s"},
        default_peak={"fp16": "fp16:fp32:tensor"},
        memory={"gddr": "1.8 TB/s"},
    )
    work = Quantity(2 * 2048 * 8 * 128, "FLOP")
    moved = Quantity(2048 * 8 * 128 * 2, "byte")
    assert (moved / card.bandwidth()).value == Rational(1024, 439453125)
    assert (work / card.peak("fp16", accumulate="fp16")).value == Rational(512, 102294921875)
    assert (work / card.peak("fp16")).value == Rational(2048, 102294921875)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"peak": {"bf16": 989e12}}, UnitError, "chip 'mine': peak.bf16: .* is a bare number"),
        ({"peak": {"bf16": "3.35 TB/s"}}, UnitError, "peak.bf16: expected FLOP/s"),
        ({"memory": {"hbm": "989 TFLOP/s"}}, UnitError, "memory.hbm.bandwidth: expected byte/s"),
        ({"memory": {"hbm": "0 TB/s"}}, InputError, "memory.hbm.bandwidth: 0 TB/s is not positive"),
        ({"peak": {"bf16": "-1 TFLOP/s"}}, InputError, "peak.bf16: -1 TFLOP/s is not positive"),
        ({"capacity": "80"}, UnitError, "capacity: expected byte, as in '80 GB'"),
        ({"peak": {}}, InputError, "no peak; expected a rate by name"),
        ({"memory": {}}, InputError, "no memory; expected a rate by name"),
        ({"peak": "989 TFLOP/s"}, InputError, "peak: expected table, got text"),
        ({"memory": "3.35 TB/s"}, InputError, "memory: expected table, got text"),
        ({"aliases": "h100"}, InputError, "aliases: expected list, got text"),
        ({"vendor": 3}, InputError, "vendor: expected text, got whole number"),
        ({"default_peak": {"fp16": "fp16"}}, InputError, "default_peak.fp16: .*; there: none"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(fields, error, message):
    with pytest.raises(error, match=message) as caught:
        mine(**fields)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", 3, None])
def test_a_chip_has_a_name(name):
    with pytest.raises(InputError, match=r"a chip has a name"):
        Chip(name, peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"})


def test_default_dtype():
    assert chip("h100-sxm").default_dtype == "bf16"
    assert chip("v100-sxm2-32gb").default_dtype == "fp16"
    assert chip("epyc-7452").default_dtype == "fp32"
    assert mine(peak={"int8": "1 TOP/s"}).default_dtype == "int8"


def test_chips_are_values():
    assert mine() == mine()
    assert hash(mine()) == hash(mine())
    assert mine() != mine(link="400 GB/s")
    assert mine(memory={"hbm": "3350 GB/s"}) == mine()
    assert mine(peak={"bf16": Rate("989 TFLOP/s", source="sheet", confidence="high")}) != mine()
    with pytest.raises(AttributeError):
        mine().name = "other"
    assert repr(mine()) == "Chip('mine')"


def test_copies_and_pickles_are_equal():
    made = mine(memory={"hbm": Quantity(symbols("BW"), "byte/s")})
    assert copy.deepcopy(made) == made
    assert pickle.loads(pickle.dumps(made)) == made


def test_pickles_cross_processes_and_registries(tmp_path):
    stored = tmp_path / "chip.pickle"
    stored.write_bytes(pickle.dumps(mine()))
    code = (
        "import pickle, pint, sys\n"
        "from symroof.units.quantity import Quantity\n"
        "made = pickle.load(open(sys.argv[1], 'rb'))\n"
        "ureg = pint.UnitRegistry()\n"
        "bandwidth = Quantity(3.35 * ureg.terabyte / ureg.second)\n"
        "print((made.peak('bf16') / bandwidth).value)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(stored)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "19780/67"
    ureg = pint.UnitRegistry()
    bandwidth = Quantity(3.35 * ureg.terabyte / ureg.second)
    assert (mine().peak("bf16") / bandwidth).value == RIDGE


def test_rows_for_people():
    rows = {row.quantity: row for row in chip("rtx-4090").describe()}
    assert rows["peak fp16:fp32:tensor, default"].value == "165.2 TFLOP/s"
    assert rows["peak fp16:fp16:tensor"].value == "330.3 TFLOP/s"
    assert rows["bandwidth gddr, main"].value == "1008 GB/s"
    assert rows["capacity l2"].value == "72 MiB"
    assert rows["link (PCIe 4.0 x16), per direction"].value == "32 GB/s"
    assert rows["ridge bf16"].value == "163.89 FLOP/byte"
    assert all(row.source and row.confidence for row in rows.values())


def test_the_order_of_peaks_makes_no_difference():
    one = mine(peak={"bf16": "1 TFLOP/s", "fp16": "2 TFLOP/s"})
    assert one == mine(peak={"fp16": "2 TFLOP/s", "bf16": "1 TFLOP/s"})


def test_a_symbol_means_one_thing():
    BW = symbols("BW")
    with pytest.raises(UnitError, match="chip 'mine': BW is in byte/s in one operand"):
        mine(memory={"hbm": Quantity(BW, "byte/s")}, link=Quantity(BW, "GB/s"))
