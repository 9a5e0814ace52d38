from __future__ import annotations

import math

import pytest

from symroof.reports.plots.characters import characters
from symroof.reports.plots.plot import (
    Arrow,
    Axis,
    Bars,
    Chart,
    Line,
    Point,
    Region,
    Role,
    Rule,
    Scale,
)
from symroof.reports.wrapping import width_of
from tests.reports.sample import HOSTILE, bars, chart

SQUARE = Axis("x", "", 0.0, 10.0, Scale.LINEAR), Axis("y", "", 0.0, 10.0, Scale.LINEAR)


def drawn(*marks, height=11) -> list[str]:
    """Return a plot of 40 columns: its rows, then its axis and legend."""
    return characters(Chart("", "", *SQUARE, marks), 40, height)


def rows(lines: list[str]) -> list[str]:
    """Return what is drawn to the right of the axis."""
    return [
        line.split("┤" if "┤" in line else "│", 1)[1] for line in lines if set(line) & set("┤│")
    ]


def test_points_stand_where_they_are():
    lines = drawn(Point(0, 0, "low"), Point(10, 10, "high"), Point(5, 5, "middle"))
    field = rows(lines)
    assert field[-1][0] == "A"
    assert (field[0].index("B"), len(field[0])) == (35, 36)
    assert field[5].index("C") == 18
    assert [line.strip() for line in lines[-3:]] == [
        "A low (0, 0)",
        "B high (10, 10)",
        "C middle (5, 5)",
    ]


def test_points_in_one_place_share_a_letter_and_those_outside_are_named():
    many = [Point(5, 5, f"op{i}") for i in range(5)]
    lines = [line.strip() for line in drawn(*many, Point(11, 5, "far"), Point(math.inf, 1, "off"))]
    assert lines[-6:] == [
        "A op0 (5, 5)",
        "A op1 (5, 5)",
        "A op2 (5, 5)",
        "A and 2 more",
        "- far (11, 5); outside",
        "- off (∞, 1); outside",
    ]


def test_more_points_than_letters():
    lines = drawn(*(Point(i % 10, i // 10, f"op{i}") for i in range(80)))
    assert "Z op25 (5, 2)" in [line.strip() for line in lines]
    assert lines[-1].strip() == "• and 51 more"
    assert sum(row.count("•") for row in rows(lines)) == 54


def test_lines_are_drawn_from_end_to_end_and_carry_their_figure():
    lines = drawn(Line(((0, 0), (10, 10)), "rising", Role.ROOF), Line(((0, 5), (10, 5)), "level"))
    field = rows(lines)
    assert field[-1][0] != " "
    assert field[0][35] != " "
    assert all(cell != " " for cell in field[5].ljust(36))
    assert sum(row.count("1") + row.count("2") for row in field) == 2
    assert [line.strip() for line in lines[-2:]] == ["1 rising", "2 level"]


def test_lines_are_cut_at_the_edges():
    field = rows(drawn(Line(((-100, 5), (100, 5)), ""), Line(((5, math.nan), (6, math.inf)), "")))
    assert all(not row.strip() for at, row in enumerate(field) if at != 5)
    assert field[5].strip() == field[5]
    assert rows(drawn(Line(((20, 20), (30, 30)), "outside")))[5].strip() == ""


def test_rules_regions_and_arrows():
    marks = (
        Region(((0, 0), (5, 0), (5, 10), (0, 10)), "left"),
        Region(((5, 0), (10, 0), (10, 10), (5, 10)), "a name too long for its place"),
        Rule(5, "half"),
        Rule(20, "outside"),
        Arrow((6, 2), (6, 8), "up"),
    )
    lines = drawn(*marks)
    field = rows(lines)
    assert all(row[18] == "┊" for row in field)
    assert any("left" in row[:18] for row in field)
    assert "".join(field).count("↑") == 1
    said = " ".join(" ".join(lines[-4:]).split())
    assert said == "┊ half ↑ up region: a name too long for its place"


def test_logarithmic_axes_have_decades_evenly_apart():
    axes = Axis("x", "", 1.0, 10_000.0), Axis("y", "FLOP/s", 1e12, 1e14)
    lines = characters(
        Chart("", "", *axes, (Point(100, 1e13, "middle"), Point(0, 0, "none"))), 48, 11
    )
    assert lines[0] == "y (FLOP/s)"
    field = rows(lines)
    assert field[5].index("A") == 20  # of 42 columns
    assert [line.split()[0] for line in lines if "┤" in line] == ["100T", "10T", "1T"]
    assert lines[13].split() == ["1", "10", "100", "1k", "10k"]


@pytest.mark.parametrize("width", [10, 40, 60, 76, 200])
def test_nothing_is_wider_than_the_page(width):
    for plot in (chart(), bars()):
        assert max(map(width_of, characters(plot, width))) <= max(40, min(width, 76))


def test_bars_are_as_long_as_their_parts():
    axis = Axis("time", "µs", 0.0, 10.0, Scale.LINEAR)
    named = (("one", (5.0, 2.5)), ("x" * 50, (0.0, 10.0)), ("none", (0.0, 0.0)), ("bit", (1e-9, 0)))
    one, long, none, bit = characters(Bars("", "", axis, named, ("a", "b")), 76)[1:5]
    whole = long.count("▒")
    assert one.count("█") == round(whole / 2)
    assert abs(one.count("▒") - whole / 4) <= 1
    assert "…" in long
    assert none.split() == ["none", "0", "s"]
    assert bit.split()[:2] == ["bit", "▏"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_come_out_inert(name):
    text = HOSTILE[name]
    marks = (
        Point(1, 1, text, detail=text),
        Line(((0, 0), (9, 9)), text),
        Rule(2, text),
        Region(((0, 0), (10, 0), (10, 10)), text),
        Arrow((1, 1), (2, 3), text),
    )
    axis = Axis(text, text, 0.0, 10.0, Scale.LINEAR)
    for plot in (
        Chart(text, text, axis, axis, marks),
        Bars(text, text, axis, ((text, (1.0,)),), (text,)),
    ):
        assert "".join(characters(plot)).isprintable()
