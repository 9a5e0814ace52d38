"""DeepSeek-V2 and V3, Kimi K2: latent attention, shared experts, first layers without experts."""

from __future__ import annotations

from dataclasses import replace

from symroof.models.config import FeedForward, LatentAttention, Layer, Mixture, ModelConfig, Stack
from symroof.models.families.common import activation, decoder_only, gated
from symroof.models.families.patterns import layer_count, layers_of
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("deepseek_v2")
def deepseek_v2(f: Fields) -> ModelConfig:
    """Read DeepSeek-V2."""
    return _latent(f, correction=False)


@family("deepseek_v3", "kimi_k2")
def deepseek_v3(f: Fields) -> ModelConfig:
    """Read DeepSeek-V3 and R1: routing is balanced by a number for each expert."""
    return _latent(f, correction=True)


def _latent(f: Fields, *, correction: bool) -> ModelConfig:
    hidden = f.dim("hidden_size")
    f.refuse("attention_bias", "biases of latent attention are not modelled")
    f.refuse("mlp_bias", "biases of its networks are not modelled")
    f.read("num_key_value_heads", "head_dim", "qk_head_dim", "rope_interleave")
    attention = LatentAttention(
        f.dim("num_attention_heads"),
        f.dim_or_none("q_lora_rank"),
        f.dim("kv_lora_rank"),
        f.dim("qk_nope_head_dim"),
        f.dim("qk_rope_head_dim"),
        f.dim("v_head_dim"),
    )
    predicted_layers(f)
    layers = dense_then_experts(f, attention, shared_and_routed(f, correction=correction))
    return decoder_only(f, hidden, layers)


def shared_and_routed(f: Fields, *, correction: bool) -> Mixture:
    """Return experts, some of which every token goes to."""
    width = f.dim("moe_intermediate_size")
    act = activation(f, default="silu")
    shared = f.dim_or_none("n_shared_experts", least=0)
    has_shared = shared is not None and shared != 0
    return Mixture(
        f.dim("n_routed_experts", "num_experts", "num_local_experts"),
        f.dim("num_experts_per_tok"),
        width,
        shared=FeedForward(shared * width, activation=act) if has_shared else None,
        correction_bias=correction,
    )


def dense_then_experts(f: Fields, attention: object, experts: Mixture, **layer: object) -> Stack:
    """Return layers of which the first few have a dense network in place of experts."""
    f.refuse(
        "moe_layer_freq", "experts in some of the later layers are not modelled", harmless=(1,)
    )
    count = layer_count(f)
    first = f.whole("first_k_dense_replace", default=0)
    sparse = Layer(attention, experts, **layer)  # type: ignore[arg-type]
    if first == 0:
        f.read("intermediate_size")
        return Stack(((sparse, count),))
    dense = replace(sparse, feed_forward=gated(f), name="dense")
    sparse = replace(sparse, name="moe")
    return layers_of(f, count, lambda index: dense if index < first else sparse)


def predicted_layers(f: Fields) -> None:
    """Say that layers which predict further tokens are left out."""
    further = f.dim_or_none("num_nextn_predict_layers", "num_mtp_layers", least=0)
    if further is not None and further != 0:
        f.left_out.append(
            f"multi-token prediction: {further} further "
            f"{'layer' if further == 1 else 'layers'} ({f.path}num_nextn_predict_layers)"
        )
