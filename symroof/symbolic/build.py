"""Guarded constructors: every node of an expression is made here, bottom up and in bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sympy import Add, Expr, Max, Min, Mul, Pow, ceiling, floor

from symroof.errors import InputError
from symroof.symbolic.algebra import add, divided, multiplied, multiply, subtract
from symroof.symbolic.extremes import ceil_of, floor_of, log2_of, maximum, minimum
from symroof.symbolic.functions import log2
from symroof.symbolic.powers import power, power_effort

__all__ = [
    "add",
    "ceil_of",
    "divided",
    "floor_of",
    "is_canonical",
    "log2_of",
    "maximum",
    "minimum",
    "multiplied",
    "multiply",
    "power",
    "power_effort",
    "rebuild",
    "subtract",
]


def rebuild(
    expr: Expr,
    leaf: Callable[[Expr], Expr],
    *,
    everywhere: bool = False,
    other: Mapping[Any, Callable[[list[Expr]], Expr]] = MappingProxyType({}),
) -> Expr:
    """Return `expr` with every atom replaced by `leaf(atom)`, all at once and exactly.

    Subexpressions without a replaced atom are kept as they are, unless `everywhere`; all
    others pass through the guarded constructors (and those in `other`, for more node types),
    so that no power is computed before its size is known.

    Raises
    ------
    InputError
        If a number would have more than a million bits, or has no value.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> rebuild(M**2 + N, lambda atom: {M: N, N: M}.get(atom, atom))
    M + N**2
    """
    done: dict[Expr, Expr] = {}

    def visit(node: Expr) -> Expr:
        found = done.get(node)
        if found is None:
            if node.args:
                args = [visit(arg) for arg in node.args]
                same = all(a is b for a, b in zip(args, node.args, strict=True))
                found = node if same and not everywhere else _made(node, args, other)
            else:
                found = leaf(node)
            done[node] = found
        return found

    try:
        return visit(expr)
    except RecursionError:
        raise InputError("the expression is nested too deeply") from None


def is_canonical(node: Expr) -> bool:
    """Tell whether the constructors would make `node` as it is from its own arguments."""
    if isinstance(node, Add):
        return not any(isinstance(arg, Add) for arg in node.args)
    if isinstance(node, Mul):
        if len(node.args) == 2 and node.args[0].is_Rational and node.args[1].is_Add:
            return False
        plain = all(isinstance(arg, Pow) or arg.is_Atom for arg in node.args)
        if plain and sum(1 for arg in node.args if arg.is_number) < 2:
            return True
    elif isinstance(node, Pow) and (node.base.is_Symbol or node.base.is_Add):
        return node.exp not in (0, 1)
    return bool(_made(node, list(node.args), {}) == node)


def _made(node: Expr, args: list[Expr], other: Mapping[Any, Callable[[list[Expr]], Expr]]) -> Expr:
    maker = _MAKERS.get(type(node)) or other.get(type(node))
    if maker is None:
        raise InputError(f"{type(node).__name__} is not supported in a formula")
    return maker(args)


_MAKERS: dict[Any, Callable[[list[Expr]], Expr]] = {
    Add: add,
    Mul: multiply,
    Pow: lambda args: power(args[0], args[1]),
    ceiling: lambda args: ceil_of(args[0]),
    floor: lambda args: floor_of(args[0]),
    log2: lambda args: log2_of(args[0]),
    Max: maximum,
    Min: minimum,
}
