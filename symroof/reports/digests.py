"""A digest of each section of a report in JSON, so that any altered letter is found and named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from symroof.reports.claims import Fault

HEAD = "head"


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
    for section in report.get("sections") or ():
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
