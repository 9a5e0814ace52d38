"""Solution sets with symbolic ends: unions of ranges, each bounded from below, above or both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sympy import Expr

from symroof.errors import UnboundError
from symroof.solve.ends import End
from symroof.symbolic.adopt import adopt
from symroof.symbolic.build import maximum, minimum
from symroof.symbolic.evaluate import bind
from symroof.symbolic.forms import NO_LABELS, Call, Comparison, Form, Name, Named, Relation
from symroof.symbolic.reals import order as order_of
from symroof.symbolic.regions import Region
from symroof.symbolic.writer import Lead, Order


class Bound(NamedTuple):
    """The unknown is on one side of an end.

    Attributes
    ----------
    end : End
        Where.
    lower : bool
        Whether the end is the lower one.
    closed : bool
        Whether the end itself belongs to the set.
    """

    end: End
    lower: bool
    closed: bool = True


Piece: TypeAlias = tuple[Bound, ...]
"""All of its bounds hold; without bounds it is every positive number."""


@dataclass(frozen=True, slots=True)
class SymbolicRegion:
    """A set of positive numbers: the union of pieces, each an intersection of bounds.

    Attributes
    ----------
    pieces : tuple of tuple of Bound
        No piece is the empty set, a piece without bounds is everything.

    Examples
    --------
    >>> from sympy import Rational
    >>> region = SymbolicRegion(((Bound(End(Rational(7, 3)), lower=True),),))
    >>> region.text("M"), region.contains(3), region.contains(2)
    ('M >= 7/3', True, False)
    """

    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of(cls, region: Region) -> SymbolicRegion:
        """Return a set of numbers in the form of a set with formulas for ends.

        Examples
        --------
        >>> SymbolicRegion.of(Region.ALL).is_all
        True
        """
        pieces = []
        for interval in region.intervals:
            bounds = []
            if interval.lower is not None:
                bounds.append(Bound(End(interval.lower), True, interval.lower_closed))
            if interval.upper is not None:
                bounds.append(Bound(End(interval.upper), False, interval.upper_closed))
            pieces.append(tuple(bounds))
        return cls(tuple(pieces))

    @property
    def is_empty(self) -> bool:
        """Whether there is no piece."""
        return not self.pieces

    @property
    def is_all(self) -> bool:
        """Whether it is every positive number."""
        return () in self.pieces

    @property
    def lowers(self) -> tuple[Piece, ...]:
        """The pieces bounded from below only."""
        return tuple(piece for piece in self.pieces if all(bound.lower for bound in piece))

    @property
    def uppers(self) -> tuple[Piece, ...]:
        """The pieces bounded from above only."""
        return tuple(piece for piece in self.pieces if not any(bound.lower for bound in piece))

    @property
    def relation(self) -> str | None:
        """One of ``>= > <= < between outside``, where the set has such a form.

        Examples
        --------
        >>> from sympy import Rational
        >>> SymbolicRegion(((Bound(End(Rational(8)), True, closed=False),),)).relation
        '>'
        """
        shape = self.shape
        if shape in (">=", "<="):
            lower = shape == ">="
            bounds = [bound for piece in self.pieces for bound in piece if bound.lower == lower]
            return shape if any(bound.closed for bound in bounds) else shape[0]
        return shape

    @property
    def shape(self) -> str | None:
        """One of ``>= <= between outside``, whether or not the ends belong to the set."""
        count, below, above = len(self.pieces), len(self.lowers), len(self.uppers)
        if not count or self.is_all:
            return None
        if below == count:
            return ">="
        if above == count:
            return "<="
        if count == 1:
            return "between"
        return "outside" if below + above == count else None

    @property
    def threshold(self) -> Expr | None:
        """The lower end; the upper one for ``<=``, the end of the lower part for ``outside``."""
        lower = self.shape in (">=", "between")
        groups = self._end_groups()[0]
        if not groups:
            return None
        ends = [_limit([end.expr for end in group], lower=lower) for group in groups]
        return _limit(ends, lower=not lower)

    @property
    def threshold_upper(self) -> Expr | None:
        """The upper end of ``between``, the start of the upper part of ``outside``."""
        groups = self._end_groups()[1]
        if not groups:
            return None
        lower = self.shape == "outside"
        ends = [_limit([end.expr for end in group], lower=lower) for group in groups]
        return _limit(ends, lower=not lower)

    def ends(self, lead: Lead = (), order: Order = ()) -> tuple[Form | None, Form | None]:
        """Return `threshold` and `threshold_upper` as display trees."""
        first, second = self._end_groups()
        lower = self.shape in (">=", "between")
        style = (lead, order)
        return (
            _end_form(first, *style, lower=lower),
            _end_form(second, *style, lower=self.shape == "outside"),
        )

    def _end_groups(self) -> tuple[list[list[End]], list[list[End]]]:
        """Return the ends of each piece that make the threshold, and the upper threshold."""
        lowers = [[b.end for b in piece if b.lower] for piece in self.pieces]
        uppers = [[b.end for b in piece if not b.lower] for piece in self.pieces]
        match self.shape:
            case ">=":
                return lowers, []
            case "<=":
                return uppers, []
            case "between":
                return lowers, uppers
            case "outside":
                return [ends for ends in uppers if ends], [ends for ends in lowers if ends]
        return [], []

    def union(self, other: SymbolicRegion) -> SymbolicRegion:
        """Return the set of what is in either."""
        if self.is_all or other.is_all:
            return ALL
        return SymbolicRegion(_absorbed((*self.pieces, *other.pieces)))

    def intersection(self, other: SymbolicRegion) -> SymbolicRegion:
        """Return the set of what is in both."""
        if self.is_all:
            return other
        if other.is_all:
            return self
        pieces = (
            tuple(dict.fromkeys((*piece, *more))) for piece in self.pieces for more in other.pieces
        )
        return SymbolicRegion(_absorbed(pieces))

    def complement(self) -> SymbolicRegion:
        """Return the set of the positive numbers that are not in it."""
        result = ALL
        for piece in self.pieces:
            turned = tuple((Bound(b.end, not b.lower, not b.closed),) for b in piece)
            result = result.intersection(SymbolicRegion(turned))
        return result

    def at(self, values: Mapping[str, object]) -> SymbolicRegion:
        """Return the set with names in its ends bound.

        Examples
        --------
        >>> from symroof.symbolic.parser import parse
        >>> region = SymbolicRegion(((Bound(End(parse("n/k")), lower=True),),))
        >>> region.at({"n": 4, "k": 2}).text("M")
        'M >= 2'
        """
        return SymbolicRegion(
            tuple(
                tuple(Bound(End(bind(b.end.expr, values)), b.lower, b.closed) for b in piece)
                for piece in self.pieces
            )
        )

    def contains(self, value: object) -> bool:
        """Return whether a positive number is in the set, exactly.

        Raises
        ------
        UnboundError
            If an end still depends on a name.
        """
        number = adopt(value)
        return any(all(_keeps(bound, number) for bound in piece) for piece in self.pieces)

    def text(self, name: str, lead: Lead = (), order: Order = ()) -> str:
        """Return ASCII text: comparisons joined by "and" and "or", ``always`` or ``never``.

        Each side is in the grammar of `parse`.
        """
        if self.is_all:
            return "always"
        alternatives = [
            " and ".join(form.plain() for form in forms) for forms in self.forms(name, lead, order)
        ]
        if len(alternatives) > 1:
            alternatives = [f"({a})" if " and " in a else a for a in alternatives]
        return " or ".join(alternatives) or "never"

    def unicode(
        self,
        name: str,
        labels: Mapping[str, str] = NO_LABELS,
        lead: Lead = (),
        order: Order = (),
    ) -> str:
        """Return text for people: ``m ≥ I·n·k / (n·k − I·(n + k))``."""
        if self.is_all:
            return "always"
        names: dict[str, Form] = {}
        alternatives = []
        for forms in self.forms(name, lead, order):
            sides = [_shared(form, names) for form in forms]
            alternatives.append(_joined(sides, labels))
        if len(alternatives) > 1:
            alternatives = [f"({a})" if " and " in a else a for a in alternatives]
        text = " or ".join(alternatives) or "never"
        if names:
            meanings = (f"{key} = {form.unicode(labels)}" for key, form in names.items())
            text += f", where {', '.join(meanings)}"
        return text

    def forms(
        self, name: str, lead: Lead = (), order: Order = ()
    ) -> tuple[tuple[Comparison, ...], ...]:
        """Return the set as alternatives of comparisons of the unknown with its ends."""
        unknown = Name(name)
        if self.shape in (">=", "<=") and len(self.pieces) > 1:
            single = [piece[0] for piece in self.pieces if len(piece) == 1 and piece[0].closed]
            if len(single) == len(self.pieces):
                lower = self.shape == ">="
                ends = tuple(bound.end.form(lead, order) for bound in single)
                relation = Relation(self.shape)
                call = Call("min" if lower else "max", _without_names(ends))
                return ((Comparison(unknown, relation, call),),)
        return tuple(_comparisons(unknown, piece, lead, order) for piece in self.pieces)


NEVER = SymbolicRegion()
ALL = SymbolicRegion(((),))


def _limit(ends: list[Expr], *, lower: bool) -> Expr:
    """Return the end that counts where all bounds hold: the largest of the lower ones."""
    return maximum(ends) if lower else minimum(ends)


def _end_form(groups: list[list[End]], lead: Lead, order: Order, *, lower: bool) -> Form | None:
    if not groups:
        return None
    forms = [_call("max" if lower else "min", [e.form(lead, order) for e in g]) for g in groups]
    return _call("min" if lower else "max", forms)


def _call(function: str, forms: list[Form]) -> Form:
    return forms[0] if len(forms) == 1 else Call(function, _without_names(forms))


def _keeps(bound: Bound, number: Expr) -> bool:
    end = bound.end.expr
    if not end.is_Rational and end.free_symbols:
        raise UnboundError("the region", (symbol.name for symbol in end.free_symbols))
    side = order_of(number, end)
    return (side > 0) == bound.lower if side else bound.closed


def _absorbed(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Drop pieces that lie in another one because they have all its bounds and more."""
    pieces = tuple(pieces)
    if len(pieces) < 2:
        return pieces
    kept: list[tuple[Piece, frozenset[Bound]]] = []
    for piece in pieces:
        own = frozenset(piece)
        if any(other <= own for _, other in kept):
            continue
        kept = [(p, other) for p, other in kept if not own <= other]
        kept.append((piece, own))
    return tuple(piece for piece, _ in kept)


