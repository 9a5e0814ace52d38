"""Where the algorithm exists, by what must hold between names: ``Hkv <= H``, ``k <= E``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from symroof.errors import InputError
from symroof.reports.existence import needed
from symroof.reports.plots.axes import Swept
from symroof.symbolic import to_text

BESIDE = Fraction(1, 10**6)


def rules(swept: Swept, *names: str) -> tuple[str, ...]:
    """Return what must hold where one of the names, by default of the swept ones, has a part.

    Examples
    --------
    >>> import symroof as sr
    >>> from symroof.reports.plots.axes import sweep
    >>> r = sr.analyze(sr.load("attention"), "h100-sxm")
    >>> rules(sweep("times", r, "Hkv")), rules(sweep("times", r, "B"))
    (('Hkv <= H',), ())
    """
    found = names or swept.names
    return tuple(
        f"{to_text(low)} <= {to_text(high)}"
        for _, low, high in needed(swept.roofline)
        if not {atom.name for atom in (high - low).free_symbols}.isdisjoint(found)
    )


def inside(swept: Swept, places: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """Return the values of the first symbol at which the algorithm exists.

    Raises
    ------
    InputError
        If there are not two of them.
    """
    found, (key, *_) = tuple(places), swept.names
    must = rules(swept)
    if not must:
        return found
    kept = tuple(place for place in found if swept.holds(**{key: place}))
    if len(kept) < 2:
        raise InputError(
            f"{' and '.join(must)} leaves {key} no room on this axis;"
            " give other numbers to the rest"
        )
    return kept


def surrounds(swept: Swept, place: float) -> bool:
    """Return whether the algorithm exists on both sides of a value of the first symbol."""
    sides = (Fraction(place) * (1 + sign * BESIDE) for sign in (-1, 1))
    return not rules(swept) or all(swept.holds(**{swept.names[0]: side}) for side in sides)


def note(swept: Swept, *, cut: bool) -> str:
    """Return the sentence that says why a part is not drawn; empty where nothing is cut."""
    return f" Nothing is drawn where {' and '.join(rules(swept))} does not hold." if cut else ""
