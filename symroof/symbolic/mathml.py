r"""LaTeX as MathML, through `latex2mathml`.

Its output is tidied: it writes words letter by letter, long numbers in pieces, and `max` as a sign.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import unescape
from xml.etree.ElementTree import Element, SubElement, tostring

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
THIN, NO_BREAK = "\u2009", "\u00a0"

_ONE_LETTER = re.compile(r"\\mathrm\{([A-Za-z])\}")

_ELEMENTS = frozenset({
    "math", "mfrac", "mi", "mn", "mo", "mover", "mroot", "mrow", "mspace", "msqrt", "mstyle",
    "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
})  # fmt: skip
_ATTRIBUTES = frozenset({
    "xmlns", "display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "form",
    "width", "accent", "columnalign", "minsize", "maxsize",
})  # fmt: skip


@lru_cache(maxsize=4096)
def mathml(text: str, display: bool = False) -> str:
    r"""Return LaTeX as a ``<math>`` element: well-formed XML with nothing active in it.

    Parameters
    ----------
    text : str
        LaTeX without dollars, as `latex` writes it. What cannot be read is shown as it is.
    display : bool
        Whether the formula stands on a line of its own.

    Examples
    --------
    >>> mathml(r"\mathrm{FLOPs}").partition(">")[2]
    '<mrow><mi>FLOPs</mi></mrow></math>'
    """
    from latex2mathml.converter import convert_to_element  # only where MathML is asked for

    try:
        upright = _ONE_LETTER.sub(r"\\mathrm{{\1}}", text)  # a lone letter would lose its face
        made = convert_to_element(upright, display="block" if display else "inline")
        return tostring(_tidied(made), encoding="unicode")
    except Exception:  # the reader of a formula sees it in any case
        return tostring(_as_text(text, display), encoding="unicode")


def _as_text(text: str, display: bool) -> Element:
    made = Element("math", {"xmlns": NAMESPACE, "display": "block" if display else "inline"})
    SubElement(made, "mtext").text = _visible(text)
    return made


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() or c == NO_BREAK else " " for c in text)


def _tidied(node: Element) -> Element:
    """Return an element with known tags and attributes only; words and numbers in one piece."""
    if node.tag not in _ELEMENTS:
        raise ValueError(f"<{node.tag}> has no place in a formula")
    kept = {key: value for key, value in node.attrib.items() if key in _ATTRIBUTES}
    made = Element(node.tag, kept)
    made.text = _visible(unescape(node.text)) if node.text else None
    children = [_tidied(child) for child in node]
    if node.tag == "mrow" and any(_is_upright(child) for child in node):
        word = _word(children)
        if word is not None:
            return word
    made.extend(_numbers(children))
    for before, sign in zip([None, *made], made, strict=False):
        if sign.tag == "mo" and sign.text in ("+", "−") and _opens(before):
            sign.set("form", "prefix")
    if made.tag == "mo" and made.text and len(made.text) > 1 and made.text.isalpha():
        made.tag = "mi"
    elif made.text == "·":
        made.tag = "mo"
    return made


def _opens(node: Element | None) -> bool:
    """Return whether a sign after a node stands before a term, and not between two."""
    return node is None or (node.tag == "mo" and (node.text or "") in "([⌈⌊,=<>≤≥≠/·")


def _word(children: list[Element]) -> Element | None:
    r"""Return the word that a row of upright letters spells: what was in ``\mathrm``."""
    pieces = [_spelled(child) for child in children]
    if None in pieces:
        return None
    word = _CODE.sub(_letter, "".join(piece for piece in pieces if piece))
    made = Element("mi", {"mathvariant": "normal"} if len(word) == 1 else {})
    made.text = word
    return made


def _is_upright(node: Element) -> bool:
    return node.tag == "mi" and node.get("mathvariant") == "normal"


def _spelled(node: Element) -> str | None:
    """Return the text of a letter, a sign, or a group with one of them; None for other nodes."""
    if len(node) == 0 and node.tag in ("mi", "mn", "mo", "mtext"):
        return node.text or ""
    if node.tag == "mrow" and len(node) == 1:
        return _spelled(node[0])
    if node.tag == "mover" and len(node) == 2:
        letter, accent = _spelled(node[0]), _ACCENTS.get(node[1].text or "")
        if letter and accent:
            return unicodedata.normalize("NFC", letter + accent)
    return None


def _numbers(children: list[Element]) -> list[Element]:
    """Return nodes with the groups of long numbers joined."""
    made: list[Element] = []
    for node in children:
        if (
            len(made) > 1
            and (node.tag, made[-1].tag, made[-2].tag) == ("mn", "mspace", "mn")
            and len(node.text or "") == 3
        ):
            made.pop()
            made[-1].text = f"{made[-1].text}{THIN}{node.text}"
        else:
            made.append(node)
    return made


# Letters that LaTeX has to write by code points, MathML need not: those that run left to right.
_CODE = re.compile(r"\[U\+([0-9A-F]{4,6})\]")


def _letter(match: re.Match[str]) -> str:
    letter = chr(int(match[1], 16))
    return letter if letter.isalpha() and unicodedata.bidirectional(letter) == "L" else match[0]


_ACCENTS = {
    "`": "\u0300", "´": "\u0301", "^": "\u0302", "~": "\u0303", "¯": "\u0304", "˘": "\u0306",
    "˙": "\u0307", "¨": "\u0308", "ˇ": "\u030c",
}  # fmt: skip
