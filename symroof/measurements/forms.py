"""Closed forms of a graph on a chip as functions on columns, and as exact answers for one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symroof.errors import InputError, SymroofError
from symroof.graph import Graph
from symroof.hardware import Chip
from symroof.measurements.rows import Floats
from symroof.measurements.workload import names_of
from symroof.roofline import Roofline, analyze
from symroof.roofline.inside_kinds import Residency
from symroof.sweeps.compiled import Compiled
from symroof.sweeps.compiled import compile as compiled
from symroof.symbolic import to_float
from symroof.units import Quantity

LAUNCH = "launch"
AGREES = 1e-9
"""Relative difference of a compiled and an exact bound that rounding explains."""


@dataclass(frozen=True, slots=True)
class Times:
    """Work and time terms of rows, in base units.

    Attributes
    ----------
    flops, bytes : array
        FLOP, and byte under the traffic of the graph.
    terms : dict of str to array
        Seconds by term: compute, memory, network; launch where it is counted.
    """

    flops: Floats
    bytes: Floats
    terms: dict[str, Floats]

    @property
    def bound(self) -> Floats:
        """What no run beats: the largest term of each row, after its launch."""
        return self.without("")

    @property
    def launch(self) -> Floats:
        """The launch time of each row; 0 where it is not counted."""
        return self.terms.get(LAUNCH, np.zeros_like(self.bytes))

    def without(self, name: str) -> Floats:
        """Return the bound without one term."""
        others = [term for other, term in self.terms.items() if other not in (name, LAUNCH)]
        found: Floats = np.maximum.reduce([np.zeros_like(self.bytes), *others])
        return found if name == LAUNCH else found + self.launch

    @property
    def limits(self) -> tuple[str, ...]:
        """The name of the largest term of each row."""
        names = list(self.terms)
        return tuple(names[i] for i in np.argmax(list(self.terms.values()), axis=0))


class Form:
    """A closed form as a function of columns; rates of the chip are arguments too, once known.

    To put numbers into a formula with `Max` has sympy compare its arguments, which takes longer
    than a table of thousands of rows.

    Parameters
    ----------
    quantity : Quantity
        The closed form.
    names : tuple of str
        The columns, in order.
    """

    def __init__(self, quantity: Quantity, names: tuple[str, ...]) -> None:
        known = quantity.scope.values
        self._compiled: Compiled = compiled(quantity, (*names, *known))
        self._rates = [to_float(value) for value in known.values()]

    def __call__(self, columns: Sequence[Floats]) -> Floats:
        """Return the values of rows, in base units."""
        return self._compiled(*columns, *self._rates)


class Forms:
    """The closed forms of a graph on a chip, compiled once.

    Parameters
    ----------
    graph : Graph
        The op.
    chip : Chip
        The machine.
    choices
        On the inside of the chip, as `symroof.analyze` takes them: ``residency``, ``ceilings``, ...

    Raises
    ------
    InputError
        If the op does no work, or a choice has a symbol that is no dim of the op.
    """

    def __init__(self, graph: Graph, chip: Chip, **choices: Any) -> None:
        self.names = names_of(graph)
        self.roofline: Roofline = analyze(graph, chip, **choices)
        inside = self.roofline.inside.names.dimensions
        free = sorted(name for name in inside if name not in self.names and "." not in name)
        if free:
            raise InputError(f"{free[0]} has no number, and is no dim of {graph.name!r}")
        self._flops = Form(self.roofline.flops, self.names)
        self._bytes = Form(self.roofline.bytes, self.names)
        self._terms = self._compiled(self.roofline)
        if not self._terms:
            raise InputError(f"{graph.name!r} does no work: it has no bound to compare with")

    def _compiled(self, roofline: Roofline) -> dict[str, Form]:
        groups = roofline.groups.items()
        return {name: Form(term, self.names) for name, term in groups if term.expr != 0}

    def __call__(self, dims: Mapping[str, Floats]) -> Times:
        """Return work and terms of rows."""
        return self._times(self._terms, dims)

    def bare(self, dims: Mapping[str, Floats]) -> Times:
        """Return the same without ceilings, launches and edges of tiles."""
        inside = self.roofline.inside
        roofs = replace(inside, ceilings=(), launch=None, quantise=None)
        if roofs == inside:
            return self(dims)
        return self._times(self._compiled(self.roofline.with_inside(roofs)), dims)

    def _times(self, forms: Mapping[str, Form], dims: Mapping[str, Floats]) -> Times:
        given = [dims[name] for name in self.names]
        terms = {name: form(given) for name, form in forms.items()}
        return Times(self._flops(given), self._bytes(given), terms)

    def exact(self, dims: Mapping[str, int]) -> float:
        """Return the bound of one row in seconds, by exact arithmetic until this number."""
        return self.roofline.at(dims).exposed.to("s")


def beats(measured: Floats, bound: Floats) -> NDArray[np.bool_]:
    """Return which rows took less than their bound, by more than rounding does.

    Examples
    --------
    >>> beats(np.array([20e-6, 19e-6]), np.array([2e-5, 2e-5])).tolist()
    [False, True]
    """
    found: NDArray[np.bool_] = measured < bound * (1 - AGREES)
    return found


def check(forms: Forms, dims: Mapping[str, Floats], bound: Floats, places: Any) -> float:
    """Return the largest relative difference of compiled bounds from exact ones.

    Parameters
    ----------
    forms : Forms
        What was compiled.
    dims : mapping of str to array
        Numbers of the rows.
    bound : array
        What the compiled forms say.
    places : sequence of int
        The rows to check.

    Raises
    ------
    SymroofError
        If one differs by more than rounding does.
    """
    worst = 0.0
    for place in places:
        row = {name: int(values[place]) for name, values in dims.items()}
        exact = forms.exact(row)
        worst = max(worst, abs(float(bound[place]) - exact) / exact)
    if worst > AGREES:
        raise SymroofError(f"compiled bounds differ from exact ones by {worst:.2g}")
    return worst


def residencies(graph: Graph, chip: Chip, **choices: Any) -> dict[str, Forms]:
    """Return the closed forms for each residency that the chip says enough for.

    Parameters
    ----------
    graph, chip
        As in `Forms`.
    choices
        The others on the inside of the chip.

    Examples
    --------
    >>> from symroof.hardware import Chip
    >>> memory = {"hbm": ("2 TB/s", "80 GB"), "l2": ("5 TB/s", "40 MB")}
    >>> from symroof.graph import load
    >>> list(residencies(load("mk,kn->mn"), Chip("x", peak={"fp16": "1 PFLOP/s"}, memory=memory)))
    ['cold', 'cached', 'partial']
    >>> one = Chip("x", peak={"fp16": "1 PFLOP/s"}, memory={"hbm": "2 TB/s"})
    >>> list(residencies(load("mk,kn->mn"), one))
    ['cold']
    """
    found = {str(Residency.COLD): Forms(graph, chip, **choices)}
    for residency in (Residency.CACHED, Residency.PARTIAL):
        with suppress(InputError):
            found[str(residency)] = Forms(graph, chip, residency=residency, **choices)
    return found
