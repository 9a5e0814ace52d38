from __future__ import annotations

import math
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.reports.plots.geometry import (
    Box,
    Plate,
    area_holds,
    clip_area,
    clip_line,
    clip_segment,
    distance,
    thinned,
)
from symroof.reports.plots.plot import Place
from symroof.reports.plots.text import shown, width, wrap

BOX = Box(0.0, 0.0, 10.0, 6.0)
STEPS = [step / 12 for step in range(13)]
coordinate = st.floats(-20, 20)
place = st.tuples(coordinate, coordinate)
plates = st.builds(Plate, place, st.floats(0.5, 12), st.floats(0.5, 4), st.floats(-90, 90))


def inside(plate: Plate) -> list[Place]:
    """Places all over a plate, in from its edge a little."""
    (ax, ay), (bx, by), _, (dx, dy) = plate.corners
    spread = [0.001 + 0.998 * step for step in STEPS]
    return [
        (ax + u * (bx - ax) + v * (dx - ax), ay + u * (by - ay) + v * (dy - ay))
        for u, v in product(spread, spread)
    ]


@given(plates, plates)
def test_plates_that_share_a_place_overlap(one: Plate, other: Plate) -> None:
    assert one.overlaps(other) == other.overlaps(one)
    if any(other.near(spot, 1e-12) for spot in inside(one)):
        assert one.overlaps(other)


@given(plates, plates)
def test_plates_that_overlap_are_near_each_other(one: Plate, other: Plate) -> None:
    if one.overlaps(other):
        fine = max(one.half_width, one.half_height) / 6
        assert any(other.near(spot, fine) for spot in inside(one))


@given(place, st.floats(0.5, 12), st.floats(0.5, 4), st.floats(-90, 90), place, place)
def test_a_line_through_a_plate_crosses_it(
    centre: Place, wide: float, high: float, angle: float, start: Place, end: Place
) -> None:
    plate, inner = (Plate(centre, wide - by, high - by, angle) for by in (0.0, 1e-6))
    spots = [
        (start[0] + step * (end[0] - start[0]), start[1] + step * (end[1] - start[1]))
        for step in STEPS
    ]
    if any(inner.near(spot, 1e-12) for spot in spots):
        assert plate.crossed(start, end)


@given(place, place)
def test_what_is_clipped_is_in_the_box_and_on_the_line(start: Place, end: Place) -> None:
    part = clip_segment(start, end, BOX)
    spots = [
        (start[0] + step * (end[0] - start[0]), start[1] + step * (end[1] - start[1]))
        for step in STEPS
    ]
    if part is None:
        assert not any(BOX.holds(spot, -1e-9) for spot in spots)
        return
    for spot in part:
        assert BOX.holds(spot, 1e-6)
        assert distance(spot, start, end) < 1e-6
    for spot in spots:
        if BOX.holds(spot, -1e-6):
            assert distance(spot, *part) < 1e-6


@given(st.lists(place, min_size=3, max_size=3))
def test_an_area_in_a_box_holds_what_both_hold(corners: list[Place]) -> None:
    part = clip_area(corners, BOX)
    for x, y in product([0.31, 2.7, 5.3, 9.1], [0.41, 3.3, 5.7]):
        edges = [*zip(corners, (*corners[1:], corners[0]), strict=True)]
        if min(distance((x, y), *edge) for edge in edges) > 1e-6:
            assert area_holds(part, (x, y)) == area_holds(corners, (x, y))


def test_a_line_that_leaves_and_returns_has_two_pieces() -> None:
    pieces = clip_line([(1, 1), (1, 9), (5, 9), (5, 1)], BOX)
    assert pieces == (((1.0, 1.0), (1.0, 6.0)), ((5.0, 6.0), (5.0, 1.0)))


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=40), st.floats(0.01, 2))
def test_a_thinned_line_stays_near(heights: list[float], tolerance: float) -> None:
    line = list(enumerate(heights))
    kept = thinned(line, tolerance)
    assert kept[0] == line[0]
    assert kept[-1] == line[-1]
    for spot in line:
        pairs = pairwise(kept)
        assert min(distance(spot, a, b) for a, b in pairs) <= tolerance + 1e-9


LETTERS = st.characters(min_codepoint=32, max_codepoint=126) | st.sampled_from("βπλµ·×≥≤−…→∞²³éÄß")


@given(st.text(LETTERS, max_size=30), st.booleans())
def test_words_are_no_wider_than_they_are_taken_for(text: str, bold: bool) -> None:
    manager = pytest.importorskip("matplotlib.font_manager")
    ft2font = pytest.importorskip("matplotlib.ft2font")
    weight = "bold" if bold else "normal"
    found = manager.findfont(manager.FontProperties(family="DejaVu Sans", weight=weight))
    font = ft2font.FT2Font(found)
    font.set_size(1000, 72)
    flags = ft2font.LoadFlags.NO_HINTING
    real = sum(font.load_char(ord(c), flags=flags).linearHoriAdvance / 65536 for c in text)
    taken = width(text, 1000, bold)
    assert 0.97 * real - 30 <= taken <= 1.35 * real + 120


def test_names_cannot_turn_what_is_around_them() -> None:
    assert shown("a\u202eb\u2066c\x07\ud800") == "a[U+202E]b[U+2066]c[U+0007][U+D800]"
    assert shown("e" + "\u0301" * 50) == "e\u0301\u0301"
    assert len(shown("\u202e" * 10_000)) <= 60
    assert math.isclose(width("e\u0301", 10), width("e", 10))


def test_a_title_is_wrapped_to_its_room() -> None:
    lines = wrap("W" * 100 + " and the rest of it, with D = 4096", 200, 12, 3, bold=True)
    assert len(lines) == 3
    assert all(width(line, 12, bold=True) <= 200 for line in lines)
    assert not any(line.endswith("=") for line in lines)
