"""What msgspec says, in the words of the files."""

from __future__ import annotations

import pytest

from symroof.schema import sentence


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("Expected `str | null`, got `int` - at `$.chip`", "chip: expected text, got whole number"),
        ("Expected `str`, got `null`", "expected text, got nothing"),
        (
            "Expected `int | float | str`, got `array` - at `$.a[0].b`",
            "a[0].b: expected whole number, number or text, got list",
        ),
        ("Expected `bool`, got `object` - at `$.x`", "x: expected true or false, got table"),
        ("Object missing required field `string` - at `$.x`", "x: missing field 'string'"),
    ],
)
def test_sentences(theirs: str, ours: str) -> None:
    assert sentence(theirs) == ours
