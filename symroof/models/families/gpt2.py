"""GPT-2, GPT-J and the first StarCoder: learned positions or rotated ones, dense layers."""

from __future__ import annotations

from dataclasses import replace

from sympy import Integer

from symroof.models.config import Attention, Embedding, FeedForward, Layer, ModelConfig
from symroof.models.families.common import LAYER, activation, decoder_only, plain_heads
from symroof.models.families.patterns import layer_count
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("gpt2")
def gpt2(f: Fields) -> ModelConfig:
    """Read GPT-2."""
    return _learned_positions(f, _heads(f))


@family("gpt_bigcode")
def gpt_bigcode(f: Fields) -> ModelConfig:
    """Read SantaCoder and StarCoder: one key-value head."""
    attention = _heads(f)
    if f.flag("multi_query", default=True):
        attention = replace(attention, kv_heads=Integer(1))
    f.read("runner_max_sequence_length", "inference_runner", "validate_runner_input")
    f.read("pre_allocate_kv_cache", "max_batch_size", "attention_softmax_in_fp32")
    return _learned_positions(f, attention)


@family("gptj")
def gptj(f: Fields) -> ModelConfig:
    """Read GPT-J: attention and network side by side behind one norm."""
    attention = replace(_heads(f), qkv_bias=False, out_bias=False, rotary=True)
    layer = Layer(attention, _network(f), norm=LAYER, parallel=True, shared_norm=True)
    layers = [(layer, layer_count(f, "n_layer", "num_hidden_layers"))]
    return decoder_only(
        f,
        f.dim("n_embd", "hidden_size"),
        layers,
        norm=LAYER,
        head_bias=True,
        context=f.dim_or_none("n_positions", "max_position_embeddings"),
    )


def _heads(f: Fields) -> Attention:
    hidden = f.dim("n_embd", "hidden_size")
    return plain_heads(f, hidden, "n_head", "num_attention_heads")


def _network(f: Fields) -> FeedForward:
    hidden = f.dim("n_embd", "hidden_size")
    width = f.dim("n_inner", "intermediate_size", default=4 * hidden)
    return FeedForward(
        width, gated=False, bias=True, activation=activation(f, "activation_function")
    )


def _learned_positions(f: Fields, attention: Attention) -> ModelConfig:
    f.refuse("add_cross_attention", "attention to the output of an encoder is not modelled here")
    layer = Layer(attention, _network(f), norm=LAYER)
    positions = f.dim("n_positions", "max_position_embeddings")
    return decoder_only(
        f,
        f.dim("n_embd", "hidden_size"),
        [(layer, layer_count(f, "n_layer", "num_hidden_layers"))],
        norm=LAYER,
        tied=True,
        embedding=Embedding(f.dim("vocab_size"), positions=positions),
        context=positions,
    )
