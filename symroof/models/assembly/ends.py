"""The two ends of a model: tokens or patches become vectors, and vectors become scores."""

from __future__ import annotations

from sympy import Expr

from symroof.errors import InputError
from symroof.graph import Tensor
from symroof.graph.ops.contraction import linear, matmul
from symroof.graph.ops.elementwise import add, gelu
from symroof.graph.ops.indexing import gather
from symroof.graph.ops.movement import concat, reshape, transpose
from symroof.graph.tensor import Leaf
from symroof.models.assembly.context import Axes, Context
from symroof.models.config import Embedding, Head

PART, HEAD = "embedding", "head"
WHOLE: Axes = (None, None)


def embedded(
    ctx: Context,
    given: Embedding,
    hidden: Expr,
    *,
    tied: bool = False,
    table: Leaf | None = None,
    name: str = "",
) -> tuple[Tensor, Leaf | None]:
    """Return the vectors of the new tokens, and the table they are from.

    Parameters
    ----------
    ctx : Context
    given : Embedding
    hidden : Expr
        Elements of a vector.
    tied : bool
        Whether the head uses the table too.
    table : Leaf, optional
        The table, where there is one already.
    name : str
        What names of tensors begin with.
    """
    if given.vocabulary is not None:
        table = table_of(ctx, given, hidden, tied=tied, name=name) if table is None else table
        x = _rows(ctx, table, f"{name}rows", f"{name}ids")
        if given.width is not None:
            x = ctx.project(x, f"{name}embedding_in", hidden, WHOLE, PART)
    else:
        x = _patches(ctx, given, hidden, name)
    for what, rows in (("positions", given.positions), ("kinds", given.kinds)):
        if rows is not None:
            learned = ctx.weight(f"{name}{what}", (rows, hidden), WHOLE, PART)
            found = _rows(ctx, learned, f"{name}{what}_rows", f"{name}{what}_ids")
            x = add(x, found, name=f"{name}x_{what}")
    if given.extra != 0:
        ctx.weight(f"{name}extra", (given.extra, hidden), WHOLE, PART)
    if given.norm is not None:
        x = ctx.norm(x, f"{name}embedding_norm", given.norm)
    return x, table


def table_of(ctx: Context, given: Embedding, hidden: Expr, *, tied: bool, name: str = "") -> Leaf:
    """Add the table of tokens: cut over its rows where the head uses it too, else over its width.

    Raises
    ------
    InputError
        If there are no tokens.
    """
    if given.vocabulary is None:
        raise InputError("a tied head needs a table of tokens", where="head")
    width = hidden if given.width is None else given.width
    rows = ctx.padded(given.vocabulary, ctx.parallel.tp) if tied else given.vocabulary
    axes: Axes = ("vocab", None) if tied else (None, "table")
    return ctx.weight(f"{name}embedding", (rows, width), axes, PART)


def scores(ctx: Context, x: Tensor, head: Head, table: Leaf | None, width: Expr | None) -> Tensor:
    """Return what the head makes of hidden vectors: scores of the vocabulary, or of classes."""
    if width is not None:
        x = ctx.project(x, "embedding_out", width, WHOLE, PART)
    if head.tied and table is not None:
        w: Tensor = transpose(table)
    else:
        rows = ctx.padded(head.outputs, ctx.parallel.tp)
        w = ctx.weight("lm_head", (x.shape[-1], rows), (None, "vocab"), HEAD)
    if not head.bias:
        return matmul(x, w, name="logits")
    return linear(x, w, ctx.bias("logits", w.shape[-1], ("vocab",), HEAD), name="logits")


def _rows(ctx: Context, table: Leaf, name: str, ids: str) -> Tensor:
    where = ctx.parallel.sharding(ctx.tokens.axes)
    given = ctx.graph.input(ids, ctx.tokens.shape, "int32", sharding=where)
    return ctx.plain(gather(table, given, name=name))


def _patches(ctx: Context, given: Embedding, hidden: Expr, name: str) -> Tensor:
    if given.patch is None:
        raise InputError("expected a vocabulary or the size of a patch", where="embedding")
    bias = given.patch_bias
    if given.stem is None:
        patches = _frames(ctx, f"{name}patches", (*ctx.tokens.shape, given.patch))
        return ctx.project(patches, f"{name}patch", hidden, WHOLE, PART, bias=bias)
    *lead, tokens = ctx.tokens.shape
    frames = _frames(ctx, f"{name}frames", (*lead, 2 * tokens, given.stem))
    x = ctx.project(frames, f"{name}stem", hidden, WHOLE, PART, bias=True)
    x = gelu(x, name=f"{name}stem_act")
    # A window takes the two vectors of a token, and what of its neighbour it reaches over.
    pairs = reshape(x, (*lead, tokens, 2 * hidden))
    windows = concat(
        [pairs, pairs[..., : given.patch - 2 * hidden]], axis=-1, name=f"{name}windows"
    )
    x = ctx.project(windows, f"{name}patch", hidden, WHOLE, PART, bias=bias)
    return gelu(x, name=f"{name}patch_act")


def _frames(ctx: Context, name: str, shape: tuple[Expr, ...]) -> Tensor:
    where = ctx.parallel.sharding((*ctx.tokens.axes, None))
    return ctx.graph.input(name, shape, ctx.precision.activations, sharding=where)
