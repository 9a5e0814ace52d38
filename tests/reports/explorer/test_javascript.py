"""Formulas as JavaScript: what they look like, and what is refused."""

from __future__ import annotations

import pytest
from sympy import Function, Piecewise, Symbol, sin

from symroof.errors import InputError
from symroof.reports.explorer.javascript import exact_code, float_code
from symroof.symbolic import parse

PLACES = {"m": 0, "n": 1, "peak.fp16": 2}


@pytest.mark.parametrize(
    ("text", "floats", "exact"),
    [
        ("m", "v[0]", "v[0]"),
        ("2*m/peak.fp16", "2*v[0]/v[2]", "div(mul(q(2n),v[0]),v[2])"),
        ("1/m", "1/v[0]", "div(q(1n),v[0])"),
        ("ceil(m/128)", "Math.ceil(v[0]/128)", "ceil(mul(q(1n,128n),v[0]))"),
        ("floor(n)", "Math.floor(v[1])", "floor(v[1])"),
        ("sqrt(m)", "Math.sqrt(v[0])", "pow(v[0],q(1n,2n))"),
        ("m**n", "Math.pow(v[0], v[1])", "pow(v[0],v[1])"),
        ("log2(m)", "Math.log2(v[0])", "log2(v[0])"),
        ("max(m, 3)", "Math.max(3, v[0])", "max(q(3n),v[0])"),
        ("min(m, n)", "Math.min(v[0], v[1])", "min(v[0],v[1])"),
        ("5*m*n/3", "5*v[0]*v[1]/3", "mul(q(5n,3n),v[0],v[1])"),
        ("(m + 1)/3", "v[0]/3 + 1/3", "add(q(1n,3n),mul(q(1n,3n),v[0]))"),
        ("2**60", "1.152921504606847e+18", "q(1152921504606846976n)"),
    ],
)
def test_forms(text: str, floats: str, exact: str) -> None:
    expr = parse(text)
    assert float_code(expr, PLACES) == floats
    assert exact_code(expr, PLACES) == exact


def test_no_name_gets_into_the_code() -> None:
    names = ["alert(1)//", "</script>", "constructor", "`${x}`", "v[0]", "λ"]
    places = {name: at for at, name in enumerate(names)}
    total = sum(Symbol(name, positive=True) for name in names)
    for code in (float_code(total, places), exact_code(total, places)):
        assert set(code) <= set("v[]0123456789 +ad(,)")


def test_what_has_no_form_is_refused() -> None:
    m = Symbol("m")
    for expr in (sin(m), Piecewise((1, m > 1), (2, True)), Function("alert")(m)):
        with pytest.raises(InputError, match="no JavaScript form"):
            exact_code(expr, PLACES)
    with pytest.raises(InputError, match="no JavaScript form"):
        float_code(Function("alert")(m), PLACES)


def test_a_name_without_a_place_is_refused() -> None:
    with pytest.raises(InputError, match="q has no value on the page"):
        float_code(parse("q + 1"), PLACES)
