"""What all parts of a model are built with: the graph, the precisions, and where dims lie."""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy import Expr, Integer, ceiling

from symroof.errors import InputError
from symroof.graph import Graph, Tensor
from symroof.graph.ops.contraction import linear, matmul
from symroof.graph.ops.copying import cast
from symroof.graph.ops.normalisation import layernorm, rmsnorm
from symroof.graph.tensor import Leaf
from symroof.models.assembly.groups import ONE, Group, Tokens
from symroof.models.config import Norm
from symroof.models.parallel import Parallel
from symroof.models.precision import Precision

Axes = tuple[str | None, ...]
MOST_TRIED = 4096


@dataclass(slots=True)
class Context:
    """What a part of a model is built with.

    Attributes
    ----------
    graph : Graph
    tokens : Tokens
        The new tokens, as the first dims of activations.
    precision : Precision
    parallel : Parallel
    absorbed : bool
        For latent attention, whether sequences with one new token attend compressed keys and
        values. Prompts expand them in any case: that takes fewer FLOPs.
    keeps : bool
        Whether keys and values are kept for later steps.
    plain_parts : tuple of str
        Parts whose matrices are in the dtype of activations.
    source : Expr
        Tokens that the encoder reads.
    encoded : Tensor or None
        What it makes of them, in a step in which it runs.
    encoder_tokens : Tokens or None
        How these lie in the dims of `encoded`.
    parts : dict of Leaf to str
        What part of the model each weight is of.
    kinds : dict of Leaf to str
        What each cache keeps: ``kv``, ``cross`` or ``state``.
    said : list of str
        What the parts take for granted or leave out, in sentences, each once.
    """

    graph: Graph
    tokens: Tokens
    precision: Precision
    parallel: Parallel
    absorbed: bool = True
    keeps: bool = True
    plain_parts: tuple[str, ...] = ()
    source: Expr = ONE
    encoded: Tensor | None = None
    encoder_tokens: Tokens | None = None
    parts: dict[Leaf, str] = field(default_factory=dict)
    kinds: dict[Leaf, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def absorbs(self, group: Group) -> bool:
        """Return whether a group attends to compressed keys and values."""
        return self.absorbed and group.decodes

    def say(self, sentence: str) -> None:
        """Note what is taken for granted or left out."""
        if sentence not in self.said:
            self.said.append(sentence)

    def weight(
        self, name: str, shape: tuple[Expr, ...], axes: Axes, part: str, *, plain: bool = False
    ) -> Leaf:
        """Add a weight.

        Parameters
        ----------
        name : str
        shape : tuple of Expr
        axes : tuple of str or None
            The logical name of each dim; see `symroof.models.parallel`.
        part : str
            What part of the model it is.
        plain : bool
            Keep it in the dtype of activations, as norms, routers and biases are.
        """
        plain = plain or part in self.plain_parts
        dtype = self.precision.activations if plain else self.precision.weights
        made = self.graph.weight(name, shape, dtype, sharding=self.parallel.sharding(axes))
        self.parts[made] = part
        return made

    def cache(self, name: str, shape: tuple[Expr, ...], axes: Axes, kind: str) -> Leaf:
        """Add a cache; `kind` is ``kv``, ``cross`` or ``state``."""
        held = self.precision
        dtype = held.activations if kind == "state" else held.cache
        made = self.graph.cache(name, shape, dtype, sharding=self.parallel.sharding(axes))
        self.kinds[made] = kind
        return made

    def project(
        self,
        x: Tensor,
        name: str,
        width: Expr,
        axes: Axes,
        part: str,
        *,
        bias: bool = False,
        plain: bool = False,
    ) -> Tensor:
        """Multiply by a matrix ``w_<name>``, and add a bias ``b_<name>`` if there is one."""
        w = self.weight(f"w_{name}", (x.shape[-1], width), axes, part, plain=plain)
        if not bias:
            return matmul(x, w, name=name)
        return linear(x, w, self.bias(name, width, axes[1:], part), name=name)

    def bias(self, name: str, width: Expr, axes: Axes, part: str) -> Leaf:
        """Add a bias ``b_<name>``."""
        return self.weight(f"b_{name}", (width,), axes, part, plain=True)

    def norm(self, x: Tensor, name: str, norm: Norm) -> Tensor:
        """Normalise `x` along its last dim."""
        affine = []
        if norm.weight:
            affine.append(self.weight(f"w_{name}", x.shape[-1:], (None,), "norms", plain=True))
        if norm.bias:
            affine.append(self.weight(f"b_{name}", x.shape[-1:], (None,), "norms", plain=True))
        if norm.kind == "rms":
            return rmsnorm(x, *affine, name=name)
        return layernorm(x, *affine, name=name)

    def plain(self, x: Tensor) -> Tensor:
        """Return `x` in the dtype of activations."""
        return x if x.dtype == self.precision.activations else cast(x, self.precision.activations)

    def stored(self, x: Tensor, leaf: Tensor) -> Tensor:
        """Return `x` in the dtype of a cache."""
        return x if x.dtype == leaf.dtype else cast(x, leaf.dtype)

    def prefix(self, place: int) -> str:
        """Return what names of a group's tensors begin with."""
        return "" if len(self.tokens.groups) == 1 else ("decode_", "prefill_")[place]

    def padded(self, size: Expr, chips: int) -> Expr:
        """Return `size` rounded up to a multiple of the chips it is cut over, as engines do."""
        if chips == 1 or not size.is_Integer:
            return size
        return Integer(chips) * ceiling(size / chips)


def divided(what: str, size: Expr, chips: int, where: str) -> None:
    """Check that a number divides over chips.

    Raises
    ------
    InputError
        If it does not.
    """
    if chips == 1 or not size.is_Integer:
        return
    if size < chips:
        raise InputError(f"{chips} chips for {size} {what}; at most {size}", where=where)
    if size % chips:
        tried = range(chips - 1, max(1, chips - MOST_TRIED), -1)
        fewer = next((number for number in tried if size % number == 0), None)
        hint = "" if fewer is None else f"; over {fewer} they do"
        raise InputError(f"{size} {what} do not divide over {chips} chips{hint}", where=where)


def kv_heads(heads: Expr, given: Expr, parallel: Parallel) -> Expr:
    """Return the key-value heads of all chips together: each has at least one.

    Raises
    ------
    InputError
        If the query heads of a chip do not divide over its key-value heads.

    Examples
    --------
    >>> kv_heads(Integer(64), Integer(8), Parallel(tp=16))
    16
    """
    tp = parallel.tp
    if tp == 1 or not (given.is_Integer and heads.is_Integer):
        return given
    each = max(ONE, ceiling(given / tp))
    if (heads / tp) % each:
        raise InputError(
            f"{given} key-value heads do not divide over {tp} chips with {heads / tp} query heads"
            " each",
            where="tp",
        )
    return each * tp
