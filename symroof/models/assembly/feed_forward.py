"""Feed-forward networks: dense ones, and mixtures of experts."""

from __future__ import annotations

from sympy import Integer

from symroof.errors import InputError
from symroof.graph import Tensor
from symroof.graph.ops.contraction import matmul
from symroof.graph.ops.elementwise import add, mul, sigmoid
from symroof.graph.ops.experts import experts as routed
from symroof.graph.ops.normalisation import softmax
from symroof.models.activations import ACTIVATIONS
from symroof.models.assembly.context import Axes, Context, divided
from symroof.models.config import FeedForward, Mixture
from symroof.symbolic.exact import shown

UP: Axes = (None, "ffn")
DOWN: Axes = ("ffn", None)


def feed_forward(
    ctx: Context, x: Tensor, layer: FeedForward, *, part: str = "feed-forward", name: str = ""
) -> Tensor:
    """Add a dense feed-forward network; return what is added to the residual."""
    divided("hidden units", layer.width, ctx.parallel.tp, "tp")
    if layer.gated:
        gate = ctx.project(x, f"{name}gate", layer.width, UP, part, bias=layer.bias)
        up = ctx.project(x, f"{name}up", layer.width, UP, part, bias=layer.bias)
        act = activated(gate, layer.activation, f"{name}act")
        inner = mul(act, up, name=f"{name}inner")
    else:
        up = ctx.project(x, f"{name}up", layer.width, UP, part, bias=layer.bias)
        inner = activated(up, layer.activation, f"{name}act")
    return ctx.project(inner, f"{name}down", x.shape[-1], DOWN, part, bias=layer.bias)


def mixture(ctx: Context, x: Tensor, layer: Mixture) -> Tensor:
    """Add a mixture of experts, of which each token reaches a few; return what is added."""
    tp, ep = ctx.parallel.tp, ctx.parallel.ep
    divided("experts", layer.experts, ep, "ep")
    divided("hidden units of an expert", layer.width, tp, "tp")
    hidden, number, width = x.shape[-1], layer.experts, layer.width
    even = "; chips get equal parts of the tokens" if ep > 1 else ""
    ctx.say(
        f"Each token goes to {shown(layer.top_k)} of {shown(number)} experts, all equally likely"
        f" and whatever other tokens do{even}."
    )
    ctx.say("Activations within experts are not counted.")
    scores = ctx.project(
        x, "router", number, (None, None), "router", bias=layer.router_bias, plain=True
    )
    if layer.correction_bias:
        balance = ctx.weight("router_balance", (number,), (None,), "router", plain=True)
        scores = add(scores, balance, name="router_balanced")
    softmax(scores, name="router_weights")
    into: Axes = ("experts", None, "expert_ffn")
    up = ctx.weight("experts.w_up", (number, hidden, width), into, "experts")
    down = ctx.weight(
        "experts.w_down", (number, width, hidden), ("experts", "expert_ffn", None), "experts"
    )
    gate = None
    if layer.gated:
        gate = ctx.weight("experts.w_gate", (number, hidden, width), into, "experts")
    if layer.bias:
        _biases(ctx, layer, hidden)
    made = routed(x, up, down, gate, top_k=layer.top_k, name="experts")
    if layer.shared is None:
        return made
    shared = feed_forward(ctx, x, layer.shared, part="shared experts", name="shared_")
    if layer.shared_gate:
        shape = (hidden, Integer(1))
        w = ctx.weight("w_shared_expert_gate", shape, (None, None), "shared experts")
        shared = mul(shared, sigmoid(matmul(x, w)), name="shared_gated")
    return add(made, shared, name="experts_and_shared")


def _biases(ctx: Context, layer: Mixture, hidden: object) -> None:
    number, width = layer.experts, layer.width
    for what in ("gate", "up") if layer.gated else ("up",):
        ctx.weight(
            f"experts.b_{what}", (number, width), ("experts", "expert_ffn"), "experts", plain=True
        )
    ctx.weight("experts.b_down", (number, hidden), ("experts", None), "experts", plain=True)


def activated(x: Tensor, activation: str, name: str) -> Tensor:
    """Apply an activation by its name in files.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if activation not in ACTIVATIONS:
        raise InputError(
            f"unknown activation {activation!r:.60}; known: {', '.join(ACTIVATIONS)}",
            where="activation",
        )
    return ACTIVATIONS[activation](x, name)
