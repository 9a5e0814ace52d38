"""Contractions by Einstein's convention, pairwise along a path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sympy import Expr, Integer, Mul

from symroof.errors import InputError, ShapeError
from symroof.graph.indices import Indices
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key, dtype_attr, out_dtype_of
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.exact import shown
from symroof.units.dtype import DType

Path = tuple[tuple[int, ...], ...]

MOST_OPERANDS = 20
MOST_LABELS = 52


class _Einsum(OpKind):
    name = "einsum"
    count = "per pairwise step, 2 per point of its index space if it sums, else 1"
    source = "one multiply-add is 2 FLOPs; as opt_einsum counts a path"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        equation = _parsed(attrs["equation"])
        sizes = self._sizes(equation, inputs)
        _steps(equation, attrs.get("path"))
        shape = tuple(sizes[label] for label in equation.output)
        return (TensorSpec.of(shape, out_dtype_of(inputs, attrs)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        equation = _parsed(attrs["equation"])
        sizes = self._sizes(equation, inputs)
        flops: Expr = Integer(0)
        for step in _steps(equation, attrs.get("path")):
            points = Mul(*(sizes[label] for label in step.labels))
            if step.operands > 1:
                flops += (step.operands - 1 + step.sums) * points
            elif step.sums:
                flops += points - Mul(*(sizes[label] for label in step.output))
        # A repeated label reads a diagonal only.
        reads = [
            Mul(*(sizes[label] for label in sorted(set(term)))) * spec.dtype.bytes
            for term, spec in zip(equation.terms, inputs, strict=True)
        ]
        key = compute_key(self.name, inputs)
        return Cost.moving(inputs, outputs, flops={key: flops}, reads=reads)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        equation = _parsed(attrs["equation"])
        rows = tuple(tuple(term) for term in equation.terms)
        diagonal = frozenset(label for term in rows for label in term if term.count(label) > 1)
        output = (tuple(equation.output),)
        return Indices(rows, output, whole=diagonal, linear=tuple(range(len(rows))))

    def _sizes(self, equation: _Equation, inputs: tuple[TensorSpec, ...]) -> dict[str, Expr]:
        texts = [spec.text for spec in inputs]
        if len(equation.terms) != len(inputs):
            message = f"{equation.text!r} names {len(equation.terms)} operands, not {len(inputs)}"
            raise ShapeError(self.name, message, texts)
        sizes: dict[str, Expr] = {}
        for term, spec in zip(equation.terms, inputs, strict=True):
            if len(term) != spec.rank:
                message = f"{term!r} names {len(term)} dims, the operand has {spec.rank}"
                raise ShapeError(self.name, message, (spec.text,))
            for label, size in zip(term, spec.shape, strict=True):
                if sizes.setdefault(label, size) != size:
                    message = f"label {label!r} is {shown(sizes[label])} and {shown(size)}"
                    raise ShapeError(self.name, message, texts)
        return sizes


_EINSUM = _Einsum()


@register(_EINSUM)
def einsum(
    equation: str,
    *operands: Tensor,
    path: Iterable[Iterable[int]] | None = None,
    out_dtype: str | DType | None = None,
    name: str | None = None,
) -> Tensor:
    """Contract tensors by Einstein's convention, such as ``"bhqd,bhkd->bhqk"``.

    FLOPs: per pairwise step 2 per point of its index space if it sums over a label, else 1.
    Source: one multiply-add is 2 FLOPs, as opt_einsum counts a path. A single operand that is
    summed costs one addition less than it has elements, per element of the result; a transpose or
    a diagonal costs none. Intermediate results of three and more operands are taken to stay on
    the chip; separate calls count their traffic too.

    Parameters
    ----------
    equation : str
        Labels of each operand and of the result; without ``->`` the result has the labels that
        occur once, in order of the alphabet. A label that occurs twice in one operand is its
        diagonal.
    *operands : Tensor
        As many as the equation names.
    path : iterable of tuples of int, optional
        Which operands each step takes, as in `numpy.einsum_path`: the result of a step goes to
        the end of the list. Left to right by default.
    out_dtype : str or DType, optional
        Storage dtype of the result; that of the first float operand by default.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the dims of the result's labels.

    Raises
    ------
    InputError
        If the equation or the path is none.
    ShapeError
        If the operands do not fit it.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> a, b = g.input("a", ("m", "k"), "fp64"), g.input("b", ("k", "n"), "fp64")
    >>> y = einsum("mk,kn,n->m", a, b, g.input("x", "n", "fp64"), path=[(1, 2), (0, 1)])
    >>> print(g.flops)
    (2*k*m + 2*k*n) FLOP
    """
    attrs: AttrPairs = (("equation", equation),)
    if path is not None:
        attrs += (("path", _path(path)),)
    return apply(_EINSUM, operands, attrs + dtype_attr(out_dtype), name)


@dataclass(frozen=True, slots=True)
class _Equation:
    text: str
    terms: tuple[str, ...]
    output: str


@dataclass(frozen=True, slots=True)
class _Step:
    operands: int
    labels: tuple[str, ...]
    output: tuple[str, ...]

    @property
    def sums(self) -> bool:
        return len(self.output) < len(self.labels)


def compact(equation: str) -> str:
    """Return an equation without blanks.

    Raises
    ------
    InputError
        If a blank stands between two letters: most likely a comma is missing there.

    Examples
    --------
    >>> compact("mn, nk -> mk")
    'mn,nk->mk'
    >>> compact("mn nk -> mk")
    Traceback (most recent call last):
    symroof.errors.InputError: einsum: 'mn nk -> mk': a blank between letters; write 'mn,nk'
    """
    for term in re.split(r",|->", equation):
        parts = term.split()
        if len(parts) > 1 and "".join(parts).isalpha():
            raise InputError(
                f"{equation[:60]!r}: a blank between letters; write {','.join(parts)[:60]!r}",
                where="einsum",
            )
    return "".join(equation.split())


@lru_cache(maxsize=4096)
def _parsed(equation: str) -> _Equation:
    if not isinstance(equation, str):
        raise InputError(f"an equation is text such as 'mn,nk->mk', not {type(equation).__name__}")
    text = compact(equation)
    told = text[:60]
    if "." in text:
        raise InputError(f"{told!r}: an ellipsis is not supported; name every dim", where="einsum")
    match = re.fullmatch(r"([^\W\d_]*(?:,[^\W\d_]*)*)(?:->([^\W\d_]*))?", text)
    if match is None:
        raise InputError(
            f"{told!r} is no equation; expected letters such as 'mn,nk->mk'", where="einsum"
        )
    terms = tuple(match[1].split(","))
    if len(terms) > MOST_OPERANDS or max(map(len, terms)) > MOST_LABELS:
        raise InputError(
            f"{told!r}: at most {MOST_OPERANDS} operands, each of at most {MOST_LABELS} letters",
            where="einsum",
        )
    joined = "".join(terms)
    output = match[2]
    if output is None:
        output = "".join(sorted(label for label in set(joined) if joined.count(label) == 1))
    for label in output:
        if label not in joined:
            raise InputError(
                f"{told!r}: no operand has the result's label {label!r}", where="einsum"
            )
        if output.count(label) > 1:
            raise InputError(f"{told!r}: the result has label {label!r} twice", where="einsum")
    return _Equation(text, terms, output)


@lru_cache(maxsize=4096)
def _steps(equation: _Equation, path: Path | None) -> tuple[_Step, ...]:
    left = [tuple(dict.fromkeys(term)) for term in equation.terms]
    if path is None:
        path = _left_to_right(len(left))
    steps = []
    for taken in path:
        if not taken or len(set(taken)) < len(taken) or not all(0 <= n < len(left) for n in taken):
            raise InputError(
                f"path step {taken} does not pick from the {len(left)} operands there are then",
                where="einsum",
            )
        labels = tuple(dict.fromkeys(label for n in taken for label in left[n]))
        left = [term for n, term in enumerate(left) if n not in taken]
        wanted = set(equation.output).union(*left)
        output = tuple(label for label in labels if label in wanted)
        steps.append(_Step(len(taken), labels, output))
        left.append(output)
    if len(left) > 1:
        raise InputError(f"the path leaves {len(left)} operands uncontracted", where="einsum")
    return tuple(steps)


def _left_to_right(operands: int) -> Path:
    if operands == 1:
        return ((0,),)
    return ((0, 1), *((left - 1, 0) for left in range(operands - 1, 1, -1)))


def _path(path: Iterable[Iterable[int]]) -> Path:
    try:
        steps: Sequence[Any] = list(path)
        return tuple(tuple(int(n) for n in step) for step in steps if step != "einsum_path")
    except (TypeError, ValueError):
        raise InputError(
            "a path is a list of tuples of positions: [(0, 1), (0, 1)]", where="einsum"
        ) from None
