from __future__ import annotations

import pytest

from symroof.reports.columns import Heading, columns
from symroof.reports.wrapping import width_of

OPS = (Heading("op"), Heading("time", right=True), Heading("note", optional=True))


def test_columns_are_as_wide_as_their_cells():
    assert columns(OPS, [["matmul", "10.3 µs", "行列"], ["add", "3 µs", ""]], 80) == [
        "op         time  note",
        "──────  ───────  ────",
        "matmul  10.3 µs  行列",
        "add        3 µs",
    ]


def test_optional_columns_go_first_the_last_of_them_first():
    heads = [Heading("a", optional=True), Heading("b"), Heading("c", optional=True)]
    rows = [["a" * 10, "b" * 10, "c" * 10]]
    assert columns(heads, rows, 34)[0].split() == ["a", "b", "c"]
    assert columns(heads, rows, 33)[0].split() == ["a", "b"]
    assert columns(heads, rows, 21)[0].split() == ["b"]


def test_cells_fold_at_spaces_and_rows_of_several_lines_stand_apart():
    rows = [["one", "1", ""], ["two words here", "22222", ""], ["three", "3", ""]]
    assert columns(OPS, rows, 16) == [
        "op          time",
        "─────────  ─────",
        "one            1",
        "",
        "two words  22222",
        "here",
        "",
        "three          3",
    ]


def test_long_names_fold_after_their_dots_where_nothing_else_helps():
    name = "model.layers.0.self_attn.q_proj"
    lines = columns(OPS, [[name, "12.5 µs", ""]], 28)
    assert max(map(width_of, lines)) <= 28
    body = lines[2:]
    assert "".join(line[:19].strip() for line in body) == name
    assert body[0].endswith("12.5 µs") or body[0].endswith("12.5")


@pytest.mark.parametrize("width", [20, 30])
def test_rows_become_lists_where_words_are_too_long(width):
    word = "x" * 40
    lines = columns(OPS, [[word, "3 µs", ""], ["add", "4 µs", ""]], width)
    assert lines == [f"op: {word}", "  time: 3 µs", "op: add", "  time: 4 µs"]


def test_tables_without_rows_or_columns():
    assert columns([], [], 80) == []
    assert columns(OPS[:1], [], 80) == ["op", "──"]
