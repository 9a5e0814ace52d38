"""Areas and curves from columns."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from symroof.reports.plots.columns import Column, Columns, Trace, pair_name, traces

ENDS = (Fraction(1), Fraction(10**4))


def under(y: float, x: Fraction) -> Column:
    """A column with the map cut at y: "low" below, "high" above."""
    low, high = 1.0, 1e4
    if y <= low:
        return Column(float(x), (low, high), ("high",))
    if y >= high:
        return Column(float(x), (low, high), ("low",))
    return Column(float(x), (low, y, high), ("low", "high"))


def test_a_straight_edge_needs_few_columns_and_a_bent_one_more() -> None:
    straight = Columns(lambda x: under(2 * float(x) ** 0.5, x), ENDS, ENDS).all()
    bent = Columns(lambda x: under(3000 * float(x) / (float(x) + 300) + 2, x), ENDS, ENDS).all()
    assert len(straight) < len(bent) <= 260


def test_between_columns_the_edge_is_close_to_the_curve() -> None:
    def height(x: float) -> float:
        return 3000 * x / (x + 300) + 2

    found = Columns(lambda x: under(height(float(x)), x), ENDS, ENDS).all()
    for a, b in pairwise(found):
        middle = math.sqrt(a.x * b.x)
        drawn = math.sqrt(a.edges[1] * b.edges[1])
        assert abs(math.log(drawn / height(middle))) < 0.002 * math.log(1e4)


def test_where_an_edge_leaves_the_map_is_found_closely() -> None:
    # y = x^2 leaves at the top at x = 100.
    areas, curves = traces(Columns(lambda x: under(float(x) ** 2, x), ENDS, ENDS).all())
    assert sorted(area.label for area in areas) == ["high", "low"]
    (line,) = curves
    assert line.label == "high = low"
    assert line.lower[-1][0] == pytest.approx(100, rel=2e-3)


def test_a_wall_is_a_line_straight_up() -> None:
    def wall(x: Fraction) -> Column:
        return Column(float(x), (1.0, 1e4), ("left",) if x < 50 else ("right",))

    areas, (line,) = traces(Columns(wall, ENDS, ENDS).all())
    assert line.upright
    assert line.lower[0][1] == 1.0
    assert line.lower[1][1] == 1e4
    assert line.lower[0][0] == pytest.approx(50, rel=2e-3)
    assert [area.label for area in areas] == ["left", "right"]
    # Nothing is left out between the two, and they do not overlap.
    assert areas[0].lower[-1][0] == areas[1].lower[0][0]


def test_whole_numbers_only() -> None:
    made = Columns(lambda x: under(float(x) ** 2, x), ENDS, ENDS, whole=True).all()
    assert all(column.x == int(column.x) for column in made)
    xs = [column.x for column in made]
    assert xs == sorted(set(xs))


def test_the_work_has_a_limit() -> None:
    asked = []

    def noisy(x: Fraction) -> Column:
        asked.append(x)
        label = "ab"[int(float(x) * 1e6) % 2]
        return Column(float(x), (1.0, 1e4), (label,))

    Columns(noisy, ENDS, ENDS, most=50).all()
    assert len(asked) <= 17 + 50


def test_areas_split_and_join() -> None:
    columns = [
        Column(1.0, (1.0, 100.0), ("a",)),
        Column(2.0, (1.0, 10.0, 20.0, 100.0), ("a", "b", "a")),
        Column(4.0, (1.0, 100.0), ("a",)),
    ]
    areas, _ = traces(columns)
    whole = math.log10(4) * 2
    assert sum(area.size for area in areas) == pytest.approx(whole, rel=1e-9)


def test_names_and_turning() -> None:
    assert pair_name("network", "compute") == "compute = network"
    area = Trace("a", [(1.0, 1.0), (10.0, 1.0)], [(1.0, 100.0), (10.0, 100.0)])
    assert area.size == pytest.approx(2.0)
    assert area.turned().size == pytest.approx(2.0)
    assert area.turned().outline[0] == (1.0, 1.0)
