"""CSV files of timings: what is read, and that no row is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import InputError, SymroofError, UnknownNameError
from symroof.measurements import rows
from symroof.measurements.rows import read_sheet, selected


def _write(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_numbers_of_rows_count_from_the_names(tmp_path: Path) -> None:
    sheet = read_sheet(_write(tmp_path, "m,t_ms\n1,2\n\n3,4\n"))
    assert sheet.names == ("m", "t_ms")
    assert sheet.numbers == [1, 3]  # the blank line between them is line 2
    assert sheet.amounts("m").tolist() == [1, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", "'abc' is no number"),
        ("nan", "nan is not finite"),
        ("-inf", "-inf is not finite"),
        ("1e999", "1e999 is not finite"),
        ("-3", "-3 is not above 0"),
        ("1e31", "1e31 is out of range"),
        ("1e-31", "1e-31 is out of range"),
        ("0", "0 is not above 0"),
        ("", "is empty"),
        ("1_000", "'1_000' is no number"),
        ("0x10", "'0x10' is no number"),
        ("1 000", "'1 000' is no number"),
        ("٣", "'٣' is no number"),
    ],
)
def test_what_is_wrong_with_a_value(tmp_path: Path, text: str, message: str) -> None:
    sheet = read_sheet(_write(tmp_path, f"m,t_ms\n7,1\n{text},2\n9,3\n"))
    values = sheet.amounts("m")
    assert values[[0, 2]].tolist() == [7, 9]
    assert values[1] != values[1]
    assert [str(each) for each in sheet.bad.values()] == [f"row 2, column m: {message}"]
    assert sheet.good().tolist() == [True, False, True]


def test_fractions_are_no_dims(tmp_path: Path) -> None:
    sheet = read_sheet(_write(tmp_path, "m\n12.5\n4096.0\n4.096e3\n1e17\n"))
    assert sheet.amounts("m", whole=True)[1:3].tolist() == [4096, 4096]
    assert [each.message for each in sheet.bad.values()] == [
        "12.5 is no whole number",
        "1e17 is out of range",
    ]


def test_ragged_rows_are_bad_rows(tmp_path: Path) -> None:
    sheet = read_sheet(_write(tmp_path, "m,n\n1,2\n1\n1,2,3\n"))
    assert [str(each) for each in sheet.bad.values()] == [
        "row 2: has 1 values, expected 2",
        "row 3: has 3 values, expected 2",
    ]


def test_a_quote_that_is_not_closed_is_said(tmp_path: Path) -> None:
    sheet = read_sheet(_write(tmp_path, 'm,n\n1,2\n"3,4\n5,6\n7,8\n'))
    assert sheet.numbers == [1]
    assert str(sheet.bad[2]) == (
        "row 2: has 1 values, expected 2, and goes on for 3 lines: a quote that is not closed?"
    )


def test_a_row_has_its_first_fault(tmp_path: Path) -> None:
    sheet = read_sheet(_write(tmp_path, "m,n\nx,y\n"))
    sheet.amounts("m")
    sheet.amounts("n")
    assert [each.column for each in sheet.bad.values()] == ["m"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("latency", "did you mean 'latency_ms'?"),
        ("zzz", "there are: m, M, latency_ms"),
        ("m_", "did you mean 'm'?"),
    ],
)
def test_missing_columns(tmp_path: Path, name: str, said: str) -> None:
    sheet = read_sheet(_write(tmp_path, "m,M,latency_ms\n1,2,3\n"))
    with pytest.raises(InputError, match="no column") as caught:
        sheet.column(name)
    assert said in str(caught.value)


def test_case_matters_only_where_it_decides(tmp_path: Path) -> None:
    sheet = read_sheet(_write(tmp_path, "m,M,K\n1,2,3\n"))
    assert (sheet.column("m"), sheet.column("M"), sheet.column("k")) == (["1"], ["2"], ["3"])
    twice = read_sheet(_write(tmp_path, "m,m\n1,2\n"))
    with pytest.raises(InputError, match="2 columns are called 'm'"):
        twice.column("m")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "found nothing"),
        (b"\n\n", "found nothing"),
        (b"m,n\n", "found none"),
        (b"m\n\xff\xfe\n", "not UTF-8"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_sheet(path)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (tmp_path / "none.csv", tmp_path, "a\0b"):
        with pytest.raises(InputError):
            read_sheet(path)
    monkeypatch.setattr(rows, "MAX_BYTES", 3)
    with pytest.raises(InputError, match="larger than 3 bytes"):
        read_sheet(_write(tmp_path, "m\n1\n"))


def test_filters(tmp_path: Path) -> None:
    sheet = read_sheet(_write(tmp_path, 'd,s\na,"x, y"\nb,x\na,x\n'))
    assert selected(sheet, {"d": "a"}).numbers == [1, 3]
    assert selected(sheet, {"d": "a", "s": "x, y"}).numbers == [1]
    with pytest.raises(UnknownNameError, match=r"unknown d of .*'A'; did you mean 'a'"):
        selected(sheet, {"d": "A"})
    with pytest.raises(InputError, match="no row has d=b, s=x, y"):
        selected(sheet, {"d": "b", "s": "x, y"})
    with pytest.raises(InputError, match="no column 'device'"):
        selected(sheet, {"device": "a"})


@given(
    st.lists(
        st.lists(st.text(st.sampled_from("0123456789.eE+-_xna \t,\"'"), max_size=6), max_size=3),
        max_size=12,
    )
)
def test_no_row_is_lost(tmp_path_factory: pytest.TempPathFactory, table: list[list[str]]) -> None:
    lines = ["m,n", *(",".join(row) for row in table)]
    path = _write(tmp_path_factory.mktemp("rows"), "\n".join(lines))
    try:
        sheet = read_sheet(path)
    except SymroofError:
        return
    read = len(sheet.rows) + len(sheet.bad)
    values = sheet.amounts("m")
    good = sheet.good()
    assert len(sheet.bad) + int(good.sum()) == read
    assert ((values[good] > 0) & (values[good] < float("inf"))).all()
