"""A document as one HTML page that needs nothing else: no network, and no script to be read."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files

from symroof.markup import escape
from symroof.reports.claims import statement, value_lines
from symroof.reports.document import Document, Figure, Section, claims_of
from symroof.reports.plots import svg
from symroof.reports.renderers._html_blocks import Blocks

EXTENSIONS = ("html", "htm")
TITLE = "HTML"

_ANCHOR = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,80}")
DEEPEST = 6


def render(document: Document) -> str:
    """Return a document as a whole page, in light or dark as the reader prefers.

    Examples
    --------
    >>> page = render(Document("a < b", "", ()))
    >>> page.startswith("<!doctype html>"), "<title>a &lt; b</title>" in page
    (True, True)
    """
    anchors = _anchors(document)
    plots = any(map(_has_figure, document.sections))
    script = svg.script() if plots else ""
    styles = f"{style()}\n{svg.style()}" if plots else style()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        f"form-action 'none'; script-src {_hash(script)}"
    )
    contents = _contents(document, anchors)
    end = f"<script>{script}</script>\n" if script else ""
    return f"""<!doctype html>
<html lang="en" class="symroof-page">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="symroof">
<title>{escape(document.title) or "Report"}</title>
<style>{styles}</style>
</head>
<body>
<div class="symroof-report sr-page">
<a class="sr-skip" href="#content">Skip to the content</a>
{_header(document)}
{contents}<main id="content" tabindex="-1">
{_body(document, anchors)}
{_ledger(document)}</main>
</div>
{end}</body>
</html>
"""


def fragment(document: Document) -> str:
    """Return a document as a part of a page of others, a notebook for example.

    Its styles hold for itself alone, it has no ids and no script.

    Examples
    --------
    >>> fragment(Document("t", "", ())).startswith('<div class="symroof-report sr-fragment">')
    True
    """
    return (
        f'<div class="symroof-report sr-fragment"><style>{style()}\n{svg.style()}</style>\n'
        f"{_header(document)}\n{_body(document, {})}\n{_ledger(document)}</div>\n"
    )


@cache
def style() -> str:
    """Return the styles of a report; all of them hold under the class ``symroof-report``."""
    text = files(__package__).joinpath("html.css").read_text("utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def _header(document: Document) -> str:
    subtitle = f"<p>{escape(document.subtitle)}</p>" if document.subtitle.strip() else ""
    return f'<header class="sr-head"><h1>{escape(document.title)}</h1>{subtitle}</header>'


def _body(document: Document, anchors: dict[int, str]) -> str:
    blocks = Blocks(document.labels)
    return "\n".join(_section(section, 2, anchors, blocks) for section in document.sections)


def _section(section: Section, level: int, anchors: dict[int, str], blocks: Blocks) -> str:
    anchor = anchors.get(id(section))
    tag = f"h{min(level, DEEPEST)}"
    start = "<section>"
    heading = f"<{tag}>{escape(section.title)}</{tag}>"
    if anchor:
        start = f'<section id="{anchor}" aria-labelledby="{anchor}-title">'
        heading = f'<{tag} id="{anchor}-title">{escape(section.title)}</{tag}>'
    parts = [start, heading]
    for block in section.blocks:
        if isinstance(block, Section):
            parts.append(_section(block, level + 1, anchors, blocks))
        else:
            parts.append(blocks.block(block))
    return "\n".join([*parts, "</section>"])


def _sections(parent: Document | Section) -> Iterator[Section]:
    inside = parent.sections if isinstance(parent, Document) else parent.blocks
    return (block for block in inside if isinstance(block, Section))


def _anchors(document: Document) -> dict[int, str]:
    """Return the ids of sections in the page, by the identity of the section."""
    found: dict[int, str] = {}
    taken = {"content"}

    def name(section: Section) -> None:
        anchor = section.id if _ANCHOR.fullmatch(section.id) else "section"
        unique, count = anchor, 1
        while unique in taken or unique.endswith("-title"):
            count += 1
            unique = f"{anchor.removesuffix('-title')}-{count}"
        taken.add(unique)
        found[id(section)] = unique
        for inner in _sections(section):
            name(inner)

    for section in document.sections:
        name(section)
    return found


def _contents(document: Document, anchors: dict[int, str]) -> str:
    if len(document.sections) < 3:
        return ""

    def entries(parent: Document | Section, deep: int) -> str:
        made = [
            f'<li><a href="#{anchors[id(section)]}">{escape(section.title)}</a>'
            f"{entries(section, deep - 1) if deep > 1 else ''}</li>"
            for section in _sections(parent)
        ]
        return f"<ol>{''.join(made)}</ol>" if made else ""

    wide = f'<nav class="sr-contents" aria-label="Contents"><p>Contents</p>{entries(document, 2)}'
    narrow = f"<details><summary>Contents</summary>{entries(document, 1)}</details>"
    return f'{wide}</nav>\n<nav class="sr-contents-narrow" aria-label="Contents">{narrow}</nav>\n'


def _ledger(document: Document) -> str:
    """Return all numbers with the formulas that they follow from, folded away."""
    lines = [*value_lines(document), *map(statement, claims_of(document))]
    if not lines:
        return ""
    rows = "".join(f"<li><code>{escape(line)}</code></li>" for line in lines)
    return (
        '<details class="sr-ledger"><summary>Every number, exactly</summary>'
        "<p>Each line is a number of this page: its name, the formula it follows from, and its "
        f"exact value in base units.</p><ul>{rows}</ul></details>\n"
    )


def _has_figure(section: Section) -> bool:
    return any(
        _has_figure(block) if isinstance(block, Section) else isinstance(block, Figure)
        for block in section.blocks
    )


def _hash(script: str) -> str:
    """Return what lets this script run, and no other."""
    if not script:
        return "'none'"
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
