"""Quantities in notebooks."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from sympy import oo, sqrt

from symroof.symbolic import bind, symbols
from symroof.symbolic.parser import parse
from symroof.units import EMPTY, Quantity, Scope
from symroof.units.notebook import amount_latex, formula_latex, quantity_html, quantity_latex

from ..property.formulas import formulas

M, N = symbols("M N")
KNOWN = Scope(values={"bw.hbm": parse("3350000000000"), "peak.fp16": parse("989000000000000")})


@pytest.mark.parametrize(
    ("quantity", "written"),
    [
        (Quantity(2 * M * N, "FLOP"), r"2\,M\,N\ \mathrm{FLOP}"),
        (Quantity(2 * M + N, "byte"), r"(2\,M + N)\ \mathrm{byte}"),
        (Quantity(2 * M + N), r"2\,M + N"),
        (Quantity(M + 1 / N, "s"), r"\left(M + \frac{1}{N}\right)\ \mathrm{s}"),
        (Quantity("3.35 TB/s"), r"3\,350\,000\,000\,000\ \mathrm{byte/s} = 3.35\ \mathrm{TB/s}"),
        (
            Quantity("19780/67 FLOP/byte"),
            r"\frac{19\,780}{67}\ \mathrm{FLOP/byte} \approx 295\ \mathrm{FLOP/byte}",
        ),
        (Quantity("10240 byte"), r"10\,240\ \mathrm{byte} \approx 10.2\ \mathrm{kB}"),
        (Quantity("5 s"), r"5\ \mathrm{s}"),
        (Quantity("-3 byte"), r"-3\ \mathrm{byte}"),
        (Quantity("64"), "64"),
        (Quantity(0, "s"), r"0\ \mathrm{s}"),
        (Quantity(oo, "FLOP/byte"), r"\infty\ \mathrm{FLOP/byte}"),
        (Quantity(sqrt(2), "s"), r"\sqrt{2}\ \mathrm{s} \approx 1.41\ \mathrm{s}"),
        (Quantity(2, "byte**2"), r"2\ \mathrm{byte}^{2}"),
        (
            Quantity.of(parse("67/bw.hbm"), "s", KNOWN),
            r"\frac{67}{\mathrm{bw}_{\mathrm{hbm}}}\ \mathrm{s} = 20\ \mathrm{ps}",
        ),
        (
            Quantity.of(parse("M/bw.hbm"), "s", KNOWN),
            r"\frac{M}{\mathrm{bw}_{\mathrm{hbm}}}\ \mathrm{s}",
        ),
    ],
)
def test_quantities(quantity, written):
    assert quantity._repr_latex_() == rf"$\displaystyle {written}$"


def test_what_nobody_would_read_is_left_to_the_text():
    many = Quantity(sum(M**i for i in range(400)), "FLOP")
    assert many._repr_latex_() is None
    assert quantity_html(many) == "(a long formula) FLOP"


def test_long_numbers_are_rounded():
    made = quantity_latex(Quantity(10**5000 + 7, "FLOP"))
    assert made is None or len(made) < 200


@given(formulas())
def test_no_formula_is_an_error(expr):
    made = quantity_latex(Quantity.of(expr, "byte", EMPTY))
    assert made is None or made.startswith(r"$\displaystyle ")


def test_html_has_the_labels_and_the_order_asked_for():
    q = Quantity.of(parse("2*M*N/bw.hbm"), "s")
    page = quantity_html(q, {"bw.hbm": "β"}, ("N", "M"))
    math = ElementTree.fromstring(page)
    assert [node.text for node in math.iter() if node.tag.endswith("}mi")] == ["N", "M", "β", "s"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("12.4 µs", r"12.4\ \mathrm{{\mu}s}"),
        ("1.2e+15", r"1.2 \times 10^{15}"),
        ("3.3e-05 s", r"3.3 \times 10^{-5}\ \mathrm{s}"),
        ("10,240", r"10\,240"),
        ("-∞ s", r"-\infty\ \mathrm{s}"),
        ("(a long formula) s", r"\mathrm{(a\ long\ formula)\ s}"),
    ],
)
def test_amounts(text, written):
    assert amount_latex(text) == written


def test_formulas_keep_their_value():
    assert formula_latex(bind(M * N, {"N": 3}), "byte") == r"3\,M\ \mathrm{byte}"
    assert formula_latex(parse("beta*bw.hbm"), labels={"bw.hbm": "β"}) == (
        r"\beta \cdot \mathrm{beta}"
    )
