"""The algebra kernel: symbols, formulas as text, exact evaluation, totals."""

from __future__ import annotations

from symroof.symbolic.adopt import adopt
from symroof.symbolic.evaluate import bind, to_float, value
from symroof.symbolic.functions import log2
from symroof.symbolic.parser import parse
from symroof.symbolic.printer import to_text
from symroof.symbolic.symbols import symbol, symbols
from symroof.symbolic.totals import max_of, total

__all__ = [
    "adopt",
    "bind",
    "log2",
    "max_of",
    "parse",
    "symbol",
    "symbols",
    "to_float",
    "to_text",
    "total",
    "value",
]
