"""What collectives move over a tree of chips, from the sizes of its subtrees: numbers only."""

from __future__ import annotations

from sympy import Expr, Integer, Rational

from symroof.errors import InputError
from symroof.network.forms import A2A, AG, AR, BROADCAST, GATHER, RS, ZERO, Amounts
from symroof.network.names import Collective
from symroof.network.topology import Tree
from symroof.symbolic.exact import shown

MAX_SIZE = 1_000_000


def tree_amounts(collective: Collective, tree: Tree, v: Expr) -> Amounts:
    """Return what a collective moves over the links of a tree, its root being that of the tree.

    Raises
    ------
    InputError
        If the size is a symbol, or more than a million.

    Examples
    --------
    >>> tree_amounts(AR, Tree(7), Integer(1))
    Amounts(egress=3, sent=12/7, received=12/7, hops=4)
    """
    if not tree.size.is_Integer or tree.size > MAX_SIZE:
        message = f"a tree needs a size that is a number, at most {MAX_SIZE:,}"
        raise InputError(f"{message}, not {shown(tree.size)}", where="tree size")
    n, ports = int(tree.size), tree.ports
    if n == 1:
        return Amounts(ZERO, ZERO, ZERO, ZERO)
    below = subtrees(n, tree.arity)[1:]
    depth, across = _depths(n, tree.arity)
    share = v * Rational(n - 1, n)
    if collective in (AG, RS):
        return Amounts(ports * share, share, share, across)
    if collective is AR:
        return Amounts(ports * v, 2 * share, 2 * share, 2 * depth)
    if collective is BROADCAST:
        return Amounts(ports * v, share, share, depth)
    if collective is GATHER:
        mean = v * Rational(sum(below), n * n)
        return Amounts(ports * v * Rational(max(below), n), mean, mean, depth)
    assert collective is A2A
    pairs = [size * (n - size) for size in below]
    mean = v * Rational(2 * sum(pairs), n * n)
    return Amounts(ports * v * Rational(max(pairs), n), mean, mean, across)


def subtrees(n: int, arity: int) -> list[int]:
    """Return the chips at and below each of n, numbered level by level.

    Examples
    --------
    >>> subtrees(6, 2)
    [6, 3, 2, 1, 1, 1]
    """
    sizes = [1] * n
    for chip in range(n - 1, 0, -1):
        sizes[(chip - 1) // arity] += sizes[chip]
    return sizes


def _depths(n: int, arity: int) -> tuple[Expr, Expr]:
    """Return the steps from the root to the deepest chip, and between the two farthest."""
    reach = [0] * n
    across = 0
    for chip in range(n - 1, 0, -1):
        parent, up = (chip - 1) // arity, reach[chip] + 1
        across = max(across, reach[parent] + up)
        reach[parent] = max(reach[parent], up)
    return Integer(reach[0]), Integer(across)
