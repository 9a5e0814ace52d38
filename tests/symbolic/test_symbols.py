"""Symbols: one per name, positive, any identifier."""

from __future__ import annotations

import copy
import pickle

import pytest
import sympy

from symroof.errors import InputError
from symroof.symbolic import symbol, symbols


def test_one_symbol_per_name():
    M, N = symbols("M, N")
    assert M is symbols("M")
    assert symbols("M N M") == (M, N, M)
    assert pickle.loads(pickle.dumps(M)) == M
    assert copy.deepcopy(M) == M


@pytest.mark.parametrize(
    "name", ["N", "S", "E", "I", "Q", "O", "C", "beta", "zeta", "pi", "lambda", "ff", "re"]
)
def test_names_sympy_reads_as_something_else(name):
    made = symbols(name)
    assert isinstance(made, sympy.Symbol)
    assert made.name == name
    assert made.is_positive


def test_never_integer():
    assert symbols("M").is_integer is None


def test_compatible_forms_are_one_name():
    assert symbols("Ｎ") is symbols("N")
    assert symbols("é") is symbols("é")


@pytest.mark.parametrize(
    "name", ["peak.bf16", "peak.bf16:fp32:tensor", "bw.hbm", "ridge.bf16.link"]
)
def test_keys_of_rates(name):
    assert symbol(name).name == name
    with pytest.raises(InputError, match="is not a symbol name"):
        symbols(name)


@pytest.mark.parametrize(
    "name",
    ["", "2x", "a-b", "a.b", "x²", "x.__class__", "x y", "peak.", ".", "∞", "x\0", "q" * 201],
)
def test_refused(name):
    with pytest.raises(InputError) as caught:
        symbol(name)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("names", [None, 3, ["M"], "", " , "])
def test_refused_lists(names):
    with pytest.raises(InputError):
        symbols(names)
