"""The libraries that probes run kernels through."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from symroof.errors import InputError


def need(name: str) -> Any:
    """Return a library that probes cannot do without.

    Raises
    ------
    InputError
        If it is not installed; with how to install it.

    Examples
    --------
    >>> need("no_such_library")
    Traceback (most recent call last):
    symroof.errors.InputError: no_such_library is not installed; pip install 'symroof[measure]'
    """
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{name} is not installed; pip install 'symroof[measure]'") from None


def torch_if_there() -> Any:
    """Return torch, or None where it is not installed or does not load."""
    try:
        return import_module("torch")
    except (ImportError, OSError):
        return None
