"""Chip files: round trips, and errors that are one line with file and field."""

from __future__ import annotations

import time

import pytest

from symroof.errors import InputError, SymroofError, UnitError
from symroof.hardware import Chip, Rate, chip
from symroof.symbolic.symbols import symbols
from symroof.units.quantity import Quantity

MINE = """\
schema_version = 1
name = "mine"

[peak]
bf16 = "989 TFLOP/s"

[memory]
hbm = "3.35 TB/s"
"""


@pytest.fixture
def write(tmp_path):
    def to_file(text):
        path = tmp_path / "mine.toml"
        path.write_text(text, "utf-8")
        return path

    return to_file


def test_a_small_file_of_ones_own(write):
    made = Chip.load(write(MINE))
    assert made == Chip("mine", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "3.35 TB/s"})
    assert chip(str(write(MINE))) == made
    assert chip(write(MINE)) == made


def test_a_link_at_the_top(write):
    head, rest = MINE.split("\n\n", 1)
    text = f'{head}\nlink = "900 GB/s bidirectional"\ncapacity = "80 GB"\n\n{rest}'
    made = Chip.load(write(text))
    assert made.link().to("GB/s") == 450
    assert made.capacity().to("GB") == 80
    again = made.to_fields()["link"]
    assert again == {"link": {"halved_from": "900 GB/s", "bandwidth": "450 GB/s"}}


BW, P, C = symbols("BW P C")
CHIPS = [
    chip("h100-sxm"),
    chip("grace"),
    Chip(
        "symbols",
        peak={"bf16": Quantity(P, "TFLOP/s"), "fp16": Quantity("1/3 TFLOP/s")},
        memory={"hbm": Quantity(BW, "byte/s"), "l2": {"capacity": Quantity(2 * C, "byte")}},
        main="hbm",
        link={"bandwidth": Quantity(BW, "byte/s") / 3, "bidirectional": True},
        notes=['quotes " and \\ and é'],
    ),
    Chip(
        "many",
        title="Many of all",
        vendor="me",
        kind="gpu",
        aliases=["several"],
        peak={
            "fp16:fp32:tensor": Rate("1 TFLOP/s", "sheet", "low", "a note"),
            "fp16:fp16:tensor": Rate("2 TFLOP/s", note="only a note"),
        },
        default_peak={"fp16": "fp16:fp16:tensor"},
        sparse_peak={"fp16:fp32:tensor": "2 TFLOP/s"},
        memory={"l2": {"capacity": "1 MiB"}, "ddr": {"main": True, "bandwidth": "1 GB/s"}},
        link={"link": "1 GB/s", "other": {"bandwidth": "4 GB/s bidir", "kind": "wire"}},
    ),
]


@pytest.mark.parametrize("made", CHIPS, ids=lambda made: made.name)
def test_what_is_saved_loads_back_equal_and_with_the_same_bytes(made, tmp_path):
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    made.save(first)
    loaded = Chip.load(first)
    assert loaded == made
    assert loaded.scope.dimensions == made.scope.dimensions
    assert loaded.assumptions == made.assumptions
    loaded.save(second)
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("schema_version = 1", "", "mine.toml: schema_version is missing; expected 1"),
        ("schema_version = 1", "schema_version = 2", "mine.toml: schema_version is 2; expected 1"),
        ("schema_version = 1", 'schema_version = "1"', "schema_version is '1'; expected 1"),
        ('name = "mine"', "", "mine.toml: .*missing field 'name'"),
        ('name = "mine"', "name = 3", "mine.toml: name: expected text, got whole number"),
        ("[peak]", "[peek]", "mine.toml: unknown field 'peek'; did you mean 'peak'"),
        ("[memory]", "[memroy]", "mine.toml: unknown field 'memroy'; did you mean 'memory'"),
        ("bf16 =", "bf61 =", "mine.toml: .*peak.bf61: unknown dtype 'bf61'; did you mean"),
        ('"989 TFLOP/s"', '"989 GB/s"', "mine.toml: .*peak.bf16: expected FLOP/s"),
        ('"3.35 TB/s"', "80", "mine.toml: .*memory.hbm.bandwidth: 80 is a bare number"),
        ('"3.35 TB/s"', "3.35", "mine.toml: .*memory.hbm.bandwidth: 3.35 is a bare number"),
        ('"3.35 TB/s"', '"80"', "mine.toml: .*memory.hbm.bandwidth: expected byte/s"),
        ('"3.35 TB/s"', '"-1 TB/s"', "mine.toml: .*memory.hbm.bandwidth: -1 TB/s is not positive"),
        ('"3.35 TB/s"', "[1]", "mine.toml: .*memory.hbm.bandwidth: expected a text"),
        ('"3.35 TB/s"', "2024-01-01", "mine.toml: .*memory.hbm.bandwidth: expected a text"),
        (
            '"3.35 TB/s"',
            '{capacity = "80 Gb"}',
            "mine.toml: .*memory.hbm.capacity: .*bits or bytes",
        ),
        (
            '"3.35 TB/s"',
            '{bandwith = "1 TB/s"}',
            "unknown field 'bandwith'; did you mean 'bandwidth'",
        ),
        ("[memory]", "[memory", "mine.toml: not TOML"),
        ("[memory]", "[peak]", "mine.toml: not TOML"),
        ('"3.35 TB/s"', "1" * 20000, "mine.toml: "),
        ("[peak]", ".".join("a" * 20000) + " = 1", "mine.toml: not TOML: line 4 has a key of more"),
        ('"3.35 TB/s"', "[" * 10000, "mine.toml: not TOML: nested too deeply"),
        (
            '"3.35 TB/s"',
            "\"__import__('os')\"",
            "mine.toml: .*memory.hbm.bandwidth: expected a number",
        ),
        ('"3.35 TB/s"', '"2**9999999999 TB/s"', "mine.toml: .*memory.hbm.bandwidth: "),
        ('"3.35 TB/s"', '{value = "2**9999999999", unit = "TB/s"}', "mine.toml: .*bandwidth: "),
    ],
)
def test_a_wrong_file_is_one_line_with_file_and_field(old, new, message, write):
    path = write(MINE.replace(old, new, 1))
    began = time.perf_counter()
    with pytest.raises((InputError, UnitError), match=message) as caught:
        Chip.load(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    assert str(path) in str(caught.value)
    assert time.perf_counter() - began < 5


def test_files_that_are_none(tmp_path):
    with pytest.raises(InputError, match=r"cannot be read: No such file"):
        Chip.load(tmp_path / "no.toml")
    with pytest.raises(InputError, match=r"cannot be read: Is a directory"):
        Chip.load(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"not UTF-8"):
        Chip.load(binary)
    large = tmp_path / "large.toml"
    large.write_text("#" * 200_001)
    with pytest.raises(InputError, match=r"larger than"):
        Chip.load(large)


def test_nothing_is_written_when_it_cannot_be(tmp_path):
    with pytest.raises(SymroofError, match=r"cannot be written"):
        chip("h100-sxm").save(tmp_path / "no" / "a.toml")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("field", ["peak", "memory"])
def test_a_chip_needs_its_rates(tmp_path, field):
    fields = {"peak": 'peak = { bf16 = "2 TFLOP/s" }', "memory": 'memory = { hbm = "1 TB/s" }'}
    del fields[field]
    path = tmp_path / "c.toml"
    path.write_text("\n".join(['schema_version = 1\nname = "m"', *fields.values()]), "utf-8")
    with pytest.raises(InputError, match=f"missing field '{field}'"):
        Chip.load(path)
