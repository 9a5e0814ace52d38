"""Names: every one is a plain symbol, and two names are one dim only when somebody says so."""

from __future__ import annotations

import builtins
import keyword
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import Symbol

import symroof as sr
from symroof import ops
from symroof.symbolic import adopt, parse, to_text

# --- B48: names that mean something elsewhere ---------------------------------------------------

TAKEN = sorted(
    name
    for name in {
        *dir(sympy),
        *dir(builtins),
        *keyword.kwlist,
        *["test", "ff", "rf", "re", "im", "deg", "div", "Max"],
    }
    if name.isidentifier()
)


def names_in(expr: Any) -> list[str]:
    return sorted(symbol.name for symbol in expr.free_symbols)


def test_b48_formulas_hold_the_names_that_are_written(answer: Any) -> None:
    assert names_in(parse("4*(N-1)*B*D*S*L/NetBW")) == answer["first_free_symbols"]
    assert names_in(parse("beta*Q+I")) == answer["third_free_symbols"]
    assert names_in(parse("lambda*B")) == answer["fourth_free_symbols"]
    assert names_in(parse("gamma+zeta+pi")) == answer["fifth_free_symbols"]
    found = parse("2*E*F")
    assert names_in(found) == ["E", "F"]
    bound = sr.Quantity(found, "").at(E=8, F=3)
    assert bound.value == answer["second"]
    assert bound.value != answer["second_wrong"]
    assert float(bound.value) != pytest.approx(float(answer["second_wrong"]))


@pytest.mark.parametrize("first", sorted({name[0] for name in TAKEN}))
def test_b48_no_name_of_sympy_or_python_is_special(first: str) -> None:
    """Every name those two know, as a symbol, in a formula, bound and printed again."""
    for name in (name for name in TAKEN if name[0] == first):
        alone = parse(name)
        assert isinstance(alone, Symbol), name
        assert alone == sr.symbols(name)
        formula = parse(f"2*{name}*other + {name}**2")
        assert names_in(formula) == sorted([name, "other"])
        assert parse(to_text(formula)) == formula
        assert sr.Quantity(formula, "").at({name: 3, "other": 5}).value == 39


@pytest.mark.parametrize("name", ["S", "N", "E", "I", "Q", "O", "pi", "lambda", "beta", "oo"])
def test_b48_names_are_dims_of_graphs_and_unknowns(name: str, h100: sr.Chip) -> None:
    g = sr.Graph("g")
    g.input("x", (name, 4096), "bf16") @ g.weight("w", (4096, 4096), "bf16")
    assert g.flops == sr.Quantity(f"33554432*{name}", "FLOP")
    assert g.flops.at({name: 2}).value == 2**26
    x = sr.analyze(g, h100).crossover(name)
    assert x.name == name
    assert x.first == 345
    assert str(x).startswith(name)


@pytest.mark.parametrize("name", ["S", "N", "E", "I", "Q", "O", "pi", "lambda", "beta", "test"])
def test_b48_names_are_dims_of_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / "algorithm.toml"
    path.write_text(
        'schema_version = 1\nname = "squares"\ndtype = "fp16"\n'
        f'[symbols]\n{name} = {{ meaning = "rows", default = 3 }}\n'
        f'[tensors]\nx = {{ shape = ["{name}", "2*{name}"] }}\n'
        '[[ops]]\nop = "square"\nname = "y"\ninputs = ["x"]\n',
        encoding="utf-8",
    )
    g = sr.load(path)
    assert g.flops == sr.Quantity(f"2*{name}**2", "FLOP")
    assert g.flops.at({name: 3}).value == 18


@pytest.mark.parametrize("word", ["nan", "NaN", "inf", "None", "True"])
def test_b48_words_for_no_number_are_no_dims(word: str) -> None:
    """Left by a table or a config, they are refused; never a number, never a dim by accident."""
    with pytest.raises(sr.SymroofError, match=word):
        sr.Graph("g").input("x", (word, 4096), "bf16")


def test_b48_incoming_symbols_are_taken_by_name() -> None:
    """A symbol made elsewhere, with other assumptions, is the one of that name here."""
    for other in (Symbol("S"), Symbol("S", integer=True), Symbol("S", real=True, nonzero=True)):
        assert adopt(other) is sr.symbols("S")
        assert adopt(2 * other + 1) == 2 * sr.symbols("S") + 1


@pytest.mark.parametrize(
    "constant", [sympy.E, sympy.I, sympy.pi, sympy.EulerGamma, sympy.nan, sympy.zoo]
)
def test_b48_constants_of_sympy_are_refused_and_never_mixed_up(constant: Any) -> None:
    with pytest.raises(sr.errors.InputError):
        adopt(2 * constant)
    with pytest.raises(sr.errors.InputError):
        sr.Quantity(constant, "byte")


