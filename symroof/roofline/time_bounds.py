"""Three bounds on the time of a run, by what is taken to overlap."""

from __future__ import annotations

from dataclasses import dataclass

from symroof.units import Quantity, human


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """Three bounds on time, always in this order: overlapped ≤ per_op ≤ serial.

    Attributes
    ----------
    overlapped : Quantity
        Everything overlaps: the largest of the summed terms.
    per_op : Quantity
        The resources of one op overlap, ops follow each other: the sum of each op's largest term.
    serial : Quantity
        Nothing overlaps: the sum of all terms.
    """

    overlapped: Quantity
    per_op: Quantity
    serial: Quantity

    def __str__(self) -> str:
        names = {"overlapped": self.overlapped, "per op": self.per_op, "serial": self.serial}
        return " ≤ ".join(f"{human(time.resolved())} {name}" for name, time in names.items())
