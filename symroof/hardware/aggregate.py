"""What all chips of a system have together; apart, so that it is never taken for one chip's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symroof.units.quantity import Quantity
from symroof.units.scope import Scope

if TYPE_CHECKING:
    from symroof.hardware.system import System


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What all chips of a system have together: the number of them times what one has.

    Attributes
    ----------
    system : System
    """

    system: System

    def peak(self, dtype: str, **options: Any) -> Quantity:
        """Return the dense peak of all chips, in FLOP/s; as `Chip.peak`."""
        return self._times(self.system.chip.peak(dtype, **options))

    def bandwidth(self, level: str | None = None) -> Quantity:
        """Return the memory bandwidth of all chips, in byte/s; as `Chip.bandwidth`."""
        return self._times(self.system.chip.bandwidth(level))

    def capacity(self, level: str | None = None) -> Quantity:
        """Return the memory capacity of all chips, in byte; as `Chip.capacity`."""
        return self._times(self.system.chip.capacity(level))

    def egress(self, level: str) -> Quantity:
        """Return what all chips can send into a level in one direction, in byte/s.

        Examples
        --------
        >>> from symroof.hardware import system
        >>> system("dgx-h100").aggregate.egress("node").to("TB/s")
        3.6
        """
        return self._times(self.system.level(level).per_chip.value)

    def _times(self, per_chip: Quantity) -> Quantity:
        count = self.system.count
        scope = Scope(counts=frozenset(symbol.name for symbol in count.free_symbols))
        return Quantity.of(count, "", scope) * per_chip
