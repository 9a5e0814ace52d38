"""All families: parameters as others count them, symbols for numbers, and fields of any value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Integer

from symroof.errors import InputError, SymroofError
from symroof.models import model
from symroof.models.config import ModelConfig
from symroof.models.hf import from_hf_config
from symroof.symbolic import symbols

from .counted import HIDDEN, PUBLISHED, SIZE, SMALL, small

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from([0, 1, 2, 3, 1 << 60, "D", "2*D", "-D", "full_attention", "silu"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)


@pytest.mark.parametrize("name", SMALL)
def test_as_many_parameters_as_the_classes_of_transformers_make(name: str) -> None:
    config, params = SMALL[name]
    assert model(config).params == params


@pytest.mark.parametrize("name", PUBLISHED)
def test_as_many_parameters_as_are_published(name: str) -> None:
    config, params = PUBLISHED[name]
    assert model(config).params == params


@pytest.mark.parametrize("name", PUBLISHED)
def test_all_fields_of_published_files_are_understood(name: str) -> None:
    said = from_hf_config(PUBLISHED[name][0]).left_out
    assert not [line for line in said if "understood" in line]


@pytest.mark.parametrize("name", SMALL)
def test_a_symbol_for_the_hidden_size_gives_a_formula_with_the_same_value(name: str) -> None:
    config, params = SMALL[name]
    hidden = next(field for field in HIDDEN if field in config)
    D = symbols("D")
    found = model(config, **{hidden: "D"}).params
    assert isinstance(found, Expr)
    assert found.free_symbols == {D}
    assert found.xreplace({D: Integer(SIZE)}) == params


@pytest.mark.parametrize(
    "name", ["starcoder2", "bamba", "nemotron_h", "llama4_text", "glm", "glm4", "glm4_moe"]
)
def test_key_value_heads_are_no_guess_where_the_class_has_a_number_of_its_own(name: str) -> None:
    with pytest.raises(InputError, match="missing field 'num_key_value_heads'"):
        from_hf_config(small(name, num_key_value_heads=None))


@given(st.sampled_from(sorted(SMALL)), st.data())
def test_a_field_of_any_value_is_read_or_refused_in_one_line(
    name: str, data: st.DataObject
) -> None:
    field = data.draw(st.sampled_from(sorted(SMALL[name][0])))
    check({**SMALL[name][0], field: data.draw(JSON)})


@given(st.sampled_from(sorted(SMALL)), st.data())
def test_a_field_may_lack(name: str, data: st.DataObject) -> None:
    fields = data.draw(st.lists(st.sampled_from(sorted(SMALL[name][0])), min_size=1, max_size=3))
    check(small(name, **dict.fromkeys(fields)))


def check(config: dict[str, Any]) -> None:
    said = read_or_refused(config)
    assert isinstance(said, ModelConfig) or ("\n" not in said and len(said) <= 1000)


def read_or_refused(config: dict[str, Any]) -> ModelConfig | str:
    try:
        return from_hf_config(config)
    except SymroofError as error:
        return str(error)
