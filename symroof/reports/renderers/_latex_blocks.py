r"""The blocks and runs of a document as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from symroof.markup import shortened
from symroof.reports.claims import statement
from symroof.reports.diagrams import tikz_diagram
from symroof.reports.document import (
    Block,
    Claim,
    Derivation,
    Diagram,
    Equation,
    Face,
    Figure,
    Items,
    Link,
    Math,
    Note,
    Paragraph,
    Run,
    Runs,
    Table,
    Text,
    Tone,
)
from symroof.reports.plots.plot import Chart, Plot, Point
from symroof.reports.plots.tikz import tikz
from symroof.reports.renderers._formulas import Breaker, width
from symroof.reports.renderers._latex_columns import Need, columns
from symroof.reports.renderers._latex_text import address, comment, letters, tex
from symroof.reports.visible import is_address
from symroof.symbolic.forms import Form
from symroof.symbolic.latex import latex

# In letters of a display: a line, the right side of a derivation, what surely fits there.
LINE, RIGHT, SURE = 82.0, 56.0, 30.0
SHORT_WHY, SHORT_LEFT = 18, 12.0
# How many letters are written where a page cannot break.
LONGEST, LONGEST_CELL, LONGEST_NUMBER = 200, 400, 60
# In a table: the longest part for which a column is made wide rather than the part broken.
WIDEST_WORD = 24.0
STRUT = r"\rule[-1.8ex]{0pt}{4.8ex}"
TONES: Mapping[Tone, tuple[str, str]] = {
    Tone.NOTE: ("reportgrey", "Note"),
    Tone.ANSWER: ("reportblue", "Answer"),
    Tone.CAUTION: ("reportorange", "Caution"),
}


@dataclass(frozen=True, slots=True)
class Blocks:
    r"""Writes blocks as LaTeX.

    Attributes
    ----------
    labels : mapping of str to str
        How names are shown.

    Examples
    --------
    >>> print(*Blocks({}).block(Paragraph((Text("50 %"),))))
    50 \%
    """

    labels: Mapping[str, str]

    def block(self, block: Block) -> Iterator[str]:
        """Yield the lines of a block."""
        match block:
            case Paragraph(runs):
                yield self.runs(runs)
            case Items(items):
                yield from self.items(items)
            case Note(tone, runs):
                colour, title = TONES[tone]
                yield rf"\begin{{reportnote}}{{{colour}}}{{{title}}}"
                yield (r"\large " if tone is Tone.ANSWER else "") + self.runs(runs)
                yield r"\end{reportnote}"
            case Equation(form, after):
                yield from self.equation(form, after)
            case Derivation():
                yield from self.derivation(block)
            case Table():
                yield from self.table(block)
            case Figure(plot, caption):
                yield from map(comment, _said(plot))
                yield from _picture(tikz(plot), caption)
            case Diagram():
                yield from _diagram(block)

    # --- runs ---

    def runs(self, runs: Runs) -> str:
        """Return runs of a paragraph."""
        made = "".join(map(self.run, runs)).strip() or r"\leavevmode"
        return rf"{{\raggedright {made}\par}}" if r"\reportfit" in made else made

    def run(self, run: Run) -> str:
        """Return one run."""
        match run:
            case Text(text, face):
                return _faced(tex(text), face)
            case Math(form):
                return self.inline(form, LINE, r"0.95\linewidth")
            case Claim(shown=shown):
                return rf"\textbf{{{_number(shown)}}}"
            case Link(text, url):
                return rf"\href{{{address(url)}}}{{{tex(text)}}}" if is_address(url) else tex(text)
        raise TypeError(f"no LaTeX for {type(run).__name__}")

    def inline(self, form: Form, room: float, length: str) -> str:
        """Return a formula in a line; one too wide for it in parts, shrunk where needed."""
        if width(form, self.labels) <= room:
            return f"${latex(form, self.labels)}$"
        found = Breaker(self.labels).lines(form, room)
        parts = [rf"\reportfit{{{length}}}{{{line}}}" for line in found]
        return " ".join(parts)

    # --- blocks ---

    def items(self, items: Iterable[Runs]) -> Iterator[str]:
        """Yield a list of points."""
        filled = [runs for runs in items if runs]
        if filled:
            yield r"\begin{itemize}"
            yield from (rf"\item {self.runs(runs)}" for runs in filled)
            yield r"\end{itemize}"

    def equation(self, form: Form, after: Runs) -> Iterator[str]:
        """Yield a formula on lines of its own, with the words after it."""
        for at, line in enumerate(Breaker(self.labels).lines(form, LINE)):
            indent, room = ("1em", "0.95") if at == 0 else ("3em", "0.9")
            fitted = _fitted(line, rf"{room}\linewidth", len(line) > SURE)
            words = rf"\qquad {self.runs(after)}" if after and not at else ""
            yield rf"\reportline{{{indent}}}{{{fitted}}}{words}"

    def derivation(self, block: Derivation) -> Iterator[str]:
        """Yield the steps of a derivation under each other, each with its reason."""
        unit = rf" {{\normalfont\color{{reportgrey}}in {tex(block.unit)}}}" if block.unit else ""
        yield rf"\textbf{{{tex(shortened(block.name, LONGEST))}}}{unit}\nopagebreak"
        breaker = Breaker(self.labels)
        long = width(block.left, self.labels) > SHORT_LEFT
        left = _fitted(breaker.whole(block.left), r"0.25\linewidth", long)
        room = rf"0.{45 if long else 60}\linewidth"
        rows = []
        for step in block.steps:
            sign = r"\approx" if step.near else "="
            first, *rest = [
                _fitted(line, room, width(step.form, self.labels) > SURE)
                for line in breaker.lines(step.form, RIGHT)
            ]
            rows.append(f"&{sign} {first} & {_why(step.why)}")
            rows += [rf"&\quad {line}" for line in rest]
        if block.value is not None:
            exact = block.value.exact == block.value.shown.replace(",", "")
            sign = "=" if exact else r"\approx"
            yield comment(statement(block.value))
            rows.append(rf"&{sign} \text{{\textbf{{{_number(block.value.shown)}}}}}")
        if rows:
            yield r"\begin{flalign*}"
            yield f"{left} " + " \\\\\n".join(rows)
            yield r"\end{flalign*}"

    def table(self, block: Table) -> Iterator[str]:
        """Yield a table over pages, its columns as wide as what they hold where there is room."""
        found = columns([self.need(block, at) for at in range(len(block.columns))])
        kept, widths = found.kept, found.widths
        if not kept:
            return
        heads = [block.columns[at] for at in kept]
        side = {True: r"\raggedleft", False: r"\raggedright"}
        spec = "".join(
            rf">{{{side[head.right]}\arraybackslash}}p{{{wide * found.size.letter:.0f}pt}}"
            for head, wide in zip(heads, widths, strict=True)
        )
        yield r"\par\addvspace{8pt}"
        yield rf"{{{found.size.command}\setlength{{\parskip}}{{0pt}}"
        if block.caption.strip():
            yield rf"\reportcaption{{{tex(block.caption)}}}\nopagebreak"
        yield rf"\begin{{longtable}}[l]{{@{{}}{spec}@{{}}}}"
        yield r"\toprule"
        titles = [
            tex(shortened(column.title, LONGEST), max(int(size), 2))
            for column, size in zip(heads, widths, strict=True)
        ]
        yield " & ".join(rf"\textbf{{{title}}}" for title in titles) + r" \\"
        yield r"\midrule\endhead"
        for row in block.rows:
            cells = [self.cell(row[at], size) for at, size in zip(kept, widths, strict=True)]
            yield " & ".join(cells) + r" \\"
        if not block.rows:
            yield rf"\multicolumn{{{len(kept)}}}{{@{{}}l}}{{\textit{{none}}}} \\"
        yield r"\bottomrule"
        yield r"\end{longtable}}"

    def cell(self, runs: Runs, size: float) -> str:
        """Return the content of a cell so many letters wide; numbers are not bold there."""
        made = []
        for run in runs:
            match run:
                case Claim(shown=shown):
                    whole = letters(shown) <= size
                    made.append(_number(shown) if whole else tex(shown, _most(size)))
                case Math(form):
                    made.append(self.inline(form, size, r"\linewidth"))
                case Text(text, face):
                    made.append(_faced(tex(shortened(text, LONGEST_CELL), _most(size)), face))
                case _:
                    made.append(self.run(run))
        content = "".join(made).strip()
        return (STRUT if r"\frac" in content else "") + content

    def need(self, block: Table, at: int) -> Need:
        """Return what a column needs: its longest cell, and its longest word that stays whole."""
        column, cells = block.columns[at], [row[at] for row in block.rows]
        head = [1.15 * letters(word) for word in shortened(column.title, LONGEST).split()]
        least = max([3.0, *head, *(self.unbroken(cell) for cell in cells)])
        most = max([least, *map(self.measured, cells)])
        return Need(min(least, WIDEST_WORD) + 0.6, max(most, least) + 0.6, column.optional)

    def unbroken(self, runs: Runs) -> float:
        """Return how long the longest part of runs is that is better not broken, in letters."""
        sizes = [0.0]
        for run in runs:
            match run:
                case Math(form):
                    sizes.append(width(form, self.labels))
                case Claim(shown=shown):
                    sizes.append(letters(shown))
                case Text(text) | Link(text):
                    sizes.extend(letters(word) for word in text.split())
        return max(sizes)

    def measured(self, runs: Runs) -> float:
        """Return about how long runs are, in letters."""
        total = 0.0
        for run in runs:
            match run:
                case Math(form):
                    total += width(form, self.labels)
                case Claim(shown=shown):
                    total += letters(shown)
                case Text(text, Face.CODE):
                    total += 1.15 * len(text)
                case Text(text) | Link(text):
                    total += letters(text)
        return total


def _fitted(formula: str, room: str, wide: bool) -> str:
    return rf"\reportfit{{{room}}}{{{formula}}}" if wide else formula


def _why(text: str) -> str:
    if not text.strip():
        return ""
    short = len(text) <= SHORT_WHY
    return (
        rf"\reportwhy{'' if short else 'long'}{{{tex(shortened(text, LONGEST), SHORT_WHY // 2)}}}"
    )


def _most(size: float) -> int:
    """Return how many letters a word may have in a cell so wide."""
    return max(int(size / 1.2), 2)


def _number(shown: str) -> str:
    """Return a number that does not part from its unit."""
    written = tex(shortened(shown, LONGEST_NUMBER), SHORT_WHY)
    return written.replace(" ", "~") if len(shown) <= SHORT_WHY else written


def _faced(text: str, face: Face) -> str:
    if face is Face.STRONG:
        return rf"\textbf{{{text}}}"
    return rf"\texttt{{{text}}}" if face is Face.CODE else text


def _said(plot: Plot) -> Iterator[str]:
    """Yield what a plot says beside what it shows: on paper there is nothing to point at."""
    yield plot.description
    if isinstance(plot, Chart):
        for mark in plot.marks:
            if isinstance(mark, Point) and mark.detail:
                yield f"{mark.label}: {mark.detail}"


def _picture(picture: str, caption: str) -> Iterator[str]:
    yield r"\begin{reportpicture}%"
    yield picture + "%"
    yield r"\end{reportpicture}"
    if caption.strip():
        yield rf"\reportcaption{{{tex(caption)}}}"


def _diagram(block: Diagram) -> Iterator[str]:
    picture = tikz_diagram(block, tex)
    if picture:
        yield from map(comment, block.listing)
        yield from _picture(picture, block.caption)
        return
    lines = [rf"\texttt{{{tex(line)}}}" for line in block.listing if line.strip()]
    if lines:
        listed = r"\\ ".join(lines)
        yield rf"{{\small\raggedright {listed}\par}}"
    if block.caption.strip():
        yield rf"\reportcaption{{{tex(block.caption)}}}"
