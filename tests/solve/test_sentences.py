from __future__ import annotations

from sympy import Rational

from symroof.solve import Problem, Sentence, solve
from symroof.symbolic import parse, symbol, symbols


def test_parts() -> None:
    assert str(Sentence("never")) == "never"
    assert str(Sentence("u ≥ 3", "a > b", "never")) == "u ≥ 3   given a > b, else never"


def said(left: str, right: str, *, integer: bool = True, **values: object) -> str:
    counts = frozenset({"u"}) if integer else frozenset[str]()
    problem = Problem(parse(left), (parse(right),), symbol("u"), counts, integer=integer)
    return str(solve(problem).at(**values))


def test_sentences_of_numbers() -> None:
    assert said("3*u", "10") == "u ≥ 3.33333 → u ≥ 4"
    assert said("3*u", "12") == "u ≥ 4"
    assert said("3*u", "10", integer=False) == "u ≥ 3.33333"
    assert said("10", "3*u") == "u ≤ 3.33333 → u ≤ 3"
    assert said("7*u", "u**2 + 10") == "2 ≤ u ≤ 5"
    assert said("u**2 + 10", "7*u") == "u ≤ 2 or u ≥ 5"
    assert said("u**2 + 11", "7*u") == "u ≤ 2.38197 or u ≥ 4.61803 → u ≤ 2 or u ≥ 5"
    assert said("4*u", "u**2 + 4") == "u = 2"
    assert said("u", "u + 1") == "never"
    assert said("u + 1", "u") == "always"


def test_a_set_without_whole_numbers() -> None:
    # 2.25 <= u <= 2.75
    assert said("5*u", "u**2 + 99/16") == "2.25 ≤ u ≤ 2.75 → no whole number"


def test_intervals_are_listed() -> None:
    assert said("ceil(u/2)", "u/2 + 1/2") == "u in 1, 3, 5, 7, 9, 11, 13, 15, …"
    assert said("ceil(u/4)", "u/3") == "u in 1–3, 5–6, 9"
    assert said("ceil(u/4)", "u/3", integer=False) == "u ≤ 3 or 4 < u ≤ 6 or 8 < u ≤ 9"


def test_the_formula_stays_in_the_rates() -> None:
    u, rate = symbols("u"), symbol("ridge.bf16")
    problem = Problem(
        2 * u, (rate,), u, frozenset({"u"}), {"ridge.bf16": Rational(9)}, integer=True
    )
    assert str(solve(problem).sentence({"ridge.bf16": "I"})) == "u ≥ I/2 = 4.5 → u ≥ 5"


def test_cases() -> None:
    assert said("a*u + b", "c*u + d") == (
        "u ≤ (b − d) / (c − a) if c > a and b ≥ d; "
        "u ≥ (d − b) / (a − c) if a > c and d > b; "
        "always if a ≥ c and b ≥ d; else never"
    )
    assert said("a", "b") == "always if a ≥ b; else never"


def test_open_ends() -> None:
    # ceil(u/4) = 3 from just above 8 on; 1/(u - 3) > 0 above 3 only.
    assert said("ceil(u/4)", "3") == "u > 8 → u ≥ 9"
    assert said("1/(u - 3)", "0") == "u > 3 → u ≥ 4"
    assert said("1/(5 - u)", "0") == "u < 5 → u ≤ 4"
    assert said("1/(u - 3)", "-1") == "u ≤ 2 or u > 3 → u ≤ 2 or u ≥ 4"
    assert said("min(1/(u - 3), 1/(9 - u))", "0") == "3 < u < 9 → 4 ≤ u ≤ 8"


def test_an_open_end_is_written_once() -> None:
    u = symbol("u")
    problem = Problem(
        parse("r*ceil(u/17)"),
        (parse("3*r"),),
        u,
        frozenset({"u"}),
        {"r": Rational(5)},
        integer=True,
    )
    assert str(solve(problem)) == "u > 34 → u ≥ 35"


def test_whole_numbers_found_by_bounds() -> None:
    assert said("log2(u + 7)", "5") == "u ≥ 25"


def test_not_solved_is_said_once() -> None:
    assert said("u**u", "100").count("not solved") == 1
