"""What a model is made of: hidden size, kinds of layers with their numbers, embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TypeAlias

from sympy import Expr, Integer

from symroof.errors import InputError

ONE = Integer(1)
ZERO = Integer(0)


@dataclass(frozen=True, slots=True)
class Attention:
    """Attention with separate numbers of query and key-value heads.

    Attributes
    ----------
    heads, kv_heads, head_dim : Expr
        Query heads, key-value heads, elements of one head. The head dim is a number of its own.
    window : Expr or None
        Tokens a query sees, its own included; all of them when None.
    chunk : Expr or None
        Tokens of the chunk a query attends within; no chunks when None.
    qkv_bias, out_bias : bool
        Biases of the projections.
    query_norm : {"", "head", "full"}
        A norm on queries and keys: none, over each head, or over all heads together.
    sinks : bool
        One learned number for each head in the softmax.
    rotary : bool
        Queries and keys are rotated by their position.
    key_bias : bool
        Whether keys have a bias where queries and values have one; those of Whisper have none.
    """

    heads: Expr
    kv_heads: Expr
    head_dim: Expr
    window: Expr | None = None
    chunk: Expr | None = None
    qkv_bias: bool = False
    out_bias: bool = False
    query_norm: str = ""
    sinks: bool = False
    rotary: bool = True
    key_bias: bool = True


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention (DeepSeek-V2): keys and values kept as one small vector a token.

    Attributes
    ----------
    heads : Expr
        Query heads.
    query_rank : Expr or None
        Rank of the query projection; one full matrix when None.
    rank : Expr
        Elements of the latent vector of keys and values.
    plain_dim, rotary_dim, value_dim : Expr
        Elements of one head of queries and keys without and with position, and of values.
    """

    heads: Expr
    query_rank: Expr | None
    rank: Expr
    plain_dim: Expr
    rotary_dim: Expr
    value_dim: Expr


@dataclass(frozen=True, slots=True)
class StateSpace:
    """A Mamba-2 mixer: a state of fixed size instead of a cache.

    Attributes
    ----------
    heads, head_dim, state, groups : Expr
        Heads, elements of a head, state elements for each of them, groups that share B and C.
    kernel : Expr
        Width of the causal convolution.
    conv_bias, bias : bool
        Biases of the convolution and of the projections.
    """

    heads: Expr
    head_dim: Expr
    state: Expr
    groups: Expr
    kernel: Expr
    conv_bias: bool = True
    bias: bool = False


@dataclass(frozen=True, slots=True)
class FeedForward:
    """A dense feed-forward network: two matrices, three when gated."""

    width: Expr
    gated: bool = True
    bias: bool = False
    activation: str = "silu"


@dataclass(frozen=True, slots=True)
class Mixture:
    """A mixture of experts.

    Attributes
    ----------
    experts, top_k, width : Expr
        Routed experts, those a token goes to, and the width of one.
    gated, bias : bool
        Three matrices, and biases of the experts.
    shared : FeedForward or None
        What every token goes through besides.
    shared_gate : bool
        A gate of one number a token on what is shared.
    router_bias : bool
        A bias of the router.
    correction_bias : bool
        One number an expert that balances the routing; a parameter, as published totals count it.
    """

    experts: Expr
    top_k: Expr
    width: Expr
    gated: bool = True
    bias: bool = False
    shared: FeedForward | None = None
    shared_gate: bool = False
    router_bias: bool = False
    correction_bias: bool = False


Mixer: TypeAlias = Attention | LatentAttention | StateSpace


