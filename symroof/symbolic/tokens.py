"""Tokens of the formula language, and what a character outside it was likely meant to be."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from symroof.errors import ParseError

MAX_LENGTH = 10_000
INFINITY = "∞"

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<number>(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)
                   (?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d][\w\u0300-\u036f]*(?:\.[\w:]+)*)
      | (?P<operator>\*\*|//|[-+*/(),∞])
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)

_HINTS = {
    "^": "write ** for a power",
    "%": "the operators are + - * / // **",
    "=": "a formula is one side only",
    "<": "a formula is one side only",
    ">": "a formula is one side only",
    "≤": "a formula is one side only",
    "≥": "a formula is one side only",
    "[": "group with ( )",
    "]": "group with ( )",
    "{": "group with ( )",
    "}": "group with ( )",
    "'": "names are written without quotes",
    '"': "names are written without quotes",
    "·": "write * for a product",
    "×": "write * for a product",
    "⋅": "write * for a product",
    "÷": "write / for a quotient",
    "−": "write - for minus",
    "–": "write - for minus",
    "²": "write **2 for a square",
    "³": "write **3 for a cube",
    "√": "write sqrt(...)",
    "⌈": "write ceil(...)",
    "⌊": "write floor(...)",
    "!": "there is no factorial",
}


class Token(NamedTuple):
    """A piece of text: its kind (number, name, operator, end), itself, and its column from 0."""

    kind: str
    text: str
    start: int


def read_tokens(text: str) -> list[Token]:
    """Split `text` into tokens, ending with one of kind ``end``.

    Raises
    ------
    ParseError
        If the text is too long, or has a character that no token has.

    Examples
    --------
    >>> [token.text for token in read_tokens("2*peak.bf16 // 1e12")]
    ['2', '*', 'peak.bf16', '//', '1e12', '']
    """
    if len(text) > MAX_LENGTH:
        message = f"a formula has at most {MAX_LENGTH:,} characters, not {len(text):,}"
        raise ParseError(message, text=text[:100], position=0)
    tokens: list[Token] = []
    position = 0
    while True:
        match = _TOKEN.match(text, position)
        if match is None:
            rest = text[position:]
            raise _unreadable(text, position + len(rest) - len(rest.lstrip(" \t\r\n")))
        kind = match.lastgroup or "end"
        token = Token(kind, match.group(kind), match.start(kind))
        if kind == "name":
            for offset, letter in enumerate(token.text):
                # Superscripts and the like are "word" characters, but M² is not a name.
                if letter not in ".:" and not ("x" + letter).isidentifier():
                    raise _unreadable(text, token.start + offset)
        tokens.append(token)
        if kind == "end":
            return tokens
        position = match.end()


def _unreadable(text: str, position: int) -> ParseError:
    letter = text[position]
    named = repr(letter)
    if not letter.isprintable() or letter.isspace():
        named = f"U+{ord(letter):04X} {unicodedata.name(letter, '')}".rstrip()
    hint = _HINTS.get(letter, "")
    message = f"unexpected character {named}" + (f" ({hint})" if hint else "")
    return ParseError(message, text=text, position=position)
