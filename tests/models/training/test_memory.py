from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.models.training.memory import (
    STATES,
    States,
    activation_bytes,
    bytes_per_parameter,
    kept_tensor_bytes,
    largest_model,
    layer_activation_bytes,
    model_state_bytes,
)
from symroof.symbolic import symbols

D, F, L, N, P, T, a, b, h, s, t = symbols("D F L N P T a b h s t")


@pytest.mark.parametrize(
    ("name", "total"), [("bf16-adam", 10), ("zero", 16), ("megatron", 18), ("fp32-adam", 16)]
)
def test_bytes_of_each_recipe(name, total):
    assert bytes_per_parameter(name).value == STATES[name].total == total
    assert model_state_bytes(P, name).expr == total * P


@pytest.mark.parametrize(("stage", "gigabytes"), [(0, "120"), (1, "31.4"), (2, "16.6"), (3, "1.9")])
def test_stages_of_zero_as_published(stage, gigabytes):
    # Rajbhandari et al. 2020, figure 1: 7.5e9 parameters on 64 chips.
    found = model_state_bytes(7_500_000_000, "zero", copies=64, zero=stage)
    assert round(found.to("GB"), 1) == float(gigabytes)


def test_states_of_ones_own():
    half = States(2, 0, 0, "inference")
    assert model_state_bytes(P, half, chips=N).expr == 2 * P / N


def test_the_largest_model_is_the_one_whose_states_fill_the_memory():
    most = largest_model("80 GB", "megatron", chips="t", copies="N", zero=1)
    assert most.at(t=8, N=1).value == Rational(8 * 80 * 10**9, 18)
    bound = most.at(t=8, N=16).value
    assert model_state_bytes(bound, "megatron", chips=8, copies=16, zero=1) == sr.Quantity("80 GB")


def test_tensors_kept_by_width():
    found = kept_tensor_bytes(T, {"D": 1, "F": 2}, L, dtype="fp32")
    assert found.expr.expand() == (4 * T * L * (D + 2 * F)).expand()
    assert found.unit == "byte"


# Korthikanti et al. 2022, table 2, with the scores written out: 5*a*s/h of s*b*h.
TABLE_2 = {
    ("none", 1, False): 34 * s * b * h + 5 * a * s**2 * b,
    ("none", t, False): 10 * s * b * h + 24 * s * b * h / t + 5 * a * s**2 * b / t,
    ("none", t, True): 34 * s * b * h / t + 5 * a * s**2 * b / t,
    ("selective", t, False): 10 * s * b * h + 24 * s * b * h / t,
    ("selective", t, True): 34 * s * b * h / t,
    ("full", t, False): 2 * s * b * h,
    ("full", t, True): 2 * s * b * h / t,
}


@pytest.mark.parametrize("case", TABLE_2)
def test_a_layer_as_published(case):
    recompute, tensor, along = case
    found = layer_activation_bytes(
        s, b, h, a, tensor=tensor, sequence_parallel=along, recompute=recompute
    )
    assert (found.expr - TABLE_2[case]).expand() == 0


@given(
    sizes=st.tuples(*(st.integers(1, 2**14) for _ in range(4))),
    tensor=st.integers(1, 64),
    along=st.booleans(),
)
def test_more_recomputation_keeps_less_and_more_chips_keep_no_more(sizes, tensor, along):
    def kept(recompute: str, tensor: int = tensor, along: bool = along) -> Any:
        return layer_activation_bytes(
            *sizes, tensor=tensor, sequence_parallel=along, recompute=recompute
        ).value

    assert kept("full") <= kept("selective") < kept("none")
    assert kept("none", tensor + 1) <= kept("none")
    assert kept("none", along=True) <= kept("none", along=False)


@pytest.mark.parametrize(("pipeline", "interleave"), [("p", 1), (1, "m")])
def test_what_is_not_interleaved_keeps_what_all_layers_keep(pipeline, interleave):
    layer = layer_activation_bytes(s, b, h, a)
    found = activation_bytes(layer, L, pipeline=pipeline, interleave=interleave)
    assert found.expr.expand() == 34 * L * s * b * h + 5 * L * a * s**2 * b


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: model_state_bytes(P, "megatrn"), UnknownNameError, "did you mean 'megatron'"),
        (lambda: model_state_bytes(0), InputError, "parameters: expected a number above 0, not 0"),
        (lambda: model_state_bytes(P, chips=0), InputError, "chips: .*1 or more"),
        (lambda: bytes_per_parameter(zero=4), InputError, "zero: expected 0, 1, 2 or 3, not 4"),
        (lambda: largest_model("80 GB/s"), UnitError, "memory: expected bytes"),
        (lambda: kept_tensor_bytes(T, {}), InputError, "widths: expected numbers of tensors"),
        (lambda: kept_tensor_bytes(T, {"D": -1}), InputError, "tensors of width D"),
        (lambda: layer_activation_bytes(s, b, h, 0), InputError, "heads"),
        (
            lambda: layer_activation_bytes(s, b, h, a, recompute="most"),
            UnknownNameError,
            "recompute",
        ),
        (lambda: activation_bytes("3 FLOP", L), UnitError, "layer: expected bytes"),
        (
            lambda: activation_bytes("3 byte", L, pipeline=4, interleave="m"),
            InputError,
            "interleave: expected a number, not m",
        ),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


