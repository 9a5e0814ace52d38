from __future__ import annotations

import pytest

from symroof.reports.wrapping import formula_lines, tied, tied_formula, width_of, wrapped


@pytest.mark.parametrize("width", [1, 7, 20, 33])
def test_words_are_broken_at_spaces_alone_and_none_is_lost(width):
    text = "Each op reads its inputs once; an-unusually-long-word/with.joints and 行列 too"
    lines = wrapped(text, width, "> ", "  ")
    assert " ".join(line[2:] for line in lines) == text
    assert all(width_of(line) <= width or " " not in line[2:] for line in lines)


def test_lines_are_as_full_as_they_can_be():
    assert wrapped("aa bb cc dd", 5) == ["aa bb", "cc dd"]
    assert wrapped("行列 行列", 8) == ["行列", "行列"]
    assert wrapped("行列 行列", 9) == ["行列 行列"]
    assert wrapped("", 5, "- ") == ["- "]


def test_what_is_tied_stays_together_and_prints_as_a_plain_space():
    assert wrapped(f"takes {tied('10.3 µs')} now", 12) == ["takes", "10.3 µs now"]
    assert wrapped(tied_formula("m = a + b"), 6) == ["m = a", "+ b"]


LONG = "2·(m·n + m·k + n·k)/(3350·10⁹) + max(t_compute, t_memory) − 12345·⌈log₂(P)⌉·2/3"


@pytest.mark.parametrize("width", range(1, 90, 4))
def test_formulas_are_never_broken_in_a_name_or_a_number(width):
    lines = formula_lines(LONG, width)
    assert "".join(lines).replace(" ", "") == LONG.replace(" ", "")
    for name in ("t_compute", "t_memory", "log₂", "3350·10⁹", "12345", "2/3"):
        assert any(name in line for line in lines)
    assert all(line[-1] not in "+−·=" for line in lines)


def test_formulas_are_broken_at_the_outermost_sign_that_leaves_no_line_empty():
    assert formula_lines(LONG, 40) == [
        "2·(m·n + m·k + n·k)/(3350·10⁹)",
        "+ max(t_compute, t_memory)",
        "− 12345·⌈log₂(P)⌉·2/3",
    ]
    assert formula_lines("S < (a − b) / (2·a), where a = B·S, b = c", 24) == [
        "S < (a − b) / (2·a),",
        "where a = B·S, b = c",
    ]


def test_a_formula_without_a_place_to_end_sticks_out():
    assert formula_lines("x" * 50, 10) == ["x" * 50]
    assert formula_lines("x" * 50 + " + y", 10) == ["x" * 50, "+ y"]


def test_a_formula_of_thousands_of_terms_is_quick():
    text = " + ".join(f"a{i}·b" for i in range(5000))
    lines = formula_lines(text, 70)
    assert " ".join(lines) == text
    assert max(map(len, lines)) <= 70
