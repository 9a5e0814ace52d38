"""The libraries that measurements need beyond the core."""

from __future__ import annotations

from importlib.util import find_spec

from symroof.errors import InputError


def need(*names: str) -> None:
    """Raise unless the libraries of these names are installed.

    Raises
    ------
    InputError
        With how to install the missing one.

    Examples
    --------
    >>> need("json")
    >>> need("no_such_library")
    Traceback (most recent call last):
    symroof.errors.InputError: no_such_library is not installed; pip install 'symroof[calibrate]'
    """
    for name in names:
        if find_spec(name) is None:
            raise InputError(f"{name} is not installed; pip install 'symroof[calibrate]'")
