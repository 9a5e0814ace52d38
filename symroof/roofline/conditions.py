"""What must hold between the names of a roofline, and the errors where it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from sympy import Add, Expr

from symroof.errors import InputError
from symroof.graph import Graph
from symroof.graph.work import domain
from symroof.roofline.placed import Placed
from symroof.roofline.rows import OpTerms
from symroof.symbolic import bind, symbol, to_text
from symroof.units import Quantity

Condition: TypeAlias = tuple[str, Expr, Expr]
"""Who needs it, what is at most, what is at least."""


def conditions_of(graph: Graph, placed: Placed | None) -> tuple[Condition, ...]:
    """Return what the ops of a graph and the axes on a system need of the names.

    Examples
    --------
    >>> from symroof import ops
    >>> g = Graph("g")
    >>> w = [g.weight(n, ("E", 8, 8), "bf16") for n in ("up", "down")]
    >>> y = ops.experts(g.input("x", ("B", 8), "bf16"), *w, top_k="k")
    >>> conditions_of(g, None)
    (("op 'experts_0'", k, E),)
    """
    found = [(f"op {op!r}", low, high) for op, low, high in domain(graph)]
    if placed is not None:
        found += [(f"axis {axis!r}", low, high) for axis, low, high in placed.conditions]
    return tuple(found)


def check_conditions(
    conditions: Iterable[Condition],
    quantity: Callable[[Expr, str], Quantity],
    bindings: Mapping[str, object],
) -> None:
    """Refuse bindings of which a condition is known not to hold.

    Parameters
    ----------
    conditions : iterable of Condition
        What must hold.
    quantity : callable
        Makes a quantity of an expression and a unit, with what is bound put in.
    bindings : mapping of str to object
        What is bound, for the message.

    Raises
    ------
    InputError
        If one does not hold; says who needs it.
    """
    for who, low, high in conditions:
        gap = quantity(high - low, "").resolved().expr
        if gap.is_number and gap.is_negative:
            at = _listed(bindings)
            raise InputError(f"{who} needs {to_text(low)} <= {to_text(high)}; not so at {at}")


def check_splits(
    graph: Graph, placed: Placed | None, number: Callable[[Expr], Expr], names: Iterable[str]
) -> None:
    """Refuse whole numbers with which a dim or an axis does not split into equal parts.

    Parameters
    ----------
    graph : Graph
        Of one chip, with the plan it was made by.
    placed : Placed or None
        Where the axes lie on a system.
    number : callable
        Puts in what is bound.
    names : iterable of str
        The names that are bound.

    Raises
    ------
    ShapeError, InputError
        What does not divide, and by how much.
    """
    if graph.plan is None and placed is None:
        return
    found = {name: number(symbol(name)) for name in names}
    whole = {name: value for name, value in found.items() if value.is_Integer}
    if graph.plan is not None:
        graph.plan.check(whole)
    for place in () if placed is None else placed.places.values():
        for part in place.parts:
            size = bind(part.topology.size, whole)
            if size.is_Rational and not size.is_Integer:
                shown = f"{to_text(place.size)} = {to_text(bind(place.size, whole))}"
                raise InputError(
                    f"axis {place.axis!r}, {shown}, does not lie evenly on {part.level}, where"
                    f" {to_text(part.topology.size)} would be {to_text(size)}"
                )


def surely_negative(expr: Expr) -> bool:
    """Return whether a number, or a product of positive symbols with one, is negative.

    Sums of symbols are not looked at: what sympy knows of them takes long to find out.

    Examples
    --------
    >>> n = symbol("n")
    >>> surely_negative(-5 * n), surely_negative(n - 5), surely_negative(n * 0 - 5)
    (True, False, True)
    """
    if expr.is_number:
        return bool(expr.is_negative)
    coefficient, rest = expr.as_coeff_Mul()
    return bool(coefficient.is_negative) and not rest.has(Add)


def negative_time(
    term: str,
    graph: Graph,
    ops: Iterable[OpTerms],
    quantity: Callable[[Expr, str], Quantity],
    bindings: Mapping[str, object],
) -> InputError:
    """Return the error for a time term below zero, which names the op with such a cost.

    Parameters
    ----------
    term : str
        ``compute``, ``memory`` or ``network``.
    graph : Graph
        The algorithm.
    ops : iterable of OpTerms
        Its ops, with their time terms.
    quantity : callable
        Makes a quantity of an expression and a unit, with what is bound put in.
    bindings : mapping of str to object
        What is bound, for the message.
    """
    at = _listed(bindings) or "its numbers"
    for row in ops:
        time = quantity(row.groups[term], "s")
        if surely_negative(time.resolved().expr):
            op = row.work.op.block.path + row.work.op.name
            return InputError(f"the cost of op {op!r} is negative at {at}")
    return InputError(f"t_{term} of {graph.name!r} is negative at {at}")


def _listed(bindings: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in bindings.items())
