from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import InputError, SymroofError
from symroof.models.config import Attention, ModelConfig
from symroof.models.families.registry import families
from symroof.models.hf import from_hf_config
from symroof.symbolic import symbols

LLAMA_3 = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": 128256,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "attention_bias": False,
    "mlp_bias": False,
    "hidden_act": "silu",
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-05,
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "transformers_version": "4.40.0",
    "use_cache": True,
}


def attention(config: ModelConfig) -> Attention:
    mixer = config.decoder.layers[0][0].mixer
    assert isinstance(mixer, Attention)
    return mixer


def test_a_config_has_what_the_file_says():
    config = from_hf_config(LLAMA_3)
    layer, count = config.decoder.layers[0]
    assert (config.hidden, count, config.context, config.dtype) == (4096, 32, 8192, "bf16")
    assert (layer.mixer.heads, layer.mixer.kv_heads, layer.mixer.head_dim) == (32, 8, 128)
    assert (layer.feed_forward.width, layer.feed_forward.gated, layer.norm.kind) == (
        14336,
        True,
        "rms",
    )
    assert (config.embedding.vocabulary, config.head.outputs, config.head.tied) == (
        128256,
        128256,
        False,
    )
    assert config.left_out == ()


def test_what_was_taken_is_said_and_nothing_else():
    config = from_hf_config(LLAMA_3)
    assert config.defaults == ("head_dim = 4096/32 = 128",)
    assert from_hf_config(LLAMA_3, head_dim=128).defaults == ()


def test_a_file_a_folder_and_what_is_in_it_are_the_same(tmp_path):
    folder = tmp_path / "my-llama"
    folder.mkdir()
    file = folder / "config.json"
    file.write_text(json.dumps(LLAMA_3))
    by_file, by_folder = from_hf_config(file), from_hf_config(str(folder))
    assert by_file.decoder == by_folder.decoder == from_hf_config(LLAMA_3).decoder
    assert by_file.name == by_folder.name == "my-llama"
    assert by_file.source == str(file)


def test_any_file_names_its_model(tmp_path):
    (tmp_path / "tiny.json").write_text(json.dumps(LLAMA_3))
    assert from_hf_config(tmp_path / "tiny.json").name == "tiny"


@pytest.mark.parametrize("source", [[LLAMA_3], 3, None, b"config.json"])
def test_what_is_no_config_is_refused(source):
    with pytest.raises(InputError, match="expected a path"):
        from_hf_config(source)


def test_names_make_formulas():
    d = symbols("D")
    config = from_hf_config(LLAMA_3, hidden_size="D", num_hidden_layers="L")
    assert (config.hidden, config.decoder.depth) == (d, symbols("L"))
    assert attention(config).head_dim == d / 32


def test_formulas_of_the_caller_are_kept_exact():
    config = from_hf_config(LLAMA_3, num_attention_heads="H", num_key_value_heads="H/4")
    assert attention(config).kv_heads == symbols("H") / 4


def test_a_head_is_as_large_as_the_file_says():
    assert attention(from_hf_config({**LLAMA_3, "head_dim": 64})).head_dim == 64


def test_the_size_of_a_group_gives_the_key_value_heads():
    config = from_hf_config(LLAMA_3, num_key_value_heads=None, num_key_value_groups=8)
    assert attention(config).kv_heads == 4


