"""The legend below a plot: what has no room in it, in rows."""

from __future__ import annotations

from collections.abc import Iterable

from symroof.reports.plots.frame import EDGE
from symroof.reports.plots.scene import Key, Kind, Label, Swatch
from symroof.reports.plots.text import shorten, shown, width

SAMPLE, AFTER, BETWEEN = 20.0, 5.0, 16.0
ROW = 1.55
MOST = 40


def legend(
    entries: Iterable[tuple[Swatch, int, str]], canvas: float, top: float, size: float
) -> tuple[tuple[Key, ...], float]:
    """Return the keys of a legend, and its lower end.

    Parameters
    ----------
    entries : iterable of (Swatch, int, str)
        Sample, colour and text; one that was there already is left out.
    canvas : float
        Its width.
    top : float
        Where the legend begins.
    size : float
        Of the font.

    Examples
    --------
    >>> keys, bottom = legend([(Swatch.DOT, 0, "a"), (Swatch.DOT, 0, "a")], 300, 100, 10)
    >>> [key.label.text for key in keys], bottom > 100
    (['a'], True)
    """
    distinct = list(dict.fromkeys((swatch, hue, shown(text)) for swatch, hue, text in entries))
    if len(distinct) > MOST:
        left = len(distinct) - MOST + 1
        distinct = [*distinct[: MOST - 1], (Swatch.NONE, 0, f"and {left} more")]
    most = min(canvas / 2, canvas - 2 * EDGE) - SAMPLE - AFTER
    texts = [shorten(text, most, size) for _, _, text in distinct]
    samples = [0.0 if swatch is Swatch.NONE else SAMPLE + AFTER for swatch, _, _ in distinct]
    wide = [a + width(text, size) for a, text in zip(samples, texts, strict=True)]
    columns = 0.0
    if sum(wide) + BETWEEN * len(wide) > 2 * canvas:
        columns = max(wide) + BETWEEN
    keys: list[Key] = []
    x, y = EDGE, top + ROW * size / 2
    for (swatch, hue, _), text, sample, needs in zip(distinct, texts, samples, wide, strict=True):
        if keys and x + needs > canvas - EDGE:
            x, y = EDGE, y + ROW * size
        label = Label(text, Kind.KEY, (x + sample, y), (0.0, 0.27 * size), size=size)
        keys.append(Key(swatch, (x, y), hue, label))
        x += columns or needs + BETWEEN
    return tuple(keys), y + ROW * size / 2 if keys else top
