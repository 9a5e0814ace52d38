"""Closed forms of collectives on a switch, a ring, a line and links between all chips.

Each form is a function of the volume V and the size n. Egress is the load of the busiest port
times the ports of a chip; what is sent and received is the mean over the chips, forwarded bytes
included. Tests equal every one of them to a simulation of its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from sympy import Expr, Integer, Min, ceiling, floor

from symroof.network.names import Algorithm, Collective
from symroof.network.topology import FullyConnected, Line, Ring, Switch, Topology
from symroof.symbolic.bounds import least
from symroof.symbolic.functions import log2

ONE, ZERO = Integer(1), Integer(0)


class Amounts(NamedTuple):
    """What a collective moves.

    Attributes
    ----------
    egress : Expr
        Bytes which, over the bandwidth of a chip, give the time.
    sent, received : Expr
        Bytes a chip puts on its links, and takes from them, on average.
    hops : Expr
        Steps that wait for each other.
    """

    egress: Expr
    sent: Expr
    received: Expr
    hops: Expr


Form: TypeAlias = Callable[[Expr, Expr], Amounts]
Forms: TypeAlias = Mapping[Collective, Mapping[Algorithm, Form]]

AG, RS, AR = Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_REDUCE
A2A, BROADCAST = Collective.ALL_TO_ALL, Collective.BROADCAST
GATHER, SEND = Collective.GATHER, Collective.SEND


def others(volume: Expr, n: Expr) -> Expr:
    """Return the part of a volume that is not the own one of n.

    Examples
    --------
    >>> others(Integer(8), Integer(4))
    6
    """
    return volume * ((n - 1) / n)


def some(n: Expr) -> Expr:
    """Return 0 for one chip and 1 for more.

    Examples
    --------
    >>> some(Integer(1)), some(Integer(8))
    (0, 1)
    """
    return least(ONE, n - 1)


def crossing(n: Expr) -> Expr:
    """Return the pairs of chips with the middle of n between them.

    Examples
    --------
    >>> crossing(Integer(4)), crossing(Integer(5))
    (4, 6)
    """
    return floor(n / 2) * ceiling(n / 2)


def twice(form: Form) -> Form:
    """Return a reduce-scatter and an all-gather, each of them as `form`.

    Examples
    --------
    >>> twice(FORMS[Switch][AG][Algorithm.RING])(Integer(8), Integer(4)).egress
    12
    """

    def both(v: Expr, n: Expr) -> Amounts:
        egress, sent, received, hops = form(v, n)
        return Amounts(2 * egress, 2 * sent, 2 * received, 2 * hops)

    return both


def over(ports: int | Callable[[Expr], Expr], form: Form) -> Form:
    """Return a form that keeps one port busy, where a chip has several.

    Examples
    --------
    >>> over(2, FORMS[Switch][AG][Algorithm.RING])(Integer(8), Integer(4)).egress
    12
    """

    def shared(v: Expr, n: Expr) -> Amounts:
        count = Integer(ports) if isinstance(ports, int) else ports(n)
        amounts = form(v, n)
        return amounts._replace(egress=count * amounts.egress)

    return shared


# --- one way round ------------------------------------------------------------------------------


def _ring(v: Expr, n: Expr) -> Amounts:
    part = others(v, n)
    return Amounts(part, part, part, n - 1)


def _ring_all_to_all(v: Expr, n: Expr) -> Amounts:
    passed = v * (n - 1) / 2
    return Amounts(passed, passed, passed, n - 1)


def _ring_broadcast(v: Expr, n: Expr) -> Amounts:
    part = others(v, n)
    return Amounts(some(n) * v, part, part, n - 1)


def _chain_gather(v: Expr, n: Expr) -> Amounts:
    mean = v * (n - 1) / (2 * n)
    return Amounts(others(v, n), mean, mean, n - 1)


# --- both ways ----------------------------------------------------------------------------------


def _ways(v: Expr, n: Expr) -> Amounts:
    part = others(v, n)
    return Amounts(part, part, part, floor(n / 2))


def _ways_all_to_all(v: Expr, n: Expr) -> Amounts:
    passed = v * crossing(n) / n
    return Amounts(passed, passed, passed, floor(n / 2))


def _ways_gather(v: Expr, n: Expr) -> Amounts:
    mean = v * crossing(n) / n**2
    return Amounts(others(v, n), mean, mean, floor(n / 2))


def _line_all_to_all(v: Expr, n: Expr) -> Amounts:
    mean = v * (n**2 - 1) / (3 * n)
    return Amounts(v * crossing(n) / n, mean, mean, n - 1)


def _line_all_reduce(v: Expr, n: Expr) -> Amounts:
    # The port that is busiest in the reduce-scatter is idlest in the all-gather: n shards in all.
    mean = 2 * others(v, n)
    return Amounts(some(n) * v, mean, mean, 2 * (n - 1))


def _line_tree(v: Expr, n: Expr) -> Amounts:
    mean = 2 * others(v, n)
    return Amounts(some(n) * v, mean, mean, 2 * floor(n / 2))


# --- straight to each other ---------------------------------------------------------------------


def _direct(v: Expr, n: Expr) -> Amounts:
    part = others(v, n)
    return Amounts(part, part, part, some(n))


def _direct_broadcast(v: Expr, n: Expr) -> Amounts:
    part = others(v, n)
    return Amounts(some(n) * v, part, part, least(Integer(2), n - 1))


def _direct_gather(v: Expr, n: Expr) -> Amounts:
    mean = others(v, n) / n
    return Amounts(others(v, n), mean, mean, some(n))


def _send(v: Expr, n: Expr) -> Amounts:
    whole = some(n) * v
    return Amounts(whole, whole, whole, some(n))


def _send_linked(v: Expr, n: Expr) -> Amounts:
    return _send(v, n)._replace(egress=(n - 1) * v)


def _doubling(v: Expr, n: Expr) -> Amounts:
    part = others(v, n)
    return Amounts(part, part, part, ceiling(log2(n)))


def _double_tree(v: Expr, n: Expr) -> Amounts:
    mean = 2 * others(v, n)
    return Amounts(v * Min(2, n / 2, n - 1), mean, mean, 2 * ceiling(log2(n)))


def _binomial_broadcast(v: Expr, n: Expr) -> Amounts:
    part, steps = others(v, n), ceiling(log2(n))
    return Amounts(v * steps, part, part, steps)


# --- in the switch ------------------------------------------------------------------------------


def _copied(v: Expr, n: Expr) -> Amounts:
    return Amounts(others(v, n), some(n) * v / n, others(v, n), some(n))


def _added(v: Expr, n: Expr) -> Amounts:
    return Amounts(others(v, n), others(v, n), some(n) * v / n, some(n))


def _added_and_copied(v: Expr, n: Expr) -> Amounts:
    whole = some(n) * v
    return Amounts(whole, whole, whole, some(n))


def _copied_from_one(v: Expr, n: Expr) -> Amounts:
    return Amounts(some(n) * v, some(n) * v / n, others(v, n), some(n))


# --- what each topology runs: the first is what is taken ---------------------------------------

_RING, _WAYS, _LINE = Algorithm.RING, Algorithm.BIDIRECTIONAL_RING, Algorithm.LINE
_TREE, _DOUBLING = Algorithm.TREE, Algorithm.RECURSIVE_DOUBLING
_DIRECT, _IN_NETWORK = Algorithm.DIRECT, Algorithm.IN_NETWORK

_SHARDS = {_RING: _ring, _WAYS: _ways, _DOUBLING: _doubling, _DIRECT: _direct}
_SWITCH: Forms = {
    AG: {**_SHARDS, _IN_NETWORK: _copied},
    RS: {**_SHARDS, _IN_NETWORK: _added},
    AR: {
        **{name: twice(form) for name, form in _SHARDS.items()},
        _TREE: _double_tree,
        _IN_NETWORK: _added_and_copied,
    },
    A2A: {_DIRECT: _direct, _RING: _ring_all_to_all, _WAYS: _ways_all_to_all},
    BROADCAST: {
        _RING: _ring_broadcast,
        _WAYS: _ring_broadcast,
        _TREE: _binomial_broadcast,
        _DIRECT: _direct_broadcast,
        _IN_NETWORK: _copied_from_one,
    },
    GATHER: {_DIRECT: _direct_gather, _RING: _chain_gather, _WAYS: _ways_gather},
    SEND: {_DIRECT: _send},
}


def _one_port(form: Form) -> Form:
    return over(lambda n: n - 1, form)


_LINKED: Forms = {
    AG: {_DIRECT: _direct, _RING: _one_port(_ring)},
    RS: {_DIRECT: _direct, _RING: _one_port(_ring)},
    AR: {_DIRECT: twice(_direct), _RING: _one_port(twice(_ring))},
    A2A: {_DIRECT: _direct, _RING: _one_port(_ring_all_to_all)},
    BROADCAST: {_DIRECT: _direct_broadcast, _RING: _one_port(_ring_broadcast)},
    GATHER: {_DIRECT: _direct_gather, _RING: _one_port(_chain_gather)},
    SEND: {_DIRECT: _send_linked},
}
_RINGS: Forms = {
    AG: {_WAYS: _ways, _RING: over(2, _ring)},
    RS: {_WAYS: _ways, _RING: over(2, _ring)},
    AR: {_WAYS: twice(_ways), _RING: over(2, twice(_ring))},
    A2A: {_WAYS: _ways_all_to_all, _RING: over(2, _ring_all_to_all)},
    BROADCAST: {_WAYS: _ring_broadcast, _RING: over(2, _ring_broadcast)},
    GATHER: {_WAYS: _ways_gather, _RING: over(2, _chain_gather)},
    SEND: {_DIRECT: over(2, _send)},
}
_LINES: Forms = {
    AG: {_LINE: over(2, _ring)},
    RS: {_LINE: over(2, _ring)},
    AR: {_TREE: over(2, _line_tree), _LINE: over(2, _line_all_reduce)},
    A2A: {_LINE: over(2, _line_all_to_all)},
    BROADCAST: {_LINE: over(2, _ring_broadcast)},
    GATHER: {_LINE: over(2, _chain_gather)},
    SEND: {_DIRECT: over(2, _send)},
}
FORMS: Mapping[type[Topology], Forms] = {
    Switch: _SWITCH,
    FullyConnected: _LINKED,
    Ring: _RINGS,
    Line: _LINES,
}
