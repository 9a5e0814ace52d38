"""Where tiles are held: a capacity, a level of a chip, or a symbol."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from symroof.errors import InputError
from symroof.hardware import Chip
from symroof.hardware.machine import in_formulas
from symroof.hardware.rates import BYTE, read_rate
from symroof.symbolic import symbol
from symroof.units import Quantity, Scope, human

NAMES = ("Z", "cache", "capacity")


@dataclass(frozen=True, slots=True)
class Room:
    """Fast memory for tiles.

    Attributes
    ----------
    name : str
        What holds them: ``l2``, ``capacity``.
    size : Quantity
        Its bytes.
    given : bool
        False for a symbol that stands for any.
    """

    name: str
    size: Quantity
    given: bool

    def text(self, size: Quantity) -> str:
        """Return the name with a size: ``l2, 50 MB``."""
        return f"{self.name}, {human(size.resolved())}"


def read_room(given: object, chip: Chip | None, taken: Scope) -> Room:
    """Return the room that is meant.

    Parameters
    ----------
    given : Quantity, text, symbol or None
        An amount such as ``"256 KiB"``; the name of a level of the chip, for one compute unit
        where the level belongs to one; a symbol, bound with a unit later. None is a symbol Z.
    chip : Chip, optional
        Whose levels may be named.
    taken : Scope
        Names that the symbol must not have.

    Raises
    ------
    InputError, UnitError, UnknownNameError
        If it is no amount of bytes, or no level of the chip.

    Examples
    --------
    >>> from symroof.hardware import chip
    >>> room = read_room("l2", chip("h100-sxm"), Scope())
    >>> room.size.expr, room.size.to("MiB")
    (cap.l2, 50.0)
    """
    if given is None:
        name = next((name for name in NAMES if name not in taken.dimensions), "Z_")
        return Room("capacity", _any(symbol(name)), given=False)
    if isinstance(given, str) and given.strip().isidentifier():
        return _level(given.strip(), chip)
    if isinstance(given, Expr) and given.is_Symbol:
        return Room("capacity", _any(given), given=True)
    return Room("capacity", read_rate(given, BYTE, "capacity").value, given=True)


def _any(name: Expr) -> Quantity:
    return Quantity.of(name, "byte", Scope({name.name: BYTE}))


def _level(name: str, chip: Chip | None) -> Room:
    if chip is None:
        raise InputError(
            f"{name[:60]!r} would be a level of a chip, and no chip is given;"
            " expected an amount such as '256 KiB'",
            where="capacity",
        )
    level = chip.memory_level(name)
    if level.capacity is None:
        raise InputError(f"{chip.name} does not say the capacity of {name}", where="capacity")
    size = in_formulas(f"cap.{name}", level.capacity)
    if level.private:
        if chip.compute_units is None:
            raise InputError(
                f"{name} belongs to one compute unit, and {chip.name} does not say how many it has",
                where="capacity",
            )
        size = size / chip.compute_units
    return Room(name, size, given=True)
