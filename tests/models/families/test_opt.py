from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_opt_125m() -> None:
    found = from_hf_config(PUBLISHED["opt-125m"][0])
    ((layer, count),) = found.decoder.layers
    assert (count, found.hidden, layer.feed_forward.width) == (12, 768, 3072)
    assert (layer.mixer.heads, layer.mixer.head_dim) == (12, 64)
    assert layer.before
    assert found.decoder.final_norm is not None
    assert found.head.tied


def test_the_table_of_positions_begins_with_two_rows_for_padding() -> None:
    found = from_hf_config(PUBLISHED["opt-125m"][0])
    assert (found.embedding.positions, found.context) == (2050, 2048)


def test_opt_350m_has_a_narrow_table_and_norms_behind_the_parts() -> None:
    found = from_hf_config(PUBLISHED["opt-350m"][0])
    assert (found.embedding.width, found.hidden) == (512, 1024)
    assert found.decoder.final_norm is None
    assert not found.decoder.layers[0][0].before


def test_norms_without_weights() -> None:
    found = from_hf_config(small("opt", layer_norm_elementwise_affine=False))
    norm = found.decoder.layers[0][0].norm
    assert (norm.weight, norm.bias) == (False, False)
