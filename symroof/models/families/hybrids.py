"""Bamba, Granite 4 and Nemotron-H: layers of Mamba-2 among layers of attention."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer

from symroof.models.config import (
    Attention,
    FeedForward,
    Layer,
    Mixture,
    ModelConfig,
    StateSpace,
)
from symroof.models.families.common import activation, decoder_only, gated, heads_of, kv_heads
from symroof.models.families.patterns import FULL, Kinds, layer_count, layers_of, listed_kinds
from symroof.models.families.registry import family
from symroof.models.fields import Fields
from symroof.symbolic import to_text

LINEAR = "linear_attention"
SAME = {"mamba": "mamba", LINEAR: "mamba", "attention": "attention", FULL: "attention"}
PARTS = {**SAME, "mlp": "mlp", "moe": "moe"}
SIGNS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}


@family("bamba")
def bamba(f: Fields) -> ModelConfig:
    """Read Bamba: a network in each layer, attention in a few."""
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    attention = heads_of(f, hidden, qkv_bias=bias, out_bias=bias, kv_required=True)
    chosen = f.items("attn_layer_indices") or []
    rule = Kinds(lambda i: "attention" if i in chosen else "mamba", alike=not chosen)
    network = gated(f, bias=f.flag("mlp_bias", default=False))
    return _mixed(f, hidden, rule, attention, network)


@family("granitemoehybrid")
def granitemoehybrid(f: Fields) -> ModelConfig:
    """Read Granite 4: experts with a shared one, or the shared one alone."""
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    rotary = f.text("position_embedding_type", default="none") == "rope"
    attention = replace(heads_of(f, hidden, qkv_bias=bias, out_bias=bias), rotary=rotary)
    act = activation(f, default="silu")
    shared = FeedForward(f.dim("shared_intermediate_size"), activation=act)
    experts = f.dim("num_local_experts", least=0)
    if experts == 0:
        f.read("intermediate_size", "num_experts_per_tok")
        return _mixed(f, hidden, Kinds.all("mamba"), attention, shared)
    top_k, width = f.dim("num_experts_per_tok"), f.dim("intermediate_size")
    network = Mixture(experts, top_k, width, shared=shared)
    return _mixed(f, hidden, Kinds.all("mamba"), attention, network)


@family("nemotron_h")
def nemotron_h(f: Fields) -> ModelConfig:
    """Read Nemotron-H: each layer has one part, of Mamba-2, attention or a network."""
    hidden = f.dim("hidden_size")
    f.refuse("moe_latent_size", "experts between projections to a smaller size are not modelled")
    f.read("expand", "mamba_hidden_act", "moe_shared_expert_overlap", "mlp_bias", "sliding_window")
    count, kinds = _blocks(f)
    made: dict[str, Layer] = {}

    def layer_at(index: int) -> Layer:
        name = kinds.at(index)
        if name not in made:
            made[name] = _of_one_part(f, hidden, name)
        return made[name]

    return decoder_only(f, hidden, layers_of(f, count, layer_at, alike=kinds.alike))


def _mixed(
    f: Fields, hidden: Expr, rule: Kinds, attention: Attention, network: FeedForward | Mixture
) -> ModelConfig:
    """Return a decoder whose layers mix tokens by attention or by Mamba-2."""
    count = layer_count(f)
    kinds = listed_kinds(f, count, rule, "layer_types", "layers_block_type", among=tuple(SAME))
    plain = Layer(attention, network, name="attention")
    made: dict[str, Layer] = {"attention": plain}

    def layer_at(index: int) -> Layer:
        name = SAME[kinds.at(index)]
        if name not in made:
            made[name] = Layer(_mamba(f, hidden), network, name=name)
        return made[name]

    return decoder_only(f, hidden, layers_of(f, count, layer_at, alike=kinds.alike))


def _mamba(f: Fields, hidden: Expr) -> StateSpace:
    heads = f.dim("mamba_n_heads")
    inner = f.dim("mamba_expand", default=2) * hidden
    _, size = f.get("mamba_d_head")
    each = inner / heads if size in (None, "auto") else f.dim("mamba_d_head")
    if (inner.is_Integer and heads.is_Integer and each * heads != inner) or not _whole(each):
        raise f.error("mamba_n_heads", f"{heads} heads do not hold {inner} elements")
    return StateSpace(
        heads,
        each,
        f.dim("mamba_d_state"),
        f.dim("mamba_n_groups"),
        f.dim("mamba_d_conv"),
        conv_bias=f.flag("mamba_conv_bias", default=True),
        bias=f.flag("mamba_proj_bias", default=False),
    )


def _whole(size: Expr) -> bool:
    return bool(size.is_Integer or not size.is_number)


def _blocks(f: Fields) -> tuple[Expr, Kinds]:
    """Return how many layers there are and their parts, from a list or a letter for each."""
    count = f.dim_or_none("num_hidden_layers")
    if f.get("hybrid_override_pattern")[1] is None:
        given = f.items("layers_block_type", "layer_types")
        if given is None:
            raise f.missing("hybrid_override_pattern", "layers_block_type")
        names = ("layers_block_type", "layer_types")
        whole = Integer(len(given)) if count is None else count
        kinds = listed_kinds(f, whole, Kinds.all("mamba"), *names, among=tuple(PARTS))
        return whole, Kinds(lambda i: PARTS[kinds.at(i)], kinds.alike)
    letters = f.text("hybrid_override_pattern")
    for place, letter in enumerate(letters):
        if letter not in SIGNS:
            where = f"hybrid_override_pattern[{place}]"
            raise f.error(where, f"unknown {letter!r}; known: {', '.join(SIGNS)}")
    if not letters:
        raise f.error("hybrid_override_pattern", "it is empty")
    if count is not None and not count.is_Integer:
        message = f"{to_text(count)} layers need layers that are all alike, not a pattern"
        raise f.error("num_hidden_layers", message)
    if count is not None and count != len(letters):
        message = f"{len(letters)} letters for {to_text(count)} layers"
        raise f.error("hybrid_override_pattern", message)
    return Integer(len(letters)), Kinds(lambda i: SIGNS[letters[i]])


def _of_one_part(f: Fields, hidden: Expr, name: str) -> Layer:
    if name == "mamba":
        return Layer(_nemotron_mamba(f), None, name=name)
    if name == "attention":
        return Layer(_nemotron_heads(f), None, name=name)
    return Layer(None, _mlp(f) if name == "mlp" else _moe(f), name=name)


def _nemotron_heads(f: Fields) -> Attention:
    f.refuse("attention_bias", "biases of attention are not modelled here")
    heads = f.dim("num_attention_heads")
    size = f.dim("head_dim", "attention_head_dim")
    return Attention(heads, kv_heads(f, heads, required=True), size, rotary=False)


def _nemotron_mamba(f: Fields) -> StateSpace:
    return StateSpace(
        f.dim("mamba_num_heads"),
        f.dim("mamba_head_dim"),
        f.dim("ssm_state_size"),
        f.dim("n_groups", "mamba_n_groups"),
        f.dim("conv_kernel", "mamba_d_conv"),
        conv_bias=f.flag("use_conv_bias", "mamba_conv_bias", default=True),
        bias=f.flag("use_bias", "mamba_proj_bias", default=False),
    )


def _mlp(f: Fields) -> FeedForward:
    act = activation(f, "mlp_hidden_act", default="relu2")
    bias = f.flag("mlp_bias", default=False)
    return FeedForward(f.dim("intermediate_size"), gated=False, bias=bias, activation=act)


def _moe(f: Fields) -> Mixture:
    act = activation(f, "mlp_hidden_act", default="relu2")
    bias = f.flag("mlp_bias", default=False)
    f.read("n_shared_experts")
    shared = FeedForward(
        f.dim("moe_shared_expert_intermediate_size"), gated=False, bias=bias, activation=act
    )
    return Mixture(
        f.dim("n_routed_experts", "num_local_experts"),
        f.dim("num_experts_per_tok"),
        f.dim("moe_intermediate_size"),
        gated=False,
        shared=shared,
        correction_bias=True,
    )
