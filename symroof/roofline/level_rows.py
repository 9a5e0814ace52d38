"""The levels of memory of a roofline: bytes, rate, time and intensity of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symroof.roofline.terms import MAIN, REMOTE, Resource
from symroof.units import Quantity, ratio

if TYPE_CHECKING:
    from symroof.roofline.roofline import Roofline


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A level of memory, and what is charged to it.

    Attributes
    ----------
    name : str
        ``l2``, ``hbm``, ...; ``remote`` for the memory of another socket.
    resource : tuple of str
        Its key in `Roofline.terms`.
    bytes : Quantity
        Bytes charged to it.
    bandwidth : Quantity
        byte/s, under the ceilings that were applied.
    capacity : Quantity or None
        What it holds, in byte; None where the chip does not say.
    time : Quantity
        Bytes ÷ bandwidth.
    intensity : Quantity or None
        FLOPs per byte of this level: infinite without bytes, None without both.
    ridge : Quantity
        Peak ÷ bandwidth: the intensity from which this level does not bind.
    """

    name: str
    resource: Resource
    bytes: Quantity
    bandwidth: Quantity
    capacity: Quantity | None
    time: Quantity
    intensity: Quantity | None
    ridge: Quantity


def level_rows(roofline: Roofline) -> tuple[LevelRow, ...]:
    """Return a row for each level that bytes are charged to, from the innermost outwards.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", residency="partial")
    >>> [(row.name, str(row.bytes)) for row in level_rows(r.at(m=8192, n=8192, k=8192))]
    [('l2', '402653184 byte'), ('hbm', 'max(0, 402653184 - cap.l2) byte')]
    """
    chip = roofline.chip
    order = {level.name: i for i, level in enumerate(chip.hierarchy)}
    names = {MAIN: chip.main, REMOTE: REMOTE[1]}
    found = []
    for resource in roofline.work:
        if resource[0] == "byte":
            name = names.get(resource, resource[1])
            found.append((order.get(name, len(order)), _row(roofline, name, resource)))
    return tuple(row for _, row in sorted(found, key=lambda pair: pair[0]))


def _row(roofline: Roofline, name: str, resource: Resource) -> LevelRow:
    moved, rate = roofline.amount(resource), roofline.rate(resource)
    known = moved.resolved()  # a level that holds the rest has nothing left
    levels = {level.name: level for level in roofline.chip.memory}
    level = levels.get(name)
    return LevelRow(
        name=name,
        resource=resource,
        bytes=moved,
        bandwidth=rate,
        capacity=None if level is None or level.capacity is None else level.capacity.value,
        time=roofline.terms[resource],
        intensity=ratio(roofline.flops, known if known.expr == 0 else moved),
        ridge=roofline.peak / rate,
    )
