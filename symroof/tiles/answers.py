"""What is answered about tiles: the best one, a cache, and what is lost at edges and in waves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symroof.graph.tile import Tile
from symroof.solve import Crossover
from symroof.units import Quantity


@dataclass(frozen=True, slots=True)
class BestTile:
    """The tile of whole sides that moves least under a capacity.

    Attributes
    ----------
    tile : Tile
        In numbers, with the tile that stays.
    traffic : Quantity
        Bytes moved; no tile that fits moves less.
    footprint : Quantity
        Bytes of fast memory it takes; none that moves as little takes less.
    intensity : Quantity
        FLOPs per byte moved.
    lower_bound : Quantity
        Bytes that any schedule moves to leading order, as `Tiling.lower_bound` for the capacity.
    compute_bound : bool or None
        Whether it is compute-bound on the chip; None without one.
    """

    tile: Tile
    traffic: Quantity
    footprint: Quantity
    intensity: Quantity
    lower_bound: Quantity
    compute_bound: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, every value with its unit."""
        return {
            "tile": tile_data(self.tile),
            "traffic": self.traffic.to_dict(),
            "footprint": self.footprint.to_dict(),
            "intensity": self.intensity.to_dict(),
            "lower_bound": self.lower_bound.to_dict(),
            "compute_bound": self.compute_bound,
        }


@dataclass(frozen=True, slots=True)
class Cache:
    """The fast memory that makes a contraction compute-bound.

    Attributes
    ----------
    tile : Crossover
        From which tile on it is, with the condition.
    capacity : Quantity or None
        What the tile at its threshold takes, in closed form; None where there is none.
    first : int or None
        The first side that is enough with partial tiles at the edges counted as they are; None
        before all is bound, and where there is none.
    whole : Quantity or None
        What that tile takes.
    least : Quantity
        To leading order, by the Hong-Kung bound, no schedule is compute-bound with less.
    """

    tile: Crossover
    capacity: Quantity | None
    first: int | None
    whole: Quantity | None
    least: Quantity

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, every value with its unit."""
        return {
            "condition": None if self.tile.condition is None else self.tile.condition.text(),
            "capacity": _data(self.capacity),
            "first": None if self.first is None else {"value": self.first, "unit": ""},
            "whole": _data(self.whole),
            "least": self.least.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Quantisation:
    """What is lost where matrices are no multiples of tiles, and tiles no multiples of units.

    Attributes
    ----------
    tiles : Quantity
        Tiles of the result.
    waves : Quantity or None
        Waves in which the units work them off; None without units.
    padded_flops : Quantity
        FLOPs with all tiles and waves worked off whole.
    tile_efficiency, wave_efficiency, efficiency : Quantity
        Useful over padded work: of tiles, of waves (None without units), of both.
    """

    tiles: Quantity
    waves: Quantity | None
    padded_flops: Quantity
    tile_efficiency: Quantity
    wave_efficiency: Quantity | None
    efficiency: Quantity

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, every value with its unit."""
        return {
            "tiles": self.tiles.to_dict(),
            "waves": _data(self.waves),
            "padded_flops": self.padded_flops.to_dict(),
            "tile_efficiency": self.tile_efficiency.to_dict(),
            "wave_efficiency": _data(self.wave_efficiency),
            "efficiency": self.efficiency.to_dict(),
        }


def tile_data(tile: Tile) -> dict[str, Any]:
    """Return a tile as plain data, its sides with their unit.

    Examples
    --------
    >>> tile_data(Tile(128, "b"))["n"]
    {'expr': 'b', 'exact': None, 'value': None, 'unit': ''}
    """
    sides = {"m": tile.m, "n": tile.n, "k": tile.k}
    found: dict[str, Any] = {name: Quantity(size, "").to_dict() for name, size in sides.items()}
    return {**found, "keep": str(tile.keep)}


def _data(quantity: Quantity | None) -> dict[str, Any] | None:
    return None if quantity is None else quantity.to_dict()
