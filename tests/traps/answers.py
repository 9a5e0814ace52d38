"""The faults of other tools, each with the right value, read with exact numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sympy import Integer, sympify

TRAPS: dict[str, dict[str, Any]] = {
    trap["id"]: trap
    for trap in json.loads(
        (Path(__file__).parents[1] / "data" / "traps.json").read_text(encoding="utf-8")
    )
}


def trap_of(test: str) -> str:
    """The trap a test is named after: ``B05`` for ``test_b05_...``."""
    match = re.match(r"test_(b\d+)_", test)
    if match is None or match[1].upper() not in TRAPS:
        raise ValueError(f"{test} is not named after a trap")
    return match[1].upper()


def exact(value: Any) -> Any:
    """A value of the file with exact sympy numbers in place of its numbers; text stays."""
    if isinstance(value, list):
        return [exact(entry) for entry in value]
    if isinstance(value, dict):
        if value.keys() == {"exact", "approx"}:
            return sympify(value["exact"])
        return {key: exact(entry) for key, entry in value.items()}
    return Integer(value) if isinstance(value, int) else value


def formula(text: str, names: str) -> Any:
    """A formula of the file, read by sympy with positive symbols of these names."""
    from symroof import symbols

    return sympify(text, locals={name: symbols(name) for name in names.split()})
