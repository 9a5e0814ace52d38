"""Errors: one printable line of bounded length, near matches that are near, and they pickle."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

import symroof as sr
from symroof.errors import (
    InputError,
    ParseError,
    ShapeError,
    SymroofError,
    UnboundError,
    UnknownNameError,
    near_match,
)
from symroof.graph import load
from symroof.units import Quantity

NINES, EIGHTS = "9" * 3000, "8" * 3000


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("h100sxm", ["h100-sxm"], "h100-sxm"),
        ("matmull", ["matmul"], "matmul"),
        ("lft", ["left"], "left"),
        ("bf61", ["fp32", "bf16"], "bf16"),
        ("m", ["MW"], None),
        ("uB", ["MB"], None),
        ("int32", ["tf32"], None),
        ("zz", ["s"], None),
        ("b", ["B", "S"], "B"),
        ("Bs", ["B", "S"], "B"),
        ("Bsz", ["B", "S"], "B"),
        ("BATCHES", ["B"], None),
        ("Sq", ["B", "S"], "S"),
        ("kk", ["K", "k"], "k"),
        ("Hvk", ["H", "Hkv", "d"], "Hkv"),
        ("hkv", ["H", "Hkv"], "Hkv"),
        ("h10", ["a100", "h100", "h20", "v100"], "h100"),
        ("h1000", ["h100", "h200"], "h100"),
        ("ad", ["add", "dot"], "add"),
        ("mat", ["max", "matmul", "mul"], "matmul"),
        ("sxm", ["h100-pcie", "h100-sxm"], "h100-sxm"),
        ("sxm", ["a100-sxm", "h100-sxm"], None),
        ("fp", ["fp4", "fp8", "fp16"], None),
        ("mi3", ["mi300x", "mi325x"], None),
        ("dB", ["MB", "GB"], None),
        ("q", ["B", "S"], None),
        ("", ["B"], None),
        ("B", [], None),
        ("a" * 5000, ["a"], None),
    ],
)
def test_near_matches_are_near(name: str, known: list[str], near: str | None) -> None:
    assert near_match(name, known) == near


def test_names_with_the_same_beginning_are_listed_first() -> None:
    known = [*(f"a{i:02}" for i in range(20)), "mi300x", "mi325x"]
    error = UnknownNameError("chip", "mi3", known)
    assert str(error).startswith("unknown chip 'mi3'; known: mi300x, mi325x, a00, a01, ")
    assert error.known == tuple(known)


def test_a_peak_of_another_width_is_not_meant() -> None:
    assert near_match("fp4", ["fp64"], same_digits=True) is None
    for dtype in ("fp4", "int32"):
        with pytest.raises(UnknownNameError, match=f"'{dtype}'; known: ") as caught:
            sr.chip("h100-sxm").peak(dtype)
        assert caught.value.suggestion is None


def test_units_are_named_as_they_were_typed() -> None:
    for text, shown in (("3 m", "'m'"), ("3 µB", "'µB'"), ("3 \u03bcB", "'\u03bcB'")):
        with pytest.raises(UnknownNameError, match=f"unknown unit {shown}; known: "):
            Quantity(text)
    assert Quantity("3 µs") == Quantity("3 us")


def wide(*dims: object) -> sr.Tensor:
    return sr.Graph("g").input("x", dims, "fp16")


@pytest.mark.parametrize(
    "fail",
    [
        lambda: wide(NINES, "B") @ wide("B", 1).graph.input("y", (EIGHTS, "B"), "fp16"),
        lambda: wide("1e-400"),
        lambda: wide("-" + NINES),
        lambda: wide(10**5000 * -1),
        lambda: wide(4)[NINES],
        lambda: sr.ops.all_reduce(wide(1), group="1e-400"),
        lambda: sr.ops.custom(inputs=wide(1), output_shape=1, flops="-" + NINES),
        lambda: wide(1).graph.repeat("r", "1e-400", lambda: ()),
        lambda: load("a" * 5000 + ".toml"),
        lambda: load("a" * 5000),
        lambda: load("a b" * 5000),
        lambda: sr.Graph("g").tensor("a" * 5000),
        lambda: Quantity("3 " + "z" * 190),
        lambda: Quantity(NINES + " GB"),
        lambda: sr.DType.block("-" + NINES, 32, 8),
        lambda: sr.DType.block(4, 32, 8, name="a" * 5000),
        lambda: sr.ops.einsum("a" * 5000 + "->a", wide(1)),
    ],
)
def test_what_is_repeated_is_short(fail: Callable[[], object]) -> None:
    with pytest.raises(SymroofError) as caught:
        fail()
    assert len(str(caught.value)) < 400
    assert "9" * 70 not in str(caught.value)


def test_dims_are_shown_short_on_both_sides() -> None:
    x = wide(NINES, "B")
    y = x.graph.input("y", (EIGHTS, "B"), "fp16")
    with pytest.raises(ShapeError) as caught:
        x + y
    assert len(str(caught.value)) < 320
    assert len(repr(wide(*["B"] * 100))) < 100


def test_a_message_is_one_line_that_prints() -> None:
    assert str(InputError("a\nb\x1b\u202e")) == "a b\\x1b\\u202e"
    assert str(InputError("x", where="a" * 300)) == "a" * 57 + "...: x"
    assert len(str(InputError("ab " * 5000))) == 1000


ERRORS = [
    InputError("bad", where="here"),
    ParseError("bad", text="M+", position=2),
    UnknownNameError("chip", "h10", ["h100", "a100"], hint="or so"),
    ShapeError("matmul", "differs", ["[M] fp16", "[N] fp16"]),
    UnboundError("it", ["M", "N"]),
]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_pickle_and_copy(error: SymroofError) -> None:
    for made in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(made) is type(error)
        assert str(made) == str(error)
        assert vars(made) == vars(error)
