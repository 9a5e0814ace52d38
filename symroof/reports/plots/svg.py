"""A plot as inline SVG: read without script, by eyes and aloud; a script adds zoom and hover.

Nothing has an id, so that any number of plots may share a page. A plot is drawn twice, for wide
pages and for narrow ones; the styles show the one that suits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from symroof.markup import escape
from symroof.reports.plots.layout import NARROW, layout
from symroof.reports.plots.palette import DARK, LIGHT, Theme
from symroof.reports.plots.plot import Place, Plot, Scale
from symroof.reports.plots.scene import (
    LEADING,
    Anchor,
    Area,
    Cell,
    Cross,
    Dot,
    Key,
    Kind,
    Label,
    Scene,
    Shaft,
    Shape,
    Side,
    Stroke,
)
from symroof.reports.plots.swatches import arrow_head, swatch
from symroof.reports.plots.text import shown
from symroof.reports.plots.ticks import amount

PHONE = (360.0, 380.0)
LONGEST = 600
IN_FRAME = (Kind.LINE, Kind.REGION, Kind.POINT, Kind.ARROW, Kind.RULE)


def svg(plot: Plot, width: float = 720.0, height: float = 440.0) -> str:
    """Return a plot as HTML with inline SVG; the page needs `style` once, and may have `script`.

    Parameters
    ----------
    plot : Plot
        What to draw.
    width, height : float
        Of the canvas; it is shown as wide as there is room.

    Returns
    -------
    str
        A ``div``, all text in it escaped; the same plot gives the same text.

    Examples
    --------
    >>> from symroof.reports.plots.plot import Axis, Chart, Point
    >>> axis = Axis("x", "", 1, 100)
    >>> text = svg(Chart("<b>", "Nothing.", axis, axis, (Point(10, 10, "a & b"),)))
    >>> "<title>&lt;b&gt;</title>" in text, "a &amp; b" in text, "<b>" in text
    (True, True, False)
    """
    drawn = _svg(layout(plot, width, height), told=True)
    if width > NARROW:
        # What its marks are called is told by the first one.
        drawn += f'<div class="phone" hidden="">{_svg(layout(plot, *PHONE), told=False)}</div>'
    return f'<div class="symroof-plot">{drawn}</div>'


@cache
def style() -> str:
    """Return the styles of all plots of a page.

    Examples
    --------
    >>> ".symroof-plot" in style(), "<" in style()
    (True, False)
    """
    dark = _theme(DARK)
    own = (files(__package__) / "svg.css").read_text("utf-8")
    return f"{_theme(LIGHT)}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n{own}"


@cache
def script() -> str:
    """Return the script that makes the plots of a page zoom, pan and tell; once, after them.

    Examples
    --------
    >>> "</script" in script(), len(script().encode()) < 8192
    (False, True)
    """
    text = (files(__package__) / "svg.js").read_text("utf-8")
    return _SPACES.sub(lambda found: "".join(filter(None, found.groups())), text)


# Comments; words in quotes, and patterns; spaces that mean nothing.
_SPACES = re.compile(
    r"""//[^\n]*\n|("[^"\n]*"|`[^`]*`|/[^/\s]+/g?)"""
    r"""|\s*([{}()\[\];,:?=<>|&*!])\s*|\s?([/+%*-]=?)\s(?![+-])|\n\s*"""
)


def _theme(theme: Theme) -> str:
    base = f"--sheet:{theme.sheet};--ink:{theme.ink};--quiet:{theme.quiet};--grid:{theme.grid}"
    rules = [f".symroof-plot{{{base}}}"]
    rules += [
        f".symroof-plot .c{index}{{--f:{c.fill};--l:{c.line};--t:{c.text};--o:{c.on}}}"
        for index, c in enumerate(theme.colours)
    ]
    return "".join(rules)


