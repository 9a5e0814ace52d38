"""Sets of tiles a library of kernels may choose from, and the padded compute time of the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

import numpy as np

from symroof.errors import InputError
from symroof.graph import Graph
from symroof.graph.contractions import contractions
from symroof.graph.tile import Tile
from symroof.hardware import Chip
from symroof.measurements.forms import Form
from symroof.measurements.rows import Floats
from symroof.measurements.workload import names_of
from symroof.roofline import analyze

NONE = "none"
AUTO = "auto"


def _square(*sizes: int) -> tuple[Tile, ...]:
    return tuple(Tile(m, n) for m, n in product(sizes, sizes))


SETS: Mapping[str, tuple[Tile, ...]] = {
    "128 × 128": (Tile(128, 128),),
    "128 × 64 to 256": tuple(Tile(128, n) for n in (64, 128, 192, 256)),
    "64 to 256 square": _square(64, 128, 256),
    "16 to 256 square": _square(16, 32, 64, 128, 256),
}
"""Sets to choose from, by name: a row runs with that tile of a set that pads it least."""


def candidates(
    given: str | Iterable[Tile | str] | None, graph: Graph
) -> dict[str, tuple[Tile, ...]]:
    """Return the sets to try: none, and those of `SETS` or the tiles that were given.

    Examples
    --------
    >>> from symroof.graph import load
    >>> list(candidates(None, load("mk,kn->mn"))), len(candidates("auto", load("mk,kn->mn")))
    (['none'], 5)
    """
    if given is None:
        return {NONE: ()}
    if isinstance(given, str):
        if given != AUTO:
            raise InputError(f"expected tiles, 'auto' or None, got {given[:60]!r}", where="tiles")
        tiled = any(contractions(op) for op in graph.ops)
        return {NONE: (), **SETS} if tiled else {NONE: ()}
    if isinstance(given, Tile):
        given = (given,)
    if not isinstance(given, Iterable):
        message = f"expected tiles, 'auto' or None, not {type(given).__name__}"
        raise InputError(message, where="tiles")
    tiles = tuple(Tile.of(each) for each in given)
    if not tiles:
        raise InputError("expected one tile or more", where="tiles")
    named = sorted({name for tile in tiles for name in tile.names})
    if named:
        raise InputError(f"a tile of {named[0]} has no size; expected numbers", where="tiles")
    return {", ".join(map(str, tiles)): tiles}


def padded_compute(
    graph: Graph, chip: Chip, tiles: tuple[Tile, ...], dims: Mapping[str, Floats]
) -> Floats:
    """Return the seconds of compute of rows, each with the tile that pads it least.

    Tiles and the last wave of them over the compute units of the chip are worked off whole.
    """
    names = names_of(graph)
    given = [dims[name] for name in names]
    times = [
        Form(analyze(graph, chip, quantise=tile).groups["compute"], names)(given) for tile in tiles
    ]
    found: Floats = np.minimum.reduce(times)
    return found
