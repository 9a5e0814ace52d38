"""Rows beside their bound: by hand, with the reasons for those above the roof."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.measurements import compare
from symroof.reports.plots.plot import Chart, Point

Table = Callable[[str], Path]

HEAD = "m,n,k,latency_us\n"
CUBE = "1000,1000,1000"  # 2e9 FLOP and 6e6 byte in bf16: 20 us of compute, 6 us of memory
FLAT = "1,1000,1000"  # 2e6 FLOP and 2,004,000 byte: 2.004 us of memory


def test_a_row_by_hand(table: Table, mine: sr.Chip) -> None:
    found = compare(table(f"{HEAD}{CUBE},40\n{FLAT},4.008\n"), mine, dtype="bf16")
    cube, flat = found
    assert (cube.limit, flat.limit) == ("compute", "memory")
    assert cube.bound.to("us") == pytest.approx(20)
    assert {name: term.to("us") for name, term in cube.terms.items()} == pytest.approx(
        {"compute": 20, "memory": 6}
    )
    assert [cube.ratio, flat.ratio] == pytest.approx([2, 2])
    assert cube.performance.to("TFLOP/s") == pytest.approx(50)
    assert not cube.is_above
    assert found.limits == {"compute": 1, "memory": 1}
    assert found.error.tolist() == pytest.approx([0.5, 0.5])
    (points,) = found.points
    assert points.intensity.tolist() == pytest.approx([2e9 / 6e6, 2e6 / 2.004e6])
    assert points.performance.tolist() == pytest.approx([5e13, 2e6 / 4.008e-6])
    assert (points.intensity_unit, points.performance_unit) == ("FLOP/byte", "FLOP/s")


def test_residency(table: Table, mine: sr.Chip) -> None:
    path = table(f"{HEAD}{FLAT},1\n1,8000,1000,6.1\n")  # 2.004 MB, and 16.018 MB
    # partial: 0.2004 us at the cache; (16.018 - 10)/1 = 6.018 us of main memory.
    assert [
        [row.bound.to("us") for row in compare(path, mine, dtype="bf16", residency=each)]
        for each in ("cold", "cached", "partial")
    ] == [
        pytest.approx([2.004, 16.018]),
        pytest.approx([0.2004, 16.018]),
        pytest.approx([0.2004, 6.018]),
    ]
    found = compare(path, mine, dtype="bf16")
    assert found.above_by_residency == {"cold": 2, "cached": 1, "partial": 0}
    assert [str(row.reasons[0]) for row in found] == [
        "fits l2 (10 MB)",
        "fits l2 (10 MB) in part",
    ]


def test_ceilings_and_a_launch_time(table: Table, mine: sr.Chip) -> None:
    half = {"half": {"on": "peak", "factor": "1/2"}, "slow": {"on": "bw.hbm", "rate": "0.5 TB/s"}}
    fields = {**mine.to_fields(), "ceiling": half, "launch": "3 us"}
    chip = sr.Chip(**fields)  # type: ignore[arg-type]
    path = table(f"{HEAD}{CUBE},43\n{FLAT},5\n{CUBE},19.5\n")
    found = compare(path, chip, dtype="bf16", ceilings=["half", "slow"], launch=True)
    # 20 us of compute and 2.004 us of memory at the roofs; twice that, after 3 us.
    assert [row.bound.to("us") for row in found] == pytest.approx([43, 7.008, 43])
    assert [row.is_above for row in found] == [False, True, True]
    assert [str(row.reasons[0]) for row in found if row.is_above] == [
        "under the roofs without ceilings, launch",
        "within 3 % of the roof: clock or rounding",
    ]
    assert found.causes == {"above its ceilings": 1, "clock or rounding": 1}
    padded = compare(path, chip, dtype="bf16", quantise=sr.Tile(128, 128))
    # FLAT in tiles is 32.8 us of compute, and 2.004 us of memory without them.
    assert [str(each) for row in padded for each in row.reasons if row.number == 2] == [
        "under the roofs without tiles"
    ]
    assert found.parts[0].checked == 3
    document = found.to_dict()
    assert document["inside"]["ceilings"] == ["half", "slow"]
    assert document["inside"]["launch"]["exact"] == "3/1000000"
    assert found.said[-1] == "launch: 3 us a kernel, an op with work is one"
    assert document["rows"][0]["terms"]["launch"] == {"value": pytest.approx(3e-6), "unit": "s"}


@pytest.mark.parametrize(
    ("choices", "bound"),
    [
        # 2.004 MB: a quarter at 1 TB/s, then three at 0.25 TB/s.
        ({"numa": "serial", "local": "1/4"}, 0.501 + 6.012),
        ({"numa": "concurrent", "local": "1/4"}, 6.012),
        ({"levels": {"l2": "30*m*n*k"}}, 3),  # 30 MB at 10 TB/s
        # 8 tiles in a wave of 100, each 128 x 128 x 1000.
        ({"quantise": sr.Tile(128, 128)}, 100 * 2 * 128 * 128 * 1000 / 100e6),
        ({"launch": "9 us"}, 11.004),
        ({"ceilings": iter(["eighth"])}, 16.032),
        ({"launch": "9 us", "residency": "partial"}, 9.2004),
    ],
)
def test_choices_by_hand(
    table: Table, mine: sr.Chip, choices: dict[str, object], bound: float
) -> None:
    fields = mine.to_fields()
    memory = dict(fields["memory"])  # type: ignore[call-overload]
    memory["hbm"] = {"bandwidth": "1 TB/s", "remote": "0.25 TB/s", "main": True}
    eighth = {"eighth": {"on": "bw", "factor": "1/8"}}
    chip = sr.Chip(**{**fields, "memory": memory, "ceiling": eighth})
    (row,) = compare(table(f"{HEAD}{FLAT},100\n"), chip, dtype="bf16", **choices)  # type: ignore[arg-type]
    assert row.bound.to("us") == pytest.approx(bound)


def test_a_choice_without_its_number(table: Table, mine: sr.Chip) -> None:
    path = table(f"{HEAD}{CUBE},40\n")
    with pytest.raises(InputError, match=r"^b has no number, and is no dim of"):
        compare(path, mine, dtype="bf16", quantise=sr.Tile("b", "b"))
    with pytest.raises(UnknownNameError, match="unknown ceiling of mine 'half'"):
        compare(path, mine, dtype="bf16", ceilings=["half"])


def test_short_rows_are_left_out(table: Table, mine: sr.Chip) -> None:
    path = table(f"{HEAD}{CUBE},40\n{FLAT},4\n{FLAT},x\n")
    found = compare(path, mine, dtype="bf16", above="10 us")
    assert (found.rows, found.measured.left_out, len(found.bad)) == (1, 1, 1)
    assert found.to_dict()["above"] == {"value": 1e-5, "unit": "s"}
    with pytest.raises(InputError, match="no row is above 1 s"):
        compare(path, mine, dtype="bf16", above="1 s")
    with pytest.raises(InputError, match="above: expected a time of 0 or more"):
        compare(path, mine, dtype="bf16", above="10")


def test_the_picture_has_a_cross_for_each_row(table: Table, mine: sr.Chip) -> None:
    text = f"dtype,{HEAD}bf16,{CUBE},40\nbf16,{CUBE},10\nfp8,{CUBE},40\n"
    found = compare(table(text), mine)
    chart = found.plot().plot
    assert isinstance(chart, Chart)
    points = [mark for mark in chart.marks if isinstance(mark, Point)]
    assert all(point.measured for point in points)
    # 2e9 FLOP over 6 MB, or over 4 MB where the operands are fp8; in 40, 10, and 40 us.
    scale = {"GFLOP/s": 1e9, "TFLOP/s": 1e12}[chart.y.unit]
    assert [point.x for point in points] == pytest.approx([1000 / 3, 1000 / 3, 500])
    assert [point.y * scale for point in points] == pytest.approx([5e13, 2e14, 5e13])
    # 200 TFLOP/s is the roof of fp8, so that the row in bf16 is above its own alone.
    assert [point.detail.endswith(", above the roof") for point in points] == [False, True, False]
    assert [point.label for point in points] == ["row 1 (bf16)", "row 2 (bf16)", "row 3 (fp8)"]
    assert chart.title == "C[m,n] = A[m,k] · B[k,n] on mine: 3 rows, 1 above"
    assert chart.description.endswith("residency cold; 1 above.")


def test_points_go_into_a_roofline(table: Table, mine: sr.Chip) -> None:
    found = compare(table(f"{HEAD}{CUBE},40\n{FLAT},1\n"), mine, dtype="bf16")
    (points,) = found.points
    assert (len(points), points[1][2:], len(points[1:])) == (2, ("row 2 (bf16)", True), 1)
    r = sr.analyze(sr.load("mk,kn->mn", dtype="bf16"), mine).at(m=64, n=64, k=64)
    chart = sr.plot.roofline(r, points=found.points).plot
    assert isinstance(chart, Chart)
    crosses = [mark for mark in chart.marks if isinstance(mark, Point) and mark.measured]
    assert [cross.label for cross in crosses] == ["row 1 (bf16)", "row 2 (bf16)"]
    assert "1 measured point of 2 lies above the roof." in chart.description


def test_what_computes_nothing_has_no_picture(table: Table, mine: sr.Chip) -> None:
    graph = sr.Graph("copy")
    sr.ops.cast(graph.input("x", ("n",), "fp32"), "bf16", name="y")
    found = compare(table("n,t_us\n1000,5\n"), mine, op=graph)
    with pytest.raises(InputError, match="plot: copy has no intensity"):
        found.plot()


@pytest.mark.parametrize(
    ("line", "dtype", "reasons"),
    [
        # 20 us of compute; 19.5 is within 3 %.
        (f"{CUBE},19.5", "bf16", ["clock or rounding", "sparse peak", "dtype", "aggregate"]),
        # 10 us with sparsity, 10 us at fp8.
        (f"{CUBE},12", "bf16", ["sparse peak", "dtype", "aggregate"]),
        (f"{CUBE},2", "bf16", ["aggregate"]),
        (f"{CUBE},0.002", "bf16", ["unknown"]),
        # 13.33 us at the peak of sums in fp16.
        (f"{CUBE},14", "fp16", ["another peak", "dtype", "aggregate"]),
        (f"{FLAT},0.1", "bf16", ["aggregate"]),  # less than the cache takes
        (f"{FLAT},1.5", "bf16", ["fits a cache", "dtype", "aggregate"]),
        (f"{CUBE},21", "bf16", []),
    ],
)
def test_reasons(table: Table, mine: sr.Chip, line: str, dtype: str, reasons: list[str]) -> None:
    (row,) = compare(table(f"{HEAD}{line}\n"), mine, dtype=dtype)
    assert [str(each.cause) for each in row.reasons] == reasons


def test_words_of_reasons(table: Table, mine: sr.Chip) -> None:
    lines = f"{HEAD}{CUBE},12\n{CUBE},3\n{CUBE},0.001\n"
    sparse, several, unit = compare(table(lines), mine, dtype="bf16")
    assert [str(each) for each in sparse.reasons] == [
        "sparse peak, 200 TFLOP/s",
        "dtype: under the roof of fp8",
        "aggregate: 2 chips or more, against one",
    ]
    assert str(several.reasons[-1]) == "aggregate: 7 chips or more, against one"
    assert str(unit.reasons[-1]) == "2e+04 times the roof: another unit of time?"


def test_a_cache_without_bandwidth_still_explains(table: Table) -> None:
    chip = sr.Chip(
        "x",
        peak={"bf16": "100 TFLOP/s"},
        memory={"hbm": {"bandwidth": "1 TB/s", "main": True}, "l2": {"capacity": "10 MB"}},
    )
    path = table(f"{HEAD}{FLAT},1\n1,8000,1000,6.1\n")
    found = compare(path, chip, dtype="bf16")
    assert found.above_by_residency == {"cold": 2}
    assert found.causes == {"fits a cache": 2}
    with pytest.raises(InputError, match="does not say the bandwidth of l2"):
        compare(path, chip, dtype="bf16", residency="partial")


def test_dtypes_of_rows(table: Table, mine: sr.Chip) -> None:
    text = f"dtype,{HEAD}bfloat16,{CUBE},40\nfp8,{CUBE},40\nfp80,{CUBE},40\nbf16,{CUBE},40\n"
    found = compare(table(text), mine)
    assert [part.group.name for part in found.parts] == ["bf16", "fp8"]
    assert [row.number for row in found] == [1, 4, 2]
    assert [row.bound.to("us") for row in found] == pytest.approx([20, 20, 10])
    assert str(found.bad[0]).startswith("row 3, column dtype: unknown dtype 'fp80'")


def test_bad_rows_beside_good_ones(table: Table, mine: sr.Chip) -> None:
    text = f"{HEAD}{CUBE},40\n{CUBE},x\n1000,0,1000,40\n1,2,3\n{CUBE},50\n"
    found = compare(table(text), mine, dtype="bf16")
    assert found.rows == 2
    assert [str(each) for each in found.bad] == [
        "row 2, column latency_us: 'x' is no number",
        "row 3, column n: 0 is not above 0",
        "row 4: has 3 values, expected 4",
    ]
    assert "3 bad rows (row 2, column latency_us: 'x' is no number)" in str(found)
    document = found.to_dict()
    assert document["rows_total"] + document["rows_bad"] == 5
    assert document["bad"][1] == {"row": 3, "column": "n", "message": "0 is not above 0"}


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("m,n,kk,latency_ms\n1,1,1,1\n", {}, "no column 'k' for the dim k of C[m,n]"),
        ("m,n,k,t\n1,1,1,1\n", {}, "no column of times such as latency_ms"),
        ("m,n,k,t\n1,1,1,1\n", {"time": "t"}, "its name says no unit"),
        ("m,n,k,t\n1,1,1,1\n", {"time": "t:min"}, "unknown unit 'min'"),
        ("m,n,k,time_ms,latency_us\n1,1,1,1,1\n", {}, "which column is the time"),
        (f"{HEAD}1,1,1,0\n", {}, "no row can be used: row 1, column latency_us: 0 is not above 0"),
        (f"device,{HEAD}a,1,1,1,1\nb,1,1,1,1\n", {}, "rows of 2 devices (a, b); say which"),
        (f"op,{HEAD}a,1,1,1,1\nb,1,1,1,1\n", {}, "rows of 2 ops (a, b); say which"),
        (f"{HEAD}1,1,1,1\n", {"dtype": None}, "no column 'dtype'"),
        (f"dtype,{HEAD}fp9,1,1,1,1\n", {"dtype": None}, "row 1, column dtype: unknown dtype"),
        (f"{HEAD}1,1,1,1\n", {"dtype": "int4"}, "peak of mine"),
        (f"{HEAD}1,1,1,1\n", {"columns": {"q": "m"}}, "unknown dim of"),
        (f"{HEAD}1,1,1,1\n", {"where": {"m": "2"}}, "unknown m of"),
        (f"{HEAD}1,1,1,1\n", {"residency": "warm"}, "unknown residency 'warm'"),
        (f"{HEAD}1,1,1,1\n", {"residency": []}, "residency"),
        (f"{HEAD}1,1,1,1\n", {"ceilings": "half"}, "ceilings: expected a list of names"),
        (f"{HEAD}1,1,1,1\n", {"ceilings": 5}, "ceilings: expected a list of names"),
    ],
)
def test_bad_input(
    table: Table, mine: sr.Chip, text: str, options: dict[str, object], said: str
) -> None:
    with pytest.raises((InputError, UnknownNameError)) as caught:
        compare(table(text), mine, **{"dtype": "bf16", **options})  # type: ignore[arg-type]
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "option", "seconds"),
    [
        ("latency_ms", None, 1e-3),
        ("Time (us)", None, 1e-6),
        ("elapsed_s", None, 1),
        ("runtime [µs]", None, 1e-6),
        ("t", "t:ns", 1e-9),
        ("x_ms", "x_ms", 1e-3),
        ("a:b_ms", "a:b_ms:us", 1e-6),
    ],
)
def test_units_of_time(
    table: Table, mine: sr.Chip, name: str, option: str | None, seconds: float
) -> None:
    found = compare(table(f"m,n,k,{name}\n8,8,8,3\n"), mine, dtype="bf16", time=option)
    (row,) = found
    assert row.seconds == pytest.approx(3 * seconds)
    assert found.measured.columns["time"] == name


def test_lists_of_rows(table: Table, mine: sr.Chip) -> None:
    text = HEAD + "".join(f"{CUBE},{time}\n" for time in (40, 10, 100, 15, 20))
    found = compare(table(text), mine, dtype="bf16")
    assert [row.number for row in found.above_rows()] == [2, 4]
    assert [row.number for row in found.farthest_below()] == [3, 1, 5]
    assert [row.number for row in found.above_rows(1)] == [2]
    assert found.above == 2
    document = found.to_dict(rows=3)
    assert [row["row"] for row in document["rows"]] == [2, 4, 3]
    assert len(found.to_dict()["rows"]) == 5


def test_json_has_units(table: Table, mine: sr.Chip) -> None:
    found = compare(table(f"{HEAD}{CUBE},12\n"), mine, dtype="bf16", op="mk,kn->mn")
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    row = document["rows"][0]
    assert row["measured"] == {"value": pytest.approx(1.2e-5), "unit": "s"}
    assert row["performance"]["unit"] == "FLOP/s"
    assert row["intensity"] == {"value": pytest.approx(1000 / 3), "unit": "FLOP/byte"}
    assert row["above_roof"] is True
    assert document["above_roof_by_cause"] == {"sparse peak": 1}
    assert document["columns"] == {"k": "k", "m": "m", "n": "n", "time": "latency_us"}
    json.dumps(found.points[0].to_dict(), allow_nan=False)


def test_compiled_bounds_are_the_exact_ones(table: Table, mine: sr.Chip) -> None:
    rows = np.random.default_rng(1).integers(1, 8192, (40, 3))
    text = HEAD + "".join(f"{m},{n},{k},7\n" for m, n, k in rows)
    for residency in ("cold", "partial"):
        found = compare(table(text), mine, dtype="bf16", residency=residency)
        assert found.parts[0].checked == 8
        graph = sr.load("mk,kn->mn", dtype="bf16")
        whole = sr.analyze(graph, mine, residency=residency)
        for row in list(found)[::7]:
            exact = whole.at(row.dims).time.overlapped.to("s")
            assert row.bound_seconds == pytest.approx(exact, rel=1e-12)


def test_a_library_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr("symroof.extras.import_module", missing)
    with pytest.raises(InputError, match=r"numpy is not installed; pip install .symroof.calibrate"):
        compare(tmp_path / "none.csv", "l40s")


def test_numbers_are_texts_of_columns(table: Table, mine: sr.Chip) -> None:
    path = table(f"{HEAD}{CUBE},40\n{FLAT},4.008\n")
    found = compare(path, mine, dtype="bf16", where={"m": 1000}, columns={"k": 500})
    (row,) = found
    assert row.dims == {"k": 500, "m": 1000, "n": 1000}
    assert str(found).startswith("1 row of C")
    (same,) = compare(path, mine, dtype=sr.dtype("bf16"), where={"m": 1000})
    assert same.bound.to("us") == pytest.approx(20)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"op": 5}, r"^op: expected a name, an einsum or a graph, not int"),
        ({"dtype": 5}, r"^a dtype is named by a text, not int"),
        ({"time": 5}, r"^time: expected a column, as in 'latency_ms', not 5"),
        ({"where": ["m"]}, r"^where: expected texts by name, not list"),
        ({"where": {"m": None}}, r"^where: expected texts by name, not 'None' by 'm'"),
        ({"columns": {3: "m"}}, r"^columns: expected texts by name, not 'm' by '3'"),
    ],
)
def test_options_of_a_wrong_kind_are_one_line(
    table: Table, mine: sr.Chip, options: dict[str, object], said: str
) -> None:
    given = {"dtype": "bf16", **options}
    with pytest.raises(InputError, match=said) as caught:
        compare(table(f"{HEAD}{CUBE},40\n"), mine, **given)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_field_that_is_too_long_is_named_by_its_line(table: Table, mine: sr.Chip) -> None:
    with pytest.raises(InputError, match=r"not CSV: line 2: field larger than field limit"):
        compare(table(f"{HEAD}1,1,{'9' * 200_000},1\n{CUBE},40\n"), mine, dtype="bf16")
