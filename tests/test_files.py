"""Atomic writes and the TOML writer."""

from __future__ import annotations

import stat
import tomllib

import pytest

from symroof.errors import InputError
from symroof.files import toml_text, write_text_atomically


def test_toml_reads_back_equal():
    mapping = {
        "schema_version": 1,
        "big": 10**30,
        "flags": [True, False],
        "float": 0.1,
        "text": 'quote " backslash \\ tab \t line \n bell \x07 é 你',
        "empty": [],
        "nested": [[1, 2], ["a"]],
        "table": {"bf16:fp32:tensor": {"value": "989 TFLOP/s"}, "none": {}},
        "rows": [{"a": 1, "inner": {"b": [1]}}, {"a": 2}],
    }
    assert tomllib.loads(toml_text(mapping)) == mapping


def test_toml_is_laid_out_for_people():
    text = toml_text(
        {"memory": {"hbm": {"value": "80 GB"}}, "name": "mine", "tags": ["a" * 60] * 2}
    )
    assert text == (
        'name = "mine"\n'
        "tags = [\n"
        f'  "{"a" * 60}",\n'
        f'  "{"a" * 60}",\n'
        "]\n"
        "\n"
        "[memory.hbm]\n"
        'value = "80 GB"\n'
    )


def test_same_mapping_gives_same_bytes():
    mapping = {"b": {"y": 1, "x": 2}, "a": 1}
    assert toml_text(mapping) == toml_text({"a": 1, "b": {"y": 1, "x": 2}})


@pytest.mark.parametrize("value", [None, object(), float("inf"), float("nan"), [1, None], b"x"])
def test_values_without_a_toml_form_are_refused(value):
    with pytest.raises(InputError, match=r"table.key: TOML has no form"):
        toml_text({"table": {"key": value}})


def test_keys_are_text():
    with pytest.raises(InputError, match=r"a TOML key is text"):
        toml_text({1: "x"})


def test_write_replaces_the_whole_file_and_keeps_its_mode(tmp_path):
    target = tmp_path / "a.toml"
    target.write_text("old" * 1000)
    target.chmod(0o640)
    write_text_atomically(target, "new\r\n")
    assert target.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.toml"]


def test_write_follows_a_link(tmp_path):
    target = tmp_path / "a.toml"
    target.write_text("old")
    link = tmp_path / "b.toml"
    link.symlink_to(target)
    write_text_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_failed_write_leaves_nothing(tmp_path):
    target = tmp_path / "a.toml"
    target.write_text("old")
    with pytest.raises(InputError, match=r"UTF-8"):
        write_text_atomically(target, "half \ud800")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.toml"]


def test_a_missing_folder_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"cannot be written: No such file"):
        write_text_atomically(tmp_path / "no" / "a.toml", "x")
