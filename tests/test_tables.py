"""Tables: what is unknown, missing or of another type is named; no key takes long to read."""

from __future__ import annotations

import msgspec
import pytest

from symroof.errors import InputError
from symroof.hardware.fields import ChipFields, LevelFields
from symroof.tables import check_version, parse, read_table, read_text

DOTS = ".".join("a" * 33)  # 32 of them


def test_fields_are_read():
    rates = {"peak": {"bf16": "1 TFLOP/s"}, "memory": {"hbm": "1 TB/s"}}
    fields = read_table({"name": "x", **rates, "aliases": ["a"], "link": object}, ChipFields)
    assert (fields.name, fields.aliases, fields.link) == ("x", ("a",), object)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"capasity": "80 GB"}, "here: unknown field 'capasity'; did you mean 'capacity'"),
        ({"zzz": 1}, "here: unknown field 'zzz'; known: bandwidth, capacity, main"),
        ({3: 1}, "here: unknown field '3'"),
        ({"main": "yes"}, "here: main: expected true or false, got text"),
    ],
)
def test_what_is_wrong_with_a_field(given, message):
    with pytest.raises(InputError, match=message):
        read_table(given, LevelFields, "here")


def test_lists_are_no_arrays():
    class Names(msgspec.Struct):
        names: list[int]

    with pytest.raises(InputError, match="names: expected list, got text"):
        read_table({"names": "a"}, Names)


@pytest.mark.parametrize(
    "text",
    [
        f"{DOTS} = 1",
        f"[{DOTS}]",
        f"t = {{{DOTS} = 1}}",
        f't = "{DOTS}.a.b"',
        f"t = '''\n{DOTS}.a\n'''",
        f"t = 1 # {DOTS}.a",
        f"t = [{'1.5, ' * 40}]",
        f't = "\\"{DOTS}.a"',
    ],
)
def test_dots_that_are_read(text):
    assert parse(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{DOTS}.a = 1",
        f"[{DOTS}.a]",
        f"[[{DOTS}.a]]",
        f"t = {{{DOTS}.a = 1}}",
        ".".join(['"a.b"'] * 34) + " = 1",
        " . ".join(["'#'"] * 34) + " = 1",
        # A quote or a mark inside a text of several lines hides no key behind it.
        f't = ["""\n \' """, {{{DOTS}.a = \'\'}}]',
        f't = ["""\n # """, {{{DOTS}.a = 1}}]',
        f"t = ['''\n \" ''', {{{DOTS}.a = \"\"}}]",
        f't = ["""a"""", {{{DOTS}.a = 1}}]',
    ],
)
def test_a_key_of_many_parts_is_refused(text):
    with pytest.raises(InputError, match=r"mine: not TOML: line \d has a key of more than 32 dots"):
        parse(text, "mine")


@pytest.mark.parametrize(
    "text", ['"\\"' * 50_000, "'" * 99_999, '"""' + '\\"' * 99_999, "[" * 9999]
)
def test_what_does_not_end_is_refused_in_one_line(text):
    with pytest.raises(InputError, match="not TOML") as caught:
        parse(f"t = {text}{DOTS}.a")
    assert "\n" not in str(caught.value)


def test_whole_numbers_have_64_bits():
    assert parse(f"t = [{2**63 - 1}]") == {"t": [2**63 - 1]}
    with pytest.raises(InputError, match="more than 64 bits"):
        parse(f"t = [{{a = {2**63}}}]")


def test_versions():
    check_version({"schema_version": 1}, 1)
    for given, said in (({}, "is missing"), ({"schema_version": True}, "is True")):
        with pytest.raises(InputError, match=f"here: schema_version {said}; expected 1"):
            check_version(given, 1, "here")


def test_files_that_are_none(tmp_path):
    path = tmp_path / "a.toml"
    with pytest.raises(InputError, match="here: cannot be read: No such file"):
        read_text(path, 4, "a spec", "here")
    path.write_bytes(b"12345")
    with pytest.raises(InputError, match="here: larger than 4 bytes: not a spec"):
        read_text(path, 4, "a spec", "here")
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="here: not TOML: not UTF-8"):
        read_text(path, 4, "a spec", "here")
