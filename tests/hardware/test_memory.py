"""Levels of memory and links, and the halving of bidirectional figures."""

from __future__ import annotations

import pytest
from sympy import Rational

from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.hardware import Chip, Rate, chip
from symroof.hardware.memory import inner_to_outer, read_links, read_memory
from symroof.symbolic.symbols import symbols
from symroof.units.quantity import Quantity

PEAK = {"bf16": "989 TFLOP/s"}


def mine(**fields):
    return Chip("mine", **{"peak": PEAK, "memory": {"hbm": "3.35 TB/s"}, **fields})


@pytest.mark.parametrize(
    "link",
    [
        "900 GB/s bidirectional",
        "900 GB/s (bi-directional)",
        "900 GB/s bidir",
        "900 GB/s duplex",
        "900 GB/s both directions",
        {"bandwidth": "900 GB/s", "bidirectional": True},
        {"bandwidth": Quantity("900 GB/s"), "bidirectional": True},
        {"link": "900 GB/s bidirectional"},
        {"value": "900 GB/s bidirectional", "source": "given", "confidence": "given"},
    ],
)
def test_bidirectional_links_are_halved_and_say_so(link):
    made = mine(link=link)
    assert made.link().value == 450 * 10**9
    assert made.assumptions == ("link: 450 GB/s per direction, half of 900 GB/s bidirectional",)
    assert "half of 900 GB/s bidirectional" in {row.note for row in made.describe()}


@pytest.mark.parametrize(
    "link",
    [
        "450 GB/s",
        "450 GB/s per direction",
        "450 GB/s unidirectional",
        "450 GB/s one-way",
        Quantity("450 GB/s"),
        Rate("450 GB/s"),
        {"bandwidth": "450 GB/s"},
    ],
)
def test_one_direction_is_taken_as_it_is(link):
    made = mine(link=link)
    assert made.link().value == 450 * 10**9
    assert made.assumptions == ()


def test_ring_all_reduce_takes_one_direction():
    # A ring over 8 chips moves 2 * 7/8 of 10**9 byte: 7/1800 s at 450 GB/s, not 7/3600 s.
    sent = Quantity(2 * Rational(7, 8) * 10**9, "byte")
    for link in ("900 GB/s bidirectional", "450 GB/s per direction"):
        assert (sent / mine(link=link).link()).value == Rational(7, 1800)


def test_a_symbolic_link_is_halved_too():
    L = symbols("L")
    made = mine(link={"bandwidth": Quantity(L, "byte/s"), "bidirectional": True})
    assert made.link().expr == L / 2
    assert made.link().at(L="900 GB/s").value == 450 * 10**9


def test_several_links():
    made = mine(link={"link": "450 GB/s", "pcie": {"bandwidth": "64 GB/s", "kind": "PCIe 5"}})
    assert made.link("pcie").expr.name == "link.pcie"
    assert made.ridge("bf16", link="pcie").value == Rational(989 * 10**12, 64 * 10**9)
    with pytest.raises(UnknownNameError, match=r"unknown link of mine 'pci'; did you mean 'pcie'"):
        made.link("pci")


def test_a_chip_without_a_link_says_so():
    with pytest.raises(UnknownNameError, match=r"unknown link of epyc-7452 'link'.*it has none"):
        chip("epyc-7452").link()


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"bandwith": "450 GB/s"}, "unknown field 'bandwith'; did you mean 'bandwidth'"),
        ({"link": {"bandwith": "450 GB/s"}}, "unknown field 'bandwith'; did you mean 'bandwidth'"),
        ({"nv-link": "450 GB/s"}, "'nv-link' is not a name here"),
        ({"link": {"kind": "NVLink"}}, "missing field"),
        ({"bandwidth": "450 GB/s", "bidirectional": "yes"}, "expected true or false"),
        ("0 GB/s", "not positive"),
    ],
)
def test_wrong_links(link, message):
    with pytest.raises(InputError, match=message):
        mine(link=link)
    with pytest.raises(UnitError, match=r"chip 'mine': link.link: 450 is a bare number"):
        mine(link=450)


def test_direction_words_belong_to_links_only():
    with pytest.raises((InputError, UnitError), match=r"per direction"):
        mine(memory={"hbm": "3.35 TB/s bidirectional"})


