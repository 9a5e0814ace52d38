"""Plots as PNG, SVG and PDF files, drawn by matplotlib; the same plot gives the same bytes."""

from __future__ import annotations

import io
import os
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from symroof.errors import InputError, UnknownNameError
from symroof.files import write_bytes_atomically
from symroof.reports.plots.layout import layout
from symroof.reports.plots.plot import Plot
from symroof.reports.plots.text import shown

EXTENSIONS = ("png", "svg", "pdf")
MISSING = "plots need matplotlib: pip install 'symroof[plots]'"

WIDTH, HEIGHT = 800.0, 520.0
PIXELS = 100  # To an inch of a page, so that the words of a plot have the size of print.
DENSITY = 200
LONGEST = 600

# What a matplotlibrc could change, and what makes the bytes the same every time.
SETTINGS: Any = {
    "font.family": ["DejaVu Sans"],
    "path.effects": [],
    "path.simplify": False,
    "path.sketch": None,
    "pdf.compression": 6,
    "pdf.fonttype": 42,
    "savefig.bbox": None,
    "savefig.transparent": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "symroof",
    "text.usetex": False,
}


def save(
    plot: Plot, path: str | os.PathLike[str], *, width: float = WIDTH, height: float = HEIGHT
) -> None:
    """Write a plot to a PNG, SVG or PDF file, whole or not at all.

    Parameters
    ----------
    plot : Plot
        What to draw.
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

    Examples
    --------
    >>> from symroof.reports.plots.plot import Axis, Chart
    >>> axis = Axis("x", "", 1, 100)
    >>> save(Chart("t", "", axis, axis, ()), "plot.pgn")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown plot format 'pgn'; did you mean 'png'?
    """
    write_bytes_atomically(path, image(plot, extension_of(path), width=width, height=height))


def check(path: str | os.PathLike[str]) -> None:
    """Refuse a path that `save` would refuse for its extension, or where matplotlib is missing.

    Examples
    --------
    >>> check("plot.jpg")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown plot format 'jpg'; known: png, svg, pdf
    """
    extension_of(path)
    if find_spec("matplotlib") is None:
        raise InputError(MISSING)


def extension_of(path: str | os.PathLike[str]) -> str:
    """Return the format that a path asks for, without dot and in lower case.

    Examples
    --------
    >>> extension_of("figures/Roof.PNG")
    'png'
    """
    known = ", ".join(EXTENSIONS)
    try:
        found = Path(path).suffix.removeprefix(".").lower()
    except TypeError:
        raise InputError(f"a path is text, not {type(path).__name__}") from None
    if not found:
        raise InputError(f"no extension to choose a format by; known: {known}", where=str(path))
    if found not in EXTENSIONS:
        raise UnknownNameError("plot format", found, EXTENSIONS)
    return found


def image(plot: Plot, extension: str, *, width: float = WIDTH, height: float = HEIGHT) -> bytes:
    """Return a plot as the bytes of a file.

    Raises
    ------
    InputError
        If matplotlib is not installed.

    Examples
    --------
    >>> from symroof.reports.plots.plot import Axis, Chart
    >>> axis = Axis("x", "", 1, 100)
    >>> image(Chart("t", "", axis, axis, ()), "png")[1:4]
    b'PNG'
    """
    try:
        import matplotlib  # an optional extra
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError(MISSING) from None
    from symroof.reports.plots.artists import draw  # needs matplotlib

    scene = layout(plot, width, height)
    buffer = io.BytesIO()
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        # A name in a script that the font does not have is drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=(scene.width / PIXELS, scene.height / PIXELS), dpi=PIXELS)
        FigureCanvasAgg(figure)
        draw(figure, scene)
        figure.savefig(buffer, format=extension, dpi=DENSITY, metadata=_metadata(plot, extension))
    return buffer.getvalue()


def _metadata(plot: Plot, extension: str) -> dict[str, Any]:
    """Return what a file says of itself: what is shown, and neither when nor with what version."""
    title, description = shown(plot.title, 200), shown(plot.description, LONGEST)
    if extension == "png":
        return {"Title": title, "Description": description, "Software": None}
    if extension == "svg":
        return {"Title": title, "Description": description, "Date": None, "Creator": None}
    return {"Title": title, "Subject": description, "CreationDate": None, "Producer": None}
