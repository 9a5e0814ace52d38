"""Collectives over levels of a machine, composed so that every byte is counted, and checked.

A composition is made of reduce-scatters, all-gathers, all-to-alls and sends; the all-reduce at the
outermost level is itself a reduce-scatter and an all-gather, or one in the network. What each chip
holds is followed from phase to phase: a phase takes all of it, no chip's part is added twice, and
at the end every chip has what it should.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from symroof.errors import InputError, UnknownNameError
from symroof.network.collectives import as_bytes, flow
from symroof.network.conservation import COMPOSED, check
from symroof.network.forms import A2A, AG, AR, RS, SEND
from symroof.network.levels import Level, Phase
from symroof.network.names import Collective, named
from symroof.units.extremes import max_of
from symroof.units.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Composition:
    """Phases that make up a collective over several levels, from the innermost to the outermost.

    Parameters
    ----------
    collective : Collective
    levels : tuple of Level
        Innermost first.
    volume : Quantity, number, formula or text
        V in bytes, as for one level.
    phases : tuple of Phase
        In their order.

    Raises
    ------
    InputError
        If a phase takes fewer bytes than a chip holds, or more; adds up what is added up already;
        moves less than it must; or if a chip does not end with what it should.

    Examples
    --------
    >>> from symroof.network import Level, Phase, Switch, flow
    >>> node = Level("node", Switch(8), "450 GB/s")
    >>> nodes = Level("nodes", Switch(2), "50 GB/s")
    >>> stacked = (
    ...     Phase(node, flow("all_reduce", Switch(8), "32 GB")),
    ...     Phase(nodes, flow("all_reduce", Switch(2), "4 GB")),
    ... )
    >>> Composition(Collective.ALL_REDUCE, (node, nodes), 32 * 10**9, stacked)
    Traceback (most recent call last):
    symroof.errors.InputError: all_reduce over nodes: a chip holds 32000000000 bytes, and the \
phase takes 4000000000
    """

    collective: Collective
    levels: tuple[Level, ...]
    volume: Any
    phases: tuple[Phase, ...]

    def __post_init__(self) -> None:
        _levels(self.levels)
        object.__setattr__(self, "volume", as_bytes(self.volume, self.collective.value))
        check(self.collective, self.levels, self.volume, self.phases)

    @property
    def times(self) -> tuple[Quantity, ...]:
        """The time of each phase."""
        return tuple(phase.time for phase in self.phases)

    def time(self, *, pipelined: bool = False) -> Quantity:
        """Return the time of all phases: their sum, or the time of the busiest level.

        Parameters
        ----------
        pipelined : bool
            Whether the tensor goes through in many pieces, so that all levels work at once. Then
            the level that is busy longest, with all its phases, takes the time.

        Examples
        --------
        >>> from symroof.network import Level, Switch
        >>> node = Level("node", Switch(8), "450 GB/s")
        >>> nodes = Level("nodes", Switch(2), "50 GB/s")
        >>> made = hierarchical("all_reduce", (node, nodes), "32 GB")
        >>> str(made.time()), str(made.time(pipelined=True))
        ('46/225 s', '28/225 s')
        """
        busy: dict[str, Quantity] = {}
        for phase in self.phases:
            name = phase.level.name
            busy[name] = busy[name] + phase.time if name in busy else phase.time
        if pipelined:
            return max_of(*busy.values())
        first, *rest = busy.values()
        return sum(rest, first)


def hierarchical(
    collective: str | Collective,
    levels: Iterable[Level],
    volume: Any,
    algorithms: Mapping[str, str] | None = None,
) -> Composition:
    """Return a collective over all levels of a machine, in phases.

    An all-reduce is a reduce-scatter on the way out, an all-reduce of what is left at the
    outermost level, and an all-gather on the way back. A reduce-scatter goes from the innermost
    level outwards, an all-gather from the outermost inwards, so that the slow levels carry the
    smallest parts. A send goes over the outermost level.

    Parameters
    ----------
    collective : str or Collective
        all_reduce, all_gather, reduce_scatter, all_to_all or send.
    levels : iterable of Level
        Innermost first, each with another name.
    volume : Quantity, number, formula or text
        V in bytes: the full tensor; of an all-to-all the buffer of one chip.
    algorithms : mapping of str to str, optional
        The algorithm of a level, by its name.

    Returns
    -------
    Composition
        With its byte check passed.

    Raises
    ------
    UnknownNameError, InputError
        If the collective is not composed so, or a level is unknown or named twice.

    Examples
    --------
    >>> from symroof.network import Level, Phase, Switch, flow
    >>> node = Level("node", Switch("G"), "450 GB/s")
    >>> nodes = Level("nodes", Switch("M"), "50 GB/s")
    >>> made = hierarchical("all_reduce", (node, nodes), "V")
    >>> [(p.flow.collective.value, p.level.name, p.flow.volume) for p in made.phases]
    [('reduce_scatter', 'node', V), ('all_reduce', 'nodes', V/G), ('all_gather', 'node', V)]
    """
    what = named(Collective, collective, "collective")
    places = _levels(levels)
    chosen = dict(algorithms or {})
    for name in chosen:
        if name not in {level.name for level in places}:
            raise UnknownNameError("level", name, [level.name for level in places])
    v = as_bytes(volume, what.value)

    def phase(kind: Collective, level: Level, size: Expr) -> Phase:
        return Phase(level, flow(kind, level.topology, size, chosen.get(level.name)))

    phases: list[Phase] = []
    size = v
    if what is SEND:
        phases.append(phase(SEND, places[-1], v))
    elif what is A2A:
        phases.extend(phase(A2A, level, v) for level in places)
    elif what in COMPOSED:
        inner, last = places[:-1], places[-1]
        parts = []
        for level in inner:
            parts.append(size)
            size = size / level.topology.size
        within = list(zip(inner, parts, strict=True))
        if what in (AR, RS):
            phases.extend(phase(RS, level, part) for level, part in within)
        phases.append(phase(what, last, size))
        if what in (AR, AG):
            phases.extend(phase(AG, level, part) for level, part in reversed(within))
    return Composition(what, places, v, tuple(phases))


def _levels(levels: Iterable[Level]) -> tuple[Level, ...]:
    places = tuple(levels)
    if not places or not all(isinstance(level, Level) for level in places):
        raise InputError("expected one level or more, innermost first", where="levels")
    names = [level.name for level in places]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two levels are called {name!r}", where="levels")
    return places
