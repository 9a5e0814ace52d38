"""The largest of several terms: by numbers, by signs, or refused."""

from __future__ import annotations

import pytest

from symroof.errors import UnboundError
from symroof.roofline.compare import largest
from symroof.units import Quantity, Scope


def seconds(**terms: str) -> dict[str, Quantity]:
    scope = Scope(counts=frozenset({"n", "m"}))
    return {name: Quantity(text, "s", scope) for name, text in terms.items()}


def test_numbers_compare_exactly() -> None:
    assert largest(seconds(a="1/3", b="0.333333333333333333")) == ("a",)
    assert largest(seconds(a="1/3", b="2/6", c="1/4")) == ("a", "b")
    assert largest(seconds(a="sqrt(2)", b="1.41421356237309504")) == ("a",)


def test_signs_decide_for_all_values() -> None:
    assert largest(seconds(a="n", b="n + 1", c="n/2")) == ("b",)
    assert largest(seconds(a="2*n", b="n + n")) == ("a", "b")


def test_rivals_that_cannot_win_need_no_order() -> None:
    assert largest(seconds(a="n", b="m", c="n + m")) == ("c",)


def test_what_depends_is_refused_with_the_names() -> None:
    with pytest.raises(UnboundError, match=r"depends on m, n"):
        largest(seconds(a="n", b="m"))


def test_zero_terms_do_not_take_part() -> None:
    assert largest(seconds(a="0", b="0")) == ()
    assert largest(seconds(a="0", b="n")) == ("b",)