def test_without_key_value_heads_each_head_has_its_own():
    assert attention(from_hf_config(LLAMA_3, num_key_value_heads=None)).kv_heads == 32


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_key_value_groups": 4}, "config: num_key_value_groups: .*num_key_value_heads too"),
        ({"num_key_value_heads": 5}, "num_key_value_heads: 32 query heads do not divide over 5"),
        ({"num_attention_heads": 24}, "hidden size of 4096 does not divide over 24 heads"),
        ({"hidden_size": None}, "config: missing field 'hidden_size' of llama"),
        ({"hidden_size": -1}, "config: hidden_size: expected a whole number of at least 1"),
        ({"hidden_size": 40.5}, "hidden_size: expected a whole number"),
        ({"hidden_size": float("nan")}, "hidden_size: NaN"),
        ({"hidden_size": [4096]}, "hidden_size: expected a whole number .* not a list"),
        ({"hidden_size": True}, "hidden_size: expected a whole number .* not true"),
        ({"hidden_act": "gulu"}, "hidden_act: unknown 'gulu'; did you mean"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings: expected true or false"),
        ({"torch_dtype": 16}, "dtype: expected text, not the number 16"),
        ({"model_type": None}, "missing field 'model_type'"),
        ({"model_type": 3}, "model_type: expected text, not the number 3"),
        ({"model_type": "lama"}, "unknown architecture 'lama'; did you mean 'llama'"),
        ({"model_type": "rwkv"}, "model_type: rwkv: its layers are not modelled"),
        ({"num_key_value_head": 8, "num_key_value_heads": None}, "mean 'num_key_value_heads'"),
    ],
)
def test_an_error_says_where_and_what(changes, message):
    with pytest.raises(InputError, match=message) as error:
        from_hf_config({**LLAMA_3, **changes})
    assert "\n" not in str(error.value)


def test_an_unknown_architecture_lists_those_there_are():
    with pytest.raises(InputError) as error:
        from_hf_config({**LLAMA_3, "model_type": "zzz"})
    assert all(name in str(error.value) for name in ("llama", "mixtral", "whisper"))


def test_errors_of_a_file_begin_with_its_path(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**LLAMA_3, "hidden_size": 0}))
    with pytest.raises(InputError) as error:
        from_hf_config(file)
    assert str(error.value).startswith(f"{file}: hidden_size: ")


def test_the_caller_may_replace_only_what_is_read():
    with pytest.raises(SymroofError, match=r"hiden_size.*'hidden_size'"):
        from_hf_config(LLAMA_3, hiden_size="D")
    assert from_hf_config(LLAMA_3, rope_theta=1e4).decoder == from_hf_config(LLAMA_3).decoder


def test_fields_nobody_knows_are_left_out_in_words():
    config = from_hf_config({**LLAMA_3, "wonder_layers": 3, "rope_scaling": {"factor": 8.0}})
    assert len(config.left_out) == 1
    assert "wonder_layers" in config.left_out[0]


@pytest.mark.parametrize(
    ("stored", "name"),
    [("bfloat16", "bf16"), ("float16", "fp16"), ("torch.float32", "fp32"), ("auto", None)],
)
def test_the_format_of_weights_has_the_name_of_the_library(stored, name):
    assert from_hf_config({**LLAMA_3, "torch_dtype": stored}).dtype == name


def test_the_newer_name_of_the_format_is_read():
    newer = {key: value for key, value in LLAMA_3.items() if key != "torch_dtype"}
    assert from_hf_config({**newer, "dtype": "float16"}).dtype == "fp16"


NAMES = sorted(
    {
        *LLAMA_3,
        *("n_embd", "n_layer", "n_head", "n_positions", "num_local_experts", "sliding_window"),
        *("num_experts_per_tok", "moe_intermediate_size", "layer_types", "kv_lora_rank"),
        *("quantization_config", "text_config", "head_dim", "num_key_value_groups", "d_model"),
        *("first_k_dense_replace", "hybrid_override_pattern", "state_size", "image_size"),
    }
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 70),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["D", "silu", "full_attention", "bfloat16", "fp8", "1/0", "x**y", "gptq"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(
    st.sampled_from(sorted(families())),
    st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=12), VALUES, max_size=12),
)
def test_whatever_is_in_a_dict_is_read_or_refused_in_one_line(model_type, values):
    check({**values, "model_type": model_type})


@given(st.sampled_from(sorted(LLAMA_3)), VALUES)
def test_one_wrong_value_is_read_or_refused_in_one_line(name, value):
    check({**LLAMA_3, name: value})


@given(st.sampled_from(sorted(LLAMA_3)), VALUES)
def test_whatever_the_caller_gives_is_read_or_refused_in_one_line(name, value):
    check(LLAMA_3, **{name: value})


def check(file, **fields):
    found = read_or_refused(file, **fields)
    assert isinstance(found, ModelConfig) or "\n" not in found


def read_or_refused(file, **fields):
    try:
        return from_hf_config(file, **fields)
    except SymroofError as error:
        return str(error)