def _svg(scene: Scene, told: bool) -> str:
    box = scene.frame
    data = f' data-frame="{_numbers(box.left, box.top, box.right, box.bottom)}"'
    if scene.y is not None:
        data += f' data-x="{_axis(scene.x)}" data-y="{_axis(scene.y)}"'
    size = _numbers(box.left, box.top, box.width, box.height)
    x, y, wide, high = size.split()
    parts = [
        f'<svg viewBox="0 0 {_numbers(scene.width, scene.height)}" role="img"'
        f' font-size="{_number(scene.size)}"{data}>',
        f"<title>{escape(scene.title)}</title>",
        f"<desc>{escape(shown(scene.description, LONGEST))}</desc>" if told else "",
        f'<rect class="frame" x="{x}" y="{y}" width="{wide}" height="{high}"/>',
        _grid(scene),
        f'<svg class="data" x="{x}" y="{y}" width="{wide}" height="{high}" viewBox="{size}">',
        f'<g class="scaled">{"".join(_scaled(shape, told) for shape in scene.shapes)}</g>',
        f'<g class="fixed">{"".join(_fixed(scene, told))}</g></svg>',
        *map(_text, (label for label in scene.labels if label.kind not in (*IN_FRAME, Kind.TICK))),
        *(_key(key, solid=scene.y is None) for key in scene.keys),
        "</svg>",
    ]
    return "".join(parts)


def _axis(side: Side) -> str:
    """Return what the script needs to know of an axis."""
    axis, numbers = side.axis, side.numbers
    unit = amount(1.0, axis.unit).partition(" ")[2] if axis.unit else ""
    facts = (
        "log" if axis.scale is Scale.LOG else "linear",
        repr(float(axis.low)),
        repr(float(axis.high)),
        numbers.low,
        numbers.high,
        numbers.power,
        shown(numbers.unit).replace("|", "/"),
        shown(unit).replace("|", "/"),
        shown(axis.label),
    )
    return escape("|".join(map(str, facts)))


def _grid(scene: Scene) -> str:
    box, ticks = scene.frame, [label for label in scene.labels if label.kind is Kind.TICK]
    major, minor = "", ""
    left, bottom = _short(box.left), _short(box.bottom)
    at = 0.0
    for mark in scene.x.marks:
        place = box.left + mark.at
        if mark.major:
            major += f"M{_short(place)} {_short(box.top)}V{bottom}"
        else:
            minor += f"m{_short(place - at)} 4v-4" if at else f"M{_short(place)} {bottom}v-4"
            at = place if not at else at + float(_short(place - at))
    at = 0.0
    for mark in scene.y.marks if scene.y else ():
        place = box.bottom - mark.at
        if mark.major:
            major += f"M{left} {_short(place)}H{_short(box.right)}"
        else:
            minor += f"m-4 {_short(place - at)}h4" if at else f"M{left} {_short(place)}h4"
            at = place if not at else at + float(_short(place - at))
    below = "".join(_tick(label) for label in ticks if label.anchor is Anchor.MIDDLE)
    beside = "".join(_tick(label) for label in ticks if label.anchor is Anchor.END)
    return (
        f'<path class="grid" d="{major}"/><path class="minor" d="{minor}"/>'
        f'<g class="tick middle">{below}</g>'
        f'<g class="tick end">{beside}</g>'
    )


def _tick(label: Label) -> str:
    return (
        f'<text x="{_number(label.at[0])}" y="{_number(label.at[1])}">{escape(label.text)}</text>'
    )


