"""Arithmetic intensities that are asked for, and what they come to for a symbol without bound."""

from __future__ import annotations

from symroof.errors import InputError, UnitError
from symroof.graph import Graph
from symroof.solve import limit
from symroof.symbolic import symbol
from symroof.units import Quantity
from symroof.units.binding import resolve_name


def wanted_intensity(graph: Graph, given: object = None) -> Quantity:
    """Return the intensity that is given, that of `graph` by default.

    Raises
    ------
    InputError
        If none is given and the graph does no work.
    UnitError
        If it is in another unit than FLOP/byte.

    Examples
    --------
    >>> str(wanted_intensity(Graph("g"), "100 FLOP/byte"))
    '100 FLOP/byte'
    """
    wanted = graph.intensity if given is None else Quantity(given)
    if wanted is None:
        raise without_intensity(graph)
    if wanted.unit != "FLOP/byte":
        raise UnitError(f"an intensity is in FLOP/byte, as in '100 FLOP/byte'; got {wanted}")
    return wanted


def limit_of(intensity: Quantity, name: str) -> Quantity:
    """Return the intensity as the symbol `name` grows without bound.

    Examples
    --------
    >>> str(limit_of(Quantity("M*K/(M + K)", "FLOP/byte"), "M"))
    'K FLOP/byte'
    """
    variable = symbol(resolve_name(intensity.scope, name))
    return Quantity.of(limit(intensity.expr, variable), "FLOP/byte", intensity.scope)


def without_intensity(graph: Graph) -> InputError:
    """Return the error for an intensity of a graph that does no work."""
    return InputError(f"{graph.name} does no work, so it has no intensity")
