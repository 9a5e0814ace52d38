"""What an answer looks like."""

from __future__ import annotations

from enum import Enum

from symroof.solve.ranges import SymbolicRegion


class Kind(Enum):
    """What an answer looks like.

    ALWAYS and NEVER hold for all values of the names that are left; AT has one end, BETWEEN and
    OUTSIDE have two, INTERVALS more; CASES depends on the other names in more ways than "such a
    region, else never"; UNSOLVED has no answer before more is bound.

    Examples
    --------
    >>> Kind.of(SymbolicRegion())
    <Kind.NEVER: 'never'>
    """

    ALWAYS = "always"
    NEVER = "never"
    AT = "at"
    BETWEEN = "between"
    OUTSIDE = "outside"
    INTERVALS = "intervals"
    CASES = "cases"
    UNSOLVED = "unsolved"

    @classmethod
    def whole(cls, region: SymbolicRegion) -> Kind | None:
        """Return ALWAYS or NEVER for a set that is everything or empty, None for others."""
        return cls.NEVER if region.is_empty else cls.ALWAYS if region.is_all else None

    @classmethod
    def of(cls, region: SymbolicRegion) -> Kind:
        """Return the kind of a single set."""
        if region.is_empty:
            return cls.NEVER
        if region.is_all:
            return cls.ALWAYS
        return _BY_SHAPE[region.shape]


_BY_SHAPE = {
    ">=": Kind.AT,
    "<=": Kind.AT,
    "between": Kind.BETWEEN,
    "outside": Kind.OUTSIDE,
    None: Kind.INTERVALS,
}
