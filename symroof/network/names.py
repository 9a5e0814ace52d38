"""The names of collectives and of the algorithms that run them."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from symroof.errors import InputError, UnknownNameError

Named = TypeVar("Named", bound=Enum)


class Collective(Enum):
    """What the chips of a group do together; V is the size each is counted by.

    V is the full tensor, but for an all-to-all the buffer of one chip, and for a send what is sent.
    """

    ALL_GATHER = "all_gather"
    REDUCE_SCATTER = "reduce_scatter"
    ALL_REDUCE = "all_reduce"
    ALL_TO_ALL = "all_to_all"
    BROADCAST = "broadcast"
    GATHER = "gather"
    SEND = "send"


class Algorithm(Enum):
    """How a collective is run."""

    RING = "ring"
    BIDIRECTIONAL_RING = "bidirectional-ring"
    LINE = "line"
    TREE = "tree"
    RECURSIVE_DOUBLING = "recursive-doubling"
    DIRECT = "direct"
    IN_NETWORK = "in-network"
    ALL_AXES = "all-axes"


SOURCES = {
    Algorithm.RING: "ring algorithm: shards are passed on one way (Patarasuk and Yuan 2009)",
    Algorithm.BIDIRECTIONAL_RING: (
        "bidirectional ring: the shorter way round, half of the opposite chip's each way"
        " (Austin et al., How to Scale Your Model 2025)"
    ),
    Algorithm.LINE: "line: shards are passed on both ways up to the ends",
    Algorithm.TREE: (
        "tree: sums go up and results down; through a switch the double binary tree (Sanders,"
        " Speck and Träff 2009; NCCL 2.4) and the binomial tree for a broadcast"
    ),
    Algorithm.RECURSIVE_DOUBLING: (
        "recursive doubling, for sizes that are no power of two as Bruck et al. 1997; reductions"
        " run it backwards (Thakur, Rabenseifner and Gropp 2005)"
    ),
    Algorithm.DIRECT: "direct: every chip sends straight to every other",
    Algorithm.IN_NETWORK: (
        "in-network: the switch adds up and copies, every byte goes up and down once"
        " (Graham et al., SHARP 2016)"
    ),
    Algorithm.ALL_AXES: (
        "all axes at once: parts of the tensor go through the axes in different orders"
    ),
}


def named(options: type[Named], value: Any, kind: str) -> Named:
    """Return the member of `options` whose value is the text `value`.

    Raises
    ------
    UnknownNameError
        If there is none; with the nearest.

    Examples
    --------
    >>> named(Algorithm, "direct", "algorithm")
    <Algorithm.DIRECT: 'direct'>
    >>> named(Algorithm, "recursive_doubling", "algorithm")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown algorithm 'recursive_doubling'; \
did you mean 'recursive-doubling'?
    """
    if isinstance(value, options):
        return value
    known = {str(member.value): member for member in options}
    if not isinstance(value, str):
        message = f"expected one of {', '.join(known)}, not {value!r:.60}"
        raise InputError(message, where=kind)
    if value not in known:
        raise UnknownNameError(kind, value, known)
    return known[value]
