"""OPT: learned positions, norms before or after, and a narrow table of tokens in one model."""

from __future__ import annotations

from symroof.models.config import Embedding, FeedForward, Layer, ModelConfig, Norm
from symroof.models.families.common import activation, decoder_only, plain_heads
from symroof.models.families.patterns import layer_count
from symroof.models.families.registry import family
from symroof.models.fields import Fields

# The table of positions begins with two rows for padding.
OFFSET = 2


@family("opt")
def opt(f: Fields) -> ModelConfig:
    """Read OPT."""
    hidden = f.dim("hidden_size")
    bias = f.flag("enable_bias", default=True)
    affine = f.flag("layer_norm_elementwise_affine", default=True)
    norm = Norm("layer", bias=affine, weight=affine)
    before = f.flag("do_layer_norm_before", default=True)
    last = before and not f.flag("_remove_final_layer_norm", default=False)
    layer = Layer(
        plain_heads(f, hidden, bias=bias),
        FeedForward(
            f.dim("ffn_dim"),
            gated=False,
            bias=bias,
            activation=activation(f, "activation_function"),
        ),
        norm=norm,
        before=before,
    )
    width = f.dim("word_embed_proj_dim", default=hidden)
    positions = f.dim("max_position_embeddings")
    embedding = Embedding(
        f.dim("vocab_size"),
        width=None if width == hidden else width,
        positions=positions + OFFSET,
    )
    return decoder_only(
        f,
        hidden,
        [(layer, layer_count(f))],
        norm=norm if last else None,
        tied=True,
        embedding=embedding,
        context=positions,
    )
