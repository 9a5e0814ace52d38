"""Lines of bounded width from text with formulas in it: they end where the formula is loosest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

RELATIONS = frozenset("=≥≤<>≠→")
SIGNS = frozenset("+−-")
QUOTIENTS = frozenset("/÷")
OPENING, CLOSING = "(⌈⌊[", ")⌉⌋]"
JOINING = frozenset(("else", "so", "where", "given"))
NUMBER = re.compile(r"[\d.,]*\d")
UNIT = re.compile(r"[A-Za-zµ%/]+[.,;:)]*")
SPACES, WORD = re.compile(r" +"), re.compile(r"[^ ]+")
# Where there is no space: before · and /, after the opening of a bracket; and inside of names.
FACTOR = re.compile(r"(?<=\S)(?=[·/])(?![/]\w+(?:[ .,;)]|$))|(?<=[(⌈⌊])(?=\S)")
JOINT = re.compile(r"(?<=\w[_.:/,-])(?=\w)")

LINE, EMPTY = 5, 6
"""What a line costs, and what it costs more where it is almost empty."""
AFTER_SIGN, SHORT_SIDE, BEFORE_UNIT, IN_PRODUCT, IN_NAME, ANYWHERE = 24, 4, 12, 9, 40, 80
"""What it costs to end a line at such a place; a space between words costs 1."""


def wrap(text: str, width: int) -> list[str]:
    """Return a text in lines of at most `width` columns.

    A line of a formula ends before an operator, outside of brackets rather than inside; a number
    keeps its unit; a name is cut only where nothing else helps.

    Parameters
    ----------
    text : str
        Words, formulas as `Form.unicode` writes them, or both.
    width : int
        Columns of the terminal.

    Examples
    --------
    >>> wrap("B ≥ 3·D·F·I / (F·(3·D + 1) − I·(3·D + 8·F)) = 171.969", 36)
    ['B ≥ 3·D·F·I / (F·(3·D + 1)', '− I·(3·D + 8·F)) = 171.969']
    >>> wrap("at most 989 TFLOP/s", 12)
    ['at most', '989 TFLOP/s']
    """
    before = _columns(text)
    if before[-1] <= width:
        return [text]
    ends = _ends(text, before, max(width, 1))
    # Cheapest way to the end from each place, from the last one backwards.
    best: list[tuple[float, int]] = [(0.0, 0)] * len(ends)
    for at in range(len(ends) - 2, -1, -1):
        start = before[ends[at][1]]
        cheapest = None
        for to in range(at + 1, len(ends)):
            stop, _, price = ends[to]
            left = width - before[stop] + start
            if left < 0 and cheapest is not None:
                break
            last = to == len(ends) - 1
            empty = 0.0 if last else EMPTY * (left / width) ** 2
            cost = LINE + price + empty + best[to][0]
            if cheapest is None or cost < cheapest[0]:
                cheapest = cost, to
        assert cheapest is not None
        best[at] = cheapest
    lines, at = [], 0
    while at < len(ends) - 1:
        to = best[at][1]
        lines.append(text[ends[at][1] : ends[to][0]])
        at = to
    return lines


def reflow(doc: str, width: int) -> list[str]:
    r"""Return a docstring in lines of at most `width` columns: its paragraphs are filled anew.

    Headings, examples and indents stay; a line of code may be longer.

    Examples
    --------
    >>> reflow("One two\nthree.\n\n>>> f(1,   2)\n3", 9)
    ['One two', 'three.', '', '>>> f(1,   2)', '3']
    """
    lines: list[str] = []
    paragraph: list[str] = []
    indent, in_code = 0, False

    def flush() -> None:
        if paragraph:
            filled = wrap(" ".join(paragraph), max(width - indent, 1))
            lines.extend(" " * indent + line for line in filled)
            paragraph.clear()

    for line in doc.splitlines():
        text = line.strip()
        in_code = text.startswith(">>>") or (in_code and bool(text))
        if in_code or not text.strip("-="):
            flush()
            lines.append(line.rstrip())
            continue
        depth = len(line) - len(line.lstrip())
        if depth != indent or text.startswith(("- ", "* ")):
            flush()
        indent = depth
        paragraph.append(text)
    flush()
    return lines


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> columns("µs"), columns("行列")
    (2, 4)
    """
    return _columns(text)[-1]


def _columns(text: str) -> Sequence[int]:
    """Return the columns before each place of a text, its end included."""
    if text.isascii():
        return range(len(text) + 1)
    from rich.cells import cell_len

    return [0, *accumulate(map(cell_len, text))]


End = tuple[int, int, float]
"""Where a line ends, where the next one begins, and what that costs."""


def _ends(text: str, before: Sequence[int], width: int) -> list[End]:
    """Return the places where a line may end, in order."""
    found: dict[int, End] = {0: (0, 0, 0.0), len(text): (len(text), len(text), 0.0)}
    depths = _depths(text)
    for space in SPACES.finditer(text):
        start, stop = space.span()
        if start > 0 and stop < len(text):
            found[start] = start, stop, _price(text, start, stop, depths[start])
    if any(before[word.end()] - before[word.start()] > width for word in WORD.finditer(text)):
        for pattern, price in ((FACTOR, IN_PRODUCT), (JOINT, IN_NAME)):
            for place in pattern.finditer(text):
                at = place.start()
                found.setdefault(at, (at, at, price + _inside(depths[at])))
    return list(_with_cuts(before, width, sorted(found.values())))


def _with_cuts(before: Sequence[int], width: int, ends: list[End]) -> Iterator[End]:
    """Yield the ends, and cuts in what is longer than a line and has no better place."""
    yield ends[0]
    for (_, start, _), end in pairwise(ends):
        for at in range(start + 1, end[0]):
            if before[at + 1] - before[start] > width:
                yield at, at, ANYWHERE
                start = at
        yield end


def _price(text: str, start: int, stop: int, depth: int) -> float:
    """Return what it costs to end a line at the space from `start` to `stop`."""
    before = text[:start].rpartition(" ")[2]
    after = text[stop:].partition(" ")[0]
    if after in RELATIONS:
        short = stop - start == 1 and len(before) <= 8 and before.isalnum()
        return _inside(depth) + (SHORT_SIDE if short else 0)
    if before in RELATIONS or before in SIGNS or before in QUOTIENTS:
        return AFTER_SIGN
    if after in SIGNS or after in QUOTIENTS:
        return 1 + _inside(depth) + (after in QUOTIENTS)
    if NUMBER.fullmatch(before.lstrip("(")) and UNIT.fullmatch(after):
        return BEFORE_UNIT
    return depth + (0.5 if after in JOINING else 1)


def _inside(depth: int) -> float:
    """Return what it costs to end a line inside of so many brackets of a formula."""
    return 1.5 * depth * (depth + 1)


def _depths(text: str) -> list[int]:
    depths, depth = [], 0
    for character in text:
        depth -= character in CLOSING
        depths.append(max(depth, 0))
        depth += character in OPENING
    return [*depths, 0]
