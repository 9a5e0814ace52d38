"""Networks between chips: topologies, collectives by algorithm, levels of a machine."""

from __future__ import annotations

from symroof.network.collectives import Flow, algorithms, flow
from symroof.network.hierarchical import Composition, hierarchical
from symroof.network.levels import Level, Phase
from symroof.network.names import Algorithm, Collective
from symroof.network.topology import FullyConnected, Line, Ring, Switch, Topology, Torus, Tree

__all__ = [
    "Algorithm",
    "Collective",
    "Composition",
    "Flow",
    "FullyConnected",
    "Level",
    "Line",
    "Phase",
    "Ring",
    "Switch",
    "Topology",
    "Torus",
    "Tree",
    "algorithms",
    "flow",
    "hierarchical",
]
