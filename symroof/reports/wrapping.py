"""Lines of bounded width from words and from formulas; widths are those of a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

TIE = "\u00a0"
"""A space at which no line ends; it becomes a plain one in the lines."""

OPENING, CLOSING = "(⌈⌊[", ")⌉⌋]"
# A line ends before an operator or after a comma; 3·10⁹ and 2/3 are numbers.
_SPACE = re.compile(r" (?=[+−≥≤<>≠] |where )|(?<=,) ")
_INNER = re.compile(r" (?=[=/] )|(?<=\S)(?:(?=·)(?!·10[⁰¹²³⁴⁵⁶⁷⁸⁹])|(?=/)(?!(?<=\d)/\d))(?=\S)")
_TIED = re.compile(r"(?<=[+−=≥≤<>≠/·]) ")
WINDOW = 4
"""How many lines of a formula are looked at for the end of the first."""
INNER = 2
EMPTY = 3
"""What an empty line costs, where ending it inside of one more bracket costs 1."""


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> width_of("µs"), width_of("行列")
    (2, 4)
    """
    return len(text) if text.isascii() else cell_len(text)


def tied(text: str) -> str:
    """Return a text that stays in one line: ``10.3 µs``."""
    return text.replace(" ", TIE)


def tied_formula(text: str) -> str:
    """Return a formula for use among words: its lines end before an operator, not after it."""
    return _TIED.sub(TIE, text)


def wrapped(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Return words in lines of at most `width`, broken at spaces only; a long word sticks out.

    Parameters
    ----------
    text : str
        The words; a `TIE` is a space that does not break.
    width : int
        Columns, those of `first` and `rest` included.
    first, rest : str
        What stands before the first line, and before the others.

    Examples
    --------
    >>> wrapped("one two three", 9, "- ", "  ")
    ['- one two', '  three']
    """
    rest = first if rest is None else rest
    lines: list[str] = []
    line, used, start = first, width_of(first), True
    for word in text.split(" "):
        if not word:
            continue
        size = width_of(word)
        if start:
            line, used, start = line + word, used + size, False
        elif used + 1 + size <= width:
            line, used = f"{line} {word}", used + 1 + size
        else:
            lines.append(line)
            line, used = rest + word, width_of(rest) + size
    return [found.replace(TIE, " ") for found in (*lines, line)]


def formula_lines(text: str, width: int) -> list[str]:
    """Return a formula in lines that end before operators, outer ones where they can be had.

    Parameters
    ----------
    text : str
        What `Form.unicode` gives.
    width : int
        Columns of a line; a name or a number that is longer sticks out.

    Examples
    --------
    >>> formula_lines("max(2·m·n, 4·k + 7·n) + ceiling·10⁹", 24)
    ['max(2·m·n, 4·k + 7·n)', '+ ceiling·10⁹']
    """
    lines = []
    while width_of(text) > width:
        at = _end(text, width)
        if at is None:
            break
        lines.append(text[:at].rstrip())
        text = text[at:].lstrip()
    return [*lines, text]


def _end(text: str, width: int) -> int | None:
    """Return where the first line of a formula ends best."""
    least = chosen = None
    near = text[: WINDOW * width]
    for at, depth in _ends(near if any(_ends(near)) else text):
        used = width_of(text[:at])
        if used > width:
            return at if chosen is None else chosen
        price = depth + EMPTY * (1 - used / width)
        if least is None or price <= least:
            least, chosen = price, at
    return chosen


def _ends(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places where a line may end, and how deep in brackets and products they are."""
    places = {match.start(): INNER for match in _INNER.finditer(text)}
    places.update({match.start(): 0 for match in _SPACE.finditer(text)})
    depth = 0
    for at, character in enumerate(text):
        if at in places and at:
            yield at, depth + places[at]
        if character in OPENING:
            depth += 1
        elif character in CLOSING:
            depth -= 1
