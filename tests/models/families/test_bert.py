from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_bert_base_is_an_encoder_with_norms_behind_the_parts() -> None:
    found = from_hf_config(PUBLISHED["bert-base"][0])
    ((layer, count),) = found.decoder.layers
    assert (count, layer.mixer.heads, layer.mixer.head_dim) == (12, 12, 64)
    assert (found.decoder.causal, found.decoder.final_norm, layer.before) == (False, None, False)
    assert (found.embedding.positions, found.embedding.kinds) == (512, 2)
    assert found.embedding.norm is not None


def test_the_pooler_is_its_head_and_heads_for_a_task_are_left_out() -> None:
    found = from_hf_config(PUBLISHED["bert-base"][0])
    assert (found.head.outputs, found.head.pooled, found.head.tied) == (768, True, False)
    assert found.left_out == ("heads for a task: the encoder with its pooler is modelled",)


def test_positions_of_roberta_begin_behind_padding() -> None:
    found = from_hf_config(PUBLISHED["roberta-base"][0])
    assert (found.embedding.positions, found.context) == (514, 512)


@pytest.mark.parametrize("field", ["is_decoder", "add_cross_attention"])
def test_a_decoder_is_refused(field: str) -> None:
    with pytest.raises(InputError, match=f"config: {field}: true: only the encoder"):
        from_hf_config(small("bert", **{field: True}))


def test_relative_positions_are_refused() -> None:
    with pytest.raises(InputError, match="position_embedding_type"):
        from_hf_config(small("bert", position_embedding_type="relative_key"))
