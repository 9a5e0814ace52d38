"""Markdown as GitHub shows it: maths, tables, Mermaid; exact values stand beside what is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from symroof.reports.claims import statement, value_lines
from symroof.reports.diagrams import mermaid
from symroof.reports.digests import HEAD, digest_lines
from symroof.reports.document import (
    Block,
    Claim,
    Derivation,
    Diagram,
    Document,
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
    Section,
    Table,
    Text,
    Tone,
    claims_of,
)
from symroof.reports.markdown_text import code, code_line, escaped, fence, line, link, strong
from symroof.reports.plots.plot import Bars, Chart, Line, Plot, Point, Rule
from symroof.reports.plots.ticks import amount
from symroof.reports.unread import is_read, unread
from symroof.reports.visible import is_address, visible
from symroof.symbolic.forms import Form
from symroof.symbolic.latex import latex, upright

EXTENSIONS = ("md",)
TITLE = "Markdown"

DEEPEST = 6
ALERTS: Mapping[Tone, str] = {
    Tone.ANSWER: "IMPORTANT",
    Tone.NOTE: "NOTE",
    Tone.CAUTION: "WARNING",
}
EXACT = "Exact values"
VALUES = (
    "Each displayed number stands beside its formula and its exact value, in base units. "
    "The names in those formulas are:"
)
_NUMBER = re.compile(r"[-−+]?[0-9][0-9.,]*")


def render(document: Document) -> str:
    """Return a document as Markdown.

    Examples
    --------
    >>> claim = Claim("first", "2*m", "8", "", "8")
    >>> print(render(Document("Matmul", "", (Section("a", "Answer", (Paragraph((claim,)),)),))))
    # Matmul
    <BLANKLINE>
    ## Answer
    <BLANKLINE>
    8
    <BLANKLINE>
    `first = 2*m = 8`
    <BLANKLINE>
    """
    return _Writer(document).written()


class _Writer:
    """Writes one document; blocks are lists of lines."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines: list[str] = []
        self.blocks: Mapping[type, Callable[..., None]] = {
            Paragraph: self.paragraph,
            Items: self.items,
            Note: self.note,
            Equation: self.equation,
            Derivation: self.derivation,
            Table: self.table,
            Figure: self.figure,
            Diagram: self.diagram,
        }

    def written(self) -> str:
        document = self.document
        starts = {HEAD: 0}
        self.heading(document.title, 1)
        self.put([line(escaped(document.subtitle))])
        for section in document.sections:
            starts[section.id] = len(self.lines)
            self.section(section, 2)
        values = value_lines(document)
        if values:
            starts["values"] = len(self.lines)
            self.heading("Values", 2)
            self.put([VALUES])
            opened, *shown, closed = fence([visible(value) for value in values])
            self.exactly([opened, *shown])
            self.lines.extend([*digest_lines(self.lines, starts), closed])
        return "\n".join(self.lines) + "\n"

    # --- lines -----------------------------------------------------------------------------------

    def put(self, lines: Iterable[str]) -> None:
        """Add a block, none of whose lines is to be read back."""
        self.exactly([unread(text) for text in lines])

    def exactly(self, lines: Sequence[str]) -> None:
        """Add a block as it is, after an empty line; nothing where all of it is blank."""
        if any(lines):
            self.lines.extend(["", *lines] if self.lines else lines)

    def stated(self, claims: Iterable[Claim], indent: str = "") -> None:
        """Add the exact values of claims: one as a line, more as a block."""
        texts = [visible(statement(claim)) for claim in claims]
        lines = [code_line(texts[0])] if len(texts) == 1 else fence(texts) if texts else []
        self.exactly([indent + text for text in lines])

    def heading(self, title: str, depth: int) -> None:
        shown = escaped(title).strip(" ")
        if shown:
            self.put([f"{'#' * min(depth, DEEPEST)} {shown}"])

    def caption(self, text: str) -> None:
        self.put([strong(text, alone=True).strip()])

    # --- blocks ----------------------------------------------------------------------------------

    def section(self, section: Section, depth: int) -> None:
        self.heading(section.title, depth)
        for block in section.blocks:
            if isinstance(block, Section):
                self.section(block, depth + 1)
            else:
                self.block(block)

    def block(self, block: Block) -> None:
        self.blocks[type(block)](block)

    def paragraph(self, block: Paragraph) -> None:
        self.put([line(self.runs(block.runs))])
        self.stated(claims_of(block))

    def note(self, block: Note) -> None:
        self.put([f"> [!{ALERTS[block.tone]}]", f"> {line(self.runs(block.runs))}"])
        self.stated(claims_of(block))

    def items(self, block: Items) -> None:
        for at, item in enumerate(block.items):
            text = unread(f"- {line(self.runs(item))}".rstrip())
            if at and not self.lines[-1].startswith(" "):
                self.lines.append(text)
            else:
                self.exactly([text])
            self.stated(claims_of(Paragraph(item)), "  ")

    def equation(self, block: Equation) -> None:
        self.put(self.display(latex(block.form, self.document.labels)))
        self.put([line(self.runs(block.after))])
        self.stated(claims_of(block))

    def derivation(self, block: Derivation) -> None:
        unit = f", in {escaped(block.unit)}" if block.unit else ""
        self.put([line(f"{strong(block.name, alone=True)}{unit}")])
        labels = self.document.labels
        rows = []
        left = latex(block.left, labels)
        for step in block.steps:
            sign = r"\approx" if step.near else "="
            why = rf" && {upright(step.why)}" if step.why else ""
            rows.append(rf"{left} &{sign} {latex(step.form, labels)}{why}")
            left = ""
        if block.value is not None:
            rows.append(f"{left} &= {_shown(visible(block.value.shown))}")
        body = [f"{row.strip()} \\\\" for row in rows[:-1]] + [row.strip() for row in rows[-1:]]
        self.put(self.display("\n".join([r"\begin{aligned}", *body, r"\end{aligned}"])))
        self.stated(claims_of(block))

    def display(self, formula: str) -> list[str]:
        """Return a formula on lines of its own; for one that reads as a statement, a space less."""
        lines = [
            text.replace(" = ", "= ") if is_read(text) else text for text in formula.split("\n")
        ]
        return fence(lines, "math")

    def table(self, block: Table) -> None:
        self.caption(block.caption)
        if block.columns:
            rows = [[self.runs(cell) for cell in row] for row in block.rows]
            right = [column.right for column in block.columns]
            self.put(_table([escaped(column.title) for column in block.columns], right, rows))
        claims = list(claims_of(block))
        if claims:
            self.exactly(["<details>", f"<summary>{EXACT}</summary>"])
            self.exactly(fence([visible(statement(claim)) for claim in claims]))
            self.exactly(["</details>"])

    def figure(self, block: Figure) -> None:
        self.caption(block.caption or block.plot.title)
        self.put([line(escaped(block.plot.description))])
        self.put(_data(block.plot))

    def diagram(self, block: Diagram) -> None:
        self.caption(block.caption)
        if block.nodes:
            self.put(fence(mermaid(block).split("\n"), "mermaid"))
        if block.listing:
            self.put(fence([visible(text) for text in block.listing]))

    # --- runs ------------------------------------------------------------------------------------

    def runs(self, runs: Runs) -> str:
        """Return runs as part of a line; words that touch are escaped together."""
        parts: list[str] = []
        words = ""
        for run in runs:
            plain = _words(run)
            if plain is not None:
                words += plain
                continue
            parts.extend((escaped(words), self.run(run)))
            words = ""
        return "".join([*parts, escaped(words)])

    def run(self, run: Run) -> str:
        match run:
            case Math(form):
                return self.inline(form)
            case Text(text, Face.CODE):
                return code(text)
            case Text(text, Face.STRONG):
                return strong(text)
            case Link(text, url):
                return link(text, url)
            case _:
                return escaped(_words(run) or "")

    def inline(self, form: Form) -> str:
        formula = latex(form, self.document.labels).replace("|", r"\vert ")
        if "`" in formula or not formula.strip():
            return code(form.unicode(self.document.labels))
        return f"$`{formula}`$"


