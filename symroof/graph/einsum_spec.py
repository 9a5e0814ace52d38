"""Graphs from einsum strings: ``mn,nk->mk`` is the product of an input and a weight."""

from __future__ import annotations

import re

from symroof.errors import InputError
from symroof.graph.about import About
from symroof.graph.graph import Graph
from symroof.graph.ops.einsum import compact, einsum
from symroof.graph.tensor import Tensor
from symroof.units.dtype import DType

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum_graph(equation: str, dtype: str | DType = "fp16") -> Graph:
    """Return the graph of one contraction: the first operand is an input, the others are weights.

    Parameters
    ----------
    equation : str
        Labels of each operand and of the result, such as ``"bhqd, bhkd -> bhqk"``. Each label is a
        symbol; without ``->`` the result has the labels that occur once.
    dtype : str or DType
        Of all operands.

    Raises
    ------
    InputError
        If it is no equation.

    Examples
    --------
    >>> g = einsum_graph("mn, nk -> mk")
    >>> g.about.title, str(g.flops)
    ('C[m,k] = A[m,n] · B[n,k]', '2*k*m*n FLOP')
    """
    text = compact(equation)
    terms = text.partition("->")[0].split(",")
    for term in terms:
        if not term:
            message = "an operand without letters; expected letters such as 'mn,nk->mk'"
            raise InputError(f"{text[:60]!r} has {message}")
        if not re.fullmatch(r"[^\W\d_]*", term):
            raise InputError(
                f"{text[:60]!r} is no einsum; expected letters such as 'mn,nk->mk'"
                + (": an ellipsis is not supported, name every dim" if "." in term else "")
            )
    graph = Graph("einsum")
    names = [_name(place) for place in range(len(terms) + 1)]
    add = (graph.input, *[graph.weight] * (len(terms) - 1))
    operands = [
        make(name, tuple(term), dtype) for make, name, term in zip(add, names, terms, strict=False)
    ]
    made = einsum(text, *operands, name=names[-1])
    product = " · ".join(map(_written, operands))
    graph.about = About(title=f"{_written(made)} = {product}")
    return graph


def _name(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else f"T{place}"


def _written(tensor: Tensor) -> str:
    labels = ",".join(map(str, tensor.shape))
    return f"{tensor.name}[{labels}]" if labels else tensor.name
