"""Diagrams drawn: as inline SVG, as Mermaid for GitHub, as TikZ for LaTeX."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from symroof.markup import escape
from symroof.reports.diagram_layout import (
    DETAIL_SIZE,
    LABEL_SIZE,
    MARGIN,
    Box,
    Drawing,
    Place,
    Route,
    clipped,
    laid_out,
    width_of,
)
from symroof.reports.document import Diagram, Node

TIP, TIP_HALF = 8.0, 4.0
LEGEND_SIZE, LEGEND_HEIGHT, SWATCH, LEGEND_GAP = 12.0, 30.0, 18.0, 18.0
MERMAID_WIDEST = 60 * DETAIL_SIZE * 0.6
MERMAID_SAFE = frozenset(" (),=/")
POINTS_A_UNIT, SMALLEST = 0.66, 0.45


@dataclass(frozen=True, slots=True)
class Style:
    """How a kind of node looks: its colour by name, round ends, dashes, and its Mermaid shape."""

    name: str
    colour: str
    light: str
    rounding: float
    dashed: bool
    mermaid: tuple[str, str]


STYLES: Mapping[str, Style] = {
    style.name: style
    for style in (
        Style("input", "grey", "6B7280", 99.0, False, ("([", "])")),
        Style("weight", "orange", "B97700", 0.0, False, ("[/", "/]")),
        Style("cache", "purple", "A8527F", 0.0, True, ("[(", ")]")),
        Style("op", "blue", "0072B2", 7.0, False, ("[", "]")),
        Style("output", "green", "007F5F", 99.0, False, ("([", "])")),
    )
}


def style_of(node: Node) -> Style:
    """Return how a node looks; an unknown shape looks like an op."""
    return STYLES.get(node.shape, STYLES["op"])


# --- SVG -----------------------------------------------------------------------------------------

SVG_STYLE = (
    ".sr-diagram{font-family:inherit;color:inherit}"
    ".sr-diagram text{fill:currentColor;text-anchor:middle}"
    f".sr-diagram .sr-label{{font-size:{LABEL_SIZE:g}px;font-weight:600}}"
    f".sr-diagram .sr-detail{{font-size:{DETAIL_SIZE:g}px;opacity:.78}}"
    f".sr-diagram .sr-legend text{{font-size:{LEGEND_SIZE:g}px;text-anchor:start;opacity:.78}}"
    ".sr-diagram .sr-edge{fill:none;stroke:currentColor;stroke-width:1.4;opacity:.5}"
    ".sr-diagram .sr-tip{fill:currentColor;opacity:.62}"
    ".sr-diagram .sr-box{fill-opacity:.1;stroke-width:1.5}"
) + "".join(
    f".sr-diagram .sr-{style.name}{{fill:var(--sr-{style.colour},#{style.light});"
    f"stroke:var(--sr-{style.colour},#{style.light})}}"
    for style in STYLES.values()
)


def svg_diagram(diagram: Diagram) -> str:
    """Return a diagram as an accessible inline SVG, in a box that scrolls sideways when narrow.

    It takes the colour of the text around it, and the variables ``--sr-blue``, ``--sr-orange``,
    ``--sr-purple``, ``--sr-green`` and ``--sr-grey`` where they are set.

    Examples
    --------
    >>> text = svg_diagram(Diagram((Node("a", "<A>", "", "input"),), (), ("<A>",)))
    >>> text.startswith('<div class="sr-scroll"'), "&lt;A&gt;" in text, "<A>" in text
    (True, True, False)
    """
    if not diagram.nodes:
        return ""
    drawing = laid_out(diagram)
    legend = _legend(drawing)
    width, height = _size(drawing, legend)
    shift = (width - drawing.width) / 2
    parts = [_svg_route(route) for route in drawing.routes]
    parts += [_svg_box(box) for box in drawing.boxes]
    about = escape(_described(diagram))
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    fit = f"display:block;margin:0 auto;height:auto;max-width:100%;min-width:{0.8 * width:.0f}px"
    return (
        '<div class="sr-scroll" style="overflow-x:auto" tabindex="0" role="group" '
        f'aria-label="Diagram"><svg class="sr-diagram" role="img" aria-label="{about}" {size} '
        f'style="{fit}"><style>{SVG_STYLE}</style>'
        f'<g transform="translate({shift:.1f} 0)">{"".join(parts)}</g>'
        f"{_svg_legend(legend, drawing.height)}</svg></div>"
    )


def _described(diagram: Diagram) -> str:
    count = len(diagram.nodes)
    names = [clipped(line, 1.0, 60.0) for line in diagram.listing[:12]]
    more = "; …" if len(diagram.listing) > len(names) else ""
    drawn = f"Graph of {count} node{'' if count == 1 else 's'}"
    return f"{drawn}: {'; '.join(names)}{more}" if names else drawn


def _svg_box(box: Box) -> str:
    style = style_of(box.node)
    whole = f"{box.node.label}\n{box.node.detail}" if box.node.detail else box.node.label
    title = f"<title>{escape(whole)}</title>" if box.clipped else ""
    if box.detail:
        texts = _svg_text("sr-label", box.x, box.y - 3, box.label)
        texts += _svg_text("sr-detail", box.x, box.y + 13.5, box.detail)
    else:
        texts = _svg_text("sr-label", box.x, box.y + 5, box.label)
    left, top = box.x - box.width / 2, box.y - box.height / 2
    return f"<g>{title}{_svg_rectangle(style, left, top, box.width, box.height)}{texts}</g>"


def _svg_rectangle(style: Style, x: float, y: float, width: float, height: float) -> str:
    dashes = ' stroke-dasharray="5 3"' if style.dashed else ""
    round_by = min(style.rounding, height / 2)
    return (
        f'<rect class="sr-box sr-{style.name}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="{round_by:.1f}"{dashes}/>'
    )


def _svg_text(name: str, x: float, y: float, text: str) -> str:
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _svg_route(route: Route) -> str:
    points, (x, y) = _curve(route), route.places[-1]
    path = f"M{_pair(points[0])}" + "".join(
        f"C{_pair(a)} {_pair(b)} {_pair(c)}" if a != b or b != c else f"L{_pair(c)}"
        for a, b, c in zip(points[1::3], points[2::3], points[3::3], strict=True)
    )
    tip = f"M{x:.1f} {y:.1f}l{-TIP_HALF:g} {-TIP:g}h{2 * TIP_HALF:g}z"
    return f'<path class="sr-edge" d="{path}"/><path class="sr-tip" d="{tip}"/>'


def _curve(route: Route) -> list[Place]:
    """Return the points of cubic curves through a route; straight pieces repeat their end."""
    *inner, (x, y) = route.places
    places = [*inner, (x, y - TIP)]
    found = [places[0]]
    for at, ((x0, y0), (x1, y1)) in enumerate(pairwise(places)):
        if at % 2 or abs(x0 - x1) < 0.5:
            found += [(x1, y1)] * 3
        else:
            half = (y0 + y1) / 2
            found += [(x0, half), (x1, half), (x1, y1)]
    return found


def _pair(place: Place) -> str:
    return f"{place[0]:.1f} {place[1]:.1f}"


def _legend(drawing: Drawing) -> list[tuple[Style, float]]:
    """Return the kinds of nodes there are, each with the x of its entry; none for a single kind."""
    kinds = {style_of(box.node).name for box in drawing.boxes}
    shown = [style for style in STYLES.values() if style.name in kinds]
    widths = [SWATCH + 6 + width_of(style.name, LEGEND_SIZE) + LEGEND_GAP for style in shown]
    x = max(MARGIN, (drawing.width - sum(widths) + LEGEND_GAP) / 2)
    starts = [x + sum(widths[:at]) for at in range(len(shown))]
    return list(zip(shown, starts, strict=True)) if len(shown) > 1 else []


def _size(drawing: Drawing, legend: list[tuple[Style, float]]) -> Place:
    """Return how wide and high a drawing is with its legend."""
    if not legend:
        return drawing.width, drawing.height
    last, x = legend[-1]
    end = x + SWATCH + 6 + width_of(last.name, LEGEND_SIZE) + MARGIN
    return max(drawing.width, end), drawing.height + LEGEND_HEIGHT


def _svg_legend(legend: list[tuple[Style, float]], top: float) -> str:
    if not legend:
        return ""
    y, parts = top + LEGEND_HEIGHT / 2, []
    for style, x in legend:
        parts.append(_svg_rectangle(style, x, y - 5.5, SWATCH, 11))
        parts.append(f'<text x="{x + SWATCH + 6:.1f}" y="{y + 4:.1f}">{style.name}</text>')
    return f'<g class="sr-legend">{"".join(parts)}</g>'


# --- Mermaid -------------------------------------------------------------------------------------


def mermaid(diagram: Diagram) -> str:
    """Return a diagram as a Mermaid flowchart, the text of a ``mermaid`` block on GitHub.

    ASCII signs in labels are entities, but for a few, so that no label is read as Mermaid, Markdown
    or HTML.

    Examples
    --------
    >>> nodes = (Node("a", "A", "M × K", "input"), Node("b", 'x"]', "", "op"))
    >>> print(mermaid(Diagram(nodes, (("a", "b"),), ())))
    flowchart TD
      n0(["A<br/>M × K"])
      n1["x#quot;#93;"]
      n0 --> n1
    """
    laid_out(diagram)
    ids = {node.id: f"n{at}" for at, node in enumerate(diagram.nodes)}
    lines = ["flowchart TD"]
    for node in diagram.nodes:
        opening, closing = style_of(node).mermaid
        texts = [_mermaid_text(text) for text in (node.label, node.detail) if text.strip()]
        lines.append(f'  {ids[node.id]}{opening}"{"<br/>".join(texts) or " "}"{closing}')
    edges = dict.fromkeys((ids[start], ids[end]) for start, end in diagram.edges)
    lines += [f"  {start} --> {end}" for start, end in edges]
    return "\n".join(lines)


def _mermaid_text(text: str) -> str:
    return "".join(map(_mermaid_char, clipped(text, DETAIL_SIZE, MERMAID_WIDEST)))


def _mermaid_char(char: str) -> str:
    if char in MERMAID_SAFE or char.isalnum():
        return char
    if char == '"':
        return "#quot;"
    if unicodedata.category(char)[0] in "CZ":
        return f"#91;U+{ord(char):04X}#93;"
    return char if ord(char) > 127 else f"#{ord(char)};"


# --- TikZ ----------------------------------------------------------------------------------------


def tikz_diagram(
    diagram: Diagram,
    text: Callable[[str], str],
    widest: float = 450.0,
    tallest: float = 630.0,
) -> str:
    r"""Return a diagram as a TikZ picture.

    Parameters
    ----------
    diagram : Diagram
        What is drawn.
    text : callable
        From plain text to LaTeX.
    widest, tallest : float
        The room there is, in points; larger pictures are scaled down. Nothing is drawn where
        the text would be too small to read.

    Examples
    --------
    >>> picture = tikz_diagram(Diagram((Node("a", "A", "", "input"),), (), ()), str)
    >>> picture.splitlines()[0].startswith(r"\begin{tikzpicture}")
    True
    """
    if not diagram.nodes:
        return ""
    drawing = laid_out(diagram)
    legend = _legend(drawing)
    width, height = _size(drawing, legend)
    fit = min(1.0, widest / (width * POINTS_A_UNIT), tallest / (height * POINTS_A_UNIT))
    if fit < SMALLEST:
        return ""
    unit = POINTS_A_UNIT
    lines = [
        rf"\begin{{tikzpicture}}[x={unit:g}pt,y=-{unit:g}pt,scale={fit:.4f},transform shape,"
        r"line width=0.6pt,font=\sffamily\fontsize{8.5}{10}\selectfont]"
    ]
    for style in STYLES.values():
        lines.append(rf"\definecolor{{sr{style.name}}}{{HTML}}{{{style.light}}}")
    lines += [_tikz_route(route) for route in drawing.routes]
    for box in drawing.boxes:
        lines += _tikz_box(box, text, fit)
    lines += _tikz_legend(legend, drawing.height, fit)
    lines.append(r"\end{tikzpicture}")
    return "\n".join(lines)


def _tikz_route(route: Route) -> str:
    points, (x, y) = _curve(route), route.places[-1]
    path = _tikz_pair(points[0]) + "".join(
        f" .. controls {_tikz_pair(a)} and {_tikz_pair(b)} .. {_tikz_pair(c)}"
        if a != b or b != c
        else f" -- {_tikz_pair(c)}"
        for a, b, c in zip(points[1::3], points[2::3], points[3::3], strict=True)
    )
    left, right = (x - TIP_HALF, y - TIP), (x + TIP_HALF, y - TIP)
    tip = f"{_tikz_pair((x, y))} -- {_tikz_pair(left)} -- {_tikz_pair(right)} -- cycle"
    return rf"\draw[black!50] {path};\fill[black!60] {tip};"


def _tikz_box(box: Box, text: Callable[[str], str], fit: float) -> list[str]:
    half, high = box.width / 2, box.height / 2
    lines = [
        _tikz_rectangle(
            style_of(box.node), (box.x - half, box.y - high), (box.x + half, box.y + high), fit
        )
    ]
    label = rf"\textbf{{{text(box.label)}}}"
    if box.detail:
        lines.append(_tikz_node((box.x, box.y - 8), label))
        small = rf"\fontsize{{7.5}}{{9}}\selectfont\color{{black!75}}{text(box.detail)}"
        lines.append(_tikz_node((box.x, box.y + 10), small))
    else:
        lines.append(_tikz_node((box.x, box.y), label))
    return lines


def _tikz_rectangle(style: Style, first: Place, last: Place, fit: float) -> str:
    rounding = min(style.rounding, abs(last[1] - first[1]) / 2 - 0.1) * POINTS_A_UNIT * fit
    options = f"draw=sr{style.name},fill=sr{style.name}!9,rounded corners={rounding:.2f}pt"
    options += ",dashed" if style.dashed else ""
    return rf"\path[{options}] {_tikz_pair(first)} rectangle {_tikz_pair(last)};"


def _tikz_node(place: Place, text: str, anchor: str = "center") -> str:
    return rf"\node[inner sep=0pt,anchor={anchor}] at {_tikz_pair(place)} {{{text}}};"


def _tikz_legend(legend: list[tuple[Style, float]], top: float, fit: float) -> list[str]:
    y, lines = top + LEGEND_HEIGHT / 2, []
    for style, x in legend:
        lines.append(_tikz_rectangle(style, (x, y - 5.5), (x + SWATCH, y + 5.5), fit))
        words = rf"\fontsize{{7.5}}{{9}}\selectfont\color{{black!75}}{style.name}"
        lines.append(_tikz_node((x + SWATCH + 6, y), words, "west"))
    return lines


def _tikz_pair(place: Place) -> str:
    return f"({place[0]:.1f},{place[1]:.1f})"
