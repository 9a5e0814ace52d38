"""Attention with keys and values in a cache, and attention to the output of an encoder."""

from __future__ import annotations

from sympy import Expr

from symroof.graph import Tensor
from symroof.graph.ops.attention import attention as attend
from symroof.graph.ops.indexing import cache_append
from symroof.graph.ops.movement import reshape
from symroof.models.assembly.context import Axes, Context, divided, kv_heads
from symroof.models.assembly.groups import Group, Tokens
from symroof.models.config import Attention, Norm
from symroof.symbolic.bounds import least
from symroof.symbolic.exact import shown

HEADS: Axes = (None, "heads")
KV_HEADS: Axes = (None, "kv_heads")
CACHE: Axes = ("batch", "kv_heads", None, None)
SOFTMAX = "Of attention its two products are counted, and not the softmax."
ROTATION = "The rotation of queries and keys by their position is not counted."
PART, CROSS = "attention", "cross attention"


def attention(ctx: Context, x: Tensor, layer: Attention, norm: Norm, *, causal: bool) -> Tensor:
    """Add attention of tokens to themselves; return what is added to the residual.

    Projections run on the tokens of all groups together, attention group by group. Layers that
    attend within chunks are taken as if the chunk were a window: no less is attended.

    Parameters
    ----------
    ctx : Context
    x : Tensor
        The new tokens, normalised.
    layer : Attention
    norm : Norm
        Kind of the norms on queries and keys.
    causal : bool
        Whether a token sees only those before it.
    """
    parts = _Projections(ctx, layer, norm, "", PART)
    q = parts.queries(x)
    k, v = parts.keys_and_values(x, ctx.tokens)
    made = []
    for place, (group, *own) in enumerate(zip(ctx.tokens.groups, q, k, v, strict=True)):
        made.append(_attend(ctx, group, own, layer, causal=causal, name=ctx.prefix(place)))
    return parts.output(x, made)


def cross_attention(ctx: Context, x: Tensor, layer: Attention, norm: Norm) -> Tensor:
    """Add attention to the output of the encoder; return what is added to the residual.

    Keys and values are made once, in the step in which the encoder runs, and kept.
    """
    parts = _Projections(ctx, layer, norm, "cross_", CROSS)
    fresh: dict[str, Tensor] = {}
    if ctx.encoded is not None and ctx.encoder_tokens is not None:
        (k,), (v,) = parts.keys_and_values(ctx.encoded, ctx.encoder_tokens)
        fresh = {"k": k, "v": v}
    made = []
    for place, (group, q) in enumerate(zip(ctx.tokens.groups, parts.queries(x), strict=True)):
        name = f"{ctx.prefix(place)}cross_"
        kept = []
        for what, size in (("k", parts.size), ("v", parts.size)):
            if not ctx.keeps:
                kept.append(fresh[what])
                continue
            shape = (group.sequences, parts.kv, ctx.source, size)
            cache: Tensor = ctx.cache(f"{name}{what}_cache", shape, CACHE, "cross")
            if group.encodes:
                new = ctx.stored(fresh[what], cache)
                cache = cache_append(cache, new, name=f"{name}{what}_cache_new")
            kept.append(cache)
        made.append(attend(q, *kept, name=f"{name}attended"))
    return parts.output(x, made)


