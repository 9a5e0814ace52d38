"""Keywords of ops in TOML: values read for the public functions, and written from attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr

from symroof.errors import GraphError, InputError
from symroof.symbolic.printer import to_text
from symroof.tables import MAX_INTEGER
from symroof.units.dtype import DType, dtype


def read_value(op: str, keyword: str, annotation: str, value: Any) -> Any:
    """Return the value of a keyword as the function of `op` takes it; lists become tuples.

    Parameters
    ----------
    op, keyword : str
        Whose value it is.
    annotation : str
        The annotation of the parameter, such as ``"int | None"``.
    value : object
        What TOML holds.

    Raises
    ------
    InputError
        If it is of another type than the annotation says.

    Examples
    --------
    >>> read_value("conv", "padding", "Any", [[1, 1], "p"])
    ((1, 1), 'p')
    >>> read_value("softmax", "axis", "int", "last")
    Traceback (most recent call last):
    symroof.errors.InputError: axis: expected a whole number, not 'last'
    """
    if (op, keyword) in _READERS:
        return _READERS[op, keyword](value)
    check, expected = _CHECKS.get(annotation.removesuffix(" | None"), _ANYTHING)
    if not check(value):
        raise InputError(f"expected {expected}, not {_shown(value)}", where=keyword)
    return _tuples(value)


def write_values(op: str, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of an op as keywords for TOML.

    Raises
    ------
    GraphError
        If a value has no text form.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> write_values("all_gather", {"group": 2 * symbols("n"), "axis": 1})
    {'group': '2*n', 'axis': 1}
    """
    return {
        keyword: _WRITERS.get((op, keyword), write_value)(value) for keyword, value in attrs.items()
    }


def write_value(value: Any) -> Any:
    """Return an attribute, a dim or an amount as TOML holds it: a number or text.

    Examples
    --------
    >>> from sympy import Integer, Rational
    >>> write_value((Integer(3), Rational(1, 2), True))
    [3, '1/2', True]
    """
    if isinstance(value, Expr):
        small = value.is_Integer and -MAX_INTEGER <= int(value) < MAX_INTEGER
        return int(value) if small else to_text(value)
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, DType):
        return _dtype_text(value)
    if isinstance(value, tuple | list):
        return [write_value(entry) for entry in value]
    raise GraphError(f"a value of type {type(value).__name__} cannot be saved")


def read_key(value: Any) -> Any:
    """Return the positions of a slice: places, ``start:stop``, ``...``, alone or in a list.

    Examples
    --------
    >>> read_key([0, "S/2:", ":"])
    (0, slice('S/2', None, None), slice(None, None, None))
    """
    if isinstance(value, list):
        return tuple(_position(entry) for entry in value)
    return _position(value)


def write_key(cuts: Any) -> list[Any]:
    """Return the positions that `read_key` reads.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> n = symbols("n")
    >>> write_key(((n, 1, True), (n, 2 * n, False)))
    ['n', 'n:3*n']
    """
    return [
        write_value(start) if drop else f"{to_text(start)}:{to_text(start + length)}"
        for start, length, drop in cuts
    ]


def write_compute(key: str) -> str:
    """Return a dtype that computes at the peak `key`.

    Examples
    --------
    >>> write_compute("fp8"), write_compute("int5")
    ('fp8', 'block(5,1,0)')
    """
    width = key.removeprefix("int")
    for text in (key, f"block({width},1,0)"):
        try:
            if dtype(text).key == key:
                return text
        except (InputError, LookupError):
            continue
    raise GraphError(f"no dtype computes at {key!r}, so it cannot be saved")


def _position(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        message = f"expected places such as 0, 'n' or '0:n', not {_shown(value)}"
        raise InputError(message, where="key")
    if not isinstance(value, str) or ":" not in value:
        return Ellipsis if value == "..." else value
    start, _, stop = value.partition(":")
    return slice(start.strip() or None, stop.strip() or None)


def _dtype_text(value: DType) -> str:
    try:
        if dtype(value.text) == value:
            return value.text
    except (InputError, LookupError):
        pass
    raise GraphError(f"dtype {value.name!r} cannot be saved; make it with DType.block")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list_of(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(check(entry) for entry in value)


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(_plain(entry) for entry in value)
    return isinstance(value, bool | int | float | str)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


_ANYTHING = (_plain, "a number, a text or a list")
_TEXT = (lambda value: isinstance(value, str), "a text")
_CHECKS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "int": (_whole, "a whole number"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "str": _TEXT,
    "str | DType": _TEXT,
    "int | Iterable[int]": (
        lambda value: _whole(value) or _list_of(_whole)(value),
        "a whole number or a list of those",
    ),
    "Iterable[int]": (_list_of(_whole), "a list of whole numbers"),
    "Iterable[Iterable[int]]": (_list_of(_list_of(_whole)), "a list of lists of whole numbers"),
}
_READERS: Mapping[tuple[str, str], Callable[[Any], Any]] = {("slice", "key"): read_key}
_WRITERS: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("slice", "key"): write_key,
    ("custom", "compute"): write_compute,
}
