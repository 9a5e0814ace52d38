"""What moves an algorithm under the roofs: fusing its ops, and a symbol that grows."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symroof.errors import InputError, SymroofError
from symroof.graph import Graph
from symroof.graph.passes import fuse_elementwise
from symroof.reports.plots.axes import MOVE, short, sweep
from symroof.reports.plots.spots import Spot, place_of
from symroof.roofline import Roofline, analyze
from symroof.roofline.thumb import is_batch
from symroof.symbolic import adopt, bind
from symroof.symbolic.numerals import number
from symroof.units import Quantity

TIMES = 4
LEAST = 0.03  # Decades: less is no way to draw an arrow along.


@dataclass(frozen=True, slots=True)
class Move:
    """A way from one place to another, in FLOP/byte and FLOP/s, and what makes it."""

    start: tuple[float, float]
    end: tuple[float, float]
    label: str
    said: str
    colour: int = MOVE


def moves(
    r: Roofline,
    wholes: Sequence[Spot],
    fused: Graph | bool | None,
    grow: str | Mapping[str, object] | None,
) -> list[Move]:
    """Return the moves that are asked for, or that suit; where both, the second goes on.

    Parameters
    ----------
    r : Roofline
        With numbers for all symbols.
    wholes : sequence of Spot
        Where the algorithm is; nowhere without FLOPs or without bytes.
    fused, grow
        As ``roofline`` takes them.

    Examples
    --------
    >>> import symroof as sr
    >>> from symroof.reports.plots.spots import level_spots
    >>> r = sr.analyze(sr.load("mlp"), "h100-sxm").at(B=64, D=4096, F=14336)
    >>> [move.said for move in moves(r, level_spots(r), None, None)]
    ['With B = 256 instead of 64 it has 216.1 FLOP/byte']
    """
    found = []
    start = place_of(r) if wholes else None
    if start is None:
        return []
    if fused is not False:
        graph = fused if isinstance(fused, Graph) else fuse_elementwise(r.graph)
        asked = isinstance(fused, Graph)
        after = _on(graph, r, asked=asked)
        place = None if after is None else place_of(after)
        if after is not None and place is not None and _far(start, place, asked=asked):
            how = graph.traffic if asked else "elementwise ops fused"
            text = f"With {short(how, 60)} it has {number(place[0], 4)} FLOP/byte"
            found.append(Move(start, place, short(how), text))
            r, start = after, place
    growth = _growth(r, start, grow)
    if growth is not None:
        found.append(growth)
    return found


def _on(graph: Graph, r: Roofline, *, asked: bool) -> Roofline | None:
    """Return the roofline of another graph on the same machine at the same values.

    None where its insides do not go with a graph nobody asked for: a tile of ops that are fused.
    """
    after = analyze(graph, r.chip).with_inside(r.inside)
    given: dict[str, object] = {**r.bindings, **r.overridden_rates}
    try:
        return after.at({name: v for name, v in given.items() if name in after.scope.dimensions})
    except SymroofError:
        if asked or r.inside.is_plain:
            raise
        return None


def _growth(
    r: Roofline, start: tuple[float, float], grow: str | Mapping[str, object] | None
) -> Move | None:
    if grow == "":
        return None
    wanted: object = None
    name: str | None
    if isinstance(grow, Mapping):
        if len(grow) != 1:
            raise InputError(f"expected one symbol and its value, not {len(grow)}", where="grow")
        ((name, wanted),) = grow.items()
    else:
        name = grow or _batch(r)
    if not name:
        return None
    swept = sweep("roofline", r, name)
    (key,) = swept.names
    now = swept.now.get(key)
    if now is None:
        raise InputError(f"{key} has no number to grow from", where="grow")
    if wanted is None:
        wanted = Quantity(TIMES * now, "FLOP/s" if key.startswith("peak.") else "byte/s")
        wanted = wanted if "." in key else TIMES * now
    try:
        place = place_of(swept.roofline.at({key: wanted}))
    except SymroofError:
        if grow is None:  # the algorithm ends before: there are not that many heads
            return None
        raise
    if place is None or not _far(start, place, asked=grow is not None):
        return None
    if "." in key:
        label = f"{key} {wanted}"
        said = f"With {label}"
    else:
        value = bind(adopt(wanted), {})
        label = f"{short(key)} {number(now)} → {number(value)}"
        said = f"With {short(key)} = {number(value)} instead of {number(now)}"
    return Move(start, place, label, f"{said} it has {number(place[0], 4)} FLOP/byte")


def _batch(r: Roofline) -> str | None:
    """Return the symbol people grow first: the batch."""
    names = (unicodedata.normalize("NFKC", name) for name in r.bindings)
    return next((name for name in names if is_batch(r.graph, name)), None)


def _far(start: tuple[float, float], end: tuple[float, float], *, asked: bool) -> bool:
    away = math.hypot(math.log10(end[0] / start[0]), math.log10(end[1] / start[1]))
    return away > (1e-6 if asked else LEAST)
