"""A digest of each section of a report, so that any altered letter is found and named."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from symroof.reports.claims import Fault

HEAD = "head"
LINES = "digests"
LETTERS = 16

_LINE = re.compile(r"digest (\S+) ([1-9][0-9]{0,8})-([1-9][0-9]{0,8}) = ([0-9a-f]{16})")


def digest(tree: object) -> str:
    """Return the digest of plain data, whatever the order of its keys.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 1, "b": 3})
    True
    """
    text = json.dumps(tree, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def digests(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the digest of each section by its id, and of all that stands beside them."""
    head = {key: value for key, value in report.items() if key not in ("sections", "digests")}
    found = {HEAD: digest(head)}
    sections = report.get("sections")
    for section in sections if isinstance(sections, list) else ():
        name = section.get("id") if isinstance(section, dict) else None
        found[f"section {name}"] = digest(section)
    return found


def altered(report: Mapping[str, Any]) -> list[Fault]:
    """Return a fault for each section that is not as it was written."""
    written = report.get("digests")
    if not isinstance(written, dict):
        return [Fault("digests", "nothing", "so that nobody can tell whether the text was altered")]
    found = digests(report)
    return [
        Fault(name, "another content", "what stands there was altered since")
        for name in sorted({*written, *found})
        if written.get(name) != found.get(name)
    ]


def digest_lines(lines: Sequence[str], starts: Mapping[str, int]) -> list[str]:
    """Return a line with the digest of each section of a text, and one with that of these lines.

    Parameters
    ----------
    lines : sequence of str
        The text; the lines returned are to follow it at once.
    starts : mapping of str to int
        Ids of sections in order, and the place of the first line of each.

    Examples
    --------
    >>> digest_lines(["Matmul", "", "Answer", "never"], {"head": 0, "answer": 2})[1][:22]
    'digest answer 3-4 = e2'
    """
    ends = [*starts.values(), len(lines)][1:]
    found = []
    for name, start, end in zip(starts, starts.values(), ends, strict=True):
        if start < end:
            found.append(_line(name, lines, start, end))
    whole = [*lines, *found]
    return [*found, _line(LINES, whole, len(lines), len(whole))] if found else []


def altered_lines(lines: Sequence[str]) -> list[Fault]:
    """Return a fault for each section of a text that is not as it was written.

    Examples
    --------
    >>> text = ["Answer", "never"]
    >>> written = [*text, *digest_lines(text, {"answer": 0})]
    >>> altered_lines(written), altered_lines(["Answer", "always", *written[2:]])[0].id
    ([], 'section answer')
    """
    stated = [found for line in lines if (found := read_digest(line))]
    if not stated or stated[-1][0] != LINES:
        return [Fault(LINES, "nothing", "so that nobody can tell whether the text was altered")]
    return [
        Fault(f"section {name}", "another content", f"lines {start}-{end} were altered since")
        for name, start, end, found in stated
        if _digest_of(lines, start - 1, end) != found
    ]


def read_digest(line: str) -> tuple[str, int, int, str] | None:
    """Return the section, its first and last line and its digest; None for other lines.

    Examples
    --------
    >>> read_digest("digest answer 3-4 = 0123456789abcdef")
    ('answer', 3, 4, '0123456789abcdef')
    """
    found = _LINE.fullmatch(line.strip())
    return None if found is None else (found[1], int(found[2]), int(found[3]), found[4])


def _line(name: str, lines: Sequence[str], start: int, end: int) -> str:
    return f"digest {name} {start + 1}-{end} = {_digest_of(lines, start, end)}"


def _digest_of(lines: Sequence[str], start: int, end: int) -> str:
    # Spaces around a line are no content: editors take them away.
    content = "\n".join(line.strip() for line in lines[start:end])
    return sha256(content.encode(errors="surrogatepass")).hexdigest()[:LETTERS]
