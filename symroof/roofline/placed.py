"""A graph on a system: what each axis of its mesh uses, one chip of it, and how levels compose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Expr

from symroof.errors import InputError, UnknownNameError
from symroof.graph import Graph, Mesh
from symroof.graph.ops.collective_parts import LINK
from symroof.graph.passes.connect import connect, sends
from symroof.hardware import Chip, Rate, System
from symroof.hardware.placing import Place, Where, place, placed_on
from symroof.network.levels import Level
from symroof.readonly import ReadOnly
from symroof.symbolic.exact import shown
from symroof.units import Quantity

Group: TypeAlias = tuple[str, Expr | None]
"""A link, and the size of a group over it; None for an op that sends without one."""

PHASES_ADD = "phases add"
SLOWEST_LEVEL = "pipelined: the slowest level"


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a graph lies on a system.

    Attributes
    ----------
    system : System
    source : Graph
        As it was given; that of the roofline has its collectives on their networks.
    places : mapping of str to Place
        Where each axis lies, by name; of links that name a level too.
    conditions : tuple of (str, Expr, Expr)
        What must hold for the mesh to fit: the axis, what is at most, what is at least.
    pipelined : bool
        Whether levels work at the same time, so that the slowest of them takes the time.
    latency : bool
        Whether hops take time.
    """

    system: System
    source: Graph
    places: Mapping[str, Place]
    conditions: tuple[tuple[str, Expr, Expr], ...] = ()
    pipelined: bool = False
    latency: bool = False

    @property
    def composition(self) -> str:
        """How the times of levels make one."""
        return SLOWEST_LEVEL if self.pipelined else PHASES_ADD

    @property
    def levels(self) -> dict[str, str]:
        """The level of each link."""
        return {part.link: part.level for at in self.places.values() for part in at.parts}

    @property
    def counts(self) -> frozenset[str]:
        """The names in sizes of axes, which are whole numbers."""
        sizes = [at.size for at in self.places.values()]
        sizes += [side for _, *sides in self.conditions for side in sides]
        return frozenset(symbol.name for size in sizes for symbol in size.free_symbols)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What an answer should say beside it: where the axes lie, what was made of figures."""
        where = "; ".join(map(str, self.places.values()))
        said = (*self.system.assumptions, where, self._idle, self.composition)
        return tuple(filter(None, said))

    @property
    def _idle(self) -> str:
        mesh, there = _mesh_of(self.source), self.system.count
        if mesh is None or not (mesh.size.is_number and there.is_number) or mesh.size == there:
            return ""
        return f"{shown(mesh.size)} of {shown(there)} chips are in use"


def placed_on_system(
    graph: Graph,
    system: System,
    axes: Where | None = None,
    *,
    sizes: Mapping[str, object] | None = None,
    pipelined: bool = False,
    latency: bool = False,
) -> tuple[Graph, Chip, Placed]:
    """Return the graph with its collectives on networks, one chip with its links, and where.

    Parameters
    ----------
    graph : Graph
        Of one chip. Its axes are those of the mesh it was sharded on, in their order; without one
        they are the links that its collectives name, in the order in which they appear, with the
        sizes of their groups. A link may also name a level of the system.
    system : System
        The machine.
    axes : mapping of str to str or sequence of str, optional
        The levels of an axis, where it is not to lie on the innermost with room.
    sizes : mapping of str to number, optional
        Numbers for symbols, to place by where the symbols leave it open. They stay symbols.
    pipelined, latency : bool
        As `Placed` has them.

    Raises
    ------
    InputError
        If the graph is not that of one chip, has collectives the system has no links for, or does
        not fit.
    UnknownNameError
        If a collective names an axis that there is not.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.hardware import system
    >>> g = Graph("sum")
    >>> _ = ops.all_reduce(g.input("x", ("V",), "int8"), group=16)
    >>> _, chip, placed = placed_on_system(g, system("dgx-h100-2"))
    >>> [str(chip.link(link.name).value) for link in chip.links]
    ['450000000000', '50000000000']
    >>> placed.levels
    {'link_node': 'node', 'link_nodes': 'nodes'}
    """
    _check_sharded(graph)
    found = dict.fromkeys(_sent(graph))
    mesh = _mesh(graph, found, system, axes or {})
    for axis in axes or {}:
        if axis not in mesh:
            raise UnknownNameError("axis", str(axis), mesh, hint="axes")
    if not system.levels:
        # Groups of one chip send nothing, and need no links.
        found = {key: None for key in found if key[1] != 1}
        mesh = {axis: size for axis, size in mesh.items() if size != 1}
    if not found and not mesh:
        placed = Placed(system, graph, ReadOnly({}), (), pipelined, latency)
        return graph, one_chip(system, {}), placed
    if not system.levels:
        op = next(iter(_ops_of(graph, found)), "")
        what = f"op {op!r} sends over {next(iter(found))[0]!r}" if found else "there is a mesh"
        raise InputError(
            f"{what}, and {system.name} has no links: its chip says none; give one, as in"
            " per_chip='50 GB/s'"
        )
    places = place(system, mesh, axes, sizes) if mesh else {}
    by_group: dict[Group, Place] = {}
    for link, group in found:
        by_group[link, group] = _of_group(graph, system, places, sizes, link, group)
        places.setdefault(link, by_group[link, group])
    _check_one(by_group)
    levels = {
        key: [
            Level(part.link, part.topology, part.bandwidth.value, _latency(part.latency))
            for part in at.parts
        ]
        for key, at in by_group.items()
    }
    made = connect(graph, lambda link, group: levels[link, group]) if found else graph
    used = {at.axis: at for at in (*places.values(), *by_group.values())}
    if latency:
        _check_latency(system, [*places.values(), *by_group.values()])
    every = [
        (at.axis, pair) for at in (*places.values(), *by_group.values()) for pair in at.conditions
    ]
    needed = tuple(dict.fromkeys((axis, *pair) for axis, pair in every))
    placed = Placed(system, graph, ReadOnly(places), needed, pipelined, latency)
    return made, one_chip(system, used), placed


def one_chip(system: System, places: Mapping[str, Place]) -> Chip:
    """Return one chip of a system, with a link for each part of a place, under the system's name.

    Examples
    --------
    >>> from symroof.hardware import system
    >>> one_chip(system("dgx-h100"), {}).links
    ()
    """
    links = [part.as_link() for at in places.values() for part in at.parts]
    fields = system.chip.to_fields()
    fields |= {"name": system.name, "title": system.title, "aliases": [], "notes": []}
    fields["link"] = {link.name: link.to_fields() for link in links}
    return Chip(**fields)  # type: ignore[arg-type]


def bandwidths(
    system: System,
    mesh: Mapping[str, Expr],
    axes: Where | None = None,
    sizes: Mapping[str, object] | None = None,
) -> dict[str, Expr]:
    """Return what a chip can send along each axis of a mesh, for `passes.shard` to choose by.

    Of an axis that spans levels it is that of the outermost.

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.hardware import system
    >>> bandwidths(system("dgx-h100-2"), {"X": Integer(8), "Y": Integer(2)})
    {'X': 450000000000, 'Y': 50000000000}
    """
    places = place(system, mesh, axes, sizes)
    return {axis: at.parts[-1].bandwidth.value.expr for axis, at in places.items()}


def _sent(graph: Graph) -> Iterator[Group]:
    for block in graph.blocks():
        for signature in block.signatures.values():
            found = sends(signature.first) if signature.count else None
            if found is not None:
                yield found


def _ops_of(graph: Graph, found: Mapping[Group, None]) -> Iterator[str]:
    wanted = next(iter(found), None)
    for block in graph.blocks():
        for signature in block.signatures.values():
            if signature.count and sends(signature.first) == wanted:
                yield block.path + signature.first.name


def _check_sharded(graph: Graph) -> None:
    for block in graph.blocks():
        for leaf in block.leaves.values():
            if leaf.sharding is not None and any(leaf.sharding):
                raise InputError(
                    f"tensor {leaf.name!r} of {graph.name!r} is sharded, and the graph is that of"
                    " all chips; analyze passes.shard(graph, mesh)"
                )


def _mesh_of(graph: Graph) -> Mesh | None:
    return graph.plan.mesh if graph.plan is not None else graph.mesh


def _mesh(
    graph: Graph, found: Mapping[Group, None], system: System, told: Where
) -> dict[str, Expr]:
    mesh = _mesh_of(graph)
    if mesh is not None:
        return dict(mesh.axes)
    named = {level.name for level in system.levels} - told.keys()
    axes: dict[str, Expr] = {}
    for link, group in found:
        if group is not None and link not in named:
            axes.setdefault(link, group)
    return axes


def _of_group(
    graph: Graph,
    system: System,
    places: Mapping[str, Place],
    sizes: Mapping[str, object] | None,
    link: str,
    group: Expr | None,
) -> Place:
    at = places.get(link)
    if at is not None and (group is None or group == at.size):
        return at
    mesh = _mesh_of(graph)
    if mesh is not None and link in mesh.axes and at is not None and group is not None:
        message = f"a group of {shown(group)} over axis {link!r}, which has {shown(at.size)}"
        raise InputError(f"{message} chips")
    names = [level.name for level in system.levels]
    if link in names:
        return placed_on(system, link, group)
    if at is not None and group is not None:  # groups of several sizes over one link
        return place(system, {link: group}, None, sizes)[link]
    if link == LINK and len(system.levels) == 1:
        return placed_on(system, names[0], group, axis=link)
    known = [*([] if mesh is None else mesh.axes), *names]
    raise UnknownNameError("axis", link, known, hint="a collective names it as its link")


def _check_one(by_group: Mapping[Group, Place]) -> None:
    """Refuse one link that would have two bandwidths."""
    seen: dict[str, tuple[Group, object]] = {}
    for (link, group), at in by_group.items():
        for part in at.parts:
            key = part.level, part.bandwidth.value
            (_, other), was = seen.setdefault(part.link, ((link, group), key))
            if was != key:
                sizes = " and ".join(shown(size) for size in (other, group) if size is not None)
                raise InputError(
                    f"groups of {sizes} chips over link {link!r} lie on different networks; name"
                    " their links apart, as in link='X'"
                )


def _check_latency(system: System, places: Sequence[Place]) -> None:
    for at in places:
        for part in at.parts:
            if part.latency is None:
                message = (
                    f"level {part.level!r} of {system.name} says none; give it one, as in"
                    " latency = '1 us' in a file of the system"
                )
                raise InputError(message, where="latency")


def _latency(rate: Rate | None) -> Quantity | None:
    return None if rate is None else rate.value
