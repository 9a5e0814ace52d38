"""The graph of a whole model, or of one stage of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sympy import Expr, Integer, ceiling, floor

from symroof.errors import InputError
from symroof.graph import Graph, Tensor
from symroof.graph.ops.collectives import send
from symroof.graph.tensor import Leaf
from symroof.models.assembly.context import Context
from symroof.models.assembly.ends import embedded, scores, table_of
from symroof.models.assembly.groups import ONE, Group, Tokens
from symroof.models.assembly.layer import layer_body
from symroof.models.config import Mixture, ModelConfig, Stack
from symroof.models.parallel import Parallel
from symroof.models.precision import Precision
from symroof.symbolic.exact import shown

STAGE_LINK = "pp"
Layouts = dict[str, tuple[tuple[str, ...] | None, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """The graph of a model, and what its tensors are.

    Attributes
    ----------
    graph : Graph
        Of whole tensors, with the layouts of weights, caches and inputs.
    parts : dict of Leaf to str
        What part of the model each weight is of.
    kinds : dict of Leaf to str
        What each cache keeps: ``kv``, ``cross`` or ``state``.
    layouts : dict of str to tuple
        Tensors that are to be brought to a layout, by name.
    said : tuple of str
        What its parts take for granted or leave out, in sentences.
    """

    graph: Graph
    parts: dict[Leaf, str]
    kinds: dict[Leaf, str]
    layouts: Layouts
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How a step is built.

    Attributes
    ----------
    groups : tuple of Group
        The sequences of the step.
    precision : Precision
    parallel : Parallel
        What layouts the tensors get; of several pipeline stages the last is built.
    absorbed : bool
        For latent attention, whether keys and values stay compressed.
    trains : bool
        Whether it is the forward of training: nothing is kept, every token has scores.
    plain_parts : tuple of str
        Parts whose matrices are in the dtype of activations.
    source : Expr
        Tokens that an encoder reads.
    """

    groups: tuple[Group, ...]
    precision: Precision
    parallel: Parallel = field(default_factory=Parallel)
    absorbed: bool = True
    trains: bool = False
    plain_parts: tuple[str, ...] = ()
    source: Expr = ONE


def build(config: ModelConfig, plan: Plan, name: str = "model") -> Built:
    """Build the graph of a step of a model.

    Examples
    --------
    >>> from symroof.models.config import Attention, Embedding, FeedForward, Head, Layer
    >>> layer = Layer(Attention(Integer(4), Integer(2), Integer(8)), FeedForward(Integer(64)))
    >>> stack = Stack(((layer, Integer(2)),))
    >>> config = ModelConfig(
    ...     "toy", "toy", Integer(32), stack, Embedding(Integer(100)), Head(Integer(100))
    ... )
    >>> step = Plan((Group(ONE, ONE, Integer(16)),), Precision.of("bf16"))
    >>> [op.name for op in build(config, step).graph.ops]
    ['rows', 'layer', 'final_norm', 'logits']
    """
    _check_stages(config, plan.parallel.pp)
    _check_experts(config, plan.parallel.ep)
    tokens = Tokens(plan.groups, ranks=Integer(plan.parallel.replicas))
    ctx = Context(
        Graph(name),
        tokens,
        plan.precision,
        plan.parallel,
        absorbed=plan.absorbed,
        keeps=config.decoder.causal and not plan.trains,
        plain_parts=plan.plain_parts,
        source=plan.source,
    )
    layouts: Layouts = {}
    table = None
    if config.encoder is not None and plan.parallel.pp == 1:
        table = _encode(ctx, config, layouts)
    x, table = _start(ctx, config, table)
    _whole(ctx, x, layouts)
    if config.decoder.relative != 0:
        _relative(ctx, "relative", config.decoder)
    x = _layers(ctx, config.decoder, x)
    x = _end(ctx, config, x, table, trains=plan.trains)
    ctx.graph.output(x)
    return Built(ctx.graph, ctx.parts, ctx.kinds, layouts, tuple(ctx.said))


def _start(ctx: Context, config: ModelConfig, table: Leaf | None) -> tuple[Tensor, Leaf | None]:
    tied = config.head is not None and config.head.tied
    if ctx.parallel.pp == 1:
        return embedded(ctx, config.embedding, config.hidden, tied=tied, table=table)
    shape, axes = (*ctx.tokens.shape, config.hidden), (*ctx.tokens.axes, None)
    where = ctx.parallel.sharding(axes)
    x = ctx.graph.input("x", shape, ctx.precision.activations, sharding=where)
    if tied:
        table = table_of(ctx, config.embedding, config.hidden, tied=True)
    return send(x, link=STAGE_LINK, name="from_stage_before"), table


def _end(
    ctx: Context, config: ModelConfig, x: Tensor, table: Leaf | None, *, trains: bool
) -> Tensor:
    head, norm = config.head, config.decoder.final_norm
    every = trains or not config.decoder.causal
    if head is not None and (head.pooled or not every):
        x = ctx.tokens.last(x, Integer(ctx.parallel.cp))
    if norm is not None:
        x = ctx.norm(x, "final_norm", norm)
    return x if head is None else scores(ctx, x, head, table, config.embedding.width)


