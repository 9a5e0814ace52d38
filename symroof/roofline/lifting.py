"""Which ceiling binds, and what lifting it would gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symroof.errors import UnboundError, UnknownNameError
from symroof.hardware.ceilings import Ceiling
from symroof.roofline.compare import largest
from symroof.roofline.inside_kinds import Numa
from symroof.roofline.terms import GROUPS, MAIN, REMOTE, Resource
from symroof.symbolic import bind
from symroof.units import Quantity, max_of

if TYPE_CHECKING:
    from symroof.roofline.roofline import Roofline


@dataclass(frozen=True, slots=True)
class Lifting:
    """A ceiling that was applied, and the time without it.

    Attributes
    ----------
    ceiling : Ceiling
        The ceiling.
    time : Quantity
        The overlapped bound once it is lifted, with all others still there.
    gain : Quantity
        The time with it ÷ the time without it, 1 or more; 1 where it does not bind.
    """

    ceiling: Ceiling
    time: Quantity
    gain: Quantity


def lifted(roofline: Roofline, name: str) -> Roofline:
    """Return the roofline less one of its ceilings.

    Raises
    ------
    UnknownNameError
        If no ceiling of that name was applied.

    Examples
    --------
    >>> import symroof as sr
    >>> mine = sr.Chip("mine", peak={"fp16": "8 GFLOP/s"}, memory={"ddr": "16 GB/s"},
    ...                ceiling={"no simd": {"on": "peak", "factor": "1/4"}})
    >>> r = sr.analyze(sr.load("mn,nk->mk"), mine, ceilings=["no simd"])
    >>> lifted(r, "no simd").inside.ceilings
    ()
    """
    applied = {each.name: each for each in roofline.inside.ceilings}
    if name not in applied:
        hint = "" if applied else "none is applied"
        raise UnknownNameError("ceiling", str(name), applied, hint=hint)
    return roofline.with_inside(roofline.inside.without(applied[name]))


def liftings(roofline: Roofline) -> tuple[Lifting, ...]:
    """Return what lifting each ceiling that was applied would gain, one at a time.

    Examples
    --------
    >>> import symroof as sr
    >>> mine = sr.Chip("mine", peak={"fp16": "8 GFLOP/s"}, memory={"ddr": "16 GB/s"},
    ...                ceiling={"no simd": {"on": "peak", "factor": "1/16"}})
    >>> r = sr.analyze(sr.load("mn,nk->mk"), mine, ceilings=["no simd"])
    >>> (found,) = liftings(r.at(m=64, n=64, k=64))
    >>> found.ceiling.name, str(found.gain.value)
    ('no simd', '16')
    """
    found = []
    for each in roofline.inside.ceilings:
        after = lifted(roofline, each.name)
        found.append(Lifting(each, after.time.overlapped, _gain(roofline, after)))
    return tuple(found)


def _gain(now: Roofline, after: Roofline) -> Quantity:
    """Return the time before ÷ the time after, both in units of one term, so that dims cancel."""
    terms = [time for time in now.groups.values() if time.expr != 0]
    if not terms:
        return Quantity("1", "")  # no work: nothing to gain
    longest = [
        max_of(*(time / terms[0] for time in groups.values() if time.expr != 0))
        for groups in (now.groups, after.groups)
    ]
    return longest[0] / longest[1]


def binding_ceiling(roofline: Roofline) -> Lifting | None:
    """Return the ceiling that binds, of several the one whose lifting gains most; None without.

    A ceiling binds where the rate of the largest term is what it leaves. Two that bind together
    gain nothing one at a time.

    Raises
    ------
    UnboundError
        If that depends on symbols that are still free.
    """
    if not roofline.inside.ceilings:
        return None
    try:
        longest = roofline.largest_terms()
    except UnboundError as error:
        raise UnboundError("the ceiling that binds", error.names) from None
    bound = {
        each.name
        for resource, time in roofline.terms.items()
        if GROUPS[resource[0]] in longest and _is_slowest(roofline, resource, time)
        for each in _at(roofline, resource)
    }
    best: Lifting | None = None
    for each in liftings(roofline):
        gain = each.gain.resolved()
        if each.ceiling.name not in bound:
            continue
        if not gain.expr.is_number:
            raise UnboundError("the ceiling that binds", (s.name for s in gain.expr.free_symbols))
        if best is None or gain.expr > best.gain.resolved().expr:
            best = each
    return best


def _is_slowest(roofline: Roofline, resource: Resource, time: Quantity) -> bool:
    """Return whether a resource takes part in the time of its term: of levels the slowest does."""
    if resource[0] != "byte":
        return True
    levels = {key: t for key, t in roofline.terms.items() if key[0] == "byte"}
    if roofline.inside.numa is Numa.SERIAL and resource in (MAIN, REMOTE):
        return True
    names = {"/".join(key): t for key, t in levels.items()}
    return "/".join(resource) in largest(names)


def _at(roofline: Roofline, resource: Resource) -> tuple[Ceiling, ...]:
    """Return the ceilings that a rate is at: the factors together, or the least of the caps."""
    over = roofline.inside.over(resource)
    caps = [each for each in over if each.rate is not None]
    factors = tuple(each for each in over if each.rate is None)
    if not caps:
        return factors
    known = roofline.rates.scope.values
    rate = roofline.rate(resource).resolved().expr
    found = tuple(each for each in caps if bind(each.symbol, known) == rate)
    return found or factors
