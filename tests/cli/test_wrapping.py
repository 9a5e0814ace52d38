"""Lines end before operators, outer ones first; numbers keep their units; nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.cli.wrapping import columns, reflow, wrap

TIME = "2·B·S·(D·(2·H·d + 2·d·Hkv + 3·F + 5) + H·d·(S + 1) + F) = 1.9245 TFLOP"
INTENSITY = "B·S·(S·H·d + 2·D·H·d + F) / (4·B·S·H·d + 2·D) = 910.37 FLOP/byte"
GIVEN = "F·(3·D + 1) > I·(3·D·n + 8·F) and F·D + 2·D·I_link ≥ 2·D·n·I_link, else never"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        (TIME, 67, [TIME.partition(" = ")[0], "= 1.9245 TFLOP"]),
        (
            INTENSITY,
            36,
            ["B·S·(S·H·d + 2·D·H·d + F)", "/ (4·B·S·H·d + 2·D)", "= 910.37 FLOP/byte"],
        ),
        (
            GIVEN,
            56,
            ["F·(3·D + 1) > I·(3·D·n + 8·F) and F·D + 2·D·I_link", "≥ 2·D·n·I_link, else never"],
        ),
        ("if and only if B ≥ 3·D·F·I", 20, ["if and only if", "B ≥ 3·D·F·I"]),
        ("alpha_beta·gamma_delta", 12, ["alpha_beta", "·gamma_delta"]),
        ("at most 989 TFLOP/s", 12, ["at most", "989 TFLOP/s"]),
        ("words of a sentence", 10, ["words of a", "sentence"]),
        ("行列行列", 4, ["行列", "行列"]),
        ("", 10, [""]),
    ],
)
def test_lines_end_where_the_text_is_loosest(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


WORDS = st.text(st.sampled_from("ab_1·/()+−= ≥,⌈⌉行"), max_size=80)


@given(WORDS, st.integers(2, 30))
def test_nothing_is_lost_and_no_line_is_too_wide(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(columns(line.strip()) <= width for line in lines)


def test_names_are_whole_while_they_fit() -> None:
    names = re.findall(r"\w+", TIME)
    for width in range(12, 70):
        assert re.findall(r"\w+", " ".join(wrap(TIME, width))) == names


def test_a_long_formula_is_wrapped_at_once() -> None:
    text = " + ".join(f"a{i}·(b{i} − c{i})" for i in range(2000))
    assert all(len(line) <= 80 for line in wrap(text, 80))
    assert len(wrap("x" * 10_000, 80)) == 125


def test_docstrings_keep_sections_and_code() -> None:
    doc = (
        "Sum of\ntwo.\n\nParameters\n----------\na : int\n    One that is\n    long.\n"
        "- item\n- item\n\n>>> f(1,\n...   2)\n3\n\nEnd."
    )
    assert reflow(doc, 14) == [
        "Sum of two.",
        "",
        "Parameters",
        "----------",
        "a : int",
        "    One that",
        "    is long.",
        "- item",
        "- item",
        "",
        ">>> f(1,",
        "...   2)",
        "3",
        "",
        "End.",
    ]
