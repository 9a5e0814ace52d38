"""The ops there are: every module of ``symroof.graph.ops`` registers its own here."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from textwrap import fill
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from symroof.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symroof.graph.op import OpKind

_F = TypeVar("_F", bound=Callable[..., Any])
INDENT = " " * 4

KINDS: dict[str, OpKind] = {}

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Public op functions by name; tensors find the ops of their operators here."""


def register(kind: OpKind) -> Callable[[_F], _F]:
    """Register `kind` under ``kind.name``, with the decorated function as its public face.

    The function appears as ``symroof.ops.<kind.name>``, whatever its own name is (a function
    called ``slice_`` registers the op ``slice``).

    Parameters
    ----------
    kind : OpKind
        What the op costs and how shapes follow.

    Returns
    -------
    callable
        A decorator that returns the function, with the count and its source in its docstring.

    Raises
    ------
    ValueError
        If another kind has that name.

    Examples
    --------
    >>> from symroof.graph.registry import op
    >>> op("matmul").name
    'matmul'
    """
    if kind.name in KINDS:
        raise ValueError(f"two ops are called {kind.name!r}")
    KINDS[kind.name] = kind

    def decorate(function: _F) -> _F:
        FUNCTIONS[kind.name] = function
        function.__doc__ = _with_count(function.__doc__ or "", kind)
        return function

    return decorate


def kinds() -> Mapping[str, OpKind]:
    """Return every registered kind of op by name, in the order of the alphabet.

    Examples
    --------
    >>> "matmul" in kinds()
    True
    """
    discover()
    return MappingProxyType(dict(sorted(KINDS.items())))


def functions() -> Mapping[str, Callable[..., Any]]:
    """Return the public function of every registered op by name, in the order of the alphabet.

    Examples
    --------
    >>> functions()["matmul"].__name__
    'matmul'
    """
    discover()
    return MappingProxyType(dict(sorted(FUNCTIONS.items())))


def op(name: str) -> OpKind:
    """Return the kind of op called `name`.

    Raises
    ------
    UnknownNameError
        If there is none; the nearest name is offered.

    Examples
    --------
    >>> op("matmull")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown op 'matmull'; did you mean 'matmul'?
    """
    known = kinds()
    if name not in known:
        raise UnknownNameError("op", name, known)
    return known[name]


@cache
def discover() -> None:
    """Import every module of ``symroof.graph.ops``, which registers its ops; once is enough."""
    package = importlib.import_module("symroof.graph.ops")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def _with_count(doc: str, kind: OpKind) -> str:
    if not doc or "Source:" in doc:
        return doc
    summary, _, rest = doc.partition("\n\n")
    count = fill(
        f"FLOPs: {kind.count}. Source: {kind.source}.",
        width=100,
        initial_indent=INDENT,
        subsequent_indent=INDENT,
    )
    return f"{summary}\n\n{count}\n\n{rest}"
