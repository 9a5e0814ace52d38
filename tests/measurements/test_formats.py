"""Bytes of measured formats; the numbers are those of tests/data/measured/README.md."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symroof.errors import InputError, UnknownNameError
from symroof.measurements.formats import format_of


@pytest.mark.parametrize(
    ("name", "called", "sizes", "key"),
    [
        ("bfloat16", "bf16", (2, 2, 2), "bf16"),
        ("half", "fp16", (2, 2, 2), "fp16"),
        ("FLOAT32", "fp32", (4, 4, 4), "fp32"),
        ("fp8", "fp8", (1, 1, 2), "fp8"),
        ("fp8_e5m2", "fp8", (1, 1, 2), "fp8"),
        ("fp8_block", "fp8_block", (1 + Fraction(4, 128), 1 + Fraction(4, 128**2), 2), "fp8"),
        ("nvfp4", "nvfp4", (Fraction(9, 16), Fraction(9, 16), 2), "fp4"),
        ("int8", "int8", (1, 1, 1), "int8"),
        ("fp8/nvfp4/fp16", "fp8/nvfp4/fp16", (1, Fraction(9, 16), 2), "fp8"),
    ],
)
def test_bytes(name: str, called: str, sizes: tuple[Fraction | int, ...], key: str) -> None:
    form = format_of(name)
    assert form.name == called
    found = [form.first.bytes, form.second.bytes, form.result.bytes]
    assert [Fraction(str(size)) for size in found] == [Fraction(size) for size in sizes]
    assert form.first.key == key


def test_narrow() -> None:
    assert [format_of(n).is_narrow for n in ("bf16", "fp8", "nvfp4")] == [False, True, True]


def test_unknown_formats() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bfloat16'"):
        format_of("bfloat61")
    with pytest.raises(InputError, match="one dtype, or three"):
        format_of("fp8/bf16")
    with pytest.raises(InputError, match="a width that is no number"):
        format_of("block(b,32,8)")