class _Projections:
    """The matrices of an attention, and its heads on all chips together."""

    def __init__(self, ctx: Context, layer: Attention, norm: Norm, name: str, part: str) -> None:
        divided("heads", layer.heads, ctx.parallel.tp, "tp")
        self.ctx, self.layer, self.norm, self.name, self.part = ctx, layer, norm, name, part
        self.q = layer.heads
        self.kv = kv_heads(layer.heads, layer.kv_heads, ctx.parallel)
        self.size = layer.head_dim
        self.say()

    def say(self) -> None:
        """Note what is left out, and what is taken for something else."""
        ctx, layer, tp = self.ctx, self.layer, self.ctx.parallel.tp
        ctx.say(SOFTMAX)
        if layer.rotary:
            ctx.say(ROTATION)
        if layer.chunk is not None:
            ctx.say(
                f"Attention within chunks of {shown(layer.chunk)} tokens is taken to be over a"
                " window as long, so that work and cache of these layers are upper bounds."
            )
        if layer.query_norm == "full" and tp > 1:
            ctx.say("Norms over all heads are over those of a chip: their sums are not exchanged.")
        if self.kv != layer.kv_heads:
            ctx.say(
                f"The {shown(layer.kv_heads)} key-value heads take the room of {shown(self.kv)} on"
                f" {tp} chips: each chip keeps whole ones."
            )

    def queries(self, x: Tensor) -> list[Tensor]:
        """Return the queries of each group, of shape (sequences, heads, new, head dim)."""
        q = self.projected(x, "q", self.q * self.size, HEADS)
        return self.ctx.tokens.heads(self.normed(q, "q_norm", self.q), self.q, self.size)

    def keys_and_values(self, x: Tensor, tokens: Tokens) -> tuple[list[Tensor], list[Tensor]]:
        """Return the new keys and values of each group."""
        k = self.projected(x, "k", self.kv * self.size, KV_HEADS)
        v = self.projected(x, "v", self.kv * self.size, KV_HEADS)
        k = self.normed(k, "k_norm", self.kv)
        return tokens.heads(k, self.kv, self.size), tokens.heads(v, self.kv, self.size)

    def output(self, x: Tensor, made: list[Tensor]) -> Tensor:
        """Return the heads of all groups projected to hidden vectors."""
        ctx, layer, name = self.ctx, self.layer, self.name
        width = self.q * self.size
        merged = ctx.tokens.merged(made, width, f"{name}heads")
        if layer.sinks:
            ctx.weight(f"{name}sinks", (layer.heads,), ("heads",), self.part, plain=True)
        out: Axes = ("heads", None)
        return ctx.project(merged, f"{name}o", x.shape[-1], out, self.part, bias=layer.out_bias)

    def projected(self, x: Tensor, what: str, width: Expr, axes: Axes) -> Tensor:
        """Return `x` multiplied by one of the matrices."""
        bias = self.layer.qkv_bias and (what != "k" or self.layer.key_bias)
        return self.ctx.project(x, f"{self.name}{what}", width, axes, self.part, bias=bias)

    def normed(self, x: Tensor, what: str, heads: Expr) -> Tensor:
        """Return queries or keys after their norm, if they have one."""
        if not self.layer.query_norm:
            return x
        lead, width = x.shape[:-1], x.shape[-1]
        # A norm over all heads is made on each chip of its own heads: sums are not exchanged.
        pieces = heads if self.layer.query_norm == "head" else self.ctx.parallel.tp
        split = reshape(x, (*lead, pieces, width / pieces))
        made = self.ctx.norm(split, f"{self.name}{what}", self.norm)
        return reshape(made, (*lead, width))


def _attend(
    ctx: Context, group: Group, parts: list[Tensor], layer: Attention, *, causal: bool, name: str
) -> Tensor:
    q, k, v = parts
    window = layer.window if layer.window is not None else layer.chunk
    if ctx.keeps:
        kept = group.context
        if window is not None:
            kept = least(group.context, group.new + window - 1)
            window = None if group.decodes else window
        k = appended(ctx, f"{name}k_cache", k, kept)
        v = appended(ctx, f"{name}v_cache", v, kept)
    return masked(q, k, v, causal=causal, window=window, name=f"{name}attended")


def masked(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool,
    window: Expr | None = None,
    name: str | None = None,
) -> Tensor:
    """Attend to all keys, to those up to a query's own place, or to a window of those."""
    if window is None and (not causal or q.shape[2] == 1):
        return attend(q, k, v, name=name)
    mask = "causal" if window is None else "window"
    align = None if k.shape[2] == q.shape[2] else "bottom-right"
    return attend(q, k, v, mask=mask, window=window, align=align, name=name)


def appended(ctx: Context, name: str, new: Tensor, kept: Expr, *, axes: Axes = CACHE) -> Tensor:
    """Write new keys or values into a cache of `kept` tokens, and return it."""
    sequences, heads, _, size = new.shape
    cache = ctx.cache(name, (sequences, heads, kept, size), axes, "kv")
    return cache_append(cache, ctx.stored(new, cache), name=f"{name}_new")
