"""The least time of a kernel on a chip, and the rate that sets it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from symroof.graph import Graph
from symroof.hardware import Chip
from symroof.roofline import Roofline, analyze
from symroof.roofline.inside_kinds import Residency
from symroof.roofline.terms import MAIN, Resource


class Least(NamedTuple):
    """A bound: its seconds, and the key of the rate that sets it."""

    seconds: float
    rate: str


class Bounds:
    """Bounds of one kernel on one chip, at any sizes.

    Data that a kernel has used before may lie in the caches, so what exceeds a level is charged
    further out, where the chip says enough of its caches; else all of it at main memory.

    Parameters
    ----------
    graph : Graph
        The kernel, in symbols.
    chip : Chip
        With its launch time, where it says one.
    """

    def __init__(self, graph: Graph, chip: Chip) -> None:
        self.graph = graph
        self.chip = chip
        self.residency = residency_on(chip)

    @cached_property
    def roofline(self) -> Roofline:
        """The kernel on the chip."""
        launch = True if self.chip.launch is not None else None
        return analyze(self.graph, self.chip, residency=str(self.residency), launch=launch)

    def at(self, sizes: Mapping[str, int]) -> Least:
        """Return the bound at given sizes.

        Examples
        --------
        >>> from symroof.graph import load
        >>> mine = Chip("mine", peak={"fp64": "1 TFLOP/s"}, memory={"dram": "100 GB/s"})
        >>> Bounds(load("dot", dtype="fp64"), mine).at({"n": 10**6})
        Least(seconds=0.00016000008, rate='bw.dram')
        """
        terms = {
            key: float(term.at(**sizes).resolved().to("s"))
            for key, term in self.roofline.terms.items()
        }
        largest = max(terms, key=lambda key: terms[key])
        return Least(terms[largest], self._rate(largest))

    def moved(self, sizes: Mapping[str, int]) -> int:
        """Return the bytes it moves at given sizes."""
        return int(self.graph.bytes.at(**sizes).value)

    def _rate(self, resource: Resource) -> str:
        kind, name = resource
        if resource == MAIN:
            return f"bw.{self.chip.main}"
        return {"flop": f"peak.{name}", "byte": f"bw.{name}"}.get(kind, kind)


def residency_on(chip: Chip) -> Residency:
    """Return how bytes are charged on a chip: partial, where it says enough of its caches.

    Examples
    --------
    >>> memory = {"l2": ("1 TB/s", "2 MiB"), "dram": ("100 GB/s", "16 GB")}
    >>> str(residency_on(Chip("mine", peak={"fp64": "1 TFLOP/s"}, memory=memory)))
    'partial'
    """
    caches = [level for level in chip.memory if not level.main and not level.private]
    known = all(level.bandwidth is not None and level.capacity is not None for level in caches)
    return Residency.PARTIAL if caches and known else Residency.COLD
