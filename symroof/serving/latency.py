"""The batches that keep to a time between tokens."""

from __future__ import annotations

from symroof.roofline.crossing import region
from symroof.serving.terms import Terms
from symroof.solve import Crossover, Kind
from symroof.units import Quantity


def within(terms: Terms, budget: Quantity) -> Crossover:
    """Return for which batches an iteration takes no longer than a budget."""
    return region(budget, terms.time.overlapped, terms.batch)


def largest_within(terms: Terms, budget: Quantity, room: int | None) -> int | None:
    """Return the largest batch within a budget and within the memory; None without any limit."""
    found = within(terms, budget)
    if found.kind is Kind.ALWAYS:
        return room
    last = found.last or 0
    return last if room is None else min(last, room)
