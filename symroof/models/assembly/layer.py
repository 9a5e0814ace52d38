"""One layer: what mixes tokens, a feed-forward network, norms and residual sums."""

from __future__ import annotations

from collections.abc import Callable

from symroof.graph import Tensor
from symroof.graph.ops.elementwise import add
from symroof.models.assembly.attention import attention, cross_attention
from symroof.models.assembly.context import Context
from symroof.models.assembly.feed_forward import feed_forward, mixture
from symroof.models.assembly.latent import latent_attention
from symroof.models.assembly.state_space import state_space
from symroof.models.config import (
    Attention,
    FeedForward,
    LatentAttention,
    Layer,
    Mixture,
    StateSpace,
)

Part = Callable[[Tensor], Tensor]


def layer_body(ctx: Context, layer: Layer, *, causal: bool) -> Part:
    """Return the function that adds one layer to the graph and returns its output."""

    def body(x: Tensor) -> Tensor:
        if layer.parallel:
            return _side_by_side(ctx, layer, x, causal=causal)
        for name, part in _parts(ctx, layer, causal=causal):
            x = _residual(ctx, layer, x, name, part)
        return x

    return body


def _parts(ctx: Context, layer: Layer, *, causal: bool) -> list[tuple[str, Part]]:
    found: list[tuple[str, Part]] = []
    mixer, cross, network = layer.mixer, layer.cross, layer.feed_forward
    if isinstance(mixer, Attention):
        found.append(("attn", lambda h: attention(ctx, h, mixer, layer.norm, causal=causal)))
    elif isinstance(mixer, LatentAttention):
        found.append(("attn", lambda h: latent_attention(ctx, h, mixer, layer.norm, causal=causal)))
    elif isinstance(mixer, StateSpace):
        found.append(("mixer", lambda h: state_space(ctx, h, mixer, layer.norm)))
    if cross is not None:
        found.append(("cross", lambda h: cross_attention(ctx, h, cross, layer.norm)))
    if isinstance(network, FeedForward):
        found.append(("ffn", lambda h: feed_forward(ctx, h, network)))
    elif isinstance(network, Mixture):
        found.append(("ffn", lambda h: mixture(ctx, h, network)))
    return found


def _residual(ctx: Context, layer: Layer, x: Tensor, name: str, part: Part) -> Tensor:
    h = ctx.norm(x, f"{name}_norm", layer.norm) if layer.before else x
    made = part(h)
    if layer.post_norms:
        made = ctx.norm(made, f"{name}_post_norm", layer.norm)
    made = add(x, made, name=f"x_{name}")
    return made if layer.before else ctx.norm(made, f"{name}_norm", layer.norm)


def _side_by_side(ctx: Context, layer: Layer, x: Tensor, *, causal: bool) -> Tensor:
    shared = ctx.norm(x, "norm", layer.norm) if layer.shared_norm else None
    added = []
    for name, part in _parts(ctx, layer, causal=causal):
        h = ctx.norm(x, f"{name}_norm", layer.norm) if shared is None else shared
        added.append(part(h))
    total = added[0] if len(added) == 1 else add(*added, name="both")
    return add(x, total, name="x_both")