@pytest.mark.parametrize(
    "text", ["S(x)", "N(2)", "E(3)", "re(x)", "lambda: 3", "lambda x: x", "I.real", "2E"]
)
def test_b48_names_are_not_called(text: str) -> None:
    with pytest.raises(sr.errors.ParseError) as error:
        parse(text)
    assert "\n" not in str(error.value)
    assert "column" in str(error.value)


@given(st.from_regex(r"[A-Za-z_][A-Za-z_0-9]{0,12}", fullmatch=True))
def test_b48_any_identifier_is_a_symbol(name: str) -> None:
    assert parse(name) == sr.symbols(name)
    assert sr.Quantity(f"{name}*7", "FLOP").at({name: 6}).value == 42


# --- B60: one dim, two dims ---------------------------------------------------------------------


def test_b60_dims_of_two_names_do_not_add() -> None:
    g = sr.Graph("g")
    x, y = g.input("x", ("S", 4096), "bf16"), g.input("y", ("T", 4096), "bf16")
    with pytest.raises(sr.errors.ShapeError) as error:
        x + y
    assert "[S, 4096]" in str(error.value)
    assert "[T, 4096]" in str(error.value)
    same = g.input("z", ("S", 4096), "bf16")
    assert (x + same).shape == x.shape


MEETINGS = {
    "matmul": lambda x, y: ops.transpose(x) @ y,
    "einsum": lambda x, y: ops.einsum("sd,sd->d", x, y),
    "mul": lambda x, y: x * y,
    "where": lambda x, y: ops.maximum(x, y),
    "concat": lambda x, y: ops.concat([x, y], axis=1),
    "in place": lambda x, y: ops.add(x, x, out=y),
    "reshape": lambda x, y: ops.reshape(x, ("T", 4096)),
}


@pytest.mark.parametrize("op", MEETINGS)
def test_b60_no_op_lets_two_names_meet(op: str) -> None:
    g = sr.Graph("g")
    x, y = g.input("x", ("S", 4096), "bf16"), g.input("y", ("T", 4096), "bf16")
    with pytest.raises(sr.errors.ShapeError) as error:
        MEETINGS[op](x, y)
    assert {"S", "T"} <= set(str(error.value).replace("[", " ").replace(",", " ").split())
    assert g.ops == () or op in ("matmul",)


def test_b60_equal_values_never_merge_two_names(h100: sr.Chip) -> None:
    """Two inputs whose dims are both 512 keep two symbols: binding one leaves the other."""
    g = sr.Graph("two")
    w = g.weight("w", (4096, 4096), "bf16")
    g.input("x", ("S", 4096), "bf16") @ w
    g.input("y", ("T", 4096), "bf16") @ w
    bound = g.flops.at(S=512)
    assert names_in(bound.expr) == ["T"]
    assert names_in(g.flops.expr) == ["S", "T"]
    assert g.flops.at(S=512, T=512).value == 2 * g.flops.at(S=512).at(T=512).value / 2
    assert g.flops.at(S=1, T=3) == g.flops.at(S=3, T=1)
    assert sr.analyze(g, h100).crossover("S").free == ("T",)


def test_b60_two_names_become_one_when_it_is_said() -> None:
    g = sr.Graph("two")
    x = g.input("x", ("S", 8), "bf16") @ g.weight("w", (8, "T"), "bf16")
    assert x.shape == sr.symbols("S T")
    assert g.flops.at(T="S") == sr.Quantity("16*S**2", "FLOP")
    assert names_in(g.flops.at(T="S").expr) == ["S"]


def test_b60_one_name_is_one_dim_in_every_graph() -> None:
    """The bytes of two graphs cancel where they are over the same dims, however written."""
    one, other = sr.Graph("one"), sr.Graph("other")
    -one.input("x", ("S", "4*D"), "bf16")
    -other.input("y", ("D*4", Symbol("S", integer=True)), "bf16")
    assert one.bytes == other.bytes
    assert one.bytes / other.bytes == sr.Quantity(1)


def test_b60_numbers_never_stand_for_names() -> None:
    g = sr.Graph("g")
    x, y = g.input("x", ("S", 512), "bf16"), g.input("y", (512, 512), "bf16")
    with pytest.raises(sr.errors.ShapeError, match="512"):
        x + y


@given(st.integers(2, 5), st.integers(2, 5))
def test_b60_equal_numbers_do_meet_and_others_do_not(one: int, other: int) -> None:
    g = sr.Graph("g")
    x, y = g.input("x", (one, 3), "bf16"), g.input("y", (other, 3), "bf16")
    if one == other:
        assert (x + y).shape == (one, 3)
    else:
        with pytest.raises(sr.errors.ShapeError, match=f"{one}.*{other}"):
            x + y