def _encode(ctx: Context, config: ModelConfig, layouts: Layouts) -> Leaf | None:
    """Add the encoder for the sequences that begin; return the table it shares, if it does."""
    stack, fresh = config.encoder, [group for group in ctx.tokens.groups if group.encodes]
    if stack is None or not fresh:
        return None
    read = tuple(Group(group.sequences, ctx.source, ctx.source) for group in fresh)
    tokens = Tokens(read, ranks=ctx.tokens.ranks, several=True)
    inner = replace(ctx, tokens=tokens, keeps=False, encoded=None, encoder_tokens=None)
    hidden = config.hidden if config.encoder_hidden is None else config.encoder_hidden
    given = config.embedding if config.encoder_embedding is None else config.encoder_embedding
    shared = None
    if config.encoder_embedding is None:
        tied = config.head is not None and config.head.tied
        shared = table_of(ctx, given, hidden, tied=tied)
    x, _ = embedded(inner, given, hidden, table=shared, name="encoder_")
    _whole(inner, x, layouts)
    if stack.relative != 0:
        _relative(inner, "encoder_relative", stack)
    x = _layers(inner, stack, x, "encoder_")
    if stack.final_norm is not None:
        x = inner.norm(x, "encoder_final_norm", stack.final_norm)
    ctx.encoded, ctx.encoder_tokens = x, tokens
    return shared


def _layers(ctx: Context, stack: Stack, x: Tensor, prefix: str = "") -> Tensor:
    """Add the layers of a stack, each kind as one repeat."""
    stages = ctx.parallel.pp
    counts = layers_of_stage(stack, stages)
    if stages > 1:
        number = shown(sum(counts, Integer(0)))
        ctx.say(
            f"Of {stages} stages the last is built, with {number} layers and the head; the others"
            " are taken to be no larger and no slower."
        )
        if len(counts) > 1 and not stack.order:
            ctx.say("Layers of several kinds are taken to be mixed evenly.")
    for name, (layer, _), times in zip(
        layer_names(stack, prefix), stack.layers, counts, strict=True
    ):
        if times != 0:
            x = ctx.graph.repeat(name, times, layer_body(ctx, layer, causal=stack.causal), x)
    return x


def layers_of_stage(stack: Stack, stages: int) -> list[Expr]:
    """Return how many layers of each kind the last of some stages has: ⌈depth/stages⌉ in all.

    Where the order of the layers is not known, kinds are taken to be mixed evenly: each has its
    share, and what shares leave over of whole layers goes to the kinds with the largest remainders.
    Of kinds with symbols each has its share rounded up.

    Examples
    --------
    >>> from symroof.models import model
    >>> layers_of_stage(model("deepseek-v3").config.decoder, 2)
    [0, 31]
    """
    counts = [count for _, count in stack.layers]
    if stages == 1:
        return counts
    depth = stack.depth
    if not depth.is_Integer:
        return [ceiling(count / stages) for count in counts]
    longest = ceiling(depth / stages)
    if stack.order:
        last = stack.order[-int(longest) :]
        return [Integer(last.count(kind)) for kind in range(len(counts))]
    shares = [count * longest / depth for count in counts]
    whole = [floor(share) for share in shares]
    by_rest = sorted(range(len(counts)), key=lambda i: whole[i] - shares[i])
    for place in by_rest[: int(longest - sum(whole))]:
        whole[place] += 1
    return whole


def layer_names(stack: Stack, prefix: str = "") -> list[str]:
    """Return what the repeats of a stack are called, each by another name."""
    names: list[str] = []
    for layer, _ in stack.layers:
        name, number = f"{prefix}{layer.name}", 2
        while name in names:
            name, number = f"{prefix}{layer.name}{number}", number + 1
        names.append(name)
    return names


def _whole(ctx: Context, x: Tensor, layouts: Layouts) -> None:
    """Let vectors enter the layers whole, as a layer in tensor-parallel form takes them."""
    if ctx.parallel.tp > 1 and x.producer is not None:
        axes = ctx.parallel.sharding((*ctx.tokens.axes, None))
        layouts[x.name] = axes or (None,) * x.spec.rank


def _relative(ctx: Context, name: str, stack: Stack) -> None:
    ctx.weight(name, (stack.relative,), (None,), "attention")


def _check_stages(config: ModelConfig, stages: int) -> None:
    if stages == 1:
        return
    if config.encoder is not None:
        raise InputError("models with an encoder of their own have no stages here", where="pp")
    depth = config.decoder.depth
    if depth.is_Integer and depth < stages:
        raise InputError(
            f"{stages} stages for {shown(depth)} layers; at most as many as layers", where="pp"
        )


def _check_experts(config: ModelConfig, chips: int) -> None:
    """Check that experts are spread over chips only where there are any: dp makes plain copies."""
    networks = [layer.feed_forward for layer, _ in config.decoder.layers]
    if chips > 1 and not any(isinstance(network, Mixture) for network in networks):
        raise InputError(
            f"{config.name} has no experts to spread over {chips} chips; dp makes copies",
            where="ep",
        )
