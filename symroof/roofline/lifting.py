"""Which ceiling binds, and what lifting it would gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symroof.errors import UnboundError, UnknownNameError
from symroof.hardware.ceilings import Ceiling
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
    """Return the ceiling whose lifting gains most; None where none of them gains anything.

    Raises
    ------
    UnboundError
        If that depends on symbols that are still free.
    """
    best: Lifting | None = None
    for each in liftings(roofline):
        gain = each.gain.resolved()
        if not gain.expr.is_number:
            raise UnboundError("the ceiling that binds", (s.name for s in gain.expr.free_symbols))
        if gain.expr > 1 and (best is None or gain.expr > best.gain.resolved().expr):
            best = each
    return best
