"""What must hold between names, for plots and pages that go through their values."""

from __future__ import annotations

from sympy import Expr

from symroof.graph.work import domain
from symroof.roofline import Roofline


def needed(roofline: Roofline) -> list[tuple[str, Expr, Expr]]:
    """Return what ops and fractions need: who needs it, what is at most, what is at least.

    Examples
    --------
    >>> import symroof as sr
    >>> ddr = {"ddr": {"bandwidth": "200 GB/s", "remote": "80 GB/s"}}
    >>> mine = sr.Chip("mine", peak={"fp16": "4 TFLOP/s"}, memory=ddr)
    >>> needed(sr.analyze(sr.load("mn,nk->mk"), mine, numa="serial"))
    [('local fraction', f, 1)]
    """
    found = [(f"op {op!r}", low, high) for op, low, high in domain(roofline.graph)]
    return [*found, *roofline.inside.conditions]
