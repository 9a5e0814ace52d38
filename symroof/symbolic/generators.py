"""Bring polynomials over different generators together."""

from __future__ import annotations

from math import lcm

from sympy import Expr, Pow, Rational

from symroof.symbolic.expand import Terms, order_of

Parts = tuple[tuple[Expr, ...], Terms]


def aligned(left: Parts, right: Parts) -> tuple[tuple[Expr, ...], Terms, Terms]:
    """Return common generators and the terms of both polynomials over them.

    Where one has x and the other ``sqrt(x)``, both are written in ``sqrt(x)``.

    Examples
    --------
    >>> from sympy import sqrt
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> aligned(((M, N), {(1, 1): 3}), ((sqrt(M),), {(1,): 2}))
    ((N, sqrt(M)), {(1, 2): 3}, {(0, 1): 2})
    """
    if left[0] == right[0]:
        return left[0], left[1], right[1]
    if any(gen.is_Pow for gen in (*left[0], *right[0])):
        left, right = _with_roots(left, right)
    gens = tuple(sorted({*left[0], *right[0]}, key=order_of))
    return gens, _spread(left, gens), _spread(right, gens)


def root_of(gen: Expr) -> tuple[Expr, int]:
    """Return (x, q) of a generator x**(1/q); any other generator is its own first root.

    Examples
    --------
    >>> from sympy import sqrt
    >>> from symroof.symbolic.symbols import symbols
    >>> root_of(sqrt(symbols("M")))
    (M, 2)
    """
    if gen.is_Pow and gen.exp.is_Rational and gen.exp.p == 1:
        return gen.base, int(gen.exp.q)
    return gen, 1


def _spread(p: Parts, gens: tuple[Expr, ...]) -> Terms:
    if p[0] == gens:
        return p[1]
    old = {gen: at for at, gen in enumerate(p[0])}
    places = [old.get(gen, -1) for gen in gens]
    return {tuple([powers[at] if at >= 0 else 0 for at in places]): c for powers, c in p[1].items()}


def _with_roots(*parts: Parts) -> list[Parts]:
    """Write every atom by the root that all need."""
    roots: dict[Expr, int] = {}
    for gens, _ in parts:
        for gen in gens:
            atom, root = root_of(gen)
            roots[atom] = lcm(roots.get(atom, 1), root)
    result = []
    for gens, terms in parts:
        found = [root_of(gen) for gen in gens]
        scales = [roots[atom] // root for atom, root in found]
        if any(scale != 1 for scale in scales):
            gens = tuple(Pow(atom, Rational(1, roots[atom])) for atom, _ in found)
            terms = {
                tuple([e * scale for e, scale in zip(powers, scales, strict=True)]): c
                for powers, c in terms.items()
            }
        result.append((gens, terms))
    return result
