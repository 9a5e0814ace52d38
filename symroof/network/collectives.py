"""Collectives on topologies: which bytes bound them, and how many steps wait for each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError, ParseError, UnitError
from symroof.network.forms import FORMS, SEND, Amounts, some
from symroof.network.grids import grid_amounts
from symroof.network.names import SOURCES, Algorithm, Collective, named
from symroof.network.topology import Ring, Switch, Topology, Torus, Tree
from symroof.network.trees import tree_amounts
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.units.extremes import max_of
from symroof.units.quantity import Quantity
from symroof.units.scope import Scope

ONE, ZERO = Integer(1), Integer(0)
BYTE, RATE = Quantity(1, "byte").dimension, Quantity(1, "byte/s").dimension


@dataclass(frozen=True, slots=True)
class Flow:
    """What a collective moves over a network.

    Attributes
    ----------
    collective : Collective
    topology : Topology
    algorithm : Algorithm
    volume : Expr
        V in bytes: the full tensor; of an all-to-all the buffer of one chip.
    egress : Expr
        Effective bytes: over the bandwidth of a chip they give the time. It is the load of the
        busiest port, in the busier direction, times the ports of a chip.
    sent, received : Expr
        Bytes a chip really puts on its links, and takes from them, forwarded ones too: the mean
        over the chips. On a ring and through a switch all chips have the same but in a broadcast
        and a gather; of a send it is that of the two chips.
    hops : Expr
        Steps that wait for each other, each from a chip to a neighbour or through a switch.
    source : str
        Where the algorithm is from.
    """

    collective: Collective
    topology: Topology
    algorithm: Algorithm
    volume: Expr
    egress: Expr
    sent: Expr
    received: Expr
    hops: Expr
    source: str

    @property
    def bytes(self) -> Quantity:
        """The effective bytes as a quantity.

        Examples
        --------
        >>> str(flow("all_gather", Switch("n"), "2*B*D").bytes)
        '2*B*D*(n - 1)/n byte'
        """
        return Quantity.of(self.egress, "byte", self.scope)

    @property
    def scope(self) -> Scope:
        """The names in the size, which are counts."""
        return Scope(counts=frozenset(symbol.name for symbol in self.topology.size.free_symbols))

    def time(self, bandwidth: Any, latency: Any = None, *, pipelined: bool = False) -> Quantity:
        """Return the time over a network.

        Parameters
        ----------
        bandwidth : Quantity or str
            What a chip can send into the network in one direction, over all its ports together.
        latency : Quantity or str, optional
            The time of one hop; none is counted without it.
        pipelined : bool
            Whether the longer of bytes and hops is taken, and not their sum.

        Examples
        --------
        >>> f = flow("all_gather", Switch(8), "1 GB")
        >>> str(f.time("50 GB/s")), str(f.time("50 GB/s", "1 ms"))
        ('7/400 s', '49/2000 s')
        >>> str(f.time("50 GB/s", "1 ms", pipelined=True))
        '7/400 s'
        """
        bytes_time = self.bytes / as_bandwidth(bandwidth)
        if latency is None:
            return bytes_time
        waiting = Quantity.of(self.hops, "", self.scope) * as_latency(latency)
        return max_of(bytes_time, waiting) if pipelined else bytes_time + waiting

    def latency_crossover(self, bandwidth: Any, latency: Any) -> Quantity:
        """Return the V below which the hops take longer than the bytes.

        Examples
        --------
        >>> str(flow("send", Switch("n"), "V").latency_crossover("45 GB/s", "1 us"))
        '45000 byte'
        """
        if self.egress == 0 or self.volume == 0:
            raise InputError("nothing is sent", where=f"{self.collective.value} latency")
        unit = flow(self.collective, self.topology, ONE, self.algorithm)
        hops = Quantity.of(unit.hops / unit.egress, "", self.scope)
        return hops * as_latency(latency) * as_bandwidth(bandwidth)


def flow(
    collective: str | Collective,
    topology: Topology,
    volume: Any,
    algorithm: str | Algorithm | None = None,
    *,
    apart: int | Iterable[int] | None = None,
) -> Flow:
    """Return what a collective moves over a topology.

    Parameters
    ----------
    collective : str or Collective
        all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, gather or send. A gather
        ends at the chip with fewest links: at a corner, or at the end of a line.
    topology : Topology
        Of one chip: nothing is sent.
    volume : Quantity, number, formula or text
        V in bytes: the full tensor; of an all-to-all the buffer of one chip.
    algorithm : str or Algorithm, optional
        ring, bidirectional-ring, line, tree, recursive-doubling, direct, in-network or all-axes,
        as far as the topology runs it; by default the one with the fewest bytes that needs no
        help of a switch. Of a send on a ring, a line or a torus, one to a neighbour.
    apart : int or sequence of int, optional
        For a send: how many chips lie between, along each axis; the bytes then go over as many
        shortest ways as there are axes to cross.

    Raises
    ------
    UnknownNameError
        If there is no such collective or algorithm; with the nearest.
    InputError
        If the topology does not run the algorithm, or a number does not fit.

    Examples
    --------
    >>> from symroof.network.topology import Ring, Switch, Torus
    >>> flow("all_reduce", Switch("n"), "V").egress
    2*V*(n - 1)/n
    >>> f = flow("all_to_all", Ring(64), 64)
    >>> f.egress, f.hops, f.algorithm
    (1024, 32, <Algorithm.BIDIRECTIONAL_RING: 'bidirectional-ring'>)
    >>> flow("send", Torus((4, 4), wrap=False), 100, apart=(3, 3)).hops
    6
    >>> flow("all_gather", Ring(8), 1, "tree")
    Traceback (most recent call last):
    symroof.errors.InputError: all_gather algorithm: a ring does not run tree; it runs \
