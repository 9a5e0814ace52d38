"""What an answer says of the choices about the inside of a chip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from symroof.graph.tile import Tile
from symroof.roofline.inside_kinds import LAUNCH, Numa, Residency
from symroof.symbolic import to_text
from symroof.units import Quantity, human

if TYPE_CHECKING:
    from symroof.roofline.inside import Inside

NOTHING: Mapping[str, Quantity] = MappingProxyType({})


def said(inside: Inside, given: Mapping[str, Quantity] = NOTHING) -> Iterator[str]:
    """Yield what was chosen, a line each; `given` has what is bound instead of the chip's own."""
    chip = inside.chip
    if chip is None:
        return
    order = ", ".join(level.name for level in inside.used)
    if inside.residency is Residency.CACHED:
        yield f"residency cached: an op is charged at the smallest of {order} that holds its bytes"
    elif inside.residency is Residency.PARTIAL:
        yield (f"residency partial: of {order} each is charged what all inside of it do not hold")
    elif inside.levels and chip.main not in inside.levels:
        yield f"bytes of {chip.main}: all that the ops move (residency cold)"
    for name, charge in inside.levels.items():
        if isinstance(charge, Tile):
            yield f"bytes of {name}: in tiles of {charge}, what is no contraction once"
        else:
            how = "each tensor once" if isinstance(charge, str) else to_text(charge)
            yield f"bytes of {name}: {how}"
    if inside.numa is not None:
        how = "at the same time" if inside.numa is Numa.CONCURRENT else "one after the other"
        yield f"NUMA: {to_text(inside.local)} of the bytes is local, the rest remote, {how}"
    for each in inside.ceilings:
        reason = f" ({each.reason})" if each.reason else ""
        text = human(given[each.key]) if each.key in given else each.text
        yield f"ceiling {each.name}: {text} on {each.on}{reason}"
    if inside.launch is not None:
        text = human(given[LAUNCH]) if LAUNCH in given else inside.launch.text
        yield f"launch: {text} a kernel, an op with work is one"
    if inside.quantise is not None:
        units = chip.compute_units
        waves = f"in waves of {units}" if units is not None else "without waves"
        yield f"compute in tiles, {inside.quantise}, {waves}"
