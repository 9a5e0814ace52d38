"""What msgspec says of a table that does not fit, in the words of the files."""

from __future__ import annotations

import re

_WORDS = {
    "array": "list",
    "bool": "true or false",
    "float": "number",
    "int": "whole number",
    "null": "nothing",
    "object": "table",
    "str": "text",
}


def sentence(message: str) -> str:
    """Return the message of a validation error: the field, what was expected, what is there.

    Examples
    --------
    >>> sentence("Expected `str | null`, got `int` - at `$.chip`")
    'chip: expected text, got whole number'
    >>> sentence("Expected `int | str | array`, got `bool` - at `$.shape`")
    'shape: expected whole number, text or list, got true or false'
    >>> sentence("Object missing required field `shape`")
    "missing field 'shape'"
    """
    found = re.fullmatch(r"(.*?)(?: - at `(?:\$\.?|key in )(.*)`)?", message, re.DOTALL)
    if found is None:
        return message
    what = found[1].replace("Object missing required field", "missing field")
    what = re.sub(r"`([^`]*)`", lambda quoted: _type(quoted[1]), what)
    what = what[:1].lower() + what[1:]
    return f"{found[2]}: {what}" if found[2] else what


def _type(text: str) -> str:
    names = text.split(" | ")
    if not set(names) <= set(_WORDS):
        return repr(text)
    names = [_WORDS[name] for name in names if name != "null" or len(names) == 1]
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
