"""Mappings that nobody changes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from symroof.readonly import ReadOnly

CHANGES: list[Callable[[ReadOnly[str, int]], object]] = [
    lambda m: m.__setitem__("x", 1),
    lambda m: m.__delitem__("a"),
    lambda m: m.__ior__({"x": 1}),
    lambda m: m.clear(),
    lambda m: m.pop("a"),
    lambda m: m.popitem(),
    lambda m: m.setdefault("x", 1),
    lambda m: m.update(x=1),
]


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_refused(change: Callable[[ReadOnly[str, int]], object]) -> None:
    mapping = ReadOnly({"a": 1})
    with pytest.raises(TypeError, match="read-only"):
        change(mapping)
    assert mapping == {"a": 1}


def test_it_pickles_and_copies() -> None:
    mapping = ReadOnly({"a": [1]})
    for made in (pickle.loads(pickle.dumps(mapping)), copy.deepcopy(mapping), copy.copy(mapping)):
        assert made == mapping
        assert type(made) is ReadOnly
