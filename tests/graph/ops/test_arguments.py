"""Arguments: what is refused, and that hostile text is one line."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

import pytest

from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph import TensorSpec
from symroof.graph.ops.arguments import axes_of, choice, flag_attr, integer, whole
from symroof.symbolic import symbols


class Colour(Enum):
    RED = "red"
    GREEN = "green"


@pytest.mark.parametrize("value", [0, -3, 1.5, Fraction(1, 2), True, None, "n/0", "-n", [], "0"])
def test_no_count(value: object) -> None:
    with pytest.raises(InputError) as caught:
        whole(value, "all_reduce group")
    assert "\n" not in str(caught.value)


def test_counts() -> None:
    n = symbols("n")
    assert whole(8, "w") == whole("8", "w") == whole(8.0, "w") == 8
    assert whole("2*n", "w") == 2 * n
    assert whole(0, "w", least=0) == 0


def test_choices() -> None:
    assert choice(Colour, "red", "c") is choice(Colour, Colour.RED, "c") is Colour.RED
    with pytest.raises(UnknownNameError, match="green"):
        choice(Colour, "gren", "colour")
    with pytest.raises(InputError, match="'red', 'green'"):
        choice(Colour, 1, "colour")


def test_integers_and_flags() -> None:
    assert integer(-1, "axis") == -1
    for value in (True, "1", 1.0, None):
        with pytest.raises(InputError):
            integer(value, "axis")
    for flag in (1, "yes", None):
        with pytest.raises(InputError):
            flag_attr("sum", "keepdims", flag)


def test_axes() -> None:
    x = TensorSpec.of((2, 3, 4), "fp32")
    assert axes_of("sum", x, (-1, 0)) == (0, 2)
    with pytest.raises(ShapeError, match="twice"):
        axes_of("sum", x, (0, -3))
