"""Ends of crossovers as marks."""

from __future__ import annotations

import math

import symroof as sr
from symroof.reports.plots.axes import sweep
from symroof.reports.plots.crossings import answers, bands, crossover_ends, rules, shaded
from symroof.roofline import region


def test_a_lower_and_an_upper_end_name_the_integers_inside() -> None:
    # 2 B (B - 10) <= -32, so 2 <= B <= 8; and at 41/5 the last one inside is 8.
    both = crossover_ends(region("20*B", "2*B**2 + 32", "B"))
    assert [(end.at, end.label) for end in both] == [(2.0, "B = 2"), (8.0, "B = 8")]
    (upper,) = crossover_ends(region("41", "5*B", "B"))
    assert (upper.at, upper.label) == (8.2, "B = 8")
    (lower,) = crossover_ends(region("5*B", "41", "B"))
    assert lower.label == "B = 9"


def test_an_irrational_end() -> None:
    (end,) = crossover_ends(region("B**2", "2*10**6", "B"))
    assert math.isclose(end.at, 1000 * math.sqrt(2))
    assert end.label == "B = 1415"


def test_ends_below_one_are_none_of_a_count() -> None:
    assert crossover_ends(region("B", "1/2", "B")) == []


def test_a_rate_is_labelled_with_its_unit() -> None:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=512, n=4096, k=4096)
    (end,) = crossover_ends(r.crossover("bw"))
    # 989e12 / (512*4096*4096/(2*512*4096 + 4096**2)) = 989e12/409.6
    assert math.isclose(end.at, 989e12 / 409.6)
    assert end.label == "2.41 TB/s"


def test_whole_numbers_alone_stand_for_what_is_nearest() -> None:
    answer = region("B - 10", "7*(3/4)**B", "B")
    if answer.real is None:
        ((low, high),) = bands(answer)
        assert low == answer.first - 0.5  # type: ignore[operator]
        assert high == math.inf


def test_bands_cover_the_axis_and_name_each_term_once() -> None:
    g = sr.load("tensor-parallel-mlp")
    r = sr.analyze(g, "h100-sxm").at(B=64, D=4096, F=14336)
    found = answers(sweep("times", r, "n"))
    regions = shaded(found, (1, 256), (1.0, 2.0))
    assert sorted(region.label for region in regions) == ["memory-bound", "network-bound"]
    widths = [region.corners[1][0] / region.corners[0][0] for region in regions]
    assert math.isclose(math.prod(widths), 256)


def test_no_more_rules_than_one_can_read() -> None:
    from symroof.reports.plots.crossings import End

    assert len(rules([End(float(i), f"B = {i}") for i in range(1, 40)])) == 6
