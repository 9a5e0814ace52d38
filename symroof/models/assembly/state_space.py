"""A Mamba-2 mixer: a convolution over a few tokens, and a state of fixed size."""

from __future__ import annotations

from sympy import Expr

from symroof.errors import InputError
from symroof.graph import Tensor
from symroof.graph.ops.convolution import conv
from symroof.graph.ops.copying import copy
from symroof.graph.ops.einsum import einsum
from symroof.graph.ops.elementwise import add, exp, fma, mul, silu
from symroof.graph.ops.movement import concat, reshape, transpose
from symroof.graph.tensor import Leaf
from symroof.models.assembly.context import Axes, Context, divided
from symroof.models.assembly.groups import ONE, Group
from symroof.models.config import Norm, StateSpace
from symroof.symbolic.exact import shown

PART = "state space"


def state_space(ctx: Context, x: Tensor, layer: StateSpace, norm: Norm) -> Tensor:
    """Add a state-space mixer; return what is added to the residual.

    The products with the state are those of the recurrence, one to bring a token into the state
    and one to read it: 2·N·P FLOPs each for a head of P elements with N state elements, of which
    a single token needs half for the first. A chunked scan does more within its chunks; that is
    not counted. The state and the last inputs of the convolution are kept in the dtype of
    activations, read and overwritten. Source: Dao and Gu 2024 (Mamba-2), section 6.
    """
    return _Mixer(ctx, layer, norm).add(x)


