"""Algorithms by text: einsum strings, the named algorithms of the library, and TOML files."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

from symroof.errors import InputError, UnknownNameError
from symroof.files import toml_text, write_text_atomically
from symroof.graph.einsum_spec import einsum_graph
from symroof.graph.graph import Graph
from symroof.graph.spec_fields import MAX_BYTES, check_size, place
from symroof.graph.spec_read import read_graph
from symroof.graph.spec_write import graph_tables
from symroof.tables import read_text
from symroof.units.dtype import DType
from symroof.units.dtype import dtype as dtype_of

LIBRARY = Path(__file__).with_name("library")


def load(source: str | os.PathLike[str], *, dtype: str | DType | None = None) -> Graph:
    """Return the graph of an einsum string, of a named algorithm, or of a TOML file.

    Parameters
    ----------
    source : str or PathLike
        ``"mn,nk->mk"``; a name of `algorithms` (case, spaces, hyphens and underscores do not
        matter); or the path of a file, which ends in ``.toml`` or exists.
    dtype : str or DType, optional
        Dtype of the operands of an einsum (fp16 by default); otherwise of the tensors that name
        none, instead of the dtype their file names.

    Raises
    ------
    UnknownNameError
        If there is no such algorithm or dtype; with the nearest one.
    InputError
        If an equation or a file cannot be read; one line with the place.

    Examples
    --------
    >>> print(load("mn,nk->mk").intensity)
    k*m*n/(k*m + k*n + m*n) FLOP/byte
    >>> load("matmul", dtype="bf16").tensors[0]
    <A [M, N] bf16>
    >>> load("matmull")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown algorithm 'matmull'; did you mean 'matmul'? (or give \
an einsum such as 'mn,nk->mk', or a .toml file)
    """
    chosen = None if dtype is None else dtype_of(dtype).text
    if isinstance(source, os.PathLike):
        return _from_file(Path(source), str(source), chosen)
    if not isinstance(source, str):
        raise InputError(f"an algorithm is named by text, not {type(source).__name__}")
    if source.lower().endswith(".toml"):
        return _from_file(Path(source), source, chosen)
    if "->" in source or "," in source:
        return einsum_graph(source, chosen or "fp16")
    found = _files().get(_normal(source))
    if found is not None and os.sep not in source:
        return _from_file(found, found.stem, chosen)
    if _is_file(source):
        return _from_file(Path(source), source, chosen)
    hint = "or give an einsum such as 'mn,nk->mk', or a .toml file"
    raise UnknownNameError("algorithm", source, algorithms(), hint=hint)


def save(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write `graph` to a TOML file that `load` reads back as an equal graph; see `Graph.save`."""
    tables = graph_tables(graph)
    check_size(tables)
    write_text_atomically(path, toml_text(tables))


def algorithms() -> tuple[str, ...]:
    """Return the names of the algorithms of the library, sorted.

    Examples
    --------
    >>> {"matmul", "mlp", "attention-decode"} <= set(algorithms())
    True
    """
    return tuple(sorted(path.stem for path in _files().values()))


def _from_file(path: Path, where: str, dtype: str | None) -> Graph:
    with place(where):
        return read_graph(read_text(path, MAX_BYTES, "a spec"), dtype)


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):
        return False


@cache
def _files() -> dict[str, Path]:
    return {_normal(path.stem): path for path in sorted(LIBRARY.glob("*.toml"))}


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:200].lower())
