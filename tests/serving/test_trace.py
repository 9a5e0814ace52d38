"""Traces: columns by name, and the number of a row that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from symroof.errors import InputError
from symroof.serving.trace import COLUMNS, Moments, read_trace


@pytest.fixture
def trace(tmp_path: Path):
    def written(text: str) -> Path:
        path = tmp_path / "trace.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize(("prefill", "decode"), COLUMNS)
def test_columns_of_public_traces(trace, prefill: str, decode: str) -> None:
    path = trace(f"time,{decode},{prefill}\n0.5,3,7\n")
    assert read_trace(path) == Moments(requests=1, p=7, d=3, pd=21, dd=9)


def test_named_columns_quoted_values_and_empty_lines(trace) -> None:
    path = trace('id,"tokens, in",tokens out\r\na,"7",3.0\r\n\r\nb, 1 ,2\r\n')
    found = read_trace(path, "tokens, in", "Tokens Out")
    assert found == Moments(requests=2, p=8, d=5, pd=23, dd=13)


def test_byte_order_mark_is_no_part_of_a_name(trace) -> None:
    assert read_trace(trace("\ufeffp,d\n1,2\n")).requests == 1


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ("-3,5", r"row 2: p is '-3', expected a whole number of tokens"),
        ("3,", r"row 2: d is ''"),
        ("3.5,5", r"row 2: p is '3.5'"),
        ("nan,5", r"row 2: p is 'nan'"),
        ("1e3,5", r"row 2: p is '1e3'"),
        ("٣,5", r"row 2: p is '٣'"),
        ("3", r"row 2: has 1 values, expected 2"),
        ("3,4,5", r"row 2: has 3 values, expected 2"),
        ("0,0", r"row 2: has no tokens at all"),
        ("99999999999,5", r"row 2: p is '99999999999'"),
        ('"3,5', r"not CSV"),
    ],
)
def test_bad_row_is_refused_with_its_number(trace, row: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read_trace(trace(f"p,d\n1,1\n{row}\n2,2\n"))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "expected a line of names of columns, found nothing"),
        ("\n1,2\n", "expected a line of names of columns"),
        ("p,d\n", "expected requests, found no requests"),
        ("p,d\n5,0\n", "found no new tokens in 1 requests"),
        ("a,b\n1,2\n", "no columns of lengths among a, b; name them prefill and decode"),
        ("1,2\n3,4\n", "no columns of lengths among 1, 2"),
    ],
)
def test_file_without_requests(trace, text: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read_trace(trace(text))


def test_unknown_column_has_a_near_match(trace) -> None:
    path = trace("prompt_len,answer_len\n1,2\n")
    with pytest.raises(InputError, match="no column 'prompt_length' for prefill; did you mean"):
        read_trace(path, "prompt_length", "answer_len")
    with pytest.raises(InputError, match="no column 'x' for decode; there are: prompt_len"):
        read_trace(path, "prompt_len", "x")


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_trace(tmp_path / "none.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_trace(tmp_path)
    (tmp_path / "bytes.csv").write_bytes(b"p,d\n\xff\xfe,2\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_trace(tmp_path / "bytes.csv")


@pytest.mark.parametrize("wrong", [3, [], b"p"])
def test_columns_are_named_by_text(trace, wrong: object) -> None:
    with pytest.raises(InputError, match=r"^decode: expected the name of a column, not"):
        read_trace(trace("p,d\n1,2\n"), "p", wrong)  # type: ignore[arg-type]


def test_one_column_is_not_both_lengths(trace) -> None:
    with pytest.raises(InputError, match=r"^decode: 'p' is the column of prefill too"):
        read_trace(trace("p,d\n1,2\n"), "p", "p")


def test_a_path_that_the_system_cannot_name() -> None:
    for path in ("\0", "x" * 5000):
        with pytest.raises(InputError, match="cannot be read"):
            read_trace(path)
