"""Tensors: a symbolic shape, a dtype, a role, and where in memory they live."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from enum import Enum
from functools import lru_cache
from operator import methodcaller
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary

from sympy import Expr, Pow, expand

from symroof.errors import InputError, ShapeError
from symroof.graph.registry import FUNCTIONS
from symroof.graph.storage import View
from symroof.symbolic.adopt import adopt
from symroof.symbolic.build import multiplied, multiply
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own
from symroof.units.dtype import DType, dtype

if TYPE_CHECKING:
    from symroof.graph.block import Block
    from symroof.graph.graph import Graph
    from symroof.graph.op import Op
    from symroof.graph.storage import Region

Dim: TypeAlias = int | str | Expr
Shape: TypeAlias = Iterable[Dim] | Dim

EXPAND_LIMIT = 60
MOST_SHOWN = 8


class Role(Enum):
    """What a tensor is to its graph."""

    INPUT = "input"
    WEIGHT = "weight"
    ACTIVATION = "activation"
    OUTPUT = "output"
    CACHE = "cache"


class TensorSpec:
    """Shape and dtype of a tensor, interned: equal specs are one object.

    Dims are canonical (expanded), so that equal dims compare equal; two dims are equal by
    name only, never because they happen to have one value.

    Attributes
    ----------
    shape : tuple of Expr
        The dims; empty for a scalar.
    dtype : DType
        The storage dtype.
    elements : Expr
        Their product.
    bytes : Expr
        Exact size in bytes, block scales included.

    Examples
    --------
    >>> x = TensorSpec.of(("B", "4*D"), "bf16")
    >>> x.shape, x.elements, x.bytes
    ((B, 4*D), 4*B*D, 8*B*D)
    >>> x is TensorSpec.of(("B", "D*4"), "bf16")
    True
    """

    __slots__ = ("__weakref__", "bytes", "dtype", "elements", "shape")

    shape: tuple[Expr, ...]
    dtype: DType
    elements: Expr
    bytes: Expr

    @classmethod
    def of(cls, shape: Shape, dtype: str | DType) -> TensorSpec:
        """Return the one spec with that shape and dtype.

        Parameters
        ----------
        shape : int, symbol, text, or an iterable of those
            The dims; text such as ``"4*D"`` is read by the formula parser.
        dtype : str or DType
            The storage dtype.

        Raises
        ------
        ShapeError
            If a constant dim is zero, negative or no whole number.
        UnknownNameError
            If there is no such dtype.
        """
        given = shape if type(shape) is tuple else dims_of(shape)
        try:
            return _spec(given, tuple(map(type, given)), dtype)
        except TypeError:  # not hashable, or not a dim at all: the uncached way says which
            pass
        return _spec.__wrapped__(given, (), dtype)

    def with_shape(self, shape: Shape) -> TensorSpec:
        """Return the spec with another shape and the same dtype."""
        return TensorSpec.of(shape, self.dtype)

    def with_dtype(self, dtype: str | DType) -> TensorSpec:
        """Return the spec with another dtype and the same shape."""
        return TensorSpec.of(self.shape, dtype)

    @property
    def rank(self) -> int:
        """Number of dims."""
        return len(self.shape)

    @property
    def text(self) -> str:
        """The spec as error messages show it: ``[M, 4*D] bf16``."""
        dims = [shown(size) for size in self.shape[:MOST_SHOWN]]
        more = [f"... {self.rank - MOST_SHOWN} more"] if self.rank > MOST_SHOWN else []
        return f"[{', '.join(dims + more)}] {self.dtype.name[:60]}"

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec.of, (self.shape, self.dtype)


class Tensor:
    """A tensor of a graph: made by ``g.input``, ``g.weight``, ``g.cache`` or by an op.

    ``@ + - * / **``, unary ``-`` and indexing with integers and slices add ops.

    Attributes
    ----------
    spec : TensorSpec
        Shape and dtype.
    block : Block
        The graph or repeat body it belongs to.
    producer : Op or None
        The op that makes it; None for inputs, weights and caches.
    base : Tensor or None
        The tensor whose storage it shares, as a view or written in place; None when it has its own.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x, w = g.input("x", ("B", "D"), "bf16"), g.weight("w", ("D", "4*D"), "bf16")
    >>> x @ w
    <matmul_0 [B, 4*D] bf16>
    """

    __slots__ = ("base", "block", "placed", "producer", "spec")
    __array_ufunc__ = None
    __iter__ = None  # indexing would otherwise make an endless iterator

    def __init__(
        self, spec: TensorSpec, block: Block, producer: Op | None, base: Tensor | None = None
    ) -> None:
        self.spec = spec
        self.block = block
        self.producer = producer
        self.base = base
        self.placed: View  # set for what is written in place, else worked out when asked for

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self.block.graph

    @property
    def name(self) -> str:
        """Its name, unique among the tensors of its block.

        The output of an op is called like the op; ``name:0``, ``name:1`` where it has several, or
        where an input, weight or cache has that name already.
        """
        producer = self.producer
        if producer is None:
            raise AttributeError("name")
        name = producer.name
        if len(producer.outputs) == 1 and name not in self.block.leaves:
            return name
        return f"{name}:{producer.outputs.index(self)}"

    @property
    def role(self) -> Role:
        """What it is to its graph."""
        return Role.OUTPUT if self in self.block.results else Role.ACTIVATION

    @property
    def shape(self) -> tuple[Expr, ...]:
        """Its dims."""
        return self.spec.shape

    @property
    def dtype(self) -> DType:
        """Its storage dtype."""
        return self.spec.dtype

    @property
    def storage(self) -> Tensor:
        """The tensor whose memory this is: itself, unless it is a view or was written in place."""
        return self if self.base is None else self.base

    @property
    def view(self) -> View | None:
        """Which part of its storage it is; None when it has its own."""
        if self.base is None:
            return None
        chain: list[Tensor] = []
        tensor: Tensor = self
        while tensor.base is not None and not hasattr(tensor, "placed"):
            assert tensor.producer is not None
            chain.append(tensor)
            tensor = tensor.producer.inputs[0]
        view = View.whole(tensor) if tensor.base is None else tensor.placed
        for tensor in reversed(chain):
            assert tensor.producer is not None
            view = tensor.placed = tensor.producer.view_of(view, tensor.spec)
        return view

    @property
    def region(self) -> Region | None:
        """The part of that storage; None for all of it."""
        view = self.view
        return None if view is None else view.region

    def __repr__(self) -> str:
        return f"<{self.name} {self.spec.text}>"

    def __reduce__(self) -> tuple[Any, ...]:
        graph, block = self.block.graph, self.block
        return methodcaller("tensor_at", graph.place_of(block), block.tensors.index(self)), (graph,)

    def __matmul__(self, other: Tensor) -> Tensor:
        return FUNCTIONS["matmul"](self, other)  # type: ignore[no-any-return]

    def __add__(self, other: Any) -> Tensor:
        return FUNCTIONS["add"](self, other)  # type: ignore[no-any-return]

    def __radd__(self, other: Any) -> Tensor:
        return FUNCTIONS["add"](other, self)  # type: ignore[no-any-return]

    def __sub__(self, other: Any) -> Tensor:
        return FUNCTIONS["sub"](self, other)  # type: ignore[no-any-return]

    def __rsub__(self, other: Any) -> Tensor:
        return FUNCTIONS["sub"](other, self)  # type: ignore[no-any-return]

    def __mul__(self, other: Any) -> Tensor:
        return FUNCTIONS["mul"](self, other)  # type: ignore[no-any-return]

    def __rmul__(self, other: Any) -> Tensor:
        return FUNCTIONS["mul"](other, self)  # type: ignore[no-any-return]

    def __truediv__(self, other: Any) -> Tensor:
        return FUNCTIONS["div"](self, other)  # type: ignore[no-any-return]

    def __rtruediv__(self, other: Any) -> Tensor:
        return FUNCTIONS["div"](other, self)  # type: ignore[no-any-return]

    def __pow__(self, other: Any) -> Tensor:
        return FUNCTIONS["pow"](self, other)  # type: ignore[no-any-return]

    def __rpow__(self, other: Any) -> Tensor:
        return FUNCTIONS["pow"](other, self)  # type: ignore[no-any-return]

    def __neg__(self) -> Tensor:
        return FUNCTIONS["neg"](self)  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Tensor:
        return FUNCTIONS["slice"](self, key)  # type: ignore[no-any-return]


class Leaf(Tensor):
    """A tensor no op makes: an input, a weight, a cache, or what a repeat carries in.

    Attributes
    ----------
    sharding : tuple of tuple of str, or None
        The axes of a mesh each dim is sharded over; None where nothing was said.
    """

    __slots__ = ("given", "given_role", "sharding")

    def __init__(
        self,
        spec: TensorSpec,
        block: Block,
        name: str,
        role: Role,
        sharding: tuple[tuple[str, ...], ...] | None = None,
    ) -> None:
        self.spec = spec
        self.block = block
        self.producer = None
        self.base = None
        self.given = name
        self.given_role = role
        self.sharding = sharding

    @property
    def name(self) -> str:
        """Its name, unique among the tensors of its block."""
        return self.given

    @property
    def role(self) -> Role:
        """What it is to its graph."""
        return self.given_role


class NamedTensor(Tensor):
    """The output of a fused op, under the name it had before."""

    __slots__ = ("given",)

    def __init__(
        self, spec: TensorSpec, block: Block, producer: Op, base: Tensor | None, name: str
    ) -> None:
        super().__init__(spec, block, producer, base)
        self.given = name

    @property
    def name(self) -> str:
        """Its name, unique among the tensors of its block."""
        return self.given


def dim(value: Dim) -> Expr:
    """Return `value` as a canonical dim: exact, expanded, a positive integer when constant.

    Raises
    ------
    ShapeError
        If it is a constant that is zero, negative or no whole number, or negative for all
        values of its symbols.

    Examples
    --------
    >>> dim("2*(F + 1)"), dim(64)
    (2*F + 2, 64)
    >>> dim(0)
    Traceback (most recent call last):
    symroof.errors.ShapeError: shape: a dim is a whole number of 1 or more, not 0
    """
    made = check_own(adopt(value), "shape")
    if made.is_Symbol:
        return made
    if not made.free_symbols:
        if not (made.is_Integer and made.p > 0):
            raise ShapeError("shape", f"a dim is a whole number of 1 or more, not {shown(made)}")
        return made
    if _cheap(made):
        made = expand(made)
        if not made.free_symbols:
            return dim(made)
    if made.is_nonpositive or (_cheap(made) and is_below(made, 1)):
        raise ShapeError("shape", f"a dim is 1 or more, not {shown(made)}")
    return made


def _cheap(value: Expr) -> bool:
    powers = [power.exp for power in value.atoms(Pow) if not power.base.is_Symbol]
    return value.count_ops() <= EXPAND_LIMIT and all(n < 5 for n in powers if n.is_Integer)


def dims_of(shape: Shape) -> tuple[Dim, ...]:
    """Return a shape as a tuple of the dims given; one dim is a shape too.

    Examples
    --------
    >>> dims_of("4*D"), dims_of([2, "D"])
    (('4*D',), (2, 'D'))
    """
    if isinstance(shape, int | str | Expr):
        return (shape,)
    # They could be gone through, but say nothing of dims, or not in which order.
    if isinstance(shape, bytes | bytearray | memoryview | Mapping | Set):
        raise InputError(
            f"a shape is a tuple of dims such as (M, 4096), not {type(shape).__name__}"
        )
    try:
        return tuple(shape)
    except TypeError:
        raise InputError(
            f"a shape is a tuple of dims such as (M, 4096), not {type(shape).__name__}"
        ) from None


_SPECS: WeakValueDictionary[tuple[tuple[Expr, ...], DType], TensorSpec] = WeakValueDictionary()


@lru_cache(maxsize=8192)
def _spec(shape: tuple[Dim, ...], types: tuple[type, ...], kind: str | DType) -> TensorSpec:
    dims = tuple(dim(value) for value in shape)
    storage = dtype(kind)
    found = _SPECS.get((dims, storage))
    if found is None:
        found = TensorSpec()
        found.shape = dims
        found.dtype = storage
        elements = multiply(dims)
        plain = all(size.is_Symbol or size.is_Integer for size in dims)
        found.elements = expand(elements) if not plain and _cheap(elements) else elements
        found.bytes = multiplied(found.elements, storage.bytes)
        _SPECS[dims, storage] = found
    return found
