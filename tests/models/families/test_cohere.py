from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_command_r_is_parallel_behind_one_norm_without_a_bias() -> None:
    found = from_hf_config(PUBLISHED["c4ai-command-r"][0])
    ((layer, count),) = found.decoder.layers
    assert (count, layer.mixer.kv_heads, layer.mixer.head_dim) == (40, 64, 128)
    assert (layer.parallel, layer.shared_norm, layer.norm.bias) == (True, True, False)
    assert found.head.tied


def test_three_layers_in_four_of_command_a_have_a_window() -> None:
    found = from_hf_config(small("cohere2", num_hidden_layers=32))
    local, everywhere = found.decoder.layers
    assert (local[0].name, local[0].mixer.window, local[1]) == ("local", 16, 24)
    assert (everywhere[0].name, everywhere[0].mixer.window, everywhere[1]) == ("global", None, 8)


def test_the_pattern_may_be_a_number_of_the_file() -> None:
    found = from_hf_config(small("cohere2", sliding_window_pattern=3))
    assert [count for _, count in found.decoder.layers] == [4, 2]
