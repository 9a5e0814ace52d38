"""What a question about tiles is about: one contraction of a graph, an equation or an op."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Expr

from symroof.errors import InputError
from symroof.graph import Graph, Op, load
from symroof.graph.contractions import Contraction, contraction, contractions, why_none
from symroof.symbolic.build import add
from symroof.units import DType, Scope

Given: TypeAlias = Graph | Op | str | os.PathLike[str]

MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Subject:
    """A contraction with the names around it.

    Attributes
    ----------
    op : Op
        The op.
    contraction : Contraction
        Its groups of indices and its tensors.
    flops : Expr
        What it computes.
    once : Expr
        Bytes of its tensors, each moved once.
    dtype : str
        The key of the peak it computes at.
    scope : Scope
        The names of its graph.
    """

    op: Op
    contraction: Contraction
    flops: Expr
    once: Expr
    dtype: str
    scope: Scope


def read_subject(
    given: Given, name: str | None = None, dtype: str | DType | None = None
) -> Subject:
    """Return the one contraction that is meant.

    Parameters
    ----------
    given : Graph, Op, str or PathLike
        A graph, an op of one, or what `symroof.load` reads: an einsum, a name, a file.
    name : str, optional
        The op, where the graph has several contractions.
    dtype : str or DType, optional
        As in `symroof.load`.

    Raises
    ------
    InputError
        If there is no contraction, or more than one; the ops are named.

    Examples
    --------
    >>> read_subject("mk,kn->mn").contraction.points
    k*m*n
    >>> read_subject("softmax")
    Traceback (most recent call last):
    symroof.errors.InputError: op 'y' (softmax) is no contraction: softmax is not among dot, \
einsum, gemv, linear, matmul, outer
    """
    if isinstance(given, Op):
        return _subject(given)
    if isinstance(given, Graph):
        graph = given
    elif isinstance(given, str | os.PathLike):
        graph = load(given, dtype=dtype)
    else:
        raise InputError(
            f"tiles are asked of a graph, an op or text, not of {type(given).__name__}"
        )
    if name is not None:
        return _subject(graph.op(name))
    ops = list(_ops(graph))
    found = [op for op in ops if contractions(op)]
    if len(found) == 1:
        return _subject(found[0])
    if found:
        raise InputError(
            f"{graph.name!r} has {len(found)} contractions, {_listed(found)}; name one with op"
        )
    if len(ops) == 1:
        return _subject(ops[0])
    raise InputError(f"{graph.name!r} has no contraction: {_listed(ops) or 'it has no ops'}")


def _subject(op: Op) -> Subject:
    found = contraction(op)
    if found is None:
        raise InputError(f"op {op.name!r} ({op.kind.name}) is no contraction: {why_none(op)}")
    if len(op.cost.flops) > 1:
        keys = ", ".join(key for key, _ in op.cost.flops)
        raise InputError(f"op {op.name!r} computes in several dtypes, {keys}; expected one")
    ((key, flops),) = op.cost.flops
    once = add([*op.cost.reads, *op.cost.writes])
    return Subject(op, found, flops, once, key, op.block.graph.scope)


def _ops(graph: Graph) -> Iterator[Op]:
    for block in graph.blocks():
        for op in block.op_list:
            if not op.kind.view and op.kind.name != "repeat":
                yield op


def _listed(ops: list[Op]) -> str:
    more = ["..."] if len(ops) > MOST_NAMED else []
    named = [f"{op.block.path}{op.name} ({op.kind.name})" for op in ops[:MOST_NAMED]]
    return ", ".join(named + more)
