from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer

from symroof.errors import InputError
from symroof.models.config import Attention, FeedForward, Layer
from symroof.models.families.patterns import (
    FULL,
    SLIDING,
    Kinds,
    layers_of,
    listed_kinds,
    one_network,
    windowed,
)
from symroof.models.fields import Fields
from symroof.symbolic import symbols

ATTENTION = Attention(Integer(4), Integer(2), Integer(16))
NETWORK = FeedForward(Integer(64))
L = symbols("L")


def fields(**values) -> Fields:
    return Fields(values, "config.json")


@given(st.lists(st.sampled_from([FULL, SLIDING]), min_size=1, max_size=20))
def test_layers_are_counted_by_kind(kinds):
    count = Integer(len(kinds))
    f = fields(layer_types=kinds)
    stack = windowed(
        f,
        count,
        listed_kinds(f, count, Kinds.all(FULL)),
        ATTENTION,
        Integer(8),
        one_network(NETWORK),
    )
    found = stack.layers
    expected = {8: kinds.count(SLIDING), None: kinds.count(FULL)}
    assert {layer.mixer.window: times for layer, times in found} == {
        window: times for window, times in expected.items() if times
    }
    assert len({layer.name for layer, _ in found}) == len(found)
    windows = [found[place][0].mixer.window for place in stack.order]
    assert windows in ([], [8 if kind == SLIDING else None for kind in kinds])
    assert bool(windows) is (len(set(kinds)) > 1)


def test_layers_that_are_alike_may_be_any_number():
    stack = layers_of(fields(), L, lambda _: Layer(ATTENTION, NETWORK), alike=True)
    ((layer, count),) = stack.layers
    assert (layer.name, count) == ("layer", L)
    f = fields(layer_types=[SLIDING, SLIDING])
    assert listed_kinds(f, L, Kinds.all(FULL)).at(7) == SLIDING


def test_layers_that_differ_need_a_number_of_them():
    names = ("a", "b")
    with pytest.raises(InputError, match="num_hidden_layers: L layers need layers that are all"):
        layers_of(fields(), L, lambda i: Layer(ATTENTION, NETWORK, name=names[i % 2]))
    with pytest.raises(InputError, match="more than 10000 layers"):
        layers_of(fields(), Integer(10**9), lambda _: Layer(ATTENTION, NETWORK))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([FULL], "layer_types: 1 entries for 2 layers"),
        ([], "layer_types: it is empty"),
        ([FULL, "sliding_atention"], r"layer_types\[1\]: unknown kind .* mean 'sliding_attention'"),
        ([FULL, 3], r"layer_types\[1\]: unknown kind of layer: the number 3; known: full_att"),
        ("full", "layer_types: expected a list"),
    ],
)
def test_a_list_of_kinds_fits_the_layers(given, message):
    with pytest.raises(InputError, match=message):
        listed_kinds(fields(layer_types=given), Integer(2), Kinds.all(FULL))


def test_layers_with_a_window_need_its_size():
    with pytest.raises(InputError, match="sliding_window: missing, but some layers are"):
        windowed(fields(), Integer(2), Kinds.all(SLIDING), ATTENTION, None, one_network(NETWORK))
