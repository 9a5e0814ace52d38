"""Configs with the parameters that others count for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data"

# How families call the hidden size, and what it is in all small configs.
HIDDEN = ("hidden_size", "n_embd", "d_model")
SIZE = 48


def counted(file: str) -> dict[str, tuple[dict[str, Any], int]]:
    """Return configs and their parameters by name."""
    found = json.loads((DATA / file).read_text())["models"]
    return {name: (entry["config"], entry["params"]) for name, entry in found.items()}


SMALL = counted("counted_models.json")
PUBLISHED = counted("published_models.json")


def small(name: str, **fields: Any) -> dict[str, Any]:
    """Return a small config with other fields; None leaves a field out."""
    config = {**SMALL[name][0], **fields}
    return {key: value for key, value in config.items() if value is not None}
