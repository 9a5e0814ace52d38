"""Simulated chips: run the graph of one chip on all chips of a mesh, and count what they send.

Collectives go step by step round a ring, chunk by chunk, so that results and bytes come from the
messages and not from a formula. An all-to-all sends each part straight to its chip, as through a
switch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from symroof.graph import Graph, Mesh, Repeat, Role
from symroof.graph.block import Block
from symroof.symbolic import bind

Chip = tuple[int, ...]
Array = np.ndarray


class Chips:
    """The chips of a mesh of numbers.

    Attributes
    ----------
    sent : Counter
        Bytes sent by (axis, chip).
    """

    def __init__(self, mesh: Mesh, sizes: Mapping[str, int] | None = None) -> None:
        self.sizes = dict(sizes or {})
        self.names = mesh.names
        self.counts = {name: int(bind(size, self.sizes)) for name, size in mesh.axes.items()}
        self.chips: list[Chip] = list(product(*(range(n) for n in self.counts.values())))
        self.sent: Counter[tuple[str, Chip]] = Counter()

    # --- between the whole and its parts ----------------------------------------------------------

    def split(self, array: Array, dims: Any) -> dict[Chip, Array]:
        """Cut a whole array as a sharding says."""
        return {chip: array[self.part(array.shape, dims, chip)] for chip in self.chips}

    def join(self, parts: Mapping[Chip, Array], dims: Any, shape: tuple[int, ...]) -> Array:
        """Put parts together; chips that hold the same part have to agree."""
        whole = np.full(shape, np.nan)
        for chip in self.chips:
            where = self.part(shape, dims, chip)
            known = whole[where]
            assert known.shape == parts[chip].shape
            assert np.allclose(np.where(np.isnan(known), parts[chip], known), parts[chip])
            whole[where] = parts[chip]
        return whole

    def part(self, shape: tuple[int, ...], dims: Any, chip: Chip) -> tuple[slice, ...]:
        where = []
        for size, axes in zip(shape, dims, strict=True):
            rank, count = 0, 1
            for axis in axes:  # the major one first
                rank = rank * self.counts[axis] + self.rank(chip, axis)
                count *= self.counts[axis]
            assert size % count == 0
            step = size // count
            where.append(slice(rank * step, (rank + 1) * step))
        return tuple(where)

    def rank(self, chip: Chip, axis: str) -> int:
        return chip[self.names.index(axis)]

    def groups(self, axis: str) -> list[list[Chip]]:
        """Return the chips that differ along one axis only, in its order."""
        at = self.names.index(axis)
        groups: dict[Chip, list[Chip]] = {}
        for chip in self.chips:
            groups.setdefault((*chip[:at], *chip[at + 1 :]), []).append(chip)
        return list(groups.values())

    def count(self, axis: str, chip: Chip, message: Array) -> Array:
        self.sent[axis, chip] += message.nbytes
        return message.copy()

    # --- collectives ------------------------------------------------------------------------------

    def ring_gather(self, axis: str, pieces: list[Array], group: list[Chip]) -> list[list[Array]]:
        """Pass pieces round the ring until every chip has all of them."""
        n = len(group)
        held = [{rank: pieces[rank]} for rank in range(n)]
        for step in range(n - 1):
            messages = [
                self.count(axis, group[rank], held[rank][(rank - step) % n]) for rank in range(n)
            ]
            for rank in range(n):
                held[(rank + 1) % n][(rank - step) % n] = messages[rank]
        return [[chunks[piece] for piece in range(n)] for chunks in held]

    def ring_scatter(self, axis: str, chunks: list[list[Array]], group: list[Chip]) -> list[Array]:
        """Pass partial sums round the ring until chip r has the sum of chunk r."""
        n = len(group)
        held = [[chunk.copy() for chunk in own] for own in chunks]
        for step in range(n - 1):
            messages = [
                self.count(axis, group[rank], held[rank][(rank - step - 1) % n])
                for rank in range(n)
            ]
            for rank in range(n):
                at = (rank - step - 1) % n
                held[(rank + 1) % n][at] = held[(rank + 1) % n][at] + messages[rank]
        return [held[rank][rank] for rank in range(n)]

    def all_gather(self, parts: Mapping[Chip, Array], link: str, axis: int = 0) -> Any:
        made = {}
        for group in self.groups(link):
            for chip, pieces in zip(
                group, self.ring_gather(link, [parts[c] for c in group], group), strict=True
            ):
                made[chip] = np.concatenate(pieces, axis=axis)
        return made

    def reduce_scatter(self, parts: Mapping[Chip, Array], link: str, axis: int = 0) -> Any:
        made = {}
        for group in self.groups(link):
            chunks = [np.split(parts[chip], len(group), axis=axis) for chip in group]
            made.update(zip(group, self.ring_scatter(link, chunks, group), strict=True))
        return made

    def all_reduce(self, parts: Mapping[Chip, Array], link: str) -> Any:
        made = {}
        for group in self.groups(link):
            chunks = [np.array_split(parts[chip].ravel(), len(group)) for chip in group]
            sums = self.ring_scatter(link, chunks, group)
            for chip, pieces in zip(group, self.ring_gather(link, sums, group), strict=True):
                made[chip] = np.concatenate(pieces).reshape(parts[chip].shape)
        return made

    def all_to_all(
        self, parts: Mapping[Chip, Array], link: str, split_axis: int, concat_axis: int
    ) -> Any:
        made = {}
        for group in self.groups(link):
            cut = [np.split(parts[chip], len(group), axis=split_axis) for chip in group]
            for rank, chip in enumerate(group):
                came = [
                    cut[other][rank]
                    if other == rank
                    else self.count(link, group[other], cut[other][rank])
                    for other in range(len(group))
                ]
                made[chip] = np.concatenate(came, axis=concat_axis)
        return made

    def take_shard(self, parts: Mapping[Chip, Array], link: str, axis: int = 0) -> Any:
        return {
            chip: np.split(array, self.counts[link], axis=axis)[self.rank(chip, link)]
            for chip, array in parts.items()
        }

    # --- graphs -----------------------------------------------------------------------------------

    def run(
        self, local: Graph, whole: Graph, arrays: Mapping[str, Array]
    ) -> dict[Any, dict[Chip, Array]]:
        """Run the graph of one chip on all; the arrays are those of the whole graph's leaves."""
        values: dict[Any, dict[Chip, Array]] = {}
        self.block(local, whole, arrays, values, "")
        return values

    def block(
        self, local: Block, whole: Block, arrays: Mapping[str, Array], values: Any, path: str
    ) -> None:
        for name, leaf in local.leaves.items():
            if leaf.role is Role.ACTIVATION:
                continue
            origin = whole.leaves[name]
            dims = origin.sharding or ((),) * origin.spec.rank
            values[leaf] = self.split(arrays[path + name], dims)
            for array in values[leaf].values():
                assert array.shape == self.shape(leaf)
        bodies = {repeat.name: repeat.body for repeat in whole.repeats}
        for op in local.op_list:
            if isinstance(op, Repeat):
                self.repeat(op, bodies[op.name], arrays, values, f"{path}{op.name}/")
                continue
            made = self.op(op, [values[tensor] for tensor in op.inputs])
            for array in made.values():
                assert array.shape == self.shape(op.outputs[0]), op
            values[op.outputs[0]] = made

    def repeat(
        self, op: Repeat, whole: Block, arrays: Mapping[str, Array], values: Any, path: str
    ) -> None:
        """Run a body; its own tensors have the iteration in front."""
        carried = [values[tensor] for tensor in op.inputs[: op.carries]]
        entries = [leaf for leaf in op.body.leaves.values() if leaf.role is Role.ACTIVATION]
        for number in range(int(bind(op.times, self.sizes))):
            values.update(zip(entries, carried, strict=True))
            own = {
                name: array[number] if name.startswith(path) else array
                for name, array in arrays.items()
            }
            self.block(op.body, whole, own, values, path)
            carried = [values[tensor] for tensor in op.body.carried]
        values.update(zip(op.outputs, carried, strict=True))

    def shape(self, tensor: Any) -> tuple[int, ...]:
        return tuple(int(bind(size, self.sizes)) for size in tensor.shape)

    def op(self, op: Any, inputs: list[dict[Chip, Array]]) -> dict[Chip, Array]:
        kind, attrs = op.kind.name, {k: v for k, v in op.attrs if k != "group"}
        if hasattr(self, kind):
            return getattr(self, kind)(inputs[0], **attrs)
        if kind == "reshape":
            shape = self.shape(op.outputs[0])
            return {chip: inputs[0][chip].reshape(shape) for chip in self.chips}
        if "count" in attrs:
            attrs["count"] = bind(attrs["count"], self.sizes)
        if kind == "slice":
            attrs["key"] = [
                (bind(start, self.sizes), bind(length, self.sizes), drop)
                for start, length, drop in attrs["key"]
            ]
        return {
            chip: KERNELS[kind](*(given[chip] for given in inputs), **attrs) for chip in self.chips
        }


