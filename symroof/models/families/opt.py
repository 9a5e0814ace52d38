"""OPT: learned positions, norms before or after, and a narrow table of tokens in one model."""

from __future__ import annotations

from sympy import Expr

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
    width = _width(f, hidden)
    positions = f.dim("max_position_embeddings")
    embedding = Embedding(
        f.dim("vocab_size"),
        width=width,
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


def _width(f: Fields, hidden: Expr) -> Expr | None:
    """Return the width of the table of tokens, or None where it is the hidden size."""
    name = "word_embed_proj_dim"
    width = f.dim(name, default=hidden)
    # A hidden size that the caller replaced takes an equal width of the file with it.
    same = name not in f.given and f.values.get(name) == f.values.get("hidden_size")
    return None if same or width == hidden else width