class _Mixer:
    def __init__(self, ctx: Context, layer: StateSpace, norm: Norm) -> None:
        tp = ctx.parallel.tp
        divided("state-space heads", layer.heads, tp, "tp")
        if ctx.parallel.cp > 1:
            raise InputError("a state cannot be cut along the sequence", where="cp")
        self.ctx, self.layer, self.norm = ctx, layer, norm
        self.inner = layer.heads * layer.head_dim
        self.each = layer.heads / layer.groups
        self.by_group = tp > 1 and layer.groups.is_Integer and layer.groups % tp == 0
        if tp > 1 and not self.by_group and layer.groups != 1:
            raise InputError(
                f"{shown(layer.groups)} groups of state-space heads do not divide over {tp} chips",
                where="tp",
            )
        self.share: str | None = "heads" if self.by_group else None
        heads: Axes = ("heads",)
        self.a, self.d = (
            ctx.weight(name, (layer.heads,), heads, PART, plain=True) for name in ("a_log", "d")
        )
        self.dt_bias = ctx.bias("dt", layer.heads, heads, PART)

    def add(self, x: Tensor) -> Tensor:
        ctx, layer = self.ctx, self.layer
        self.say()
        gate = self.projected(x, "z", self.inner, "heads")
        size = layer.groups * layer.state
        convolved = [
            self.convolved(x, name, width, axis)
            for name, width, axis in (
                ("x", self.inner, "heads"),
                ("b", size, self.share),
                ("c", size, self.share),
            )
        ]
        steps = add(self.projected(x, "dt", layer.heads, "heads"), self.dt_bias, name="dt_sum")
        parts = zip(
            ctx.tokens.groups,
            *convolved,
            ctx.tokens.parts(steps, layer.groups, self.each),
            strict=True,
        )
        made = [self.scanned(place, *each) for place, each in enumerate(parts)]
        y = ctx.tokens.joined(made, self.inner, "y")
        y = mul(y, silu(gate, name="z_act"), name="y_gated")
        # As on each chip of its own heads.
        pieces = ctx.parallel.tp
        split = reshape(y, (*ctx.tokens.shape, pieces, self.inner / pieces))
        y = reshape(ctx.norm(split, "y_norm", self.norm), y.shape)
        return ctx.project(y, "out", x.shape[-1], ("heads", None), PART, bias=layer.bias)

    def say(self) -> None:
        if not all(group.decodes for group in self.ctx.tokens.groups):
            self.ctx.say(
                "Of the scan of prompts through a state its recurrence is counted, and not what a"
                " chunked scan does more within its chunks."
            )
        if self.ctx.parallel.tp > 1:
            self.ctx.say(
                "The norm behind a state is over the heads of a chip: its sums are not exchanged."
            )

    def projected(self, x: Tensor, name: str, width: Expr, axis: str | None) -> Tensor:
        # The bias of dt is in any case added to the step.
        bias = self.layer.bias and name != "dt"
        return self.ctx.project(x, f"in_{name}", width, (None, axis), PART, bias=bias)

    def convolved(self, x: Tensor, name: str, width: Expr, axis: str | None) -> list[Tensor]:
        """Return a projection after its convolution, for each group: (sequences, new, width)."""
        ctx, layer = self.ctx, self.layer
        given = self.projected(x, name, width, axis)
        w = ctx.weight(f"w_conv_{name}", (width, layer.kernel), (axis, None), PART)
        bias = ctx.bias(f"conv_{name}", width, (axis,), PART) if layer.conv_bias else None
        kernel = reshape(w, (width, 1, layer.kernel))
        made = []
        for place, (group, part) in enumerate(
            zip(ctx.tokens.groups, ctx.tokens.parts(given, width), strict=True)
        ):
            label = f"{ctx.prefix(place)}conv_{name}"
            before = transpose(part, (0, 2, 1))
            before, padding = self.before(group, before, label, axis)
            after = conv(before, kernel, bias, padding=padding, groups=width, name=label)
            made.append(silu(transpose(after, (0, 2, 1)), name=f"{label}_act"))
        return made

    def before(
        self, group: Group, new: Tensor, name: str, axis: str | None
    ) -> tuple[Tensor, tuple[tuple[Expr | int, int], ...] | int]:
        """Return what a convolution reads, and its padding; keep the last inputs for later."""
        kept = self.layer.kernel - 1
        if kept == 0:
            return new, 0
        if not self.ctx.keeps:
            return new, ((kept, 0),)
        shape = (new.shape[0], new.shape[1], kept)
        state = self.ctx.cache(f"{name}_state", shape, ("batch", axis, None), "state")
        short = group.new.is_Integer and kept.is_Integer and group.new < kept
        if not group.fresh or short:
            new = concat([state, new], axis=2, name=f"{name}_window")
        copy(new[:, :, new.shape[2] - kept :], out=state, name=f"{name}_kept")
        return new, 0 if not group.fresh or short else ((kept, 0),)

    def scanned(
        self, place: int, group: Group, x: Tensor, b: Tensor, c: Tensor, steps: Tensor
    ) -> Tensor:
        """Return what a group reads from its states: (sequences, new, heads times head dim)."""
        ctx, layer = self.ctx, self.layer
        lead = (group.sequences, group.new)
        grouped = (*lead, layer.groups, self.each, layer.head_dim)
        x = reshape(x, grouped)
        b, c = (reshape(t, (*lead, layer.groups, layer.state)) for t in (b, c))
        label = f"{ctx.prefix(place)}state"
        decay = exp(mul(steps, self.by_head(self.a)), name=f"{label}_decay")
        scaled = mul(x, reshape(steps, (*steps.shape, ONE)), name=f"{label}_x")
        if group.decodes:
            b, c, scaled = (_without_tokens(t) for t in (b, c, scaled))
            update = einsum("bgn,bghp->bghpn", b, scaled, name=f"{label}_update")
        else:
            update = einsum("btgn,btghp->bghpn", b, scaled, name=f"{label}_update")
        state = self.updated(group, update, decay, label)
        equation = "bgn,bghpn->bghp" if group.decodes else "btgn,bghpn->btghp"
        y = reshape(einsum(equation, c, state, name=f"{label}_read"), grouped)
        d = reshape(self.by_head(self.d), (1, 1, layer.groups, self.each, 1))
        return reshape(fma(x, d, y, name=f"{label}_y"), (*lead, self.inner))

    def updated(self, group: Group, update: Tensor, decay: Tensor, name: str) -> Tensor:
        """Return the state after the new tokens, in its place if it is kept."""
        if not self.ctx.keeps:
            return update
        axes: Axes = ("batch", self.share, None if self.by_group else "heads", None, None)
        state = self.ctx.cache(name, update.shape, axes, "state")
        if group.fresh:
            return copy(update, out=state, name=f"{name}_new")
        last = reshape(decay[:, group.new - 1], (*update.shape[:3], 1, 1))
        return fma(state, last, update, out=state, name=f"{name}_new")

    def by_head(self, leaf: Leaf) -> Tensor:
        """Return numbers of each head in the shape (groups, heads of a group)."""
        return reshape(leaf, (self.layer.groups, self.each))


def _without_tokens(x: Tensor) -> Tensor:
    return reshape(x, (x.shape[0], *x.shape[2:]))