def _words(run: Run) -> str | None:
    """Return what a run is if it is only words; None for others."""
    match run:
        case Text(text, Face.PLAIN) | Claim(shown=text):
            return text
        case Link(text, url) if not is_address(url):
            return text
        case _:
            return None


def _shown(text: str) -> str:
    """Return a number with its unit as LaTeX."""
    parts = []
    for part in text.split(" "):
        if _NUMBER.fullmatch(part):
            parts.append(part.replace("−", "-").replace(",", "{,}"))
        else:
            parts.append({"%": r"\%", "∞": r"\infty"}.get(part) or upright(part))
    return r"\ ".join(parts)


def _table(
    titles: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]
) -> list[str]:
    marks = ["---:" if flush else "---" for flush in right]
    return [f"| {' | '.join(cells)} |" for cells in (titles, marks, *rows)]


def _data(plot: Plot) -> list[str]:
    """Return the numbers of a plot as a table."""
    if isinstance(plot, Bars):
        titles = ["bar", *(f"{name} {plot.axis.label}".strip() for name in plot.segments)]
        rows = [
            [escaped(name), *(escaped(amount(part, plot.axis.unit)) for part in parts)]
            for name, parts in plot.rows
        ]
        return _table([escaped(title) for title in titles], [False, *map(bool, titles[1:])], rows)
    return _marks(plot)


def _marks(chart: Chart) -> list[str]:
    """Return the marks of a chart; columns in which nothing stands are left out."""
    rows = []
    for mark in chart.marks:
        match mark:
            case Point(x, y, label, detail=detail, measured=measured):
                place = [escaped(amount(x, chart.x.unit)), escaped(amount(y, chart.y.unit))]
                what = "measured" if measured else "point"
                rows.append([escaped(label), what, *place, escaped(detail)])
            case Rule(at, label, vertical):
                place = [escaped(amount(at, (chart.x if vertical else chart.y).unit)), ""]
                rows.append(
                    [escaped(label), "threshold", *(place if vertical else place[::-1]), ""]
                )
            case Line(label=label, formula=formula, variable=variable) if formula and label:
                found = f"{code(formula)} {escaped(chart.y.unit)}".rstrip()
                rows.append([escaped(label), "line", code(variable), found, ""])
            case _:
                pass
    titles = ["mark", "what", *(escaped(axis.label) for axis in (chart.x, chart.y)), "detail"]
    used = [i for i in range(len(titles)) if any(row[i] for row in rows)]
    right = [i in (2, 3) for i in used]
    if not rows:
        return []
    return _table([titles[i] for i in used], right, [[row[i] for i in used] for row in rows])
