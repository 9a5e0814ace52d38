from __future__ import annotations

import pytest

from symroof.models.families.registry import FAMILIES, REFUSED, families, family
from symroof.models.hf import from_hf_config


def test_families_are_in_order_and_none_is_refused_too():
    known = list(families())
    assert known == sorted(known)
    assert not set(known) & set(REFUSED)


def test_two_readers_of_one_architecture_are_an_error():
    families()
    before = dict(FAMILIES)
    with pytest.raises(ValueError, match="two readers of 'llama'"):
        family("llama")(lambda f: None)
    assert before == FAMILIES


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_known_and_not_modelled_says_why(name):
    with pytest.raises(ValueError, match=f"model_type: {name}: .* not modelled") as error:
        from_hf_config({"model_type": name})
    assert "\n" not in str(error.value)
