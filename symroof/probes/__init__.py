"""Probes of this machine: its roofs measured on the spot, and kernels held against them."""

from __future__ import annotations

from symroof.probes.measurement import Measurement
from symroof.probes.measuring import measure
from symroof.probes.validating import validate
from symroof.probes.validation import Validation

__all__ = ["Measurement", "Validation", "measure", "validate"]
