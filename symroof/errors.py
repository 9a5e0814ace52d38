"""Every error symroof raises: one root, a few subclasses, each a sentence with its facts as fields."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SymroofError(Exception):
    """Root of all errors of this library; the command line prints it as one line and exits with 2."""


class InputError(SymroofError, ValueError):
    """A value, a text or a file that cannot be read as what was asked for.

    Attributes
    ----------
    where : str or None
        The place: an argument, a file and field, or a column of a text.
    """

    def __init__(self, message: str, *, where: str | None = None) -> None:
        self.where = where
        super().__init__(f"{where}: {message}" if where else message)


class ParseError(InputError):
    """A formula that does not follow the grammar.

    Attributes
    ----------
    text : str
        The formula (shortened when long).
    position : int
        Column of the fault, counted from 0.
    """

    def __init__(self, message: str, *, text: str, position: int) -> None:
        self.text = text if len(text) <= 60 else text[:57] + "..."
        self.position = position
        super().__init__(f"{message}, at column {position + 1} of {self.text!r}")


class UnknownNameError(SymroofError, LookupError):
    """A name nobody declared: of a symbol, an op, a chip, a dtype, a unit.

    Attributes
    ----------
    kind : str
        What the name should have been ("chip", "symbol", ...).
    name : str
        The name that was given.
    known : tuple of str
        The names there are.
    suggestion : str or None
        The nearest of them.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        *,
        hint: str = "",
        suggestion: str | None = None,
    ) -> None:
        self.kind = kind
        self.name = name if len(name) <= 60 else name[:57] + "..."
        self.known = tuple(known)
        self.suggestion = suggestion or near_match(name, self.known)
        message = f"unknown {kind} {self.name!r}"
        if self.suggestion:
            message += f"; did you mean {self.suggestion!r}?"
        elif self.known:
            shown = ", ".join(self.known[:12]) + (", ..." if len(self.known) > 12 else "")
            message += f"; known: {shown}"
        super().__init__(message + (f" ({hint})" if hint else ""))


class UnitError(SymroofError, TypeError):
    """Units that do not fit: a bare number for a rate, bytes added to FLOPs."""


class ShapeError(SymroofError, ValueError):
    """Shapes or dtypes an op cannot take.

    Attributes
    ----------
    op : str
        The op that refused.
    shapes : tuple of str
        The shapes of its operands, as text.
    """

    def __init__(self, op: str, message: str, shapes: Iterable[str] = ()) -> None:
        self.op = op
        self.shapes = tuple(shapes)
        got = f" (got {' and '.join(self.shapes)})" if self.shapes else ""
        super().__init__(f"{op}: {message}{got}")


class GraphError(SymroofError, ValueError):
    """A graph that is not one: duplicate names, a cycle, tensors of two graphs."""


class CostError(SymroofError, ValueError):
    """An op without a cost; it is never counted as zero."""


class UnboundError(SymroofError, ValueError):
    """A number was asked of a formula that still has free symbols.

    Attributes
    ----------
    names : tuple of str
        The free symbols.
    """

    def __init__(self, what: str, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        super().__init__(f"{what} still depends on {', '.join(self.names)}; bind with .at(...)")


def near_match(name: str, known: Iterable[str]) -> str | None:
    """Return the known name nearest to `name`, or None when none is near.

    Examples
    --------
    >>> near_match("h100sxm", ["h100-sxm", "a100-sxm-80gb"])
    'h100-sxm'
    """
    by_lower = {k.lower(): k for k in known}
    found = get_close_matches(name[:60].lower(), list(by_lower), n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None
