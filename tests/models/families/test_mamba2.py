from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_mamba2_2_7b() -> None:
    found = from_hf_config(PUBLISHED["mamba2-2.7b"][0])
    ((layer, count),) = found.decoder.layers
    mixer = layer.mixer
    assert (count, mixer.heads, mixer.head_dim, mixer.state, mixer.groups) == (64, 80, 64, 128, 1)
    assert (mixer.kernel, mixer.conv_bias, mixer.bias, layer.feed_forward) == (4, True, False, None)
    assert found.context is None


def test_heads_that_do_not_hold_what_expand_makes() -> None:
    expected = "config: num_heads: heads hold 88 elements, but expand makes 96"
    with pytest.raises(InputError, match=expected):
        from_hf_config(small("mamba2", num_heads=11))
