"""What keys and names of the inside of a chip stand for, in words."""

from __future__ import annotations

from symroof.graph.tile import Tile
from symroof.roofline import Roofline, ridges


def meaning(roofline: Roofline, key: str) -> str:
    """Return what a key of the machine stands for.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", residency="partial")
    >>> meaning(r, "cap.l2")
    'l2 capacity'
    """
    main = roofline.chip.main
    if key == f"bw.{main}.remote":
        return f"{main} bandwidth to another socket"
    for each in roofline.inside.ceilings:
        if key == each.key:
            left = "a fraction of its roof" if each.rate is None else f"the rate under {each.on}"
            return f"ceiling {each.name}, {left}"
    return ridges.meaning(key)


def inside_role(roofline: Roofline, name: str) -> str:
    """Return what a name of tiles or of NUMA stands for; empty for any other.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", levels={"l2": sr.Tile("b", "b")})
    >>> inside_role(r, "b"), inside_role(r, "m")
    ('size of a tile', '')
    """
    inside = roofline.inside
    tiles = [charge for charge in inside.levels.values() if isinstance(charge, Tile)]
    tiles += [] if inside.quantise is None else [inside.quantise]
    sides = {
        side
        for tile in tiles
        for side, size in (("rows", tile.m), ("columns", tile.n), ("depth", tile.k))
        if any(name == symbol.name for symbol in size.free_symbols)
    }
    if sides:
        return f"{sides.pop()} of a tile" if len(sides) == 1 else "size of a tile"
    if any(name == symbol.name for symbol in inside.local.free_symbols):
        return f"fraction of the bytes that is in local {roofline.chip.main}"
    return ""
