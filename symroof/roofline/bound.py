"""What bounds an algorithm: the name of its largest time term."""

from __future__ import annotations

from enum import Enum


class Bound(Enum):
    """The verdict on a roofline.

    ``BALANCED`` is a tie of the largest terms, ``NO_WORK`` an algorithm whose terms are all zero.
    """

    COMPUTE = "compute"
    MEMORY = "memory"
    NETWORK = "network"
    LAUNCH = "launch"
    BALANCED = "balanced"
    NO_WORK = "no work"

    def __str__(self) -> str:
        return self.value
