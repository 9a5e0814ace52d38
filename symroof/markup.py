"""Text and tables in HTML: escaped, and with nothing in them that turns the text around them."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import NewType, ParamSpec, TypeVar

Html = NewType("Html", str)
"""A text that is HTML already."""

LONGEST = 120

_P = ParamSpec("_P")
_T = TypeVar("_T")


def escape(text: str) -> Html:
    """Return plain text for HTML, between tags and in quoted attributes.

    Controls and direction marks are written by code point; text that runs right to left stands in
    an isolate of its own.

    Parameters
    ----------
    text : str
        Any text, also one of users.

    Examples
    --------
    >>> escape('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    >>> escape("evil" + chr(0x202E) + "txt")
    'evil[U+202E]txt'
    """
    shown = html.escape("".join(map(_visible, text)), quote=True)
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in text):
        shown = f"\u2068{shown}\u2069"
    return Html(shown)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return a text with its middle left out where it is long.

    Examples
    --------
    >>> shortened("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}…{text[len(text) - (longest - head - 1) :]}"


def joined(parts: Iterable[Html], between: str = "") -> Html:
    """Return pieces of HTML one after another, with plain text between them.

    Examples
    --------
    >>> joined([Html("<b>a</b>"), escape("<")], " & ")
    '<b>a</b> &amp; &lt;'
    """
    return Html(escape(between).join(parts))


def table(
    titles: Sequence[str],
    rows: Iterable[Sequence[Html]],
    right: frozenset[int] = frozenset(),
    caption: Html | None = None,
) -> Html:
    """Return a table; colours and fonts are those of the page around it, and it scrolls if wide.

    Parameters
    ----------
    titles : sequence of str
        Plain text over the columns; there is no head where it is empty.
    rows : iterable of sequence of Html
        The cells; `escape` what is plain text.
    right : frozenset of int
        The columns that are set flush right, those of numbers.
    caption : Html, optional
        A line above it.

    Examples
    --------
    >>> "<tr><td" in table([], [[escape("a<b")]]), "<script" in table(["<script>"], [])
    (True, False)
    """
    made = [] if caption is None else [f"<div>{caption}</div>"]
    made.append('<div style="overflow-x:auto"><table>')
    if titles:
        heads = [_cell("th", escape(title), i in right) for i, title in enumerate(titles)]
        made.append(f"<thead><tr>{''.join(heads)}</tr></thead>")
    made.append("<tbody>")
    for row in rows:
        cells = [_cell("td", content, i in right) for i, content in enumerate(row)]
        made.append(f"<tr>{''.join(cells)}</tr>")
    made.append("</tbody></table></div>")
    return Html("".join(made))


def or_none(make: Callable[_P, _T]) -> Callable[_P, _T | None]:
    """Return `make`, but with None where it fails: notebooks show the text of the object then.

    Examples
    --------
    >>> or_none(int)("3"), or_none(int)("three")
    (3, None)
    """

    @wraps(make)
    def made(*args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        try:
            return make(*args, **kwargs)
        except Exception:  # a picture of an object is never worth an error
            return None

    return made


def _cell(tag: str, content: Html, right: bool) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    style = f"text-align:{'right' if right else 'left'};padding:2px 8px"
    return f'<{tag}{scope} style="{style}">{content}</{tag}>'


_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
# Controls, direction marks, what has no shape, line and paragraph ends.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def _visible(letter: str) -> str:
    if letter.isprintable() or letter in "\t\n":
        return letter
    hidden = unicodedata.category(letter) in _HIDDEN
    return f"[U+{ord(letter):04X}]" if hidden else letter
