"""Lines of words that must not be taken for exact values when a report is read back."""

from __future__ import annotations

from symroof.reports.claims import read_statement, read_value
from symroof.reports.digests import read_digest
from symroof.reports.wrapping import TIE

AROUND = "`> *"
"""What may stand around an exact value in a line of text or Markdown."""


def is_read(line: str) -> bool:
    """Return whether a line is read as an exact value, or as the value of a name.

    Examples
    --------
    >>> is_read("value m = 65"), is_read("m = 65")
    (True, False)
    """
    if " = " not in line:
        return False
    bare = line.strip().strip(AROUND)
    return bool(read_statement(bare) or read_value(bare) or read_digest(bare))


def unread(line: str) -> str:
    """Return a line that looks the same and is not read back: the name of an op may look so.

    Examples
    --------
    >>> is_read(unread("value m = 65")), unread("value m = 65").split()
    (False, ['value', 'm', '=', '65'])
    """
    return line.replace(" = ", f"{TIE}= ") if is_read(line) else line
