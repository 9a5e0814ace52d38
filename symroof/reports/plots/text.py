"""Words on a plot: one printable line each, with a width known without a font.

The widths are those of DejaVu Sans, wider than most: what fits here fits in the reader's sans.
"""

from __future__ import annotations

import unicodedata

ASCENT, DESCENT = 0.78, 0.24
BOLD = 0.08
"""How much wider a bold letter is, in sizes of its font."""

_CLASSES = {
    29: "'ijlIJ",
    33: " ,./:;\\|·",
    38: "f-()[]t!r",
    50: '*_`sz"²³°–⁰¹⁴⁵⁶⁷⁸⁹⁻',
    58: "?cLFk",
    61: "vxyPTYaoe",
    64: "ESbdghnpqu$0123456789{}βλµρθσ",
    70: "KAVBRXZCπ",
    80: "UHNDG&OQw",
    86: "#+<=>^~M×≥≤−≈→∞",
    100: "%mW@…—",
}
_WIDTHS = {char: share / 100 for share, chars in _CLASSES.items() for char in chars}
_JOINERS = {0x200C, 0x200D, 0xFE0E, 0xFE0F}
_MOST_MARKS = 2
TIED = "\u00a0=\u00a0"


def shown(text: str, most: int = 60) -> str:
    r"""Return a text as one line of printable characters, cut where it is long.

    Controls and marks that turn the direction of writing are spelled out, so that a name cannot
    rearrange what stands around it.

    Examples
    --------
    >>> shown("attention scores"), shown("a\tb\x00"), shown("x" * 100, 5)
    ('attention scores', 'a b[U+0000]', 'xxxx…')
    >>> shown("\u202egpj")
    '[U+202E]gpj'
    """
    written: list[str] = []
    marks = 0
    for char in text[: most + 1]:
        category = unicodedata.category(char)
        marks = marks + 1 if category[0] == "M" else 0
        if ord(char) in _JOINERS or marks > _MOST_MARKS:
            continue
        if char.isspace():
            written.append(" ")
        elif category[0] == "C":
            written.append(f"[U+{ord(char):04X}]")
        else:
            written.append(char)
    line = "".join(written).strip()
    return line if len(line) <= most and len(text) <= most else line[: most - 1] + "…"


def width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a line is, about.

    Parameters
    ----------
    text : str
        The line.
    size : float
        Of its font; the result has the same unit.
    bold : bool
        Whether it is bold.

    Examples
    --------
    >>> round(width("100", 10), 1), width("ill", 10) < width("WWW", 10)
    (19.2, True)
    """
    wide = sum(_WIDTHS.get(char) or _unusual(char) for char in text)
    return size * (wide + BOLD * len(text) if bold else wide)


def shorten(text: str, room: float, size: float, bold: bool = False) -> str:
    """Return a line, cut so that it is no wider than `room`.

    Examples
    --------
    >>> shorten("matmul", 100, 10), shorten("matmul of everything", 60, 10)
    ('matmul', 'matmul o…')
    """
    if width(text, size, bold) <= room:
        return text
    room -= width("…", size, bold)
    for end, char in enumerate(text):
        room -= width(char, size, bold)
        if room < 0:
            return text[:end].rstrip() + "…"
    return text


def wrap(text: str, room: float, size: float, most: int, bold: bool = False) -> tuple[str, ...]:
    """Return a text as at most so many lines no wider than `room`; the last is cut if need be.

    No line ends at an equals sign.

    Examples
    --------
    >>> wrap("a roofline of many words", 75, 10, 2)
    ('a roofline of', 'many words')
    >>> wrap("for all B = 64", 60, 10, 2)
    ('for all', 'B = 64')
    """
    lines: list[str] = []
    words = [word.replace(TIED, " = ") for word in text.replace(" = ", TIED).split(" ") if word]
    while words and len(lines) < most - 1:
        count = 1
        while count < len(words) and width(" ".join(words[: count + 1]), size, bold) <= room:
            count += 1
        lines.append(shorten(" ".join(words[:count]), room, size, bold))
        words = words[count:]
    if words:
        lines.append(shorten(" ".join(words), room, size, bold))
    return tuple(lines)


def _unusual(char: str) -> float:
    """Return the width of a character that is not in the table: rather too much than too little."""
    if unicodedata.combining(char):
        return 0.0
    if char in "жшщюЖШЩЮЫФ" or unicodedata.east_asian_width(char) in "WF":
        return 1.15
    base = unicodedata.normalize("NFD", char)[0]
    return _WIDTHS.get(base, 0.9)