def _comparisons(unknown: Form, piece: Piece, lead: Lead, order: Order) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    if len(piece) == 2 and piece[0].end == piece[1].end and piece[0].closed and piece[1].closed:
        return (Comparison(unknown, Relation.EQUAL, piece[0].end.form(lead, order)),)
    for lower, closed in ((True, True), (True, False), (False, True), (False, False)):
        ends = tuple(b.end.form(lead, order) for b in piece if b[1:] == (lower, closed))
        if not ends:
            continue
        relation = Relation((">" if lower else "<") + ("=" if closed else ""))
        if len(ends) > 1:
            ends = (Call("max" if lower else "min", _without_names(ends)),)
        found.append(Comparison(unknown, relation, ends[0]))
    return tuple(found)


def _without_names(forms: Iterable[Form]) -> tuple[Form, ...]:
    return tuple(form.inline() if isinstance(form, Named) else form for form in forms)


def _shared(form: Comparison, names: dict[str, Form]) -> Comparison:
    """Take the named parts of a comparison out into `names`; write them out where names clash."""
    if not isinstance(form.right, Named):
        return form
    own = dict(form.right.names)
    if all(names.get(key, part) == part for key, part in own.items()):
        names |= own
        return Comparison(form.left, form.relation, form.right.body)
    return Comparison(form.left, form.relation, form.right.inline())


def _joined(sides: list[Comparison], labels: Mapping[str, str]) -> str:
    if len(sides) == 2 and sides[0].relation in (Relation.AT_LEAST, Relation.GREATER):
        low, high = sides
        if high.relation in (Relation.AT_MOST, Relation.LESS):
            start = Comparison(low.right, low.relation.mirrored(), low.left).unicode(labels)
            tail = high.unicode(labels).removeprefix(high.left.unicode(labels))
            return start + tail
    return " and ".join(form.unicode(labels) for form in sides)
