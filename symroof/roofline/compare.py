"""Which of several time terms is the largest: by exact numbers, or by signs."""

from __future__ import annotations

from collections.abc import Mapping

from symroof.errors import UnboundError
from symroof.roofline.bound import Bound
from symroof.symbolic.signs import Sign
from symroof.units import Quantity
from symroof.units.compare import difference


def largest(terms: Mapping[str, Quantity]) -> tuple[str, ...]:
    """Return the names of the largest terms, several when they are equal; none without terms.

    Known rates are numbers; other free symbols are decided by signs where that is possible, for
    all values (1 or more for counts).

    Raises
    ------
    UnboundError
        If two terms compare differently for different values of the free symbols.

    Examples
    --------
    >>> largest({"compute": Quantity("n/4", "ns"), "memory": Quantity("n/3", "ns")})
    ('memory',)
    """
    known = {name: term.resolved() for name, term in terms.items()}
    known = {name: term for name, term in known.items() if term.expr != 0}
    for _name, term in known.items():
        signs = {
            other: difference(term.expr, rival.expr, term.scope.counts)
            for other, rival in known.items()
        }
        if all(found in (Sign.POSITIVE, Sign.ZERO) for found in signs.values()):
            return tuple(other for other, found in signs.items() if found is Sign.ZERO)
    if known:
        free = {symbol.name for term in known.values() for symbol in term.expr.free_symbols}
        raise UnboundError("the largest term", free)
    return ()


def as_bound(names: tuple[str, ...]) -> Bound:
    """Return the verdict for the names of the largest terms.

    Examples
    --------
    >>> as_bound(("memory",)), as_bound(("compute", "memory"))
    (<Bound.MEMORY: 'memory'>, <Bound.BALANCED: 'balanced'>)
    """
    if not names:
        return Bound.NO_WORK
    return Bound(names[0]) if len(names) == 1 else Bound.BALANCED
