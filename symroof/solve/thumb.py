"""The rule of thumb behind a threshold: what is left of it as all other dims grow together."""

from __future__ import annotations

from sympy import Expr

from symroof.errors import InputError, UndecidedError
from symroof.solve.limits import limit_all


def rule_of_thumb(threshold: Expr | None, counts: frozenset[str]) -> Expr | None:
    """Return the threshold as all counts go to infinity together, at fixed ratios.

    Parameters
    ----------
    threshold : Expr or None
        The threshold in closed form.
    counts : frozenset of str
        The names that grow.

    Returns
    -------
    Expr or None
        None where the limit is 0 or infinite, is not known, or still depends on one of them.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K, I = symbols("N K I")
    >>> rule_of_thumb(I * N * K / (N * K - I * (N + K)), frozenset({"N", "K"}))
    I
    """
    if threshold is None or threshold.is_number:
        return None
    try:
        found = limit_all(threshold, counts)
    except (InputError, UndecidedError):
        return None
    if found.is_zero or found.is_infinite or found == threshold:
        return None
    return None if any(symbol.name in counts for symbol in found.free_symbols) else found
