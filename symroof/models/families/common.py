"""What readers of families share: heads, feed-forward networks, the two ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr

from symroof.models.activations import ACTIVATIONS
from symroof.models.config import (
    Attention,
    Embedding,
    FeedForward,
    Head,
    Layer,
    ModelConfig,
    Norm,
    Stack,
)
from symroof.models.fields import Fields
from symroof.symbolic import to_text

RMS = Norm("rms")
LAYER = Norm("layer", bias=True)


def kv_heads(f: Fields, heads: Expr, *names: str, required: bool = False) -> Expr:
    """Return the number of key-value heads; where only the size of a group is given, from that.

    If neither is, or it is null, there are as many as query heads.

    Parameters
    ----------
    f : Fields
    heads : Expr
        Query heads.
    *names : str
        Names of the field; the usual ones by default.
    required : bool
        Whether the file has to have it: the class has another default, which only it knows.

    Raises
    ------
    InputError
        If both are given, or query heads do not divide, or it is required and absent.
    """
    names = names or ("num_key_value_heads", "n_head_kv")
    f.read(*names)
    group = f.dim_or_none("num_key_value_groups")
    if group is None:
        if required and not f.has(*names):
            raise f.missing(*names)
        found = f.dim(*names, default=heads)
        if _divides(heads, found) is False:
            raise f.error(
                names[0], f"{heads} query heads do not divide over {found} key-value heads"
            )
        return found
    if f.says(*names):
        raise f.error(
            "num_key_value_groups",
            f"the size of a group is given, and {names[0]} too; give one, and null for the other",
        )
    if _divides(heads, group) is False:
        raise f.error("num_key_value_groups", f"{heads} query heads do not divide by {group}")
    return heads / group


def head_dim(f: Fields, hidden: Expr, heads: Expr, *names: str) -> Expr:
    """Return the elements of a head, `hidden` over `heads` if the file does not say."""
    names = names or ("head_dim",)
    found = f.dim_or_none(*names)
    if found is not None:
        return found
    if _divides(hidden, heads) is False:
        raise f.error(
            "num_attention_heads",
            f"a hidden size of {hidden} does not divide over {heads} heads; give {names[0]}",
        )
    f.took(names[0], f"{to_text(hidden)}/{to_text(heads)} = {to_text(hidden / heads)}")
    return hidden / heads


def heads_of(
    f: Fields,
    hidden: Expr,
    *,
    qkv_bias: bool = False,
    out_bias: bool = False,
    query_norm: str = "",
    size: Expr | None = None,
    kv_required: bool = False,
) -> Attention:
    """Return attention with the usual names of fields; `size` is that of a head, where known."""
    heads = f.dim("num_attention_heads", "n_head")
    return Attention(
        heads,
        kv_heads(f, heads, required=kv_required),
        head_dim(f, hidden, heads) if size is None else size,
        qkv_bias=qkv_bias,
        out_bias=out_bias,
        query_norm=query_norm,
    )


def plain_heads(
    f: Fields, hidden: Expr, *names: str, bias: bool = True, rotary: bool = False
) -> Attention:
    """Return attention with as many key-value heads as query heads, which share `hidden`."""
    heads = f.dim(*(names or ("num_attention_heads",)))
    if _divides(hidden, heads) is False:
        raise f.error(
            names[0] if names else "num_attention_heads", f"{hidden} does not divide by {heads}"
        )
    return Attention(heads, heads, hidden / heads, qkv_bias=bias, out_bias=bias, rotary=rotary)


def activation(f: Fields, *names: str, default: str | None = None) -> str:
    """Return the activation, by its name in the file."""
    return f.one_of(*(names or ("hidden_act",)), among=ACTIVATIONS, default=default)


def gated(f: Fields, *names: str, bias: bool = False, act: str | None = None) -> FeedForward:
    """Return a gated feed-forward network with the usual names of fields."""
    width = f.dim(*(names or ("intermediate_size",)))
    return FeedForward(width, bias=bias, activation=act or activation(f, default="silu"))


def decoder_only(
    f: Fields,
    hidden: Expr,
    layers: Stack | Sequence[tuple[Layer, Expr]],
    *,
    norm: Norm | None = RMS,
    tied: bool = False,
    head_bias: bool = False,
    embedding: Embedding | None = None,
    context: Expr | None = None,
) -> ModelConfig:
    """Return the config of a decoder with a table of tokens and a head over the vocabulary.

    Parameters
    ----------
    f : Fields
    hidden : Expr
        Hidden size.
    layers : Stack or sequence of (Layer, Expr)
        Kinds of layers with how many there are.
    norm : Norm or None
        The last norm.
    tied : bool
        Whether head and table are one matrix where the file does not say.
    head_bias : bool
        A bias of the head.
    embedding : Embedding, optional
        The table; one of tokens alone by default.
    context : Expr, optional
        The longest context; ``max_position_embeddings`` by default.
    """
    stack = layers if isinstance(layers, Stack) else Stack(tuple(layers))
    vocabulary = f.dim("vocab_size")
    is_tied = f.flag("tie_word_embeddings", default=tied)
    longest = f.dim_or_none("max_position_embeddings") if context is None else context
    return ModelConfig(
        name=f.family,
        family=f.family,
        hidden=hidden,
        decoder=replace(stack, final_norm=norm),
        embedding=Embedding(vocabulary) if embedding is None else embedding,
        head=Head(vocabulary, tied=is_tied, bias=head_bias),
        context=longest,
    )


def _divides(whole: Expr, part: Expr) -> bool | None:
    """Return whether a number is a multiple of another; None where symbols leave it open."""
    if not (whole.is_Integer and part.is_Integer):
        return None
    return bool(whole % part == 0)
