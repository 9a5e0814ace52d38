"""Graphs: tensors and ops, what they cost together, and repeats."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from sympy import Expr, Integer, oo

from symroof.errors import GraphError, InputError, UnknownNameError
from symroof.graph import work
from symroof.graph.about import About
from symroof.graph.amounts import amount
from symroof.graph.block import Block
from symroof.graph.op import OpKind
from symroof.graph.pickling import flattened, restored
from symroof.graph.registry import kinds
from symroof.graph.repeat import repeat
from symroof.graph.tensor import Leaf, Role, Shape, Tensor
from symroof.graph.work import Uncosted
from symroof.lines import named
from symroof.readonly import ReadOnly
from symroof.units.dtype import DType
from symroof.units.quantity import Quantity
from symroof.units.scope import Scope

if TYPE_CHECKING:
    from symroof.graph.mesh import Mesh
    from symroof.graph.sharding.plan import Plan

_T = TypeVar("_T")

UNFUSED = "unfused"


class Graph(Block):
    """An algorithm: tensors with symbolic shapes, and ops on them.

    Parameters
    ----------
    name : str
        What reports call it.
    flop_weights : mapping of str to number, optional
        FLOPs per element of elementwise functions and norms, where they differ from the table.
    uncosted : {"error", "symbol"}
        What totals do about an op without a cost: raise `CostError`, or use a symbol
        ``flops_<op>`` or ``bytes_<op>``. It is never counted as zero.

    Attributes
    ----------
    mesh : Mesh or None
        The mesh its tensors are sharded on; what `passes.shard` takes when none is given.
    plan : Plan or None
        For the graph of one chip: how `passes.shard` made it.

    Raises
    ------
    UnknownNameError
        If a weight is for nothing there is.

    Examples
    --------
    >>> g = Graph("matmul")
    >>> a, w = g.input("A", ("M", "N"), "fp16"), g.weight("W", ("N", "K"), "fp16")
    >>> c = a @ w
    >>> print(g.flops, "|", g.bytes, "|", g.intensity)
    2*K*M*N FLOP | (2*K*M + 2*K*N + 2*M*N) byte | K*M*N/(K*M + K*N + M*N) FLOP/byte
    """

    def __init__(
        self,
        name: str,
        *,
        flop_weights: Mapping[str, Any] | None = None,
        uncosted: str | Uncosted = Uncosted.ERROR,
    ) -> None:
        super().__init__(named(name, "the name of a graph"), None)
        self.graph = self
        self.current: Block = self
        self.traffic = UNFUSED
        self.about = About()
        self.mesh: Mesh | None = None
        self.plan: Plan | None = None
        self.set_up(_weights(flop_weights or {}))
        try:
            self.uncosted = Uncosted(uncosted)
        except ValueError:
            raise UnknownNameError(
                "uncosted policy", str(uncosted), [policy.value for policy in Uncosted]
            ) from None

    def set_up(self, flop_weights: Mapping[str, Expr]) -> None:
        """Set the FLOP weights, and forget the totals made with other ones."""
        self.flop_weights: Mapping[str, Expr] = ReadOnly(flop_weights)
        self._totals: dict[str, tuple[tuple[int, int], Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (type(self), flattened(self))

    def input(self, name: str, shape: Shape, dtype: str | DType, *, sharding: Any = None) -> Leaf:
        """Add an input: read from main memory by every op that uses it.

        Parameters
        ----------
        name : str
            Unique among the tensors.
        shape : tuple of int, symbol or text
            The dims, such as ``("B", 128, "4*D")``.
        dtype : str or DType
            Storage dtype.
        sharding : sequence, optional
            For each dim None, an axis of a mesh, or a tuple of axes with the major one first. The
            shape stays that of the whole tensor; `passes.shard` makes the graph of one chip.

        Raises
        ------
        GraphError
            If the name is taken.
        InputError
            If the sharding does not have one entry for each dim, or an axis twice.

        Examples
        --------
        >>> Graph("g").input("x", ("B", 4096), "bf16", sharding=("X", None))
        <x [B, 4096] bf16>
        """
        return self.current.leaf(name, shape, dtype, Role.INPUT, sharding)

    def weight(self, name: str, shape: Shape, dtype: str | DType, *, sharding: Any = None) -> Leaf:
        """Add a weight: kept once, read by every op that uses it; otherwise as `input`."""
        return self.current.leaf(name, shape, dtype, Role.WEIGHT, sharding)

    def cache(self, name: str, shape: Shape, dtype: str | DType, *, sharding: Any = None) -> Leaf:
        """Add a cache, such as that of keys and values; otherwise as `input`."""
        return self.current.leaf(name, shape, dtype, Role.CACHE, sharding)

    def output(self, *tensors: Tensor) -> None:
        """Mark tensors as outputs: they leave every fused region.

        Tensors that nothing reads are results in any case.
        """
        for tensor in tensors:
            if not isinstance(tensor, Tensor):
                raise InputError(f"an output is a tensor, not {type(tensor).__name__}")
            if tensor.block is not self:
                raise GraphError(f"tensor {tensor.name!r} is not one of graph {self.name!r}")
            self.results[tensor] = None

    def repeat(
        self,
        name: str,
        count: Any,
        body: Callable[..., Any],
        carry: Tensor | tuple[Tensor, ...] = (),
    ) -> Any:
        """Add `count` iterations of `body` as one node, and return what the last one carries out.

        Tensors made in the body (weights, caches) belong to each iteration: they count `count`
        times in bytes and in footprint. Tensors of outside are read in every iteration and kept
        once.

        Parameters
        ----------
        name : str
            Name of the node; its body's tensors are ``name/...``.
        count : int, symbol, text or Expr
            How often the body runs, 1 or more.
        body : callable
            Called once, with the carried tensors; returns as many, with the same specs.
        carry : Tensor or tuple of Tensor
            What the first iteration gets.

        Returns
        -------
        Tensor or tuple of Tensor
            What the last iteration returns, as `carry` was given.

        Raises
        ------
        ShapeError
            If a carried tensor comes out with another shape or dtype; both are shown.

        Examples
        --------
        >>> g = Graph("net")
        >>> x = g.input("x", ("B", "D"), "bf16")
        >>> y = g.repeat("layer", "L", lambda x: x @ g.weight("w", ("D", "D"), "bf16"), x)
        >>> print(g.flops)
        2*B*D**2*L FLOP
        """
        return repeat(self, name, count, body, carry)

    @property
    def flops(self) -> Quantity:
        """All FLOPs, of every compute dtype.

        Raises
        ------
        CostError
            If an op has no cost (unless ``uncosted="symbol"``).
        """
        return self.total("flops", lambda: self._quantity(work.flops(self), "FLOP"))

    @property
    def flops_by_dtype(self) -> Mapping[str, Quantity]:
        """FLOPs by the compute dtype they need."""

        def by_dtype() -> Mapping[str, Quantity]:
            return ReadOnly(
                {
                    key: self._quantity(amount, "FLOP")
                    for key, amount in work.flops_by_dtype(self).items()
                }
            )

        return self.total("flops_by_dtype", by_dtype)

    @property
    def bytes(self) -> Quantity:
        """All bytes that move through main memory, under the graph's `traffic`."""
        return self.total("bytes", lambda: self._quantity(work.bytes_moved(self), "byte"))

    @property
    def bytes_by_role(self) -> Mapping[Role, Quantity]:
        """Bytes of main memory by the role of what moves; all that ops make is an activation.

        Examples
        --------
        >>> g = Graph("g")
        >>> y = g.input("x", ("B", 8), "bf16") @ g.weight("w", (8, 8), "bf16")
        >>> print(g.bytes_by_role[Role.WEIGHT], "|", g.bytes)
        128 byte | (32*B + 128) byte
        """

        def by_role() -> Mapping[Role, Quantity]:
            return ReadOnly(
                {
                    role: self._quantity(amount, "byte")
                    for role, amount in work.bytes_by_role(self).items()
                }
            )

        return self.total("bytes_by_role", by_role)

    @property
    def link_bytes(self) -> Quantity:
        """All bytes through this chip's links, in one direction."""

        def total() -> Quantity:
            return self._quantity(sum(work.link_bytes(self).values(), Integer(0)), "byte")

        return self.total("link_bytes", total)

    @property
    def intensity(self) -> Quantity | None:
        """FLOPs per byte of main memory; infinite without bytes, None without both."""

        def ratio() -> Quantity | None:
            flops, moved = self.flops.expr, self.bytes.expr
            if moved == 0:
                return None if flops == 0 else self._quantity(oo, "FLOP/byte")
            return self._quantity(work.ratio(flops, moved), "FLOP/byte")

        return self.total("intensity", ratio)

    def footprint(self, *roles: Role) -> Quantity:
        """Return the bytes that tensors of these roles occupy, each storage once.

        Parameters
        ----------
        *roles : Role
            Which leaf tensors; weights when none is given.

        Examples
        --------
        >>> g = Graph("tied")
        >>> w, x = g.weight("w", (100, 100), "bf16"), g.input("x", (1, 100), "bf16")
        >>> y = ((x @ w) @ w) @ w
        >>> print(g.footprint(), "|", g.bytes)
        20000 byte | 61200 byte
        """
        return self._quantity(work.footprint(self, frozenset(roles or {Role.WEIGHT})), "byte")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a TOML file, whole or not at all.

        `symroof.load` reads an equal graph back; the same graph gives the same bytes.

        Parameters
        ----------
        path : str or PathLike
            The file to make or replace.

        Raises
        ------
        GraphError
            If an op is of a kind that is not registered.
        InputError
            If the file cannot be written.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from symroof.graph import load
        >>> g = Graph("double")
        >>> y = g.input("x", ("B", 4), "fp32") * 2
        >>> with TemporaryDirectory() as folder:
        ...     g.save(Path(folder) / "double.toml")
        ...     load(Path(folder) / "double.toml").ops
        (<op mul_0: mul>,)
        """
        from symroof.graph.spec import save  # files are not needed to build a graph

        save(self, path)

    @property
    def scope(self) -> Scope:
        """The names that may be bound; counts are those in shapes, repeats and group sizes."""
        return self.total("scope", lambda: work.scope(self))

    def weights_of(self, kind: OpKind) -> Mapping[str, Any]:
        """Return the FLOP weights of `kind` in this graph."""
        return {name: self.flop_weights.get(name, w) for name, w in kind.weights.items()}

    def _repr_html_(self) -> str | None:
        from symroof.graph.notebook import graph_html  # for notebooks alone

        return graph_html(self)

    def _quantity(self, expr: Expr, unit: str) -> Quantity:
        return Quantity(expr, unit, self.scope)

    def total(self, what: str, compute: Callable[[], _T]) -> _T:
        """Return what `compute` makes of the whole graph, kept until ops or leaves are added.

        Examples
        --------
        >>> Graph("g").total("a name", lambda: 3)
        3
        """
        size = len(self.op_list), len(self.leaves)
        known = self._totals.get(what)
        if known is None or known[0] != size:
            known = self._totals[what] = size, compute()
        result: _T = known[1]
        return result


def _weights(given: Mapping[str, Any]) -> Mapping[str, Expr]:
    known = {name for kind in kinds().values() for name in kind.weights}
    weights = {}
    for name, value in given.items():
        if name not in known:
            raise UnknownNameError("FLOP weight", str(name), sorted(known))
        weights[name] = amount(value, name, "a FLOP weight")
    return weights
