r"""Plain text as Markdown in which nothing of it acts: no HTML, link, maths, mention or heading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from symroof.reports.visible import visible

APART = "&#8203;"
"""A space without width: what stands around it is no address, mention or emoji."""

_SIGNS: Mapping[str, str] = {
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    "|": "&#124;",
    "$": "<span>$</span>",
}
_ACTING = re.compile(
    r"[\\`*_~\[\]#<>&|$]"
    r"|@(?=\w)|:(?=//)|:(?=[\w+-]+:)|\b(?:www(?=\.)|GH(?=-\d))",
    re.IGNORECASE,
)
_START = re.compile(r"([-+=]|\d{1,9}(?=[.)]))(.?)", re.DOTALL)
_TICKS = re.compile("`+")
_URL_SAFE = "/:?#@!&+,;=%~-._"


def escaped(text: str) -> str:
    r"""Return a text for the middle of a line.

    Examples
    --------
    >>> print(escaped("a*b <b> [x](y)"), escaped("@you #1"))
    a\*b &lt;b&gt; \[x\](y) @&#8203;you \#&#8203;1
    """
    return _ACTING.sub(_inert, visible(text))


def line(text: str) -> str:
    r"""Return Markdown that is made of escaped pieces as a whole line: no list, no rule.

    Examples
    --------
    >>> print(line("- point"), line("1. point"))
    \- point 1\. point
    """
    text = text.strip(" ")
    found = _START.match(text)
    if found is None:
        return text
    first, second = found.groups()
    rest = text[found.end() :]
    return f"{first}\\{second}{rest}" if first.isdigit() else f"\\{first}{second}{rest}"


def strong(text: str, alone: bool = False) -> str:
    """Return a text in bold; `alone` where a line begins with it and no letter follows.

    Examples
    --------
    >>> strong("bold"), strong("(bold) "), strong("The ops.", alone=True)
    ('**bold**', '<strong>(bold)</strong> ', '**The ops.**')
    """
    whole = visible(text)
    bare = whole.strip(" ")
    if not bare:
        return whole[:1]
    shown = escaped(bare)
    # two stars between a letter and a sign are no bold
    stars = alone or (bare[0].isalnum() and bare[-1].isalnum())
    bold = f"**{shown}**" if stars else f"<strong>{shown}</strong>"
    if alone:
        return bold
    return whole[: len(whole) - len(whole.lstrip(" "))] + bold + whole[len(whole.rstrip(" ")) :]


def code(text: str) -> str:
    """Return a text in the letters of code, for a line or a cell of a table.

    Examples
    --------
    >>> code("fp16"), code("a|b")
    ('`fp16`', '<code>a&#124;b</code>')
    """
    shown = visible(text).strip(" ")
    if not shown:
        return ""
    return f"<code>{escaped(shown)}</code>" if "`" in shown or "|" in shown else f"`{shown}`"


def link(text: str, url: str) -> str:
    """Return a link; `url` is an address that `is_address` knows.

    Examples
    --------
    >>> link("paper", "https://doi.org/10.1145/1 (1)")
    '[paper](https://doi.org/10.1145/1%20%281%29)'
    """
    return f"[{escaped(text)}]({quote(url, safe=_URL_SAFE).replace('&', '&amp;')})"


def fence(lines: list[str], language: str = "") -> list[str]:
    """Return lines as a block of code that they cannot end.

    Examples
    --------
    >>> fence(["y = x"], "text")
    ['```text', 'y = x', '```']
    """
    longest = max((len(ticks) for text in lines for ticks in _TICKS.findall(text)), default=0)
    marks = "`" * max(3, longest + 1)
    return [marks + language, *lines, marks]


def code_line(text: str) -> str:
    """Return a text as a line of code that is the same without the signs around it.

    Examples
    --------
    >>> code_line("first = 2*m = 8")
    '`first = 2*m = 8`'
    """
    longest = max(map(len, _TICKS.findall(text)), default=0)
    marks = "`" * (longest + 1)
    return f"{marks} {text} {marks}" if longest else f"{marks}{text}{marks}"


def _inert(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign == "#":
        after = found.string[found.end() : found.end() + 1]
        return "\\#" + (APART if after.isdigit() else "")
    if sign in "@:" or sign.isalnum():
        return sign + APART
    return "\\" + sign
