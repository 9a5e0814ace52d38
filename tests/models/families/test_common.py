from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer

from symroof.errors import InputError
from symroof.models.families.common import head_dim, heads_of, kv_heads, plain_heads
from symroof.models.fields import Fields
from symroof.symbolic import symbols

H, D = symbols("H D")


def fields(**values) -> Fields:
    return Fields(values, "config.json")


@given(st.integers(1, 64), st.integers(1, 64))
def test_a_number_of_heads_and_the_size_of_a_group_say_the_same(kept, group):
    heads = Integer(kept * group)
    assert kv_heads(fields(num_key_value_heads=kept), heads) == kept
    assert kv_heads(fields(num_key_value_groups=group), heads) == kept


@given(st.integers(1, 64), st.integers(1, 64))
def test_heads_divide_over_key_value_heads_or_it_is_an_error(heads, kept):
    f = fields(num_key_value_heads=kept)
    if heads % kept == 0:
        assert kv_heads(f, Integer(heads)) == kept
    else:
        with pytest.raises(InputError, match=f"{heads} query heads do not divide over {kept}"):
            kv_heads(f, Integer(heads))


def test_both_are_an_error_even_if_they_agree():
    with pytest.raises(InputError, match="num_key_value_groups: the size of a group is given"):
        kv_heads(fields(num_key_value_heads=8, num_key_value_groups=4), Integer(32))


def test_a_group_that_does_not_divide_is_an_error():
    with pytest.raises(InputError, match="32 query heads do not divide by 5"):
        kv_heads(fields(num_key_value_groups=5), Integer(32))


def test_symbols_are_taken_at_their_word():
    assert kv_heads(fields(num_key_value_groups="g"), H) == H / symbols("g")
    assert head_dim(fields(), D, H) == D / H


def test_where_the_file_has_to_say_null_says_all_heads():
    with pytest.raises(InputError, match="missing field 'num_key_value_heads'"):
        kv_heads(fields(), Integer(8), required=True)
    assert kv_heads(fields(num_key_value_heads=None), Integer(8), required=True) == 8


def test_a_head_is_what_the_file_says_or_a_share_of_the_hidden_size():
    assert head_dim(fields(head_dim=64), Integer(100), Integer(3)) == 64
    assert head_dim(fields(), Integer(96), Integer(3)) == 32
    with pytest.raises(InputError, match="hidden size of 100 does not divide over 3 heads"):
        head_dim(fields(), Integer(100), Integer(3))


def test_heads_that_share_the_hidden_size_divide_it():
    with pytest.raises(InputError, match="num_attention_heads: 100 does not divide by 3"):
        plain_heads(fields(num_attention_heads=3), Integer(100))


def test_heads_have_the_usual_names():
    found = heads_of(fields(num_attention_heads=8, num_key_value_heads=2), Integer(64))
    assert (found.heads, found.kv_heads, found.head_dim, found.query_norm) == (8, 2, 8, "")
