"""What `validate` returns: a bound and a time for each kernel, and how many of them agree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from symroof.hardware import Chip
from symroof.probes.bounds import Least
from symroof.probes.cases import Case
from symroof.probes.measurement import SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Check:
    """A kernel at one shape against the roof.

    Attributes
    ----------
    case : Case
        What ran.
    least : Least
        The bound, in seconds, and the rate that sets it.
    measured : float
        The best time, in seconds.
    reason : str
        Why it ran faster than the bound; empty where it did not.
    """

    case: Case
    least: Least
    measured: float
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether the bound is no more than the measured time."""
        return self.least.seconds <= self.measured

    @property
    def reached(self) -> float:
        """The bound over the measured time: what of the roof the kernel reached."""
        return self.least.seconds / self.measured

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kernel": self.case.kernel,
            "sizes": dict(self.case.sizes),
            "dtype": self.case.dtype,
            "bound": {"value": self.least.seconds, "unit": "s"},
            "set_by": self.least.rate,
            "measured": {"value": self.measured, "unit": "s"},
            "reached": self.reached,
            "holds": self.holds,
            "reason": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class Validation:
    """Kernels on a chip, predicted and measured.

    Attributes
    ----------
    chip : Chip
        Whose roofs they are held against.
    rows : tuple of Check
        Every kernel at every shape.
    residency : str
        How bytes are charged to levels of memory.
    skipped : tuple of str
        What was not run, with the reason.
    """

    chip: Chip
    rows: tuple[Check, ...] = field(repr=False)
    residency: str
    skipped: tuple[str, ...] = ()

    @property
    def fraction(self) -> float:
        """The part of the rows whose bound is no more than the measured time."""
        return sum(row.holds for row in self.rows) / len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "schema_version": SCHEMA_VERSION,
            "chip": self.chip.name,
            "residency": self.residency,
            "fraction": self.fraction,
            "rows": [row.to_dict() for row in self.rows],
            "skipped": list(self.skipped),
        }
