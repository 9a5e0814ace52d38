r"""Text that may hold anything, made printable: what does not print is written as ``\x1b``."""

from __future__ import annotations

HTTP = ("http://", "https://")


def visible(text: str) -> str:
    r"""Return a text in one line that prints: line ends as spaces, controls by their code points.

    Marks that turn the direction of writing, characters without width and halves of surrogate
    pairs do not print either. No-break spaces become spaces.

    Examples
    --------
    >>> visible("two\nlines"), visible("\x1b[31m")
    ('two lines', '\\x1b[31m')
    """
    if text.isprintable():
        return text
    return "".join([c if c.isprintable() else _written(c) for c in text])


def is_address(url: str) -> bool:
    """Return whether a text is an address a link may lead to.

    Examples
    --------
    >>> is_address("https://doi.org/10.1145/1"), is_address("javascript:alert(1)")
    (True, False)
    """
    host = url.lower().partition("://")[2]
    return url.lower().startswith(HTTP) and bool(host) and url.isprintable() and " " not in url


def _written(character: str) -> str:
    if character.isspace():
        return " "
    return character.encode("unicode_escape").decode("ascii")
