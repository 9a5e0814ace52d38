"""T5: an encoder and a decoder without biases, with biases by distance in their attention."""

from __future__ import annotations

from sympy import Expr

from symroof.models.activations import ACTIVATIONS
from symroof.models.config import (
    Attention,
    Embedding,
    FeedForward,
    Head,
    Layer,
    ModelConfig,
    Stack,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields

GATED = "gated-"


@family("t5", "mt5")
def t5(f: Fields) -> ModelConfig:
    """Read T5, T5 v1.1, Flan-T5 and mT5."""
    f.read("is_gated_act", "dense_act_fn")
    hidden = f.dim("d_model", "hidden_size")
    heads = f.dim("num_heads", "num_attention_heads")
    attention = Attention(heads, heads, f.dim("d_kv", "head_dim"), rotary=False)
    network = _network(f)
    encoder_layers = f.dim("num_layers", "num_hidden_layers")
    decoder_layers = f.dim("num_decoder_layers", default=encoder_layers)
    relative = f.dim("relative_attention_num_buckets", default=32) * heads
    vocabulary = f.dim("vocab_size")
    return ModelConfig(
        name=f.family,
        family=f.family,
        hidden=hidden,
        decoder=Stack(
            ((Layer(attention, network, cross=attention, name="decoder"), decoder_layers),),
            relative=relative,
        ),
        embedding=Embedding(vocabulary),
        head=Head(vocabulary, tied=f.flag("tie_word_embeddings", default=True)),
        encoder=Stack(
            ((Layer(attention, network, name="encoder"), encoder_layers),),
            causal=False,
            relative=relative,
        ),
        context=f.dim_or_none("n_positions"),
    )


def _network(f: Fields) -> FeedForward:
    given = f.text("feed_forward_proj", default="relu")
    name = given.removeprefix(GATED)
    if name not in ACTIVATIONS:
        expected = f"one of {', '.join(ACTIVATIONS)}, with or without {GATED!r} before it"
        raise f.error("feed_forward_proj", f"unknown {given[:60]!r}; expected {expected}")
    width: Expr = f.dim("d_ff", "intermediate_size")
    return FeedForward(width, gated=given != name, activation=name)
