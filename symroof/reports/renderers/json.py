"""The report as plain data: the whole tree, every formula as text, every claim with its parts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from symroof.reports.digests import digests
from symroof.reports.document import SCHEMA_VERSION, Document
from symroof.symbolic.forms import Form
from symroof.symbolic.latex import latex

_UNPRINTABLE = re.compile(r"[^\x20-\x7e\n]+")

EXTENSIONS = ("json",)
TITLE = "JSON"


def render(document: Document) -> str:
    """Return the document as JSON; see ``docs/schemas.md``."""
    tree = {
        "schema_version": SCHEMA_VERSION,
        "kind": "report",
        "title": document.title,
        "subtitle": document.subtitle,
        "values": dict(document.values),
        "units": dict(document.units),
        "labels": dict(document.labels),
        "sections": [_plain(section, document.labels) for section in document.sections],
    }
    tree["digests"] = digests(tree)
    text = json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False)
    return _UNPRINTABLE.sub(_escaped, text) + "\n"


def _escaped(found: re.Match[str]) -> str:
    """Return the escape of letters that do not print, or turn the direction of writing."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1]
        for letter in found[0]
    )


def _plain(node: Any, labels: Mapping[str, str]) -> Any:
    """Return a node as plain data: its fields by name, and what type it is."""
    if isinstance(node, str | int | float | bool) or node is None:
        return node
    if isinstance(node, Form):
        return {"text": node.plain(), "shown": node.unicode(labels), "latex": latex(node, labels)}
    if isinstance(node, Enum):
        return node.value
    if isinstance(node, Mapping):
        return dict(node)
    if isinstance(node, tuple):
        return [_plain(part, labels) for part in node]
    if not is_dataclass(node):
        raise TypeError(f"no JSON for {type(node).__name__}")
    found = {field.name: _plain(getattr(node, field.name), labels) for field in fields(node)}
    return {"type": type(node).__name__.lower(), **found}
