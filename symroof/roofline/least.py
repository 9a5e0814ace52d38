"""The value of a symbol at which a time bound of a roofline is least."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr

from symroof.errors import UnknownNameError
from symroof.roofline.terms import GROUPS
from symroof.solve import Minimum, minimise
from symroof.symbolic import bind, symbol
from symroof.symbolic.bounds import least
from symroof.units.binding import resolve_name

if TYPE_CHECKING:
    from symroof.roofline.roofline import Roofline

BOUNDS = ("overlapped", "per_op", "serial")
TIMES = (*BOUNDS, "exposed", *dict.fromkeys(GROUPS.values()))


def least_time(
    roofline: Roofline, unknown: str, time: str, *, low: object, high: object, divides: object
) -> Minimum:
    """Return where a time is least; see `Roofline.minimise`.

    Raises
    ------
    UnknownNameError
        If there is no such time or symbol.
    """
    if time not in TIMES:
        raise UnknownNameError("time", str(time), TIMES)
    formulas = roofline.formulas  # the unknown may be in them
    general = roofline.unbound.at(formulas)
    if time == "exposed":
        expr = general.exposed.expr
    else:
        found = getattr(general.time, time) if time in BOUNDS else general.groups.get(time)
        if found is None:
            raise UnknownNameError("time", time, [*BOUNDS, "exposed", *general.groups])
        expr = found.expr
    scope = general.names
    name = resolve_name(scope, unknown)
    if high is None and divides is None:
        high = _end(general, symbol(name))
    if low is None:
        low = 1 if name in scope.counts else 0
    answer = minimise(
        expr,
        name,
        counts=scope.counts,
        values=general.rates.scope.values,
        dimensions=scope.dimensions,
        low=low,
        high=high,
        integer=name in scope.counts,
        divides=divides,
        order=roofline.name_order,
    )
    numbers = {name: value for name, value in roofline.values.items() if name not in formulas}
    return answer.at(**numbers) if numbers else answer


def _end(roofline: Roofline, unknown: Expr) -> Expr | None:
    """Return the largest value that the conditions of the graph and the system leave."""
    found: Expr | None = None
    values = roofline.formulas
    for least_side, greatest_side in roofline.domain:
        low, high = bind(least_side, values), bind(greatest_side, values)
        rest = high / low * unknown  # what the unknown is at most, if it is in nothing else
        if unknown not in rest.free_symbols and unknown in (high / low).free_symbols:
            found = rest if found is None else least(found, rest)
    return found