def softmax(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def rmsnorm(x: Array, weight: Array | None = None, axis: int = -1) -> Array:
    made = x / np.sqrt(1 + (x * x).mean(axis=axis, keepdims=True))
    return made if weight is None else made * weight


def attention(q: Array, k: Array, v: Array) -> Array:
    groups = q.shape[1] // k.shape[1]
    k, v = (np.repeat(array, groups, axis=1) for array in (k, v))
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v


def _reduced(function: Any) -> Callable[..., Array]:
    def reduce(x: Array, axes: Any = None, keepdims: bool = False) -> Array:
        return np.asarray(function(x, axis=axes, keepdims=keepdims))

    return reduce


def _mean(x: Array, axes: Any = None, keepdims: bool = False, count: Any = None) -> Array:
    total = np.sum(x, axis=axes, keepdims=keepdims)
    return np.asarray(total / (x.size / total.size if count is None else int(count)))


def _binary(function: Any) -> Callable[..., Array]:
    def apply(*operands: Array, x: Any = None, y: Any = None) -> Array:
        if x is not None:
            return function(float(x), operands[0])
        return function(operands[0], operands[1] if y is None else float(y))

    return apply


def _cut(x: Array, key: Any) -> Array:
    return x[
        tuple(
            int(start) if drop else slice(int(start), int(start + length))
            for start, length, drop in key
        )
    ]


KERNELS: Mapping[str, Callable[..., Array]] = {
    "matmul": np.matmul,
    "linear": lambda x, w, bias=0: x @ w + bias,
    "einsum": lambda *operands, equation: np.einsum(equation, *operands),
    "dot": lambda x, y: np.asarray(x @ y),
    "outer": np.outer,
    "gemv": lambda a, x: a @ x,
    "add": _binary(np.add),
    "sub": _binary(np.subtract),
    "mul": _binary(np.multiply),
    "div": _binary(np.divide),
    "neg": np.negative,
    "relu": lambda x: np.maximum(x, 0),
    "square": np.square,
    "transpose": lambda x, axes: x.transpose(axes),
    "concat": lambda *parts, axis: np.concatenate(parts, axis=axis),
    "slice": _cut,
    "sum": _reduced(np.sum),
    "mean": _mean,
    "max": _reduced(np.max),
    "softmax": softmax,
    "rmsnorm": rmsnorm,
    "attention": attention,
    "gather": lambda table, ids, axis=0: np.take(table, ids.astype(int), axis=axis),
    "copy": np.copy,
}
