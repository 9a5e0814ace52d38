"""Units: quantities with exact values, number formats, and the scopes that names live in."""

from __future__ import annotations

from symroof.units.dtype import DType, DTypeKind, compute_dtype, dtype, dtypes
from symroof.units.extremes import max_of, min_of, ratio
from symroof.units.human import human
from symroof.units.quantity import Quantity
from symroof.units.registry import DIMENSIONLESS, Dimension, parse_unit, unit_text
from symroof.units.scope import EMPTY, Scope, union

__all__ = [
    "DIMENSIONLESS",
    "EMPTY",
    "DType",
    "DTypeKind",
    "Dimension",
    "Quantity",
    "Scope",
    "compute_dtype",
    "dtype",
    "dtypes",
    "human",
    "max_of",
    "min_of",
    "parse_unit",
    "ratio",
    "union",
    "unit_text",
]
