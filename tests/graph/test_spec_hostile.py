"""Files that mean harm: one line, nothing run, nothing written, no long wait."""

from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.graph import load
from symroof.graph.spec_read import read_graph

from .test_spec_read import HEAD, PRODUCT

DEEP = 10_000
FILES = {
    "binary": b"\x00\x01\x02\xff\xfe",
    "not UTF-8": "schema_version = 1\nname = 'é'".encode("latin-1"),
    "empty": b"",
    "half a line": b"schema_version =",
    "a list that never ends": b"x = " + b"[" * DEEP,
    "deep lists": b"x = " + b"[" * DEEP + b"]" * DEEP,
    "deep tables": b"x = " + b"{a=" * DEEP + b"1" + b"}" * DEEP,
    "a key of many parts": b".".join([b"a"] * 200_000) + b" = 1",
    "a quoted key of many parts": b".".join([b'"a"'] * 200_000) + b" = 1",
    "a header of many parts": b"[" + b".".join([b"a"] * 200_000) + b"]",
    "20,000 digits": b"schema_version = " + b"9" * 20_000,
    "a hexadecimal number without end": b"schema_version = 0x" + b"f" * 100_000,
    "a date": b"schema_version = 2024-01-01",
    "keys twice": b"name = 'a'\nname = 'b'",
}
SHAPES = [
    '"2**9999999999"',
    '"9**9**9**9"',
    "\"__import__('os').system('true')\"",
    f'"{"(" * DEEP}1{")" * DEEP}"',
    f'"{"9" * 20_000}"',
    f'"{"-" * 100_000}1"',
    "1.5",
    "-3",
    "true",
    "nan",
    "1e400",
    "[[1]]",
    "1979-05-27",
    '"x**y**z**w" , "\\u0000"',
    '""',
]


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_one_line(name, tmp_path):
    path = tmp_path / "hostile.toml"
    path.write_bytes(FILES[name])
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("shape", SHAPES, ids=range(len(SHAPES)))
def test_a_hostile_shape_is_one_line(shape, tmp_path):
    path = tmp_path / "hostile.toml"
    path.write_text(PRODUCT.replace('["B", "D"]', f"[{shape}]", 1))
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@pytest.mark.parametrize(
    "source", ["a\x00b", "a\x00b.toml", "/proc/self/mem.toml", "x" * 5000, "", "."]
)
def test_a_hostile_name_is_one_line(source):
    with pytest.raises((InputError, LookupError)) as caught:
        load(source)
    assert len(str(caught.value)) < 600 + 5000 * source.endswith("toml")


def test_a_folder_and_a_missing_file_are_no_specs(tmp_path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load(tmp_path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load(tmp_path / "missing.toml")


def test_repeats_nest_only_so_deep():
    inner = ""
    for depth in range(20):
        header = "ops" + ".ops" * depth
        inner += f'[[{header}]]\nop = "repeat"\nname = "r"\ncount = 2\n'
    from symroof.graph.spec_read import read_graph

    with pytest.raises(InputError, match="more than 16 repeats in each other"):
        read_graph(HEAD + inner)


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(InputError, match="larger than 64000000 bytes"):
        load(path)


@pytest.mark.parametrize("form", ["[tensors.t{}]\nshape = 1\n", "tensors.t{} = {{shape = 1}}\n"])
def test_too_many_tables_are_refused(form):
    text = "schema_version = 1\nname = 'g'\n" + "".join(form.format(i) for i in range(20_001))
    with pytest.raises(InputError, match="more than 20,000 tables"):
        read_graph(text)


def test_the_dtype_of_the_file_is_one_also_where_nothing_uses_it():
    text = "schema_version = 1\nname = 'g'\ndtype = 'zz'\n[tensors.x]\nshape = 1\ndtype = 'fp16'"
    with pytest.raises(InputError, match=r"^dtype: unknown dtype 'zz'"):
        read_graph(text)
