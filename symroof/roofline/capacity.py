"""Whether a roofline's footprint fits the main memory, and for which values of a symbol it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.errors import InputError, UnboundError
from symroof.hardware import Chip
from symroof.roofline.crossing import region
from symroof.solve import Crossover
from symroof.units import Quantity

if TYPE_CHECKING:
    from symroof.roofline.roofline import Roofline


def capacity_of(chip: Chip) -> Quantity | None:
    """Return the capacity of the main memory; None where the chip does not say."""
    if chip.memory_level().capacity is None:
        return None
    return chip.capacity()


def fits(roofline: Roofline) -> bool | None:
    """Return whether the footprint fits the main memory; see `Roofline.fits`."""
    if roofline.capacity is None:
        return None
    try:
        return roofline.footprint.total <= roofline.capacity
    except UnboundError:
        return None


def fitting(roofline: Roofline, unknown: str) -> Crossover:
    """Return for which values of `unknown` the footprint fits; see `Roofline.fitting`.

    Raises
    ------
    InputError
        If the chip does not say its capacity.
    """
    if roofline.capacity is None:
        raise InputError(f"{roofline.chip.name} does not say the capacity of its memory")
    return region(roofline.capacity, roofline.footprint.total, unknown)