def test_capacity_by_either_way():
    table = mine(memory={"hbm": {"bandwidth": "3.35 TB/s", "capacity": "80 GiB"}})
    assert table == mine(capacity="80 GiB")
    assert table.capacity().value == 80 * 2**30
    with pytest.raises(InputError, match=r"the capacity of hbm is given twice"):
        mine(memory={"hbm": {"bandwidth": "1 TB/s", "capacity": "80 GB"}}, capacity="80 GB")
    with pytest.raises(InputError, match=r"mine does not say the capacity of hbm"):
        mine().capacity()


def test_the_main_level():
    two = {"hbm": "3.35 TB/s", "l2": "5.5 TB/s"}
    with pytest.raises(InputError, match=r"which of hbm, l2 is the main level"):
        mine(memory=two)
    made = mine(memory=two, main="l2")
    assert (made.main, made.bandwidth().to("TB/s"), made.bandwidth("hbm").to("TB/s")) == (
        "l2",
        5.5,
        3.35,
    )
    assert [level.main for level in made.memory] == [True, False]
    with pytest.raises(InputError, match=r"the main level 'l3' is not one of hbm, l2"):
        mine(memory=two, main="l3")
    with pytest.raises(InputError, match=r"the main level hbm has no bandwidth"):
        mine(memory={"hbm": {"capacity": "80 GB"}})


def test_levels_that_are_not_main_need_no_bandwidth():
    made = mine(memory={"hbm": {"main": True, "bandwidth": "1 TB/s"}, "l2": {"capacity": "50 MiB"}})
    assert made.capacity("l2").value == 50 * 2**20
    with pytest.raises(InputError, match=r"mine does not say the bandwidth of l2"):
        made.bandwidth("l2")
    with pytest.raises(UnknownNameError, match=r"unknown memory of mine 'hbn'; known: hbm"):
        made.bandwidth("hbn")


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ({"hbm 3": "1 TB/s"}, "is not a name here"),
        ({"bandwidth": "1 TB/s"}, "is a field, not a name"),
        ({"bandwith": "1 TB/s"}, "did you mean 'bandwidth'"),
        ({"hbm": {"bandwidht": "1 TB/s"}}, "unknown field 'bandwidht'; did you mean 'bandwidth'"),
        ({"hbm": {"bandwidth": "1 TB/s", "main": 1}}, "main: expected true or false"),
        ({1: "1 TB/s"}, "is not a name here"),
    ],
)
def test_wrong_memories(memory, message):
    with pytest.raises(InputError, match=message):
        read_memory(memory, None, None, "memory")


def test_the_level_called_main_is_the_main_one():
    levels = {"main": ("9 TB/s", "50 MB"), "hbm": ("3 TB/s", "80 GB")}
    with pytest.raises(
        InputError, match=r"^memory: the level called main is not the main one, hbm"
    ):
        read_memory(levels, None, "hbm", "memory")
    assert read_memory({"main": "3 TB/s"}, None, None, "memory")[0].name == "main"


@pytest.mark.parametrize(
    ("l2", "hbm", "order"),
    [
        (("5 TB/s", "C"), ("3 TB/s", "80 GB"), ["l2", "hbm"]),
        (("V", "C"), ("3 TB/s", "80 GB"), ["l2", "hbm"]),
        (("V", "C"), ("W", "D"), ["l2", "hbm"]),
        (("V", "50 MB"), ("W", "D"), ["l2", "hbm"]),
        (("1 TB/s", "C"), ("3 TB/s", "80 GB"), ["hbm", "l2"]),  # slower, so farther out
    ],
)
def test_a_level_whose_capacity_is_a_formula_is_inside_of_the_main_one(l2, hbm, order):
    def level(rate, room):
        made = {"bandwidth": rate, "capacity": room}
        units = {"bandwidth": "byte/s", "capacity": "byte"}
        return {
            key: {"value": value, "unit": units[key]} if value.isalpha() else value
            for key, value in made.items()
        }

    levels = read_memory({"l2": level(*l2), "hbm": level(*hbm)}, None, "hbm", "memory")
    assert [each.name for each in inner_to_outer(levels)] == order


def test_no_links():
    assert read_links(None, "link") == ()
    assert read_links({}, "link") == ()


def test_an_unverified_link_says_so():
    assert chip("trainium2").assumptions == (
        "link: 640 GB/s per direction, half of 1.28 TB/s bidirectional (unverified)",
    )
