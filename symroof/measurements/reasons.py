"""Why a row may lie above its roof: what else would put it under one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from math import ceil

import numpy as np
from numpy.typing import NDArray

from symroof.errors import SymroofError, UnknownNameError
from symroof.graph import Graph
from symroof.hardware import Chip
from symroof.measurements.formats import Format, format_of
from symroof.measurements.forms import Forms, Times, beats
from symroof.measurements.rows import Floats
from symroof.measurements.workload import op_graph

NEAR = 1.03
MOST_CHIPS = 1024


class Cause(Enum):
    """Kinds of reasons, from the most to the least likely."""

    CEILING = "above its ceilings"
    CACHE = "fits a cache"
    CLOCK = "clock or rounding"
    SPARSE = "sparse peak"
    PEAK = "another peak"
    DTYPE = "dtype"
    AGGREGATE = "aggregate"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row may lie above its roof.

    Attributes
    ----------
    cause : Cause
        The kind.
    text : str
        What it is here, with its numbers.
    """

    cause: Cause
    text: str

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, str]:
        """Return it as plain data."""
        return {"cause": str(self.cause), "text": self.text}


@dataclass(frozen=True, slots=True)
class Suspects:
    """What may explain rows of one op and dtype on a chip.

    Attributes
    ----------
    op : str or Graph
        As it was given.
    graph : Graph
        The op at its dtypes.
    form : Format or None
        These.
    chip : Chip
        The machine.
    forms : mapping of str to Forms
        Closed forms by residency.
    own : Forms
        Those of the bound.
    """

    op: str | Graph
    graph: Graph
    form: Format | None
    chip: Chip
    forms: Mapping[str, Forms]
    own: Forms

    def reasons(self, dims: Mapping[str, Floats], measured: Floats) -> list[tuple[Reason, ...]]:
        """Return the reasons that hold for each row, the likeliest first; never none.

        Rows may be above ceilings, a launch time or tiles; other reasons are those of the roofs.
        """
        found: list[list[Reason]] = [[] for _ in measured]
        if not found:
            return []
        times = self.own.bare(dims)
        for reason, holds in self._candidates(dims, times, measured):
            for place in map(int, np.flatnonzero(holds)):
                found[place].append(reason)
        for place in map(int, np.flatnonzero(beats(measured, times.bound))):
            found[place].append(_aggregate(float(times.bound[place] / measured[place])))
        order = list(Cause)
        return [tuple(sorted(each, key=lambda one: order.index(one.cause))) for each in found]

    def _candidates(
        self, dims: Mapping[str, Floats], times: Times, measured: Floats
    ) -> Iterator[tuple[Reason, NDArray[np.bool_]]]:
        above = beats(measured, times.bound)
        yield Reason(Cause.CEILING, self._floors), ~above
        yield from self._caches(dims, times, measured)
        near = above & (times.bound / measured <= NEAR)
        yield Reason(Cause.CLOCK, "within 3 % of the roof: clock or rounding"), near
        yield from self._peaks(times, measured)
        for reason, holds in self._dtypes(dims, measured):
            yield reason, holds & above

    @property
    def _floors(self) -> str:
        """What a row is above that is no roof."""
        inside = self.own.roofline.inside
        floors = {"ceilings": inside.ceilings, "launch": inside.launch, "tiles": inside.quantise}
        return f"under the roofs without {', '.join(name for name, each in floors.items() if each)}"

    def _caches(
        self, dims: Mapping[str, Floats], times: Times, measured: Floats
    ) -> Iterator[tuple[Reason, NDArray[np.bool_]]]:
        """Yield what a cache holds, all of it or in part."""
        memory = times.terms.get("memory", np.zeros_like(measured))
        partial = self.forms.get("partial")
        bound = times.without("memory") if partial is None else partial.bare(dims).bound
        left = beats(measured, memory) & ~beats(measured, bound)
        for level in self.chip.hierarchy:
            if level.main:
                break
            if level.private or level.capacity is None:
                continue
            size = level.capacity.value.to("byte")
            fits = times.bytes <= size
            beyond = memory * np.clip(1 - size / times.bytes, 0, 1)
            holds = left & ~beats(measured, beyond)
            name = f"{level.name} ({level.capacity.text})"
            yield Reason(Cause.CACHE, f"fits {name}"), holds & fits
            yield Reason(Cause.CACHE, f"fits {name} in part"), holds & ~fits
            left &= ~holds

    def _peaks(self, times: Times, measured: Floats) -> Iterator[tuple[Reason, NDArray[np.bool_]]]:
        """Yield other peaks of the dtype: with sparsity, of another accumulate dtype or engine."""
        compute = times.terms.get("compute")
        keys = list(self.graph.flops_by_dtype)
        if compute is None or len(keys) != 1:
            return
        own = self.chip.find_peak(keys[0])
        under = ~beats(measured, times.without("compute"))
        try:
            sparse = self.chip.find_peak(keys[0], sparse=True)
        except UnknownNameError:
            sparse = None
        others = [(Cause.PEAK, peak, f"peak of {peak.key}") for peak in self.chip.peaks]
        if sparse is not None:
            others.insert(0, (Cause.SPARSE, sparse, "sparse peak"))
        for cause, peak, what in others:
            if peak.dtype != own.dtype or peak is own:
                continue
            faster = float((peak.rate.value / own.rate.value).to(""))
            holds = beats(measured, compute) & ~beats(measured, compute / faster) & under
            yield Reason(cause, f"{what}, {peak.rate.text}"), holds

    def _dtypes(
        self, dims: Mapping[str, Floats], measured: Floats
    ) -> Iterator[tuple[Reason, NDArray[np.bool_]]]:
        """Yield other dtypes of the chip, the slowest of those that would be under their roof."""
        if isinstance(self.op, Graph) or self.form is None:
            return
        found = []
        for key, _ in self.chip.default_peaks:
            if key == self.form.first.key:
                continue
            try:
                other = Forms(op_graph(self.op, format_of(key)), self.chip)(dims).bound
            except SymroofError:
                continue
            found.append((key, np.where(beats(measured, other), -np.inf, other)))
        best = np.maximum.reduce([bound for _, bound in found]) if found else measured
        for key, bound in found:
            text = f"dtype: under the roof of {key}"
            yield Reason(Cause.DTYPE, text), np.isfinite(bound) & (bound == best)


def _aggregate(excess: float) -> Reason:
    if excess > MOST_CHIPS:
        return Reason(Cause.UNKNOWN, f"{excess:,.3g} times the roof: another unit of time?")
    return Reason(Cause.AGGREGATE, f"aggregate: {ceil(excess)} chips or more, against one")
