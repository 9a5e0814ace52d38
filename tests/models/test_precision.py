from __future__ import annotations

import pytest

from symroof.errors import UnitError, UnknownNameError
from symroof.models.precision import Precision


def test_weights_and_caches_are_as_activations() -> None:
    plain = Precision.of("fp16")
    assert {plain.activations.name, plain.weights.name, plain.cache.name} == {"fp16"}


@pytest.mark.parametrize(
    ("weights", "activations", "key"),
    [
        ("bf16", "bf16", "bf16"),
        ("int4", "bf16", "bf16"),
        ("block(4,128,16)", "fp16", "fp16"),
        ("fp8", "bf16", "bf16"),
        ("fp8", "fp8", "fp8"),
        ("mxfp4", "bf16", "bf16"),
        ("int8", "int8", "int8"),
    ],
)
def test_the_widest_float_decides(weights: str, activations: str, key: str) -> None:
    assert Precision.of(activations, weights).products == key


def test_formats_that_do_not_meet() -> None:
    with pytest.raises(UnitError, match="fp16 with bf16"):
        Precision.of("bf16", "fp16")
    with pytest.raises(UnitError, match="fp16 with bf16"):
        Precision.of("bf16", None, "fp16")
    with pytest.raises(UnknownNameError):
        Precision.of("bf15")
