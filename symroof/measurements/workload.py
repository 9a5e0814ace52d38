"""The op that was timed, as a graph, and the columns that say its dims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symroof.errors import InputError, SymroofError, UnknownNameError, brief
from symroof.graph import Graph, load
from symroof.graph.about import About
from symroof.graph.ops.contraction import matmul
from symroof.graph.ops.einsum import compact, einsum
from symroof.measurements.formats import Format
from symroof.measurements.rows import Floats, Sheet
from symroof.sweeps.compiled import compile as compiled
from symroof.symbolic import parse

GEMM = ("matmul", "gemm")
"""Names of C[m,n] = A[m,k] · B[k,n], in the letters of BLAS that tables of timings use."""


def op_graph(op: str | Graph, form: Format | None) -> Graph:
    """Return the graph of the op that was timed.

    Parameters
    ----------
    op : str or Graph
        ``matmul``: C[m,n] = A[m,k] · B[k,n]; an einsum; a named algorithm or a TOML file; or a
        graph, whose tensors have their dtypes.
    form : Format or None
        Dtypes of operands and result; None leaves those of the spec.

    Raises
    ------
    InputError
        If nothing says the dtypes.

    Examples
    --------
    >>> from symroof.measurements.formats import format_of
    >>> print(op_graph("matmul", format_of("fp8")).bytes)
    (k*m + k*n + 2*m*n) byte
    """
    if isinstance(op, Graph):
        return op
    if not isinstance(op, str):
        raise InputError(
            f"expected a name, an einsum or a graph, not {type(op).__name__}", where="op"
        )
    if "->" in op or "," in op:
        return _contraction(op, _needed(form))
    if op.strip().lower() in GEMM:
        return _gemm(_needed(form))
    return load(op) if form is None else load(op, dtype=form.first)


def names_of(graph: Graph) -> tuple[str, ...]:
    """Return the names that a row must have a number for, sorted."""
    return tuple(sorted(graph.scope.dimensions))


@dataclass(frozen=True, slots=True)
class Mapped:
    """The columns of a table that the names of an op are read from.

    Attributes
    ----------
    dims : dict of str to array
        Numbers by name; nan in bad rows.
    columns : dict of str to str
        The column, number or formula of columns by name.
    """

    dims: dict[str, Floats]
    columns: dict[str, str]


def mapped(sheet: Sheet, names: tuple[str, ...], given: Mapping[str, str], title: str) -> Mapped:
    """Return the numbers of every name, by `given` or from the column of the same name.

    Parameters
    ----------
    sheet : Sheet
        The rows; those whose numbers cannot be read are noted there.
    names : tuple of str
        What the op needs.
    given : mapping of str to str
        A column, a number, or a formula of columns (``isl + step``) by name.
    title : str
        The op, for messages.

    Raises
    ------
    UnknownNameError
        If `given` names what the op does not have.
    InputError
        If a column is missing; with the nearest one.
    """
    for name in given:
        if name not in names:
            raise UnknownNameError(f"dim of {title}", name, names)
    dims, columns = {}, {}
    for name in names:
        source = given.get(name, name)
        what = f"the dim {name} of {title}"
        if name in given and source not in sheet.names:
            dims[name] = _formula(sheet, source, what)
            columns[name] = source
        else:
            columns[name] = sheet.names[sheet.place(source, what)]
            dims[name] = sheet.amounts(columns[name], whole=True)
    return Mapped(dims, columns)


def _formula(sheet: Sheet, text: str, what: str) -> Floats:
    try:
        found = parse(text)
    except SymroofError:
        sheet.place(text, what)
        raise
    names = sorted(symbol.name for symbol in found.free_symbols)
    places = [sheet.names[sheet.place(name, what)] for name in names]
    columns = [sheet.amounts(name, zero=True) for name in places]
    values = compiled(found, names)(*columns)
    return sheet.checked(np.broadcast_to(values, (len(sheet.rows),)), text, whole=True)


def _needed(form: Format | None) -> Format:
    if form is None:
        raise InputError(
            "no column 'dtype', and none is given; say it, as in --dtype bf16 or dtype='bf16'"
        )
    return form


def _gemm(form: Format) -> Graph:
    graph = Graph("matmul")
    a = graph.input("A", ("m", "k"), form.first)
    b = graph.weight("B", ("k", "n"), form.second)
    matmul(a, b, out_dtype=form.result, name="C")
    graph.about = About(title="C[m,n] = A[m,k] · B[k,n]")
    return graph


def _contraction(equation: str, form: Format) -> Graph:
    """Return the graph of an einsum; its checks are those of `load`."""
    plain = load(equation)
    graph = Graph("einsum")
    text = compact(equation)
    terms = text.partition("->")[0].split(",")
    leaves = [tensor.name for tensor in plain.tensors[: len(terms)]]
    operands = [
        graph.input(name, tuple(term), form.first)
        if place == 0
        else graph.weight(name, tuple(term), form.second)
        for place, (name, term) in enumerate(zip(leaves, terms, strict=True))
    ]
    made = plain.tensors[len(terms)].name
    einsum(text, *operands, out_dtype=form.result, name=made)
    graph.about = plain.about
    return graph


def title_of(graph: Graph) -> str:
    """Return what an op is called in answers."""
    return brief(graph.about.title or graph.name, 120)
