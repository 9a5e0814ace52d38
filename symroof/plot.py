"""Pictures of a roofline: ``sr.plot``.

>>> import symroof as sr
>>> r = sr.analyze(sr.load("mlp"), "h100-sxm").at(B=64, D=4096, F=14336)
>>> picture = sr.plot.roofline(r)
>>> picture.plot.title
'Roofline: mlp on h100-sxm, B=64, D=4096, F=14336'

``picture.save("mlp.png")`` writes a file (PNG, SVG or PDF, with matplotlib); a notebook shows it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symroof.graph import Graph
from symroof.reports.plots import breakdown as _breakdown
from symroof.reports.plots import intensity as _intensity
from symroof.reports.plots import network as _network
from symroof.reports.plots import regimes as _regimes
from symroof.reports.plots import roofline as _roofline
from symroof.reports.plots import throughput as _throughput
from symroof.reports.plots import times as _times
from symroof.reports.plots.plot import Plot
from symroof.roofline import Roofline
from symroof.serving.serving import Serving

__all__ = [
    "Picture",
    "breakdown",
    "intensity",
    "network",
    "regimes",
    "roofline",
    "throughput",
    "times",
]


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot that shows itself in a notebook and is saved to files.

    Attributes
    ----------
    plot : Plot
        What is drawn, as data.
    """

    plot: Plot

    def save(
        self, path: str | os.PathLike[str], *, width: float = 800.0, height: float = 520.0
    ) -> None:
        """Write the plot to a PNG, SVG or PDF file, whole or not at all.

        Parameters
        ----------
        path : str or PathLike
            Its extension says the format.
        width, height : float
            In pixels of which 100 are an inch; a PNG has twice as many.

        Raises
        ------
        UnknownNameError
            If the extension is none of png, svg, pdf; with a near match.
        InputError
            If matplotlib is not installed, or the file cannot be written.
        """
        from symroof.reports.plots.files import save

        save(self.plot, path, width=width, height=height)

    def _repr_html_(self) -> str:
        from symroof.reports.plots.svg import style, svg

        return f"<style>{style()}</style>{svg(self.plot)}"

    def __repr__(self) -> str:
        return f"<Picture {self.plot.title!r}>"


def roofline(
    r: Roofline,
    *,
    fused: Graph | bool | None = None,
    grow: str | Mapping[str, object] | None = None,
    measured: Sequence[Sequence[object]] = (),
    points: Sequence[Sequence[object]] = (),
) -> Picture:
    """Draw the roofs of the machine, the algorithm and its ops under them, and what moves it.

    Each level of memory that has bytes has a slanted roof, and the algorithm a point at its
    intensity there; ceilings that are applied are thinner lines under their roofs.

    Parameters
    ----------
    r : Roofline
        With numbers for all symbols.
    fused : Graph or bool, optional
        The algorithm with ops fused, that an arrow leads to; by default elementwise ops ride
        along with the op before them. False for no arrow.
    grow : str or mapping of str to number, optional
        The symbol that grows, to four times what it is or to the number given; by default a batch.
        An empty text for no arrow.
    measured : sequence
        What was measured: ``(label, time)`` of the whole, or ``(label, intensity, performance)``;
        quantities or texts with units.
    points : sequence
        Other measurements, ``(intensity, performance, label)``, as many as there are; of more than
        a dozen none is named, and those above the roof stand out.

    Raises
    ------
    UnboundError
        If symbols are free; the message says which and how to give them numbers.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("matmul"), "h100-sxm").at(M=64, N=4096, K=4096)
    >>> roofline(r, grow={"M": 512}, measured=[("one run", "18 us")])
    <Picture 'Roofline: matmul on h100-sxm, M=64, N=4096, K=4096'>
    """
    return Picture(_roofline.roofline(r, fused=fused, grow=grow, measured=measured, points=points))


def network(r: Roofline) -> Picture:
    """Draw performance against link intensity, FLOPs per byte sent, under the roof of the links.

    Parameters
    ----------
    r : Roofline
        With numbers for all symbols, and bytes that are sent.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm")
    >>> network(r.at(B=1024, D=4096, F=14336, n=8)).plot.x.label
    'link intensity'
    """
    return Picture(_network.network(r))


def intensity(r: Roofline, name: str, *, within: object = None) -> Picture:
    """Draw arithmetic intensity against a symbol, with ridge, limit and exact crossover.

    Parameters
    ----------
    r : Roofline
        With numbers for all other symbols.
    name : str
        The symbol.
    within : pair of numbers, optional
        The ends of its axis.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("matmul"), "h100-sxm")
    >>> intensity(r, "M")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    symroof.reports.plots.axes.NumbersNeededError: intensity needs numbers for K, N: ...
    """
    return Picture(_intensity.intensity(r, name, within=within))


def times(r: Roofline, name: str, *, within: object = None) -> Picture:
    """Draw the time terms against a symbol of the algorithm or a rate of the machine.

    Parameters
    ----------
    r : Roofline
        With numbers for all other symbols.
    name : str
        The symbol; ``bw``, ``peak`` or ``link`` for a rate.
    within : pair of numbers, optional
        The ends of its axis; those of a rate with their unit.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("matmul"), "h100-sxm").at(M=64, N=4096, K=4096)
    >>> times(r, "bw", within=("1 TB/s", "40 TB/s")).plot.x.unit
    'TB/s'
    """
    return Picture(_times.times(r, name, within=within))


def regimes(r: Roofline, x: str, y: str, *, within: Mapping[str, object] | None = None) -> Picture:
    """Draw which time term is the largest over two symbols, with exact boundaries.

    Parameters
    ----------
    r : Roofline
        With numbers for all other symbols.
    x, y : str
        The symbols along and up.
    within : mapping of str to pair of numbers, optional
        The ends of the axes by symbol.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("matmul"), "h100-sxm").at(K=4096)
    >>> regimes(r, "M", "N", within={"M": (1, 4096), "N": (1, 4096)}).plot.x.high
    4096.0
    """
    return Picture(_regimes.regimes(r, x, y, within=within))


def breakdown(r: Roofline) -> Picture:
    """Draw the time terms of each op as bars, longest first.

    Parameters
    ----------
    r : Roofline
        With numbers for all symbols.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("matmul"), "h100-sxm").at(M=64, N=4096, K=4096)
    >>> breakdown(r).plot.segments
    ('compute', 'memory')
    """
    return Picture(_breakdown.breakdown(r))


def throughput(serving: Serving, batches: Sequence[int] = ()) -> Picture:
    """Draw the tokens a second of a language model over the batch, up to what fits.

    Parameters
    ----------
    serving : Serving
        With numbers for its lengths.
    batches : sequence of int, optional
        Batches to mark.

    Examples
    --------
    >>> import symroof as sr
    >>> served = sr.serve("llama-3-8b", "h100-sxm", context=1024)
    >>> throughput(served).plot.x.high > 64
    True
    """
    made = _throughput.throughput(serving, batches)
    setup = serving.setup
    title = f"{made.title}: {setup.model.name} on {setup.machine.name}"
    return Picture(replace(made, title=title))
