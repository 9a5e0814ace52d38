"""Texts that reports show: printable, one line, of bounded length."""

from __future__ import annotations

from symroof.errors import InputError

NAME, TITLE, DESCRIPTION = 200, 500, 20_000


def line(text: object, where: str, most: int = NAME) -> str:
    r"""Return a text that can be shown in a line.

    Parameters
    ----------
    text : str
        What the user gave.
    where : str
        What it is, for the error.
    most : int
        How many letters it may have.

    Raises
    ------
    InputError
        If it is no text, too long, or holds what does not print: control characters, line ends,
        marks that turn the direction of writing.

    Examples
    --------
    >>> line("llama 3", "the name of a graph")
    'llama 3'
    >>> line("a\u202eb", "title")
    Traceback (most recent call last):
    symroof.errors.InputError: title: U+202E at column 2 does not print
    """
    if not isinstance(text, str):
        raise InputError(f"expected text, not {type(text).__name__}", where=where)
    if len(text) > most:
        raise InputError(f"{len(text):,} letters; at most {most:,}", where=where)
    for column, letter in enumerate(text, start=1):
        if not letter.isprintable():
            raise InputError(f"U+{ord(letter):04X} at column {column} does not print", where=where)
    return text


def named(text: object, where: str) -> str:
    """Return a text that names something: a `line` that is not blank.

    Examples
    --------
    >>> named(" ", "the name of a graph")
    Traceback (most recent call last):
    symroof.errors.InputError: the name of a graph: it is empty
    """
    found = line(text, where)
    if not found.strip():
        raise InputError("it is empty", where=where)
    return found


def lines(text: object, where: str, most: int = DESCRIPTION) -> str:
    r"""Return a text of several lines that print; tabs may stand in it.

    Examples
    --------
    >>> lines("two\nlines", "description")
    'two\nlines'
    """
    if isinstance(text, str) and len(text) <= most:
        for part in text.split("\n"):
            line(part.replace("\t", " ").removesuffix("\r"), where, most)
        return text
    return line(text, where, most)
