"""Libraries that come with an optional extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from symroof.errors import InputError


def need(name: str, extra: str) -> Any:
    """Return a library.

    Parameters
    ----------
    name : str
        The module to import.
    extra : str
        The extra of this package that brings it.

    Raises
    ------
    InputError
        If it is not installed; with how to install it.

    Examples
    --------
    >>> need("no_such_library", "plots")
    Traceback (most recent call last):
    symroof.errors.InputError: no_such_library is not installed; pip install 'symroof[plots]'
    """
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{name} is not installed; pip install 'symroof[{extra}]'") from None
