"""The op that was timed, and the columns of its dims."""

from __future__ import annotations

from pathlib import Path

import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.measurements.formats import format_of
from symroof.measurements.rows import read_sheet
from symroof.measurements.workload import mapped, names_of, op_graph, title_of

DIMS = {"m": 64, "n": 256, "k": 128}


@pytest.mark.parametrize("op", ["matmul", "GEMM", "mk,kn->mn"])
def test_bytes_of_a_product(op: str) -> None:
    graph = op_graph(op, format_of("fp8_block"))
    moved = 64 * 128 * 33 / 32 + 128 * 256 * 4097 / 4096 + 2 * 64 * 256
    assert graph.bytes.at(DIMS).to("byte") == moved
    assert graph.flops.at(DIMS).to("FLOP") == 2 * 64 * 256 * 128
    assert list(graph.flops_by_dtype) == ["fp8"]
    assert names_of(graph) == ("k", "m", "n")
    assert title_of(graph) == "C[m,n] = A[m,k] · B[k,n]"


def test_other_ops() -> None:
    assert op_graph("axpy", format_of("fp32")).bytes.at(n=10).to("byte") == 120
    assert names_of(op_graph("bij,bjk->bik", format_of("bf16"))) == ("b", "i", "j", "k")
    graph = sr.load("axpy")
    assert op_graph(graph, None) is graph


def test_a_dtype_is_needed() -> None:
    for op in ("matmul", "mk,kn->mn"):
        with pytest.raises(InputError, match="no column 'dtype'"):
            op_graph(op, None)
    with pytest.raises(UnknownNameError, match="did you mean 'matmul'"):
        op_graph("matmull", format_of("bf16"))


def test_formulas_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("isl,step,batch\n8,0,1\n8,-1,1\n1,2.5,1\n")
    sheet = read_sheet(path)
    found = mapped(sheet, ("B", "H", "S"), {"B": "batch", "S": "isl + step", "H": "32"}, "op")
    assert found.dims["S"][0] == 8
    assert found.dims["H"][0] == 32
    assert [str(each) for each in sheet.bad.values()] == [
        "row 2, column step: -1 is below 0",
        "row 3, column isl + step: 3.5 is no whole number",
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"p": "m"}, "unknown dim of op 'p'"),
        ({"k": "kk"}, "no column 'kk' for the dim k of op"),
        ({"k": "m + kk"}, "no column 'kk' for the dim k of op"),
        ({"k": "m +"}, "no column 'm \\+' for the dim k of op"),
        ({}, "no column 'k' for the dim k of op; there are: m, depth"),
    ],
)
def test_columns_that_are_not_there(tmp_path: Path, given: dict[str, str], said: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("m,depth\n1,2\n")
    with pytest.raises((InputError, UnknownNameError), match=said):
        mapped(read_sheet(path), ("k", "m"), given, "op")
