"""Falcon: one key-value head, or groups of them in its new architecture."""

from __future__ import annotations

from sympy import Expr, Integer

from symroof.models.config import Attention, FeedForward, Layer, ModelConfig
from symroof.models.families.common import LAYER, activation, decoder_only, head_dim, kv_heads
from symroof.models.families.patterns import layer_count
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("falcon")
def falcon(f: Fields) -> ModelConfig:
    """Read Falcon; its layers are parallel, behind one norm or two, or in turn."""
    f.read("alibi_bias_max", "apply_residual_connection_post_layernorm")
    hidden = f.dim("hidden_size", "n_embed")
    new = f.flag("new_decoder_architecture", default=False)
    bias = f.flag("bias", default=False)
    network = FeedForward(
        f.dim("ffn_hidden_size", default=4 * hidden),
        gated=False,
        bias=bias,
        activation=activation(f, "activation", default="gelu"),
    )
    parallel = f.flag("parallel_attn", default=True) or new
    norms = f.whole("num_ln_in_parallel_attn", default=2 if new else 1, least=1)
    layer = Layer(
        _heads(f, hidden, new=new, bias=bias),
        network,
        norm=LAYER,
        parallel=parallel,
        shared_norm=parallel and norms == 1,
    )
    layers = [(layer, layer_count(f, "num_hidden_layers", "n_layer"))]
    return decoder_only(f, hidden, layers, norm=LAYER, tied=True)


def _heads(f: Fields, hidden: Expr, *, new: bool, bias: bool) -> Attention:
    heads = f.dim("num_attention_heads", "n_head")
    several = not f.flag("multi_query", default=True)
    if new or several:
        kept = kv_heads(f, heads, "num_kv_heads", "n_head_kv")
    else:
        f.read("num_kv_heads", "n_head_kv")
        kept = Integer(1)
    rotary = not f.flag("alibi", default=False)
    size = head_dim(f, hidden, heads)
    return Attention(heads, kept, size, qkv_bias=bias, out_bias=bias, rotary=rotary)
