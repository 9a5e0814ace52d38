"""A mapping nobody changes, which copies and pickles as a mapping proxy does not."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ReadOnly(dict[K, V]):
    """A dict that refuses every change.

    Examples
    --------
    >>> rates = ReadOnly({"bw.hbm": 3})
    >>> rates["bw.hbm"], {**rates, "x": 1}
    (3, {'bw.hbm': 3, 'x': 1})
    >>> rates["x"] = 1
    Traceback (most recent call last):
    TypeError: this mapping is read-only
    """

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping is read-only")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadOnly, (dict(self),)
