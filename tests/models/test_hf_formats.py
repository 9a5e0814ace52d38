from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

from symroof.errors import InputError, SymroofError
from symroof.models.fields import Fields
from symroof.models.hf_formats import METHODS, Formats, formats
from symroof.units import dtype


def read(**method) -> Formats:
    return formats(Fields({"quantization_config": method}, "config.json"))


# Bits of an element, worked by hand: of itself, and its share of scales and zero points.
@pytest.mark.parametrize(
    ("method", "bits"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True}, 4 + Rational(1, 8)),
        (
            {"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": False},
            4 + Rational(16 + 4, 128),
        ),
        ({"quant_method": "gptq", "bits": 8, "group_size": -1}, 8),
        ({"quant_method": "gptq", "bits": 3, "group_size": -1}, 3),
        (
            {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True},
            4 + Rational(16 + 4, 128),
        ),
        (
            {"quant_method": "awq", "w_bit": 4, "q_group_size": 64, "zero_point": False},
            4 + Rational(16, 64),
        ),
        ({"quant_method": "fp8", "activation_scheme": "static"}, 8),
        (
            {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]},
            8 + Rational(32, 128 * 128),
        ),
        ({"quant_method": "fbgemm_fp8"}, 8),
        ({"quant_method": "mxfp4"}, 4 + Rational(8, 32)),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 8),
        ({"load_in_8bit": True, "load_in_4bit": False}, 8),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4 + Rational(32, 64)),
        (
            {"load_in_4bit": True, "bnb_4bit_use_double_quant": True},
            4 + Rational(8, 64) + Rational(32, 64 * 256),
        ),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, 4 + Rational(8, 16)),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, 8),
    ],
)
def test_the_bits_that_an_element_takes(method, bits):
    assert dtype(read(**method).weights).bits == bits


@pytest.mark.parametrize(
    ("weights", "bits"),
    [
        ({"num_bits": 8, "type": "float", "strategy": "channel"}, 8),
        ({"num_bits": 4, "type": "float", "group_size": 16}, 4 + Rational(8, 16)),
        ({"num_bits": 4, "type": "int", "symmetric": True, "group_size": 128}, 4 + Rational(1, 8)),
        ({"num_bits": 8, "type": "int", "strategy": "channel", "group_size": None}, 8),
    ],
)
def test_compressed_tensors_say_it_for_a_group_of_layers(weights, bits):
    found = read(
        quant_method="compressed-tensors",
        config_groups={"group_0": {"targets": ["Linear"], "weights": weights}},
        ignore=["lm_head"],
    )
    assert dtype(found.weights).bits == bits
    assert found.plain_parts == ("embedding", "head")


def test_modules_that_stay_name_the_parts_of_the_model():
    found = read(
        quant_method="mxfp4",
        modules_to_not_convert=[
            "model.layers.*.self_attn",
            "model.layers.*.mlp.router",
            "model.embed_tokens",
            "lm_head",
        ],
    )
    assert found == Formats(None, "mxfp4", ("attention", "embedding", "head"), ())


def test_modules_of_single_layers_are_said_to_count_as_quantised():
    names = ["model.layers.0.self_attn", "model.layers.1.mlp.down_proj", "visual.blocks.0"]
    found = read(quant_method="awq", bits=4, group_size=64, modules_to_not_convert=names)
    assert "attention" not in found.plain_parts
    assert len(found.left_out) == 1
    assert found.left_out[0].startswith("2 of the modules")


def test_an_unknown_method_is_left_out_in_words_and_weights_stay_plain():
    found = formats(
        Fields({"torch_dtype": "bfloat16", "quantization_config": {"quant_method": "qubits"}}, "c")
    )
    assert (found.dtype, found.weights) == ("bf16", None)
    assert "'qubits'" in found.left_out[0]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"quant_method": "gptq"}, r"config\.json: quantization_config: missing field 'bits'"),
        ({"quant_method": "gptq", "bits": "four", "group_size": 1}, r"quantization_config\.bits"),
        ({"quant_method": "gptq", "bits": 99, "group_size": 128}, "at most 16 bits, not 99"),
        ({"quant_method": "awq", "bits": 4, "group_size": 0}, r"quantization_config\.group_size"),
        ({"quant_method": "fp8", "weight_block_size": [128, "x"]}, r"weight_block_size\.1"),
        ({"quant_method": "awq", "bits": 4, "group_size": 8, "zero_point": 1}, "zero_point"),
        ({"quant_method": 4}, r"quantization_config\.quant_method: expected text"),
    ],
)
def test_a_method_that_is_wrong_is_refused_with_the_path(method, message):
    with pytest.raises(InputError, match=message):
        read(**method)


def test_a_method_that_is_no_object_is_refused():
    with pytest.raises(InputError, match="quantization_config: expected an object, not a list"):
        formats(Fields({"quantization_config": []}, "c"))


KEYS = ("bits", "group_size", "sym", "zero_point", "weight_block_size", "config_groups", "ignore")
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 300),
    st.text(max_size=5),
    st.lists(st.integers(-2, 300) | st.text(max_size=4), max_size=3),
    st.dictionaries(st.text(max_size=4), st.dictionaries(st.text(max_size=4), st.integers())),
)


@given(st.sampled_from(sorted(METHODS)), st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_whatever_a_method_says_is_a_format_or_refused(method, values):
    found = read_or_refused(quant_method=method, **values)
    if isinstance(found, str):
        assert "\n" not in found
    else:
        assert found.weights is None or dtype(found.weights).bits > 0


def read_or_refused(**method):
    try:
        return read(**method)
    except SymroofError as error:
        return str(error)


def test_a_block_has_two_sides():
    with pytest.raises(InputError, match="weight_block_size: expected two numbers, not 3"):
        read(quant_method="fp8", weight_block_size=[128, 128, 2])


def test_a_kind_of_numbers_that_is_unknown_is_said_and_not_taken_for_integers():
    group = {"weights": {"num_bits": 4, "type": "posit", "group_size": 128}}
    found = read(quant_method="compressed-tensors", config_groups={"all": group})
    assert found.weights is None
    assert "compressed-tensors" in found.left_out[0]