# --- published problems -------------------------------------------------------------------------

PROBLEMS: dict[str, dict[str, Any]] = {
    problem["id"]: problem
    for problem in json.loads(
        (Path(__file__).parents[2] / "data" / "serving_problems.json").read_text(encoding="utf-8")
    )
}
SOLVERS: dict[str, Callable[[dict[str, Any]], sr.Quantity]] = {}


def solves(*problems: str) -> Callable[[Any], Any]:
    """Say which problems a function solves."""

    def kept(solver: Any) -> Any:
        SOLVERS.update(dict.fromkeys(problems, solver))
        return solver

    return kept


def inputs(problem: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a problem, exact."""
    return {name: Rational(str(entry["value"])) for name, entry in problem["inputs"].items()}


@solves("tr-01")
def largest_model_on_one_chip(problem: dict[str, Any]) -> sr.Quantity:
    return largest_model(sr.Quantity(inputs(problem)["M"], "byte"), "bf16-adam")


@solves("tr-15a")
def states_of_adam(problem: dict[str, Any]) -> sr.Quantity:
    return model_state_bytes(inputs(problem)["P"], "bf16-adam")


@solves("tf-03a", "tf-03b")
def tensors_of_every_layer(problem: dict[str, Any]) -> sr.Quantity:
    kept = 20 if problem["id"] == "tf-03a" else 1
    given = inputs(problem)
    found = kept_tensor_bytes("BT", {"D": kept}, "L")
    return found.at(BT=given["BT"], D=given["D"], L=given["L"])


@solves("tr-15b", "tr-16b")
def one_hidden_and_two_wide_tensors(problem: dict[str, Any]) -> sr.Quantity:
    return kept_tensor_bytes(inputs(problem)["B"], {5120: 1, Rational(27, 10) * 5120: 2}, 40)


@solves("at-04a")
def three_checkpoints_a_layer(problem: dict[str, Any]) -> sr.Quantity:
    return kept_tensor_bytes(4 * 10**6, {8192: 3}, 80)


@solves(*(f"kor-{model}-none" for model in ("22B", "175B", "530B", "1T")))
def activations_of_a_chip(problem: dict[str, Any]) -> sr.Quantity:
    return of_megatron(inputs(problem), sequence_parallel=False, recompute="none")


@solves(*(f"kor-{model}-seqsel" for model in ("22B", "175B", "530B", "1T")))
def activations_with_both_savings(problem: dict[str, Any]) -> sr.Quantity:
    return of_megatron({"a": 1, **inputs(problem)}, sequence_parallel=True, recompute="selective")


@solves(*(f"kor-{model}-po" for model in ("22B", "175B", "530B", "1T")))
def states_of_a_chip(problem: dict[str, Any]) -> sr.Quantity:
    given = inputs(problem)
    return model_state_bytes("12*L*h**2", "megatron", chips="t*p").at(**given)


def of_megatron(given: dict[str, Any], **options: Any) -> sr.Quantity:
    """What one chip keeps: its layers as symbols, then the numbers."""
    layer = layer_activation_bytes("s", "b", "h", "a", tensor="t", **options)
    stages = given.get("p", 1), given.get("m", 1)
    found = activation_bytes(layer, "L", pipeline=stages[0], interleave=stages[1])
    return found.at({name: given[name] for name in "sbhatL" if name in found.scope.dimensions})


@pytest.mark.parametrize("name", SOLVERS)
def test_published_problem(name):
    problem, answer = PROBLEMS[name], SOLVERS[name](PROBLEMS[name])
    right = problem["right"]
    unit = "" if right["unit"] == "param" else right["unit"]
    assert answer == sr.Quantity(right["exact"], unit)
    assert answer.to(unit) == pytest.approx(right["value"], rel=1e-14)
    issue = "source_issue" in problem or "note" in problem
    if problem["stated"]["value"] is not None and not issue:
        assert answer.to(unit) == pytest.approx(problem["stated"]["value"], rel=0.03)


@pytest.mark.parametrize("wrong", [-1, 1.5, True, float("nan"), "2", None, []])
@pytest.mark.parametrize("field", ["parameters", "gradients", "optimizer"])
def test_states_are_whole_bytes(field: str, wrong: Any) -> None:
    sizes: dict[str, Any] = {"parameters": 2, "gradients": 2, "optimizer": 8, field: wrong}
    with pytest.raises(InputError, match=f"^{field}: expected a whole number of bytes"):
        States(**sizes, source="mine")


@pytest.mark.parametrize("wrong", ["", "x", None, [], float("nan"), True])
def test_an_amount_that_is_none_has_its_place(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"^memory: "):
        largest_model(wrong)
    with pytest.raises(InputError, match=r"^layer: "):
        activation_bytes(wrong, 2)
