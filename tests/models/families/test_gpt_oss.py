from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import small


def test_layers_alternate_and_softmax_and_experts_have_what_they_have():
    config = from_hf_config(
        small("gpt_oss", num_hidden_layers=5, layer_types=None, sliding_window=128)
    )
    (local, locals_), (full, fulls) = config.decoder.layers
    assert (local.mixer.window, locals_, full.mixer.window, fulls) == (128, 3, None, 2)
    assert full.mixer.sinks
    assert full.mixer.qkv_bias
    assert full.mixer.out_bias
    assert full.feed_forward.bias
    assert full.feed_forward.router_bias


def test_its_format_is_mxfp4_in_the_experts_alone():
    method = {
        "quant_method": "mxfp4",
        "modules_to_not_convert": [
            "model.layers.*.self_attn",
            "model.layers.*.mlp.router",
            "model.embed_tokens",
            "lm_head",
        ],
    }
    config = from_hf_config(small("gpt_oss", quantization_config=method))
    assert config.weights == "mxfp4"
    assert config.plain_parts == ("attention", "embedding", "head")


def test_what_is_kept_and_not_read_is_said():
    said = from_hf_config(small("gpt_oss")).left_out
    assert "reading biases of experts and sinks of attention, which are kept" in said
