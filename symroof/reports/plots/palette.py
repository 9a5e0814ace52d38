"""The colours of plots, by index: Okabe and Ito's, told apart by colour-blind eyes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Colour:
    """One entry, for a light or a dark sheet.

    Attributes
    ----------
    fill : str
        Of areas, dots and bars.
    line : str
        Of lines; the same but where it would be too pale.
    text : str
        Of words in that colour: a contrast of 4.5 to the sheet or more.
    on : str
        Of words on the fill: a contrast of 4.5 to it or more.
    """

    fill: str
    line: str
    text: str
    on: str


@dataclass(frozen=True, slots=True)
class Theme:
    """All colours of a sheet: what is drawn on, words, quiet words, the grid, and the palette."""

    sheet: str
    ink: str
    quiet: str
    grid: str
    colours: tuple[Colour, ...]


LIGHT = Theme(
    "#ffffff",
    "#1b1f24",
    "#57606a",
    "#e3e6ea",
    (
        Colour("#0072b2", "#0072b2", "#005f95", "#ffffff"),
        Colour("#d55e00", "#d55e00", "#a84a00", "#000000"),
        Colour("#009e73", "#009e73", "#00694d", "#000000"),
        Colour("#cc79a7", "#cc79a7", "#963c70", "#000000"),
        Colour("#e69f00", "#e69f00", "#855c00", "#000000"),
        Colour("#56b4e9", "#56b4e9", "#1a6795", "#000000"),
        Colour("#4a4f55", "#1b1f24", "#1b1f24", "#ffffff"),
        Colour("#f0e442", "#a89d00", "#6b6400", "#000000"),
    ),
)

DARK = Theme(
    "#14181d",
    "#e6e9ed",
    "#a3adb8",
    "#2a3038",
    (
        Colour("#4aa3dc", "#4aa3dc", "#7cc1ee", "#000000"),
        Colour("#f07f2e", "#f07f2e", "#ff9d57", "#000000"),
        Colour("#26b98d", "#26b98d", "#45d3a8", "#000000"),
        Colour("#d98fb9", "#d98fb9", "#eeadd0", "#000000"),
        Colour("#e9ab22", "#e9ab22", "#f3c155", "#000000"),
        Colour("#7cc8f2", "#7cc8f2", "#9cd6f7", "#000000"),
        Colour("#c4cad1", "#e6e9ed", "#e6e9ed", "#000000"),
        Colour("#f0e442", "#f0e442", "#f0e442", "#000000"),
    ),
)

SIZE = len(LIGHT.colours)
