"""Recompute the points of a line from the formula that stands beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from symroof.errors import InputError, SymroofError
from symroof.reports.claims import Fault, Names
from symroof.symbolic import adopt, to_float, to_text

NEAR = 1e-9


def check_lines(line: Mapping[str, Any], values: Mapping[str, str]) -> list[Fault]:
    """Return a fault where a point of a line is not on its formula.

    Parameters
    ----------
    line : mapping
        A line as plain data: ``points``, ``formula``, ``variable`` and ``label``.
    values : mapping of str to str
        Values of other names in the formula.

    Examples
    --------
    >>> line = {"label": "roof", "formula": "2*x", "variable": "x", "points": [[1, 2], [2, 5]]}
    >>> check_lines(line, {})[0].found
    '4.0 comes out at x = 2'
    """
    formula, variable = line.get("formula"), line.get("variable")
    if not formula or not variable:
        return []
    name = f"line {line.get('label') or formula}"
    known = Names((), values)
    try:
        if not isinstance(formula, str) or not isinstance(variable, str):
            raise InputError("formula and variable are not text")
        for place, height in line["points"]:
            x, y = _number(place), _number(height)
            found = to_float(known.evaluated(formula, {variable: to_text(adopt(x))}))
            if not abs(found - y) <= NEAR * max(abs(found), abs(y)):
                return [Fault(name, f"{height}", f"{found} comes out at {variable} = {place}")]
    except (SymroofError, ArithmeticError, TypeError, ValueError, LookupError) as error:
        return [Fault(name, str(formula), f"which cannot be recomputed: {error}")]
    return []


def _number(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InputError(f"a point of {given!r:.40} is not a number")
    found = float(given)
    if not math.isfinite(found):
        raise InputError(f"a point of {found} is not finite")
    return found
