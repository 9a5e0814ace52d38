from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import InputError, SymroofError
from symroof.models.hf_file import MAX_BYTES, check_entries, parse_json, read_json


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value at line 1, column 1"),
        ('{"a": 1', "not JSON: Expecting ',' delimiter at line 1, column 8"),
        ("[1, 2]", "expected an object of fields, not a list"),
        ("3", "expected an object of fields, not the number 3"),
        ('{"a": NaN}', "a: NaN is not a number"),
        ('{"a": [0, {"b": NaN}]}', "a[1].b: NaN is not a number"),
        ('{"a": 1, "b": 2, "a": 3}', "a: given twice"),
        ('{"text": {"a": 1, "a": 1}}', "text.a: given twice"),
        ('{"list": [{"a": 1, "a": 1}]}', "list[0].a: given twice"),
        ('{"a": ' + "[" * 100_000, "not JSON: nested too deeply"),
        ('{"a": ' + "[" * 70 + "]" * 70 + "}", "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "a number has too many digits"),
    ],
)
def test_a_file_that_is_no_config_is_one_line_with_its_place(text, message):
    with pytest.raises(InputError) as error:
        parse_json(text.encode(), "config.json")
    assert str(error.value).startswith("config.json: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_bytes_that_are_not_text_are_said_to_be_so():
    with pytest.raises(InputError, match="not UTF-8"):
        parse_json(b'{"a": "\xff"}', "config.json")


def test_a_byte_order_mark_is_no_fault():
    assert parse_json(b'\xef\xbb\xbf{"a": 1}', "config.json") == {"a": 1}


def test_infinity_is_allowed_as_files_have_it():
    assert parse_json(b'{"time_step_limit": [0.0, Infinity]}', "c")["time_step_limit"][1] > 1e300


def test_a_file_of_more_than_16_mib_is_refused_before_it_is_read(tmp_path):
    file = tmp_path / "config.json"
    with file.open("wb") as opened:
        opened.truncate(MAX_BYTES + 1)
    with pytest.raises(InputError, match="larger than 16 MiB"):
        read_json(file)


def test_a_folder_is_read_by_its_config(tmp_path):
    (tmp_path / "config.json").write_text('{"a": 1}')
    assert read_json(tmp_path) == {"a": 1}
    assert read_json(str(tmp_path)) == {"a": 1}


def test_a_folder_without_one_names_the_file_it_lacks(tmp_path):
    with pytest.raises(InputError, match=r"config\.json: cannot be read: No such file"):
        read_json(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InputError, match="not a file"):
        read_json(tmp_path / "pipe.json")


def test_a_mapping_with_keys_that_are_no_text_is_refused():
    with pytest.raises(InputError, match="a field has a name, not the number 3"):
        check_entries({"a": {3: 1}}, "config")


def test_a_mapping_that_holds_itself_is_refused():
    loop: dict[str, object] = {}
    loop["a"] = loop
    with pytest.raises(InputError, match="nested too deeply"):
        check_entries(loop, "config")


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(content):
    found = parsed_or_refused(content)
    assert isinstance(found, dict) or "\n" not in found


@given(
    st.dictionaries(
        st.text(), st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(), max_size=6
    )
)
def test_what_json_writes_is_read_again(values):
    assert parse_json(json.dumps(values).encode(), "config.json") == values


def parsed_or_refused(content):
    try:
        return parse_json(content, "config.json")
    except SymroofError as error:
        return str(error)
