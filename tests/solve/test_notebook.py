"""Answers in notebooks."""

from __future__ import annotations

import pytest

from symroof.solve import Problem, solve
from symroof.solve.notebook import crossover_latex
from symroof.symbolic import parse, symbols

U = symbols("u")
COUNT = {"integer": True, "counts": frozenset({"u"})}


def answer(left, *rights, **known):
    return solve(Problem(parse(left), tuple(parse(right) for right in rights), U, **known))


@pytest.mark.parametrize(
    ("found", "written"),
    [
        (answer("u*n", "u + 5*n"), r"u \ge \frac{5\,n}{n - 1} \quad\text{given }n > 1"),
        (answer("u", "a", "b"), r"u \ge \max(a, b)"),
        (answer("2", "u"), r"u \le 2"),
        (answer("u + 1", "u"), r"\text{always}"),
        (answer("u", "u + 1"), r"\text{never}"),
        (answer("5*u", "u**2 + 6"), r"2 \le u \le 3"),
        (answer("u**2 + 6", "5*u"), r"u \le 2\text{ or }u \ge 3"),
        (answer("2*u", "u**2 + 1"), "u = 1"),
        (answer("u**3", "2"), r"u \ge 1.25992"),
        (answer("5*u", "29", **COUNT), r"u \ge 5.8 \;\rightarrow\; u \ge 6"),
        (answer("29", "5*u", **COUNT), r"u \le 5.8 \;\rightarrow\; u \le 5"),
        (answer("u", "1234567.5", **COUNT), r"u \ge 1\,234\,568"),
        (
            answer("u", "3*r", values={"r": parse("885/3")}, **COUNT).at(),
            r"u \ge 3\,r = 885",
        ),
        (
            answer("3*u", "2*r", values={"r": parse("295")}, **COUNT),
            r"u \ge \frac{2\,r}{3} \approx 196.667 \;\rightarrow\; u \ge 197",
        ),
    ],
)
def test_sentences(found, written):
    made = crossover_latex(found)
    assert made is not None
    assert made.removesuffix(r"\text{, else never}$").removesuffix("$") == (
        rf"$\displaystyle {written}"
    )


def test_cases():
    made = crossover_latex(answer("u*a", "u*b + c - d"))
    assert made is not None
    assert made.startswith(r"$\displaystyle \begin{cases}\displaystyle u ")
    assert made.endswith(r"\end{cases}$")
    assert made.count("&") == made.count(r" \\ ") + 1


def test_shared_parts_are_named_once():
    made = crossover_latex(answer("u**2 + a", "b*u"))
    assert made is not None
    assert made.count(r"\text{where }") == 1
    assert made.count(r"\sqrt{q^{2} - 4\,p\,r}") == 2


def test_many_intervals_are_cut():
    made = crossover_latex(answer("ceil(u/128)*3", "u/50 + 3", **COUNT).at())
    assert made is not None
    assert made.count(r"\text{ or }") <= 6


def test_labels_stand_for_rates():
    made = crossover_latex(answer("u", "ridge.fp16*n"), {"ridge.fp16": "I"})
    assert made == r"$\displaystyle u \ge I\,n$"


def test_what_is_not_solved_is_left_to_the_text():
    assert answer("u**5 + u", "u**3 + a")._repr_latex_() is None
