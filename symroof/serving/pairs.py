"""One term of an iteration against another: from which batch on, or for how many GPUs."""

from __future__ import annotations

from dataclasses import dataclass

from symroof.solve import Crossover

PAIRS = (("compute", "memory"), ("network", "memory"), ("network", "compute"))


@dataclass(frozen=True, slots=True)
class Pair:
    """When one term is at least another.

    Attributes
    ----------
    term, over : str
        Names of the terms.
    answer : Crossover
        In the batch or, where it cancels, in the number of GPUs.
    batch_cancels : bool
        Whether both terms are proportional to the batch, so that none changes the answer.
    """

    term: str
    over: str
    answer: Crossover
    batch_cancels: bool

    def __str__(self) -> str:
        said = "no batch changes this; " if self.batch_cancels else ""
        return f"{self.term} ≥ {self.over}: {said}{self.answer}"
