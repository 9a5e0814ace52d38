"""The formats there are: every module here without an underscore is one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, cast

from symroof.errors import UnknownNameError

if TYPE_CHECKING:
    from symroof.reports.document import Document


class Renderer(Protocol):
    """What a module of a format has.

    Attributes
    ----------
    EXTENSIONS : tuple of str
        The ends of its files' names, without the dot; the usual one first.
    TITLE : str
        What the format is called.
    """

    EXTENSIONS: tuple[str, ...]
    TITLE: str

    def render(self, document: Document) -> str | bytes:
        """Return the document as the content of a file."""
        ...


def render(document: Document, format: str) -> str | bytes:  # noqa: A002
    """Return a document in a format.

    Parameters
    ----------
    document : Document
        What is written.
    format : str
        An extension with or without the dot (``md``), or the name of the format (``markdown``).

    Returns
    -------
    str or bytes
        The content of a file; bytes where the format is no text.

    Raises
    ------
    UnknownNameError
        If there is no such format; the nearest one is offered.

    Examples
    --------
    >>> from symroof.reports.document import Document
    >>> print(render(Document("Matmul", "on a chip", ()), "txt"))
    Matmul
    ======
    on a chip
    <BLANKLINE>
    """
    return renderer(format).render(document)


def renderer(format: str) -> Renderer:  # noqa: A002
    """Return the module that writes a format.

    Raises
    ------
    UnknownNameError
        If there is no such format.

    Examples
    --------
    >>> renderer("markdown").EXTENSIONS
    ('md',)
    >>> renderer(".markdwon")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown format 'markdwon'; did you mean 'markdown'?
    """
    asked = format.removeprefix(".")
    for known in (formats(), _modules()):
        if asked.lower() in known:
            return known[asked.lower()]
    raise UnknownNameError("format", asked, dict.fromkeys((*formats(), *_modules())))


@cache
def formats() -> Mapping[str, Renderer]:
    """Return the modules of the formats by extension, in the order of the alphabet.

    Examples
    --------
    >>> formats()["md"].TITLE
    'Markdown'
    """
    found: dict[str, Renderer] = {}
    for name, module in _modules().items():
        for extension in module.EXTENSIONS:
            if extension in found:
                raise ValueError(f"two formats end in .{extension}, one of them {name!r}")
            found[extension] = module
    return MappingProxyType(dict(sorted(found.items())))


@cache
def _modules() -> Mapping[str, Renderer]:
    """Return the modules by name; those that begin with an underscore help others."""
    return MappingProxyType(
        {
            name: cast(Renderer, importlib.import_module(f"{__name__}.{name}"))
            for _, name, _ in pkgutil.iter_modules(__path__)
            if not name.startswith("_")
        }
    )
