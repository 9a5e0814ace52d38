"""Multi-head latent attention: one small vector a token instead of keys and values."""

from __future__ import annotations

from symroof.graph import Tensor
from symroof.graph.ops.contraction import matmul
from symroof.graph.ops.copying import fill
from symroof.graph.ops.elementwise import add
from symroof.graph.ops.movement import concat, transpose
from symroof.models.assembly.attention import PART, ROTATION, SOFTMAX, appended, masked
from symroof.models.assembly.context import Axes, Context, divided
from symroof.models.assembly.groups import ONE, Group
from symroof.models.config import LatentAttention, Norm

WHOLE: Axes = (None, None)
SHARED: Axes = ("batch", None, None, None)
BY_HEAD: Axes = ("heads", None, None)


def latent_attention(
    ctx: Context, x: Tensor, layer: LatentAttention, norm: Norm, *, causal: bool = True
) -> Tensor:
    """Add latent attention; return what is added to the residual.

    What is kept of a token is its latent vector and one rotated key that all heads share.
    Absorbed, queries are brought to the latent space by the matrix that would expand the keys, all
    heads attend to the latent vectors, and the matrix that would expand the values works on the
    result. Otherwise keys and values of every head are expanded from all latent vectors that are
    attended. Source: DeepSeek-V2 (2024), section 2.1 and appendix C.
    """
    return _Latent(ctx, layer, norm, causal=causal).add(x)


class _Latent:
    def __init__(self, ctx: Context, layer: LatentAttention, norm: Norm, *, causal: bool) -> None:
        divided("heads", layer.heads, ctx.parallel.tp, "tp")
        self.ctx, self.layer, self.norm, self.causal = ctx, layer, norm, causal
        # The matrices that expand keys and values, side by side.
        both = (layer.heads, layer.rank, layer.plain_dim + layer.value_dim)
        self.w = ctx.weight("w_kv_up", both, BY_HEAD, PART)
        self.kept = layer.rank + layer.rotary_dim
        self.say()

    def add(self, x: Tensor) -> Tensor:
        ctx, layer = self.ctx, self.layer
        queries = self.queries(x)
        new = ctx.tokens.heads(self.latent(x), ONE, self.kept)
        attended = [
            self.attend(group, q, latent, name=ctx.prefix(place))
            for place, (group, q, latent) in enumerate(
                zip(ctx.tokens.groups, queries, new, strict=True)
            )
        ]
        merged = ctx.tokens.merged(attended, layer.heads * layer.value_dim, "heads")
        return ctx.project(merged, "o", x.shape[-1], ("heads", None), PART)

    def say(self) -> None:
        """Note what is left out, and which form attention has."""
        ctx = self.ctx
        ctx.say(SOFTMAX)
        ctx.say(ROTATION)
        for group in ctx.tokens.groups:
            who = "sequences that decode" if group.decodes else "prompts"
            ctx.say(
                f"Latent attention of {who} works on compressed keys and values (absorbed)."
                if ctx.absorbs(group)
                else f"Latent attention of {who} expands keys and values of all they attend to."
            )

    def queries(self, x: Tensor) -> list[Tensor]:
        """Return the queries of each group by heads: the plain part first, then the rotated one."""
        ctx, layer = self.ctx, self.layer
        size = layer.plain_dim + layer.rotary_dim
        if layer.query_rank is not None:
            x = ctx.project(x, "q_down", layer.query_rank, WHOLE, PART)
            x = ctx.norm(x, "q_latent_norm", self.norm)
        q = ctx.project(x, "q", layer.heads * size, (None, "heads"), PART)
        return ctx.tokens.heads(q, layer.heads, size)

    def latent(self, x: Tensor) -> Tensor:
        """Return what is kept of each new token."""
        made = self.ctx.project(x, "kv_down", self.kept, WHOLE, PART)
        rank = self.layer.rank
        latent = self.ctx.norm(made[..., :rank], "kv_latent_norm", self.norm)
        return concat([latent, made[..., rank:]], axis=-1, name="kv_latent")

    def attend(self, group: Group, q: Tensor, new: Tensor, *, name: str) -> Tensor:
        """Return what the heads of a group attend to, of shape (sequences, heads, new, values)."""
        keys = new
        if self.ctx.keeps:
            keys = appended(self.ctx, f"{name}latent_cache", new, group.context, axes=SHARED)
        if self.ctx.absorbs(group):
            return self.absorbed(q, keys, name)
        return self.expanded(q, keys, name)

    def absorbed(self, q: Tensor, keys: Tensor, name: str) -> Tensor:
        """Attend in the space of the latent vectors."""
        plain, rank = self.layer.plain_dim, self.layer.rank
        w_k = transpose(self.w[..., :plain], (0, 2, 1))
        latent = matmul(q[..., :plain], w_k, name=f"{name}q_latent")
        q = concat([latent, q[..., plain:]], axis=-1, name=f"{name}q_absorbed")
        values = keys[..., :rank]
        made = masked(q, keys, values, causal=self.causal, name=f"{name}attended")
        return matmul(made, self.w[..., plain:], name=f"{name}values")

    def expanded(self, q: Tensor, keys: Tensor, name: str) -> Tensor:
        """Attend to the keys and values of each head."""
        plain, rank = self.layer.plain_dim, self.layer.rank
        kept = self.ctx.plain(keys)
        both = matmul(kept[..., :rank], self.w, name=f"{name}expanded")
        # The rotated key of a token is the same for all heads.
        zeros = fill(both[:, :, :1, :1], name=f"{name}zeros")
        rotated = add(kept[..., rank:], zeros, name=f"{name}k_rotated")
        k = concat([both[..., :plain], rotated], axis=-1, name=f"{name}k")
        return masked(q, k, both[..., plain:], causal=self.causal, name=f"{name}attended")
