"""A document as PDF: the HTML page, printed by an installed browser."""

from __future__ import annotations

import re

from symroof.reports import chromium
from symroof.reports.document import Document
from symroof.reports.renderers import html

EXTENSIONS = ("pdf",)
TITLE = "PDF"

_DATE = re.compile(rb"/(?:CreationDate|ModDate) \(D:([0-9]{14})[^)]*\)")
_NO_DATE = b"19800101000000"
_NODE = re.compile(rb"\bnode(\d{8})\b")


def render(document: Document) -> bytes:
    """Return a document as PDF, without the date at which it was made: the same bytes each time.

    Raises
    ------
    SymroofError
        If there is no browser, or it fails.
    """
    return renumbered(undated(chromium.printed(html.render(document))))


def undated(data: bytes) -> bytes:
    """Return a PDF with its dates, all of one length, set to the same day.

    Examples
    --------
    >>> undated(b"/ModDate (D:20250203040506+00'00')")
    b"/ModDate (D:19800101000000+00'00')"
    """
    return _DATE.sub(lambda found: found[0].replace(found[1], _NO_DATE), data)


def renumbered(data: bytes) -> bytes:
    """Return a PDF with the names of its structure elements numbered from 1, in their order.

    The browser numbers them from where it happens to be; names stay as long, and stay sorted.

    Examples
    --------
    >>> renumbered(b"/ID (node00000192) /ID (node00000201) [(node00000192)]")
    b'/ID (node00000001) /ID (node00000002) [(node00000001)]'
    """
    places = {name: i for i, name in enumerate(sorted(set(_NODE.findall(data))), 1)}
    return _NODE.sub(lambda found: b"node%08d" % places[found[1]], data)
