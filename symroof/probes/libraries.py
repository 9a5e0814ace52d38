"""Torch, which probes use where it is there."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def torch_if_there() -> Any:
    """Return torch, or None where it is not installed or does not load."""
    try:
        return import_module("torch")
    except (ImportError, OSError):
        return None