def _scaled(shape: Shape, told: bool) -> str:
    """Return what grows when the reader zooms in."""
    match shape:
        case Area(corners, colour, said):
            name, path = f"area {_hue(colour)}", f"{_path(corners)}Z"
        case Stroke(points, role, colour, said):
            name, path = f"{role.value} {_hue(colour)}", _path(points)
        case Cross(start, end, said):
            name, path = "rule", _path((start, end))
        case Shaft(start, end, _, colour, said):
            name, path = f"shaft {_hue(colour)}", _path((start, end))
        case Cell(box, colour, said):
            name = f"cell {_hue(colour)}"
            path = f"M{_numbers(box.left, box.top)}H{_number(box.right)}"
            path += f"V{_number(box.bottom)}H{_number(box.left)}Z"
        case Dot():
            return ""
    return _told(f'<path class="{name}" d="{path}"', said if told else "", "path")


def _fixed(scene: Scene, told: bool) -> Iterable[str]:
    """Yield what keeps its size and moves: leaders, heads of arrows, points, names."""
    names = [label for label in scene.labels if label.kind in IN_FRAME]
    for label in names:
        if label.leader is not None:
            to = " ".join(map(_short, label.leader))
            yield f'<path class="lead" transform="{_moved(label.at)}" d="M0 0L{to}"/>'
    for shape in scene.shapes:
        match shape:
            case Shaft(start, end, True, colour, _):
                turned = f"{_moved(end)}rotate({_number(arrow_head(start, end))})"
                yield f'<path class="head {_hue(colour)}" transform="{turned}" d="M0 0l-9-4v8z"/>'
            case Dot(at, radius, colour, measured, said):
                said = said if told else ""
                name = f'{"cross" if measured else "dot"} {_hue(colour)}"'
                place = f'class="{name} transform="{_moved(at)}"'
                if measured:
                    r = _number(radius)
                    form = f"M-{r}-{r}L{r} {r}M-{r} {r}L{r}-{r}"
                    yield _told(f'<path {place} d="{form}"', said, "path")
                else:
                    yield _told(f'<circle {place} r="{_number(radius)}"', said, "circle")
    yield from map(_name, names)


def _told(start: str, said: str, tag: str) -> str:
    return f"{start}><title>{escape(said)}</title></{tag}>" if said else f"{start}/>"


def _name(label: Label) -> str:
    """Return a label that moves with what it names."""
    turned = f"rotate({_number(label.angle)})" if label.angle else ""
    place = f'transform="{_moved(label.at)}{turned}"'
    if label.shift[0]:
        place += f' x="{_short(label.shift[0])}"'
    place += f' y="{_short(label.shift[1])}"'
    if label.track is not None:
        ends = " ".join(map(_short, (*label.track[0], *label.track[1])))
        place += f' data-track="{ends}"'
    return _written(label, place)


def _text(label: Label) -> str:
    x, y = label.at[0] + label.shift[0], label.at[1] + label.shift[1]
    return _written(label, f'x="{_short(x)}" y="{_short(y)}"')


def _written(label: Label, place: str) -> str:
    names = [label.kind.value]
    if label.colour is not None and label.kind is not Kind.POINT:
        names.append(_hue(label.colour))
    if label.anchor is not Anchor.START:
        names.append(label.anchor.value)
    if label.kind is Kind.TITLE:
        place += f' font-size="{_short(label.size)}"'
    first, *others = label.lines
    text = str(escape(first))
    for line in others:
        x, drop = _short(label.shift[0]), _short(LEADING * label.size)
        text += f'<tspan x="{x}" dy="{drop}">{escape(line)}</tspan>'
    return f'<text class="{" ".join(names)}" {place}>{text}</text>'


def _key(key: Key, solid: bool) -> str:
    return swatch(key, _hue(key.colour), solid) + _text(key.label)


def _hue(colour: int) -> str:
    return f"c{colour % len(LIGHT.colours)}"


def _moved(place: Place) -> str:
    return f"translate({_numbers(*place)})"


def _path(points: Iterable[Place]) -> str:
    return "M" + "L".join(_numbers(*point) for point in points)


def _numbers(*values: float) -> str:
    return " ".join(map(_number, values))


def _number(value: float, digits: int = 2) -> str:
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _short(value: float) -> str:
    return _number(value, 1)
