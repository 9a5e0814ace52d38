"""Crossovers: for which values of a symbol is one time term the largest, or one side the larger?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Integer

from symroof.errors import ParseError, UnitError, UnknownNameError
from symroof.roofline.ridges import ridges
from symroof.roofline.terms import Rates
from symroof.solve import Crossover, Problem, solve
from symroof.symbolic import bind, symbol
from symroof.symbolic.build import divided
from symroof.units import Quantity, Scope, unit_text
from symroof.units.binding import resolve_name

RATES = ("peak.", "bw.", "link.", "latency.")


def crossover(
    groups: Mapping[str, Expr],
    rates: Rates,
    scope: Scope,
    *,
    unknown: str,
    term: str,
    bindings: Mapping[str, object],
    order: tuple[str, ...] = (),
    domain: Sequence[tuple[Expr, Expr]] = (),
) -> Crossover:
    """Solve for the `unknown` at which `term` is at least every other time term.

    Parameters
    ----------
    groups : mapping of str to Expr
        Time terms by name; those that are zero do not compete.
    rates : Rates
        Rates of the machine. With one compute dtype bandwidths are written as peak ÷ ridge.
    scope : Scope
        Names that may be asked for or bound.
    unknown, term : str
        What to solve for, and the term that is to be the largest.
    bindings : mapping of str to object
        Values that are set already.
    order : tuple of str
        In which order formulas write the names.
    domain : sequence of (Expr, Expr)
        Pairs of which the first is at most the second; values of the unknown where one is not
        are no answers.
    """
    if term not in groups:
        raise UnknownNameError("time term", str(term), groups)
    replaced, ridge_values = ridges(rates)
    known = {**rates.scope.values, **ridge_values}
    names = scope.with_names(ridge_values)
    name = resolve_name(names, unknown)
    if name.startswith(RATES) or any(resolve_name(names, b).startswith(RATES) for b in bindings):
        replaced, known, names = {}, dict(rates.scope.values), scope
    peaks = [rate for (kind, _), rate in rates.by_resource.items() if kind == "flop"]
    if replaced and replaced.keys() | set(peaks) >= set(rates.by_resource.values()):
        # Every term is a multiple of 1/peak: in units of it the peak is 1.
        replaced = {rate: divided(form, peaks[0]) for rate, form in replaced.items()}
        replaced[peaks[0]] = Integer(1)
    rights = [time for other, time in groups.items() if other != term and time != 0]
    if not rights and groups[term] == 0:
        rights = [Integer(1)]  # no work is bound by nothing: 0 is never 1 or more
    forms = {rate.name: form for rate, form in replaced.items()}
    left, unknown_symbol = bind(groups[term], forms), symbol(name)
    # left >= left - (high - low) is high >= low.
    bounds = (
        left - (high - low) for low, high in domain if unknown_symbol in (high - low).free_symbols
    )
    problem = Problem(
        left=left,
        rights=(*(bind(right, forms) for right in rights), *bounds),
        unknown=unknown_symbol,
        counts=names.counts,
        values=known,
        integer=name in names.counts,
        dimensions=names.dimensions,
    )
    answer = solve(problem, order=order)
    return answer.at(**bindings) if bindings else answer


def region(left: object, right: object, unknown: str) -> Crossover:
    """For which values of `unknown` is `left` at least `right`?

    Parameters
    ----------
    left, right : Quantity, Expr, number or text
        Two sides of one unit: a time against a budget, bytes against a capacity. ``Max``, ``Min``
        and ``ceil`` are fine.
    unknown : str
        A symbol of either side.

    Returns
    -------
    Crossover
        The answer with its conditions; equality belongs to it.

    Raises
    ------
    UnitError
        If the sides have different units; names both.

    Examples
    --------
    >>> region("2*B", "10 + B/2", "B").first
    7
    """
    first, second = _side(left), _side(right)
    if first.dimension != second.dimension:
        raise UnitError(
            f"cannot compare {unit_text(first.dimension) or 'a plain number'}"
            f" with {unit_text(second.dimension) or 'a plain number'}: {first} and {second}"
        )
    scope = first.scope.union(second.scope)
    name = resolve_name(scope, unknown)
    return solve(
        Problem(
            left=first.expr,
            rights=(second.expr,),
            unknown=symbol(name),
            counts=scope.counts,
            values=scope.values,
            integer=not scope.dimensions[name],
            dimensions=scope.dimensions,
        )
    )


def _side(side: object) -> Quantity:
    """Read a side; text is a formula ("2*B") or an amount with its unit ("5 ms")."""
    if isinstance(side, Quantity):
        return side
    try:
        return Quantity(side, "")
    except ParseError:
        if not isinstance(side, str) or not side.lstrip()[:1].isdigit():
            raise
        return Quantity(side)
