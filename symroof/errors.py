"""Every error symroof raises: one root, a few subclasses, each a line with its facts as fields."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from typing import Any

# How alike names must be for one to be offered for the other; short ones are alike by chance.
CUTOFF, SHORT_CUTOFF, SHORT = 0.6, 0.75, 4

MAX_LINE = 1000
MAX_WORD = 200


class SymroofError(Exception):
    """Root of all errors of this library; the command line prints it as one line and exits with 2.

    Whatever a message repeats of its cause, it is one printable line of bounded length.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(_line(message))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, dict(vars(self)))


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
        self.text = brief(text)
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
        same_digits: bool = False,
    ) -> None:
        self.kind = kind
        self.name = brief(name)
        self.known = tuple(known)
        self.suggestion = suggestion or near_match(name, self.known, same_digits=same_digits)
        message = f"unknown {kind} {self.name!r}"
        if self.suggestion:
            message += f"; did you mean {brief(self.suggestion)!r}?"
        elif self.known:
            begun = sorted(self.known, key=lambda known: not known.startswith(name[:60]))
            shown = ", ".join(map(brief, begun[:12]))
            shown += ", ..." if len(self.known) > 12 else ""
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


class UndecidedError(SymroofError, ArithmeticError):
    """Two numbers whose order could not be proven, however finely they were enclosed."""


def near_match(name: str, known: Iterable[str], *, same_digits: bool = False) -> str | None:
    """Return the known name nearest to `name`, or None when none is near.

    Names of up to four letters have to be nearer than longer ones: they differ in case only, by
    one letter too many or too few, by two letters swapped, or one begins or ends the other.

    Parameters
    ----------
    name : str
        What was given.
    known : iterable of str
        The names there are.
    same_digits : bool
        Whether another number makes another name, as for dtypes: fp4 is not meant by fp64.

    Examples
    --------
    >>> near_match("h100sxm", ["h100-sxm", "a100-sxm-80gb"])
    'h100-sxm'
    >>> near_match("Bs", ["B", "S"]), near_match("Hvk", ["H", "Hkv"]), near_match("m", ["MW"])
    ('B', 'Hkv', None)
    >>> near_match("fp4", ["fp64"], same_digits=True) is None
    True
    """
    given = name[:60]
    names = list(dict.fromkeys(known))
    if same_digits:
        names = [known for known in names if _digits(known) == _digits(given)]
    by_lower = {known.lower(): known for known in names}
    lower = given.lower()
    for found in get_close_matches(lower, list(by_lower), n=5, cutoff=CUTOFF):
        if _alike(lower, found):
            return None if _one_of_many(lower, found, by_lower) else by_lower[found]
    return _begun(given, names) or _ended(lower, by_lower)


def _alike(given: str, found: str) -> bool:
    if min(len(given), len(found)) > SHORT:
        return True
    if len(given) == len(found) and sorted(given) == sorted(found):
        return sum(map(str.__ne__, given, found)) <= 2
    return SequenceMatcher(None, found, given).ratio() >= SHORT_CUTOFF


def _one_of_many(given: str, found: str, known: Iterable[str]) -> bool:
    """Return whether others begin like `found` with a short name, and are as long: fp8 with fp."""
    if len(given) > SHORT or given == found or not found.startswith(given):
        return False
    return sum(len(name) == len(found) and name.startswith(given) for name in known) > 1


def _begun(given: str, names: list[str]) -> str | None:
    """Return the longest name that is `given` less one or two letters at its end: B of Bsz."""
    if len(given) > SHORT:
        return None
    begun = [name for name in names if given.startswith(name) and len(given) - len(name) <= 2]
    return max(begun, key=len, default=None)


def _ended(given: str, by_lower: dict[str, str]) -> str | None:
    """Return the one name that three or more letters begin, or end."""
    if len(given) < 3:
        return None
    for fits in (str.startswith, str.endswith):
        found = [known for lower, known in by_lower.items() if fits(lower, given)]
        if len(found) == 1:
            return found[0]
    return None


def brief(text: str, most: int = 60) -> str:
    """Return a text that a message repeats, cut where it is long.

    Examples
    --------
    >>> brief("matmul"), len(brief("m" * 5000))
    ('matmul', 60)
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def _digits(name: str) -> list[str]:
    return re.findall(r"[0-9]+", name)


def _line(message: str) -> str:
    if len(message) <= MAX_WORD and message.isprintable():
        return message
    line = "".join(c if c.isprintable() else _escaped(c) for c in message)
    line = re.sub(rf"\S{{{MAX_WORD + 1},}}", _shortened, line)
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 205]} ... {line[-200:]}"


def _shortened(word: re.Match[str]) -> str:
    return brief(word[0]) + (":" if word[0].endswith(":") else "")


def _escaped(char: str) -> str:
    return " " if char.isspace() else char.encode("unicode_escape").decode()


def _again(kind: type[SymroofError], args: tuple[Any, ...], fields: dict[str, Any]) -> SymroofError:
    """Return an error as it was, in another process; its class may take other arguments."""
    made = kind.__new__(kind, *args)
    made.args = args
    vars(made).update(fields)
    return made