bidirectional-ring, ring
    """
    what = named(Collective, collective, "collective")
    if not isinstance(topology, Topology):
        message = f"expected a topology such as Ring(8), not {topology!r:.60}"
        raise InputError(message, where=what.value)
    v = as_bytes(volume, what.value)
    how = None if algorithm is None else named(Algorithm, algorithm, "algorithm")
    if apart is not None:
        return _send_apart(what, topology, v, how, apart)
    place = plain(topology)
    if isinstance(place, Torus | Tree):
        chosen, amounts = _of_many_links(what, place, v, how)
    else:
        if isinstance(topology, Torus) and how is Algorithm.ALL_AXES and what is not SEND:
            how = None
        forms = FORMS[type(place)][what]
        chosen = _choice(what, place, how, forms)
        amounts = forms[chosen](v, place.size)
    return Flow(what, topology, chosen, v, *amounts, SOURCES[chosen])


def algorithms(collective: str | Collective, topology: Topology) -> tuple[Algorithm, ...]:
    """Return the algorithms a topology runs a collective by, first the one taken by default.

    Examples
    --------
    >>> from symroof.network.topology import Line
    >>> [one.value for one in algorithms("all_reduce", Line(4))]
    ['tree', 'line']
    """
    what, place = named(Collective, collective, "collective"), plain(topology)
    if isinstance(place, Torus | Tree):
        return (_of_many_links(what, place, ONE, None)[0],)
    return tuple(FORMS[type(place)][what])


def as_bytes(volume: Any, where: str) -> Expr:
    """Return a volume in bytes.

    Examples
    --------
    >>> as_bytes("32 GB", "all_reduce"), as_bytes("2*B*D", "all_reduce")
    (32000000000, 2*B*D)
    """
    if isinstance(volume, str):
        try:
            volume = adopt(volume, where=where)
        except ParseError:
            volume = Quantity(volume)
    if isinstance(volume, Quantity):
        if volume.dimension not in (BYTE, ()):
            raise UnitError(f"{where}: expected bytes, not {volume}")
        volume = volume.expr
    made = adopt(volume, where=where)
    if made.is_number and not (made.is_Rational and made >= 0):
        raise InputError(f"expected a number of bytes, not {shown(made)}", where=where)
    return made


def as_bandwidth(bandwidth: Any) -> Quantity:
    """Return a bandwidth, refusing what is none.

    Examples
    --------
    >>> as_bandwidth(900)
    Traceback (most recent call last):
    symroof.errors.UnitError: bandwidth: expected byte/s, as in '450 GB/s', got 900
    """
    return _as_rate(bandwidth, "bandwidth", "byte/s", "450 GB/s")


def as_latency(latency: Any) -> Quantity:
    """Return the time of a hop, refusing what is none.

    Examples
    --------
    >>> str(as_latency("1 us"))
    '1/1000000 s'
    """
    return _as_rate(latency, "latency", "s", "1 us")


def _as_rate(value: Any, what: str, unit: str, example: str) -> Quantity:
    wanted = Quantity(1, unit).dimension
    made = Quantity(value) if isinstance(value, str) else value
    if not isinstance(made, Quantity) or made.dimension != wanted:
        raise UnitError(f"{what}: expected {unit}, as in {example!r}, got {str(value)[:60]}")
    if made.expr.is_number and not made.expr > 0:
        raise InputError(f"expected more than 0, not {str(made)[:60]}", where=what)
    return made


def plain(topology: Topology) -> Topology:
    """Return the ring or line that a torus of one axis is; another topology as it is.

    Examples
    --------
    >>> plain(Torus((1, 4)))
    Ring(size=4)
    """
    if not isinstance(topology, Torus):
        return topology
    axes = topology.axes
    if len(axes) > 1:
        return topology
    return axes[0] if axes else Switch(1)


def _of_many_links(
    what: Collective, place: Torus | Tree, v: Expr, how: Algorithm | None
) -> tuple[Algorithm, Amounts]:
    usual = Algorithm.TREE if isinstance(place, Tree) else Algorithm.ALL_AXES
    chosen = _choice(what, place, how, {Algorithm.DIRECT if what is SEND else usual: None})
    if what is SEND:
        whole = some(place.size) * v
        return chosen, Amounts(place.ports * whole, whole, whole, some(place.size))
    if isinstance(place, Tree):
        return chosen, tree_amounts(what, place, v)
    return chosen, grid_amounts(what, place, v)


def _choice(
    what: Collective, place: Topology, how: Algorithm | None, known: Mapping[Algorithm, Any]
) -> Algorithm:
    if how is None:
        return next(iter(known))
    if how not in known:
        runs = ", ".join(one.value for one in known)
        message = f"a {place.name} does not run {how.value}; it runs {runs}"
        raise InputError(message, where=f"{what.value} algorithm")
    return how


def _send_apart(
    what: Collective,
    topology: Topology,
    v: Expr,
    how: Algorithm | None,
    apart: int | Iterable[int],
) -> Flow:
    """Return a send between chips that are so far apart along each axis."""
    where = f"{what.value} apart"
    if what is not SEND:
        raise InputError("only a send has two chips that are apart", where=where)
    axes = topology.axes
    if not axes:
        raise InputError(f"a {topology.name} has no axes", where=where)
    if how not in (None, Algorithm.ALL_AXES):
        raise InputError(f"it goes over all-axes, not {how.value}", where="send algorithm")
    counts = tuple(apart) if isinstance(apart, Iterable) else (apart,)
    if isinstance(topology, Torus) and len(counts) == len(topology.shape):
        pairs = zip(counts, topology.shape, strict=True)
        counts = tuple(count for count, size in pairs if size != 1 or count != 0)
    if len(counts) != len(axes):
        message = f"expected a distance along each of {len(axes)} axes, not {len(counts)}"
        raise InputError(message, where=where)
    for count, axis in zip(counts, axes, strict=True):
        most = axis.size // 2 if isinstance(axis, Ring) else axis.size - 1
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InputError(
                f"expected a whole number of 0 or more, not {count!r:.60}", where=where
            )
        if most.is_number and count > most:
            message = f"chips of a {axis.title} are at most {shown(most)} apart, not {count}"
            raise InputError(message, where=where)
    crossed = [axis for count, axis in zip(counts, axes, strict=True) if count]
    ways = len(crossed)
    if ways == 1 and isinstance(crossed[0], Ring) and 2 * sum(counts) == crossed[0].size:
        ways = 2  # both ways round are as short
    whole = v if crossed else ZERO
    egress = topology.ports * whole / ways if crossed else ZERO
    chosen = Algorithm.ALL_AXES
    hops = Integer(sum(counts))
    return Flow(what, topology, chosen, v, egress, whole, whole, hops, SOURCES[chosen])
