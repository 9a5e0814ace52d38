from __future__ import annotations

import pytest
from sympy import Integer

from symroof.errors import InputError
from symroof.models.fields import Fields
from symroof.symbolic import symbols


def fields(values, **options):
    return Fields(values, "config.json", family="llama", **options)


def test_any_name_of_a_field_does():
    assert fields({"n_embd": 768}).dim("hidden_size", "n_embd") == 768


def test_two_names_may_agree_but_not_differ():
    assert fields({"a": 3, "b": 3}).dim("a", "b") == 3
    with pytest.raises(InputError, match=r"config\.json: b: the number 4, but a is the number 3"):
        fields({"a": 3, "b": 4}).dim("a", "b")


def test_null_is_absent():
    f = fields({"a": None})
    assert f.dim_or_none("a") is None
    assert not f.says("a")
    with pytest.raises(InputError, match="missing field 'a' of llama"):
        f.dim("a")


def test_a_missing_field_names_the_one_that_may_be_meant():
    with pytest.raises(InputError, match=r"missing field 'hidden_size' of llama.*'hiden_size'"):
        fields({"hiden_size": 4096}).dim("hidden_size")


def test_a_default_is_recorded_and_a_value_is_not():
    f = fields({"a": 3}, path="text_config.")
    assert (f.dim("a", default=5), f.dim("b", default=5), f.flag("c", default=False)) == (3, 5, 0)
    assert f.defaults == ["text_config.b = 5", "text_config.c = false"]


def test_fallbacks_are_recorded_and_null_in_the_file_is_no_reason_for_one():
    f = fields({"window": None}, fallback={"window": 4096, "size": 3})
    assert f.dim_or_none("window") is None
    assert f.dim("size") == 3
    assert f.defaults == ["size = 3"]


def test_what_the_caller_gives_goes_before_all_names_of_the_file():
    f = fields({"n_embd": 768}, given={"hidden_size": "D"})
    assert f.dim("n_embd", "hidden_size") == symbols("D")
    assert fields({"a": 1}, given={"a": None}).dim_or_none("a") is None


@pytest.mark.parametrize("value", [True, -1, 0, 1.5, [], {}, "", "2.5", "1/2"])
def test_what_is_no_size_is_refused_with_its_path(value):
    with pytest.raises(InputError, match=r"^config\.json: text\.a"):
        fields({"a": value}, path="text.").dim("a")


@pytest.mark.parametrize("value", [4096.0, 4096, "4096", Integer(4096)])
def test_a_whole_number_is_one_however_it_is_written(value):
    assert fields({"a": value}).dim("a") == 4096


def test_more_than_any_model_has_is_refused():
    with pytest.raises(InputError, match="not a size of a model"):
        fields({"a": 10**30}).dim("a")


def test_formulas_are_read_and_negative_ones_refused():
    assert fields({"a": "2*D + 1"}).dim("a") == 2 * symbols("D") + 1
    with pytest.raises(InputError, match="is negative"):
        fields({"a": "-D"}).dim("a")


def test_a_number_that_counts_steps_may_not_be_a_symbol():
    with pytest.raises(InputError, match="expected a number, not 'k'"):
        fields({"step": "k"}).whole("step")


def test_flags_and_texts_and_lists_have_their_kind():
    f = fields({"flag": 1, "text": 3, "list": "ab"})
    with pytest.raises(InputError, match="flag: expected true or false, not the number 1"):
        f.flag("flag")
    with pytest.raises(InputError, match="text: expected text, not the number 3"):
        f.text("text")
    with pytest.raises(InputError, match="list: expected a list, not the text 'ab'"):
        f.items("list")


def test_a_text_of_few_has_a_near_match():
    f = fields({"act": "silo"})
    with pytest.raises(InputError, match="act: unknown 'silo'; did you mean 'silu'"):
        f.one_of("act", among={"silu": "silu", "gelu": "gelu"})


def test_what_asks_for_more_is_refused_and_what_does_not_is_fine():
    f = fields({"off": False, "none": 0, "on": True})
    f.refuse("off", "no")
    f.refuse("none", "no")
    f.refuse("absent", "no")
    with pytest.raises(InputError, match="on: true: cannot be modelled"):
        f.refuse("on", "cannot be modelled")


def test_unread_fields_are_those_that_say_something():
    f = fields({"a": 1, "b": 2, "rope_theta": 1e6, "off": False, "none": None, "empty": {}})
    f.dim("a")
    assert f.unread() == ["b"]
