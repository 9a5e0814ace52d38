"""Where the boxes and edges of a diagram go: layers from top to bottom, few crossings."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TypeAlias

import networkx as nx

from symroof.errors import InputError
from symroof.reports.document import Diagram, Node

LABEL_SIZE, DETAIL_SIZE = 14.0, 12.0
LABEL_WIDEST, DETAIL_WIDEST = 170.0, 200.0
NARROWEST, PADDING = 64.0, 14.0
SINGLE, DOUBLE = 32.0, 46.0
ACROSS, DOWN, DOWN_DEEP, DEEP, MARGIN = 26.0, 42.0, 28.0, 8, 10.0
LANE, SNAP = 10.0, 16.0
SWEEPS, SETTLING = 12, 160
NARROW = frozenset("ijltfrI.,:;'!|()[] ")
BROAD = frozenset("mwMW@%—")

Place: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A node with its place: centre and size, and its text as far as there is room for it."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    label: str
    detail: str

    @property
    def clipped(self) -> bool:
        """Whether the texts are shorter than those of the node."""
        return (self.label, self.detail) != (_line(self.node.label), _line(self.node.detail))


@dataclass(frozen=True, slots=True)
class Route:
    """An edge: places it runs through, straight down at each; the last is the tip of the arrow."""

    start: str
    end: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A diagram laid out, in units of which a label is `LABEL_SIZE` high."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def laid_out(diagram: Diagram) -> Drawing:
    """Return where the boxes and edges of a diagram go.

    Parameters
    ----------
    diagram : Diagram
        Nodes with ids of their own, and edges between them without a cycle.

    Raises
    ------
    InputError
        If two nodes have one id, an edge leads to no node, or edges make a cycle.

    Examples
    --------
    >>> nodes = (Node("a", "A", "", "input"), Node("b", "matmul", "", "op"))
    >>> above, below = laid_out(Diagram(nodes, (("a", "b"),), ())).boxes
    >>> above.x == below.x, above.y < below.y
    (True, True)
    """
    boxes = {node.id: _sized(node) for node in diagram.nodes}
    graph = _graph(diagram, boxes)
    depth = _depths(graph)
    chains, layers = _with_lanes(graph, depth)
    widths = {key: boxes[key].width if key in boxes else LANE for layer in layers for key in layer}
    ordered = _ordered(layers, chains)
    xs = _columns(ordered, chains, widths)
    return _drawn(ordered, chains, boxes, xs)


def width_of(text: str, size: float) -> float:
    """Return about how wide a text is in a sans-serif face of a size; rather more than less.

    Examples
    --------
    >>> width_of("ill", 10) < width_of("www", 10)
    True
    """
    return size * sum(map(_advance, text))


def clipped(text: str, size: float, widest: float) -> str:
    """Return a text in one line, cut with an ellipsis where it is too wide.

    Examples
    --------
    >>> clipped("a name", 10, 1000), clipped("x" * 100, 10, 40)
    ('a name', 'xxxxx…')
    """
    text = _line(text)
    if width_of(text[:1000], size) <= widest and len(text) <= 1000:
        return text
    room, kept = widest - width_of("…", size), 0
    for char in text[:1000]:
        room -= size * _advance(char)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def _line(text: str) -> str:
    return " ".join(text.split())


def _advance(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 1.05
    if unicodedata.combining(char):
        return 0.0
    if char in NARROW:
        return 0.36
    if char in BROAD:
        return 0.9
    return 0.7 if char.isupper() else 0.6


def _sized(node: Node) -> Box:
    label = clipped(node.label, LABEL_SIZE, LABEL_WIDEST)
    detail = clipped(node.detail, DETAIL_SIZE, DETAIL_WIDEST)
    inner = max(width_of(label, LABEL_SIZE), width_of(detail, DETAIL_SIZE))
    width = max(NARROWEST, inner + 2 * PADDING)
    return Box(node, 0.0, 0.0, width, DOUBLE if detail else SINGLE, label, detail)


def _graph(diagram: Diagram, boxes: Mapping[str, Box]) -> nx.DiGraph:
    if len(boxes) != len(diagram.nodes):
        raise InputError("two nodes of a diagram have one id")
    graph = nx.DiGraph()
    graph.add_nodes_from(boxes)
    for edge in diagram.edges:
        if lost := [end for end in edge if end not in boxes]:
            raise InputError(f"an edge of a diagram leads to no node: {lost[0][:60]!r}")
        graph.add_edge(*edge)
    if not nx.is_directed_acyclic_graph(graph):
        raise InputError("the edges of a diagram make a cycle")
    return graph


def _depths(graph: nx.DiGraph) -> dict[str, int]:
    """Return the layer of each node by its longest path; sources stand right above their users."""
    depth = {}
    for at, layer in enumerate(nx.topological_generations(graph)):
        depth.update(dict.fromkeys(layer, at))
    for key in graph:
        if not graph.pred[key] and graph.succ[key]:
            depth[key] = min(depth[user] for user in graph.succ[key]) - 1
    return depth


# An edge over several layers runs through a lane in each: a place of its own in their order.
Key: TypeAlias = "str | tuple[str, str, int]"
Chain: TypeAlias = "tuple[Key, ...]"


def _with_lanes(graph: nx.DiGraph, depth: Mapping[str, int]) -> tuple[list[Chain], list[list[Key]]]:
    layers: list[list[Key]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for key in graph:
        layers[depth[key]].append(key)
    chains: list[Chain] = []
    for start, end in graph.edges:
        lanes = [(start, end, at) for at in range(depth[start] + 1, depth[end])]
        for lane in lanes:
            layers[lane[2]].append(lane)
        chains.append((start, *lanes, end))
    return chains, layers


def _neighbours(chains: Iterable[Chain]) -> tuple[dict[Key, list[Key]], dict[Key, list[Key]]]:
    above: dict[Key, list[Key]] = {}
    below: dict[Key, list[Key]] = {}
    for chain in chains:
        for upper, lower in pairwise(chain):
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
    return above, below


def _ordered(layers: list[list[Key]], chains: list[Chain]) -> list[list[Key]]:
    """Return the layers in the order with the fewest crossings that sweeps by barycentre find."""
    above, below = _neighbours(chains)
    order = [list(layer) for layer in layers]
    best, fewest = order, _crossings(order, below)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        order = [list(layer) for layer in order]
        downward = sweep % 2 == 0
        beside = above if downward else below
        for at in range(len(order)) if downward else reversed(range(len(order))):
            place = {key: i for layer in order for i, key in enumerate(layer)}
            order[at].sort(key=_barycentre(place, beside))
        found = _crossings(order, below)
        if found < fewest:
            best, fewest = order, found
    return best


def _barycentre(
    place: Mapping[Key, int], beside: Mapping[Key, Sequence[Key]]
) -> Callable[[Key], float]:
    return lambda key: fmean([place[other] for other in beside.get(key, (key,))])


def _crossings(order: list[list[Key]], below: Mapping[Key, Sequence[Key]]) -> int:
    total = 0
    for upper, lower in pairwise(order):
        place = {key: at for at, key in enumerate(lower)}
        ends = [at for key in upper for at in sorted(place[k] for k in below.get(key, ()))]
        total += sum(first > later for i, first in enumerate(ends) for later in ends[i + 1 :])
    return total


def _columns(
    order: list[list[Key]], chains: list[Chain], widths: Mapping[Key, float]
) -> dict[Key, float]:
    """Return the x of every centre: near its neighbours, in the order of its layer, apart."""
    beside = _pulls(chains)
    xs: dict[Key, float] = {}
    for layer in order:
        xs.update(_apart(layer, [0.0] * len(layer), [1.0] * len(layer), widths))
    for sweep in range(SETTLING):
        for layer in order if sweep % 2 == 0 else reversed(order):
            wanted, weights = [], []
            for key in layer:
                near = beside.get(key, ((key, 1.0),))
                weight = sum(pull for _, pull in near)
                wanted.append(sum(xs[other] * pull for other, pull in near) / weight)
                weights.append(weight)
            xs.update(_apart(layer, wanted, weights, widths))
    return xs


def _pulls(chains: list[Chain]) -> dict[Key, list[tuple[Key, float]]]:
    """Return the neighbours of each place and how they pull: long edges straight, sources aside."""
    fed = {chain[-1] for chain in chains}
    found: dict[Key, list[tuple[Key, float]]] = {}
    for chain in chains:
        for upper, lower in pairwise(chain):
            lanes = isinstance(upper, tuple) + isinstance(lower, tuple)
            pull = (1.0, 0.2, 8.0)[lanes] if chain[0] in fed or len(chain) > 2 else 0.1
            found.setdefault(upper, []).append((lower, pull))
            found.setdefault(lower, []).append((upper, pull))
    return found


def _apart(
    layer: Sequence[Key],
    wanted: Sequence[float],
    weights: Sequence[float],
    widths: Mapping[Key, float],
) -> dict[Key, float]:
    """Return the places nearest to the wanted ones, by weighted squares, that leave gaps.

    With the gaps taken off the order must only not fall: pooling neighbours that would is exact.
    """
    offsets, offset = [], 0.0
    for at, key in enumerate(layer):
        if at:
            offset += (widths[layer[at - 1]] + widths[key]) / 2 + ACROSS
        offsets.append(offset)
    pools: list[tuple[float, float, int]] = []
    for want, weight, shift in zip(wanted, weights, offsets, strict=True):
        pool = (want - shift, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            value, mass, count = pools.pop()
            total = mass + pool[1]
            pool = ((value * mass + pool[0] * pool[1]) / total, total, count + pool[2])
        pools.append(pool)
    values = [value for value, _, count in pools for _ in range(count)]
    return {key: value + shift for key, value, shift in zip(layer, values, offsets, strict=True)}


def _drawn(
    order: list[list[Key]],
    chains: list[Chain],
    sizes: Mapping[str, Box],
    xs: Mapping[Key, float],
) -> Drawing:
    boxes: dict[Key, Box] = {}
    tops: list[float] = []
    bottoms: list[float] = []
    top, gap = MARGIN, DOWN if len(order) <= DEEP else DOWN_DEEP
    left = min((xs[key] - sizes[key].width / 2 for key in sizes), default=0.0)
    left = min([left, *(xs[key] - LANE / 2 for layer in order for key in layer)]) - MARGIN
    right = left
    for layer in order:
        tall = max((sizes[key].height for key in layer if isinstance(key, str)), default=SINGLE)
        for key in layer:
            half = LANE / 2
            if isinstance(key, str):
                box = sizes[key]
                half = box.width / 2
                x, y = xs[key] - left, top + tall / 2
                boxes[key] = Box(box.node, x, y, box.width, box.height, box.label, box.detail)
            right = max(right, xs[key] + half)
        tops.append(top)
        bottoms.append(top + tall)
        top += tall + gap
    routes = _routes(chains, boxes, {key: x - left for key, x in xs.items()}, tops, bottoms)
    height = (bottoms[-1] if bottoms else 0.0) + MARGIN
    placed = tuple(boxes[key] for key in sizes)
    return Drawing(placed, tuple(routes), right - left + MARGIN, height)


def _routes(
    chains: list[Chain],
    boxes: Mapping[Key, Box],
    xs: Mapping[Key, float],
    tops: Sequence[float],
    bottoms: Sequence[float],
) -> list[Route]:
    leaving = _ports([(chain[0], chain[1]) for chain in chains], boxes, xs)
    entering = _ports([(chain[-1], chain[-2]) for chain in chains], boxes, xs)
    alone = Counter(chain[0] for chain in chains)
    routes = []
    for chain in chains:
        start, end = boxes[chain[0]], boxes[chain[-1]]
        places = []
        for lane in chain[1:-1]:
            at = int(lane[2])
            places += [(xs[lane], tops[at]), (xs[lane], bottoms[at])]
        places.append((entering[chain[-1], chain[-2]], end.y - end.height / 2))
        x, straight = leaving[chain[0], chain[1]], places[0][0]
        if alone[chain[0]] == 1 and abs(x - straight) <= min(SNAP, start.width / 2 - PADDING):
            x = straight
        routes.append(Route(start.node.id, end.node.id, ((x, start.y + start.height / 2), *places)))
    return routes


def _ports(
    ends: Sequence[tuple[Key, Key]], boxes: Mapping[Key, Box], xs: Mapping[Key, float]
) -> dict[tuple[Key, Key], float]:
    """Return where edges touch a side of their boxes: spread out, in the order they come from."""
    sides: dict[Key, list[Key]] = {}
    for key, other in ends:
        sides.setdefault(key, []).append(other)
    found = {}
    for key, others in sides.items():
        box = boxes[key]
        gap = min(22.0, (box.width - 2 * PADDING) / max(len(others) - 1, 1))
        for at, other in enumerate(sorted(others, key=xs.__getitem__)):
            found[key, other] = box.x + gap * (at - (len(others) - 1) / 2)
    return found
