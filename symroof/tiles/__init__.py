"""Tiles of contractions: traffic, the best tile, the I/O bound, and what makes it compute-bound."""

from __future__ import annotations

from symroof.graph.tile import Keep, Tile
from symroof.tiles.answers import BestTile, Cache, Quantisation
from symroof.tiles.ask import tiling
from symroof.tiles.closed import Place, RealTile
from symroof.tiles.tiled import Tiling

__all__ = [
    "BestTile",
    "Cache",
    "Keep",
    "Place",
    "Quantisation",
    "RealTile",
    "Tile",
    "Tiling",
    "tiling",
]