@dataclass(frozen=True, slots=True)
class Norm:
    """A normalisation: ``rms`` or ``layer``; it may have a bias, or lack weights."""

    kind: str = "rms"
    bias: bool = False
    weight: bool = True


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer.

    Attributes
    ----------
    mixer : Attention, LatentAttention, StateSpace or None
        What mixes tokens.
    feed_forward : FeedForward, Mixture or None
        What follows it.
    cross : Attention or None
        Attention to the output of the encoder, between the two.
    norm : Norm
        Kind of all norms of the layer.
    post_norms : bool
        A norm after each part as well as before it (Gemma 2).
    before : bool
        Whether the norms of parts stand before them; BERT has them after.
    parallel : bool
        Mixer and feed-forward read the same input and are added together (NeoX, Falcon).
    shared_norm : bool
        For a parallel layer, one norm for both.
    name : str
        What its repeat is called: ``layer``, or ``local``, ``global``, ``dense``, ``moe`` …
    """

    mixer: Mixer | None
    feed_forward: FeedForward | Mixture | None
    cross: Attention | None = None
    norm: Norm = Norm()
    post_norms: bool = False
    before: bool = True
    parallel: bool = False
    shared_norm: bool = False
    name: str = "layer"


@dataclass(frozen=True, slots=True)
class Stack:
    """Layers on top of each other.

    Attributes
    ----------
    layers : tuple of (Layer, Expr)
        Layers that differ, in the order they first come, and how many there are of each.
    causal : bool
        Whether a token sees only those before it.
    final_norm : Norm or None
        A norm after the last layer.
    relative : Expr
        Elements of a table of biases by distance that all layers share (T5).
    order : tuple of int
        The place in `layers` of each layer from the first to the last, where there are several
        kinds; when empty they are taken to be mixed evenly.

    Raises
    ------
    InputError
        If `order` has other numbers of layers.
    """

    layers: tuple[tuple[Layer, Expr], ...]
    causal: bool = True
    final_norm: Norm | None = Norm()
    relative: Expr = ZERO
    order: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        counts = [count for _, count in self.layers]
        found = [self.order.count(kind) for kind in range(len(counts))]
        if self.order and (found != counts or len(self.order) != sum(found)):
            raise InputError("its order has other numbers of layers", where="stack")

    @property
    def depth(self) -> Expr:
        """All layers."""
        return sum((count for _, count in self.layers), Integer(0))


@dataclass(frozen=True, slots=True)
class Embedding:
    """How tokens or patches become vectors.

    Attributes
    ----------
    vocabulary : Expr or None
        Rows of the token table; none for images.
    width : Expr or None
        Elements of a row where they are not the hidden size; a projection follows (OPT-350m).
    positions, kinds : Expr or None
        Rows of a learned table of positions, and of token types.
    norm : Norm or None
        A norm on the sum.
    patch : Expr or None
        Elements of an input patch or of a window of frames that a matrix projects (ViT, Whisper).
    patch_bias : bool
        A bias of that projection.
    extra : Expr
        Learned vectors that are put before the tokens, such as a class token; elements each hidden.
    stem : Expr or None
        Elements of a window of the input that a matrix with a bias projects first: then `patch`
        is a window over those vectors, of which each token takes two (Whisper's convolutions).
    """

    vocabulary: Expr | None
    width: Expr | None = None
    positions: Expr | None = None
    kinds: Expr | None = None
    norm: Norm | None = None
    patch: Expr | None = None
    patch_bias: bool = True
    extra: Expr = ZERO
    stem: Expr | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """What is done with the last hidden vectors.

    Attributes
    ----------
    outputs : Expr
        Rows: the vocabulary, or classes.
    tied : bool
        Whether the matrix is the embedding table.
    bias : bool
    pooled : bool
        Whether it reads one vector of a sequence instead of all: a pooler, or a classifier.
    """

    outputs: Expr
    tied: bool = False
    bias: bool = False
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A language model, or an encoder, as the numbers that its costs follow from.

    All dims are exact expressions: numbers, or symbols where one was given instead of a number.

    Attributes
    ----------
    name : str
        What reports call it.
    family : str
        The ``model_type`` it was read from.
    hidden : Expr
        Hidden size of the decoder, or of the only stack.
    decoder : Stack
        Its layers; for an encoder-only model a stack that is not causal.
    embedding : Embedding
    head : Head or None
        None for models whose output is the hidden vectors.
    encoder : Stack or None
        A second stack whose output `cross` attention reads.
    encoder_embedding : Embedding or None
        Where it does not share the decoder's.
    encoder_hidden : Expr or None
        Its hidden size where it differs.
    encoder_tokens : Expr or None
        Tokens the encoder reads where the architecture fixes them (Whisper: 1500).
    context : Expr or None
        Longest context it is made for.
    dtype : str or None
        What its weights are stored in, where the file says; a step has them in what it is asked
        for, and `Model.said` says so where the bits differ.
    weights : str or None
        What its matrices are quantised to, where the file says; `dtype` otherwise.
    plain_parts : tuple of str
        Parts whose matrices stay in `dtype` all the same, such as ``embedding`` and ``head``.
    left_out : tuple of str
        Parts of the file that are not modelled, in words.
    source : str
        Where the numbers come from.
    defaults : tuple of str
        Fields that the file does not have, with what was taken for them, as in
        ``head_dim = 4096/32 = 128``.
    """

    name: str
    family: str
    hidden: Expr
    decoder: Stack
    embedding: Embedding
    head: Head | None
    encoder: Stack | None = None
    encoder_embedding: Embedding | None = None
    encoder_hidden: Expr | None = None
    encoder_tokens: Expr | None = None
    context: Expr | None = None
    dtype: str | None = None
    weights: str | None = None
    plain_parts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = field(default=())
    source: str = ""
    defaults: tuple[str, ...] = ()

    @property
    def symbols(self) -> frozenset[str]:
        """The names of symbols among its sizes.

        Examples
        --------
        >>> from symroof.models import model
        >>> sorted(model("llama-3-8b", hidden_size="D", num_hidden_layers="2*L").config.symbols)
        ['D', 'L']
        """
        return frozenset(symbol.name for size in _sizes(self) for symbol in size.free_symbols)


def _sizes(part: object) -> Iterator[Expr]:
    """Yield all expressions in a config or a part of it."""
    if isinstance(part, Expr):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _sizes(each)
    elif is_dataclass(part):
        for each in fields(part):
            yield from _sizes(getattr(part, each.name))
