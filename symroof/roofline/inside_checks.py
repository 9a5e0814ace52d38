"""Checks of the choices about the inside of a chip against what the chip says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.errors import InputError, UnknownNameError
from symroof.graph import Graph
from symroof.graph.contractions import contractions
from symroof.graph.tile import Tile, contraction_footprint
from symroof.hardware import Chip
from symroof.roofline.inside_kinds import Residency
from symroof.units import Quantity, human

if TYPE_CHECKING:
    from symroof.roofline.inside import Inside


def check(made: Inside, chip: Chip) -> None:
    """Raise if a chip does not say what the choices need: a capacity, a bandwidth.

    Raises
    ------
    UnknownNameError
        If it has no such level.
    InputError
        If a number is missing, or the choices count a level twice.
    """
    names = [level.name for level in chip.memory]
    for name in made.levels:
        if name not in names:
            raise UnknownNameError(f"memory of {chip.name}", str(name), names)
        if made.residency is not Residency.COLD:
            raise InputError(
                f"bytes of {name} are counted already, by residency {made.residency}",
                where="levels",
            )
        if chip.memory_level(name).bandwidth is None:
            raise _no_bandwidth(chip, name, "levels")
    if made.numa is not None:
        chip.remote_bandwidth()
    if made.residency is Residency.COLD:
        return
    used, where = made.used, f"residency {made.residency}"
    if len(used) == 1:
        message = f"{chip.name} has no level of memory but {chip.main}; expected a cache"
        raise InputError(message, where=where)
    for level in used:
        if level.bandwidth is None:
            raise _no_bandwidth(chip, level.name, where)
    for level in used[:-1]:
        if level.capacity is None:
            message = f"{chip.name} does not say the capacity of {level.name}"
            raise InputError(message, where=where)


def check_tile(name: str, tile: Tile, graph: Graph, chip: Chip) -> None:
    """Raise if the level inside of one holds less than a tile that streams from it."""
    names = [level.name for level in chip.hierarchy]
    inner = chip.hierarchy[names.index(name) - 1] if names.index(name) else None
    if inner is None or inner.capacity is None:
        return
    share = chip.compute_units if inner.private else 1
    room = inner.capacity.value.expr / (share or 1)
    for block in graph.blocks():
        for signature in block.signatures.values():
            for found in contractions(signature.first) if signature.count else ():
                taken = contraction_footprint(found, tile)
                if taken.is_number and room.is_number and taken > room:
                    amounts = human(Quantity(taken, "byte")), human(Quantity(room, "byte"))
                    raise InputError(
                        f"a tile of {tile} takes {amounts[0]} of {inner.name}, which holds"
                        f" {amounts[1]}" + (" a unit" if inner.private else ""),
                        where=f"levels: {name}",
                    )


def _no_bandwidth(chip: Chip, level: str, where: str) -> InputError:
    return InputError(
        f"{chip.name} does not say the bandwidth of {level}; give it, as in"
        f" memory.{level}.bandwidth = '5 TB/s' in a chip file",
        where=where,
    )
