"""The rule of thumb people use, beside the exact answer, with the error it makes."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, ceiling

from symroof.graph import Graph, Role
from symroof.solve import Crossover, Kind
from symroof.symbolic import bind, symbol

SEQUENCES = 3
"""How many dims an input of sequences has: sequences, tokens, model dim."""


@dataclass(frozen=True, slots=True)
class RuleOfThumb:
    """The threshold that is quoted where all other dims are taken for infinite.

    Attributes
    ----------
    expr : Expr
        For a matmul the ridge: "compute-bound from batch 295 on".
    value : Expr or None
        Its exact number; None while names are free.
    integer : int or None
        The whole number it names.
    applies : bool
        False where the true answer is never.
    error : int or None
        How many the rule names too few (positive) or too many; None where there is no such number.
    """

    expr: Expr
    value: Expr | None
    integer: int | None
    applies: bool
    error: int | None


def rule_of_thumb(crossover: Crossover, ridge: str | None) -> RuleOfThumb | None:
    """Return the rule of thumb of a crossover; None where nobody has one.

    Parameters
    ----------
    crossover : Crossover
        The exact answer, bound or not.
    ridge : str or None
        Key of the ridge, which is what people quote where the threshold has no such limit, and
        where the true answer is never.

    Examples
    --------
    >>> from symroof.solve import Problem, solve
    >>> from symroof.symbolic import symbols
    >>> B, I = symbols("B I")
    >>> x = solve(Problem(2 * B, (I * B,), B, frozenset({"B"}), {"I": I * 0 + 3}, integer=True))
    >>> rule_of_thumb(x, "I")
    RuleOfThumb(expr=I, value=3, integer=3, applies=False, error=None)
    """
    if not crossover.problem.integer or crossover.relation in ("<=", "<"):
        return None
    expr = crossover.rule_of_thumb
    quoted = crossover.relation in (">=", ">") or _is_never(crossover)
    if expr is None and ridge is not None and quoted:
        expr = symbol(ridge)
    if expr is None:
        return None
    value = bind(expr, crossover.problem.known)
    if value.free_symbols:
        return RuleOfThumb(expr, None, None, not _is_never(crossover), None)
    integer = int(ceiling(value))
    applies = not _is_never(crossover)
    first = None if crossover.free else crossover.first
    return RuleOfThumb(expr, value, integer, applies, None if first is None else first - integer)


def is_batch(graph: Graph, name: str) -> bool:
    """Return whether `name` is a batch: the first dim of an input, and in no weight.

    Examples
    --------
    >>> g = Graph("g")
    >>> y = g.input("x", ("B", "D"), "bf16") @ g.weight("w", ("D", "F"), "bf16")
    >>> is_batch(g, "B"), is_batch(g, "D")
    (True, False)
    """
    batch = symbol(name)
    leaves = [leaf for block in graph.blocks() for leaf in block.leaves.values()]
    return any(leaf.role is Role.INPUT and batch in leaf.shape[:1] for leaf in leaves) and not any(
        leaf.role is Role.WEIGHT and batch in leaf.spec.elements.free_symbols for leaf in leaves
    )


def is_quoted(graph: Graph, name: str) -> bool:
    """Return whether people quote the ridge for `name`: a batch of tokens.

    With a sequence beside it the tokens are the batch, and nobody quotes a ridge for sequences.

    Examples
    --------
    >>> g = Graph("g")
    >>> y = g.input("x", ("B", "S", "D"), "bf16") @ g.weight("w", ("D", "F"), "bf16")
    >>> is_batch(g, "B"), is_quoted(g, "B")
    (True, False)
    """
    leaves = [leaf for block in graph.blocks() for leaf in block.leaves.values()]
    return is_batch(graph, name) and not any(
        leaf.role is Role.INPUT
        and len(leaf.shape) == SEQUENCES
        and leaf.shape[0] == symbol(name)
        and leaf.shape[1] != 1
        for leaf in leaves
    )


def _is_never(crossover: Crossover) -> bool:
    if crossover.free:
        return crossover.kind is Kind.NEVER
    return crossover.kind is Kind.NEVER or crossover.first is None
