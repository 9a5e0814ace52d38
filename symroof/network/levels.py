"""Levels of a machine, and phases of a collective on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symroof.errors import InputError
from symroof.lines import named as line_name
from symroof.network.collectives import Flow, as_bandwidth, as_latency
from symroof.network.topology import Topology
from symroof.units.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Level:
    """One network of a machine: the chips it joins, and what each of them can send into it.

    Parameters
    ----------
    name : str
        What it is called: node, pod.
    topology : Topology
        How many it joins, and how.
    bandwidth : Quantity or str
        What one chip can send in one direction, over all its ports together.
    latency : Quantity or str, optional
        The time of one hop; none is counted without it.

    Raises
    ------
    UnitError, InputError
        If the bandwidth or the latency is none.

    Examples
    --------
    >>> from symroof.network.topology import Switch
    >>> str(Level("node", Switch(8), "450 GB/s").bandwidth)
    '450000000000 byte/s'
    """

    name: str
    topology: Topology
    bandwidth: Any
    latency: Any = None

    def __post_init__(self) -> None:
        line_name(self.name, "the name of a level")
        if not isinstance(self.topology, Topology):
            message = f"expected a topology such as Ring(8), not {self.topology!r:.60}"
            raise InputError(message, where=f"level {self.name}")
        object.__setattr__(self, "bandwidth", as_bandwidth(self.bandwidth))
        if self.latency is not None:
            object.__setattr__(self, "latency", as_latency(self.latency))


@dataclass(frozen=True, slots=True)
class Phase:
    """One collective at one level.

    Attributes
    ----------
    level : Level
    flow : Flow
    """

    level: Level
    flow: Flow

    @property
    def time(self) -> Quantity:
        """The time it takes alone.

        Examples
        --------
        >>> from symroof.network import Switch, flow
        >>> node = Level("node", Switch(8), "450 GB/s")
        >>> str(Phase(node, flow("all_gather", node.topology, "32 GB")).time)
        '14/225 s'
        """
        return self.flow.time(self.level.bandwidth, self.level.latency)
