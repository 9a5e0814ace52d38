r"""How wide the columns of a LaTeX table are, and how small its letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Need:
    """What a column needs, in letters: so many at least, and so many at most.

    Its content wraps where it gets less than the most, and is cut or shrunk under the least.
    """

    least: float
    most: float
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    """A size of letters: its command, the points a letter is wide, and the room of a page."""

    command: str
    letter: float
    room: float


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are written, by place, with their widths in letters, and the size."""

    kept: tuple[int, ...]
    widths: tuple[float, ...]
    size: Size


LINE_POINTS = 453.0
GAP_POINTS = 10.0
SIZES = tuple(
    Size(command, letter, LINE_POINTS / letter)
    for command, letter in ((r"\small", 5.05), (r"\footnotesize", 4.55), (r"\scriptsize", 4.1))
)


def columns(needs: Sequence[Need]) -> Columns:
    """Return columns that fit on a page: smaller letters come first, then optional ones go.

    Examples
    --------
    >>> columns([Need(4, 20), Need(4, 8)]).widths
    (20, 8)
    >>> found = columns([Need(40, 40), Need(40, 40), Need(40, 40, optional=True)])
    >>> found.kept, found.size is SIZES[0]
    ((0, 1), True)
    """
    kept = list(range(len(needs)))
    while True:
        for size in SIZES:
            if sum(needs[at].least for at in kept) <= _room(size, len(kept)):
                return _given(needs, kept, size)
        last = next((at for at in reversed(kept) if needs[at].optional and len(kept) > 1), None)
        if last is None:
            return _given(needs, kept, SIZES[-1])
        kept.remove(last)


def _given(needs: Sequence[Need], kept: Sequence[int], size: Size) -> Columns:
    room = _room(size, len(kept))
    least = [needs[at].least for at in kept]
    if sum(least) > room:
        widths = _poured(least, room)
    else:
        wants = [needs[at].most - needs[at].least for at in kept]
        more = _poured(wants, room - sum(least))
        widths = [low + extra for low, extra in zip(least, more, strict=True)]
    return Columns(tuple(kept), tuple(widths), size)


def _room(size: Size, count: int) -> float:
    return size.room - GAP_POINTS / size.letter * max(count - 1, 0)


def _poured(wants: Sequence[float], room: float) -> list[float]:
    """Return what each gets of the room: what it wants, or else an equal share of the rest."""
    left, share = room, room
    for count, want in zip(range(len(wants), 0, -1), sorted(wants), strict=True):
        share = max(left / count, 0.0)
        if want > share:
            return [min(each, share) for each in wants]
        left -= want
    return list(wants)
