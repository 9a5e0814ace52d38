from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_olmo_2_has_norms_behind_the_parts_and_over_all_heads() -> None:
    ((layer, count),) = from_hf_config(PUBLISHED["olmo2-7b"][0]).decoder.layers
    assert (count, layer.before, layer.post_norms) == (32, False, False)
    assert layer.mixer.query_norm == "full"


def test_every_fourth_layer_of_olmo_3_sees_all_tokens() -> None:
    found = from_hf_config(small("olmo3", num_hidden_layers=8))
    assert [(layer.name, count) for layer, count in found.decoder.layers] == [
        ("local", 6),
        ("global", 2),
    ]


def test_layers_with_a_window_need_one() -> None:
    with pytest.raises(InputError, match="sliding_window"):
        from_hf_config(small("olmo3", sliding_window=None))
