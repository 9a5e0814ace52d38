from __future__ import annotations

import pytest

from symroof.errors import InputError, SymroofError
from symroof.models import model
from symroof.models.hf import from_hf_config

# config.json of gemma-3-4b-it, as far as it says anything about sizes.
GEMMA_3_4B = {
    "model_type": "gemma3",
    "architectures": ["Gemma3ForConditionalGeneration"],
    "boi_token_index": 255999,
    "image_token_index": 262144,
    "mm_tokens_per_image": 256,
    "text_config": {
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "model_type": "gemma3_text",
        "num_hidden_layers": 34,
        "sliding_window": 1024,
    },
    "torch_dtype": "bfloat16",
    "vision_config": {"hidden_size": 1152, "model_type": "siglip_vision_model"},
}
# Its published total less its vision tower (27 layers of 1152 and 4304, 4096 patches of 14 x 14)
# and the projection of images, worked out by hand.
TOTAL, VISION, PROJECTION = 4_300_079_472, 416_866_032, 1152 * 2560 + 1152


def test_the_text_part_of_gemma_3_has_what_is_published_less_what_sees():
    found = model(GEMMA_3_4B)
    assert found.params == TOTAL - VISION - PROJECTION
    assert found.config.name == "gemma3"
    assert found.config.dtype == "bf16"


def test_what_is_left_out_and_what_was_taken_is_said():
    config = from_hf_config(GEMMA_3_4B)
    assert len(config.left_out) == 1
    assert "vision_config" in config.left_out[0]
    assert "text_config.num_attention_heads = 8" in config.defaults


def test_a_text_part_says_its_difference_from_the_defaults_of_its_class():
    # llava-1.5-7b: all sizes but the vocabulary are those of Llama 7B.
    config = from_hf_config(
        {
            "model_type": "llava",
            "text_config": {"model_type": "llama", "vocab_size": 32064},
            "vision_config": {},
        }
    )
    assert (config.hidden, config.decoder.depth, config.embedding.vocabulary) == (4096, 32, 32064)


def test_fields_of_the_caller_are_those_of_the_text():
    config = from_hf_config(GEMMA_3_4B, hidden_size="D", sliding_window=512)
    assert str(config.hidden) == "D"
    assert config.decoder.layers[0][0].mixer.window == 512
    with pytest.raises(SymroofError, match="hiden_size"):
        from_hf_config(GEMMA_3_4B, hiden_size="D")


def test_files_of_qwen2_vl_may_be_flat():
    file = {
        "model_type": "qwen2_vl",
        "vocab_size": 151936,
        "hidden_size": 1536,
        "intermediate_size": 8960,
        "num_hidden_layers": 28,
        "num_attention_heads": 12,
        "num_key_value_heads": 2,
        "tie_word_embeddings": True,
        "vision_config": {"depth": 32},
    }
    # Its layers are those of Qwen2-1.5B.
    assert model(file).params == 1_543_714_304


@pytest.mark.parametrize("head", [True, False])
def test_the_whole_may_say_whether_head_and_table_are_one(head):
    text = {"model_type": "llama"}
    file = {"model_type": "llava", "text_config": text, "tie_word_embeddings": head}
    assert from_hf_config(file).head.tied == head
    text["tie_word_embeddings"] = not head
    assert from_hf_config(file).head.tied != head


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text_config": None}, "missing field 'text_config' of gemma3"),
        ({"text_config": [1]}, "config: text_config: expected an object of fields, not a list"),
        ({"text_config": {"model_type": "zzz"}}, r"text_config\.model_type: unknown arch.* 'zzz'"),
        (
            {"text_config": {"model_type": "llama", "hidden_size": -1}},
            r"config: text_config\.hidden_size: expected a whole number",
        ),
        ({"model_type": "mllama"}, "model_type: mllama: its layers that attend to images"),
    ],
)
def test_errors_have_the_path_of_the_part(changes, message):
    with pytest.raises(InputError, match=message):
        from_hf_config({**GEMMA_3_4B, **changes})


def test_a_format_of_the_text_part_is_read():
    method = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": False}
    text = {**GEMMA_3_4B["text_config"], "quantization_config": method}
    assert from_hf_config({**GEMMA_3_4B, "text_config": text}).weights == "block(4,128,16)"
