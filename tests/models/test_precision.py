from __future__ import annotations

import pytest

from symroof.errors import UnitError, UnknownNameError
from symroof.models.precision import Precision


def test_weights_and_caches_are_as_activations() -> None:
    plain = Precision.of("fp16")
    assert {plain.activations.name, plain.weights.name, plain.cache.name} == {"fp16"}


@pytest.mark.parametrize(
    ("weights", "activations", "key", "short"),
    [
        ("bf16", "bf16", "bf16", "W16A16"),
        ("int4", "bf16", "bf16", "W4A16"),
        ("block(4,128,16)", "fp16", "fp16", "W4A16"),
        ("fp8", "bf16", "bf16", "W8A16"),
        ("fp8", "fp8", "fp8", "W8A8"),
        ("mxfp4", "bf16", "bf16", "W4A16"),
        ("int8", "int8", "int8", "W8A8"),
    ],
)
def test_the_widest_float_decides(weights: str, activations: str, key: str, short: str) -> None:
    found = Precision.of(activations, weights)
    assert (found.products, found.short) == (key, short)


def test_attention_follows_what_is_kept() -> None:
    found = Precision.of("fp8", "fp8", "bf16")
    assert (found.products, found.attention) == ("fp8", "bf16")
    assert str(found).endswith("products at the fp8 peak, attention at the bf16 peak")


def test_formats_that_do_not_meet() -> None:
    with pytest.raises(UnitError, match="fp16 with bf16"):
        Precision.of("bf16", "fp16")
    with pytest.raises(UnitError, match="fp16 with bf16"):
        Precision.of("bf16", None, "fp16")
    with pytest.raises(UnknownNameError):
        Precision.of("bf15")
