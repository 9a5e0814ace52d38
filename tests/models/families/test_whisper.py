from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_large_v3_hears_1500_tokens_behind_two_convolutions() -> None:
    found = from_hf_config(PUBLISHED["whisper-large-v3"][0])
    assert (found.encoder_tokens, found.context) == (1500, 448)
    heard = found.encoder_embedding
    assert (heard.stem, heard.patch, heard.positions) == (3 * 128, 3 * 1280, 1500)


def test_keys_have_no_bias() -> None:
    found = from_hf_config(PUBLISHED["whisper-large-v3"][0])
    ((layer, count),) = found.decoder.layers
    assert (count, layer.mixer.heads, layer.cross.heads) == (32, 20, 20)
    assert (layer.mixer.qkv_bias, layer.mixer.key_bias, layer.cross.key_bias) == (
        True,
        False,
        False,
    )


def test_both_sides_have_their_own_numbers() -> None:
    found = from_hf_config(small("whisper"))
    ((decoder, decoders),) = found.decoder.layers
    ((encoder, encoders),) = found.encoder.layers
    assert (decoders, decoder.mixer.heads, decoder.feed_forward.width) == (2, 6, 72)
    assert (encoders, encoder.mixer.heads, encoder.feed_forward.width) == (3, 4, 80)
