"""The explorer: a page with a slider for each symbol and answers that follow it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from symroof.errors import InputError
from symroof.files import write_text_atomically
from symroof.reports.explorer.build import build
from symroof.roofline import Roofline

__all__ = ["Explorer", "explore"]


def explore(roofline: Roofline, unknown: str | None = None) -> Explorer:
    """Return a page on which every symbol and every rate can be moved.

    It is one file that needs no network: verdict, time terms, roofline, crossover and regime map
    follow the sliders. Verdicts and whole numbers are exact, ties included.

    Parameters
    ----------
    roofline : Roofline
        What is bound is where the sliders start; names bound to formulas follow the others.
    unknown : str, optional
        The name the crossover is asked for at first; the first of the graph by default.

    Returns
    -------
    Explorer
        The page, with ``save(path)``.

    Raises
    ------
    UnknownNameError
        If there is no such unknown.
    InputError
        If there is nothing to move.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=4096, k=4096)
    >>> page = explore(r, "m")
    >>> page.html.count("<input"), "https://" in page.html
    (0, False)
    """
    if not isinstance(roofline, Roofline):
        raise InputError(
            f"expected a Roofline, got {type(roofline).__name__} (sr.analyze makes one)"
        )
    return Explorer(build(roofline, unknown))


@dataclass(frozen=True, slots=True)
class Explorer:
    """A page to explore a roofline with. Made by :func:`explore`.

    Attributes
    ----------
    html : str
        The whole page.
    """

    html: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file and return its path.

        Raises
        ------
        InputError
            If it cannot be written, or its name does not end in ``.html`` or ``.htm``.

        Examples
        --------
        >>> import symroof as sr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     page = explore(sr.analyze(sr.load("matmul"), "h100-sxm"))
        ...     page.save(f"{folder}/explore.html").name
        'explore.html'
        """
        target = Path(path)
        check_path(target)
        write_text_atomically(target, self.html)
        return target


def check_path(path: Path) -> None:
    """Refuse a path that does not name an HTML file.

    Examples
    --------
    >>> check_path(Path("page.pdf"))
    Traceback (most recent call last):
    symroof.errors.InputError: page.pdf: expected a name that ends in .html
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError("expected a name that ends in .html", where=str(path))
