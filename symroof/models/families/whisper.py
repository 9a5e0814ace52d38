"""Whisper: an encoder of sound behind two convolutions, and a decoder of text."""

from __future__ import annotations

from dataclasses import replace

from symroof.models.config import (
    Attention,
    Embedding,
    FeedForward,
    Head,
    Layer,
    ModelConfig,
    Stack,
)
from symroof.models.families.common import LAYER, activation, plain_heads
from symroof.models.families.registry import family
from symroof.models.fields import Fields

# Both convolutions see three vectors.
KERNEL = 3


@family("whisper")
def whisper(f: Fields) -> ModelConfig:
    """Read Whisper; the table of sines that the encoder adds counts as a parameter."""
    f.read("num_hidden_layers", "max_length")
    hidden = f.dim("d_model", "hidden_size")
    vocabulary = f.dim("vocab_size")
    tokens = f.dim("max_source_positions")
    positions = f.dim("max_target_positions")
    heard = _heads(f, "encoder")
    said = _heads(f, "decoder")
    encoder = Layer(heard, _network(f, "encoder"), norm=LAYER, name="encoder")
    decoder = Layer(said, _network(f, "decoder"), cross=said, norm=LAYER, name="decoder")
    return ModelConfig(
        name=f.family,
        family=f.family,
        hidden=hidden,
        decoder=Stack(((decoder, f.dim("decoder_layers")),), final_norm=LAYER),
        embedding=Embedding(vocabulary, positions=positions),
        head=Head(vocabulary, tied=f.flag("tie_word_embeddings", default=True)),
        encoder=Stack(((encoder, f.dim("encoder_layers")),), causal=False, final_norm=LAYER),
        encoder_embedding=Embedding(
            None,
            positions=tokens,
            patch=KERNEL * hidden,
            stem=KERNEL * f.dim("num_mel_bins"),
        ),
        encoder_tokens=tokens,
        context=positions,
    )


def _heads(f: Fields, side: str) -> Attention:
    hidden = f.dim("d_model", "hidden_size")
    return replace(plain_heads(f, hidden, f"{side}_attention_heads"), key_bias=False)


def _network(f: Fields, side: str) -> FeedForward:
    width = f.dim(f"{side}_ffn_dim")
    act = activation(f, "activation_function")
    return FeedForward(width, gated=False, bias=True, activation=act)
