"""What is said about an algorithm: a title, what its symbols mean, and values they usually have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sympy import Expr

from symroof.errors import InputError
from symroof.lines import DESCRIPTION, TITLE, line, lines
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import symbol


@dataclass(frozen=True, slots=True)
class About:
    """What a spec says about its graph besides tensors and ops; nothing is computed from it.

    Attributes
    ----------
    title : str
        One line such as ``C[m,k] = A[m,n] · B[n,k]``.
    description : str
        What is counted, and where shapes and numbers are from.
    meanings : mapping of str to str
        What symbols stand for, by name.
    defaults : mapping of str to number
        Exact values that symbols take when nothing else is said.
    chip : str or None
        A chip of the catalogue, or the path of a chip file, that the question is about.

    Raises
    ------
    InputError
        If a name is no symbol, a default is not a positive number, or a text does not print.

    Examples
    --------
    >>> about = About("a product", meanings={"M": "rows"}, defaults={"M": "2**12"})
    >>> about.defaults["M"]
    4096
    """

    title: str = ""
    description: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Expr] = field(default_factory=dict)
    chip: str | None = None

    def __post_init__(self) -> None:
        line(self.title, "title", TITLE)
        lines(self.description, "description")
        if self.chip is not None:
            line(self.chip, "chip", DESCRIPTION)
        meanings = {
            symbol(name).name: line(text, f"meaning of {name}", TITLE)
            for name, text in self.meanings.items()
            if text
        }
        defaults = {symbol(name).name: _number(name, n) for name, n in self.defaults.items()}
        object.__setattr__(self, "chip", self.chip or None)
        object.__setattr__(self, "meanings", MappingProxyType(meanings))
        object.__setattr__(self, "defaults", MappingProxyType(defaults))

    def __reduce__(self) -> tuple[type[About], tuple[object, ...]]:
        # A mapping proxy does not pickle.
        meanings, defaults = dict(self.meanings), dict(self.defaults)
        return About, (self.title, self.description, meanings, defaults, self.chip)


def _number(name: str, value: object) -> Expr:
    number = adopt(value, where=f"default of {name}")
    if number.free_symbols or not number.is_positive or not number.is_finite:
        raise InputError(
            f"expected a positive number, not {shown(number)}", where=f"default of {name}"
        )
    return number
