"""Plain text: 80 columns, no colours; what stands in it can be checked by reading it back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from symroof.reports.claims import statement, value_lines
from symroof.reports.columns import Heading, columns
from symroof.reports.digests import HEAD, digest_lines
from symroof.reports.document import (
    Block,
    Claim,
    Derivation,
    Diagram,
    Document,
    Equation,
    Figure,
    Items,
    Link,
    Math,
    Note,
    Paragraph,
    Run,
    Runs,
    Section,
    Step,
    Table,
    Text,
    Tone,
    claims_of,
)
from symroof.reports.plots.characters import characters
from symroof.reports.unread import unread
from symroof.reports.visible import is_address, visible
from symroof.reports.wrapping import formula_lines, tied, tied_formula, width_of, wrapped
from symroof.symbolic.forms import Form

EXTENSIONS = ("txt",)
TITLE = "Text"

WIDTH = 80
UNDERLINES = "=-~"
_SHAPE = re.compile(r"\[[^\]]*\] \w+")

LABELS: Mapping[Tone, str] = {
    Tone.ANSWER: "",
    Tone.NOTE: "Note: ",
    Tone.CAUTION: "Caution: ",
}
INDENT, STATED = " " * 4, " " * 6
EQUAL, NEAR, BLANK, HANGING = " = ", " ≈ ", "   ", "  "
APART = 3
EXACT = "exact values"
VALUES = (
    "Each displayed number stands beside its formula and its exact value, in base units. "
    "The names in those formulas are:"
)


def render(document: Document, width: int = WIDTH) -> str:
    """Return a document as text.

    Parameters
    ----------
    document : Document
        What is written.
    width : int
        Columns of a line; exact values and words that are longer stick out.

    Examples
    --------
    >>> claim = Claim("first", "2*m", "8", "", "8")
    >>> print(render(Document("Matmul", "", (Section("a", "Answer", (Paragraph((claim,)),)),))))
    Matmul
    ======
    <BLANKLINE>
    Answer
    ------
    8
          first = 2*m = 8
    <BLANKLINE>
    """
    return _Writer(document, max(width, 20)).written()


class _Writer:
    """Writes one document."""

    def __init__(self, document: Document, width: int) -> None:
        self.document = document
        self.width = width
        self.labels = {name: visible(label) for name, label in document.labels.items()}
        self.lines: list[str] = []
        self.blocks: Mapping[type, Callable[..., None]] = {
            Section: self.section,
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
        self.heading(document.title, 0)
        if document.subtitle:
            self.put(wrapped(visible(document.subtitle), self.width))
        for section in document.sections:
            self.apart()
            starts[section.id] = len(self.lines)
            self.section(section)
        values = value_lines(document)
        if values:
            self.apart()
            starts["values"] = len(self.lines)
            self.heading("Values", 1)
            self.put(wrapped(VALUES, self.width))
            self.apart()
            self.lines.extend(INDENT + visible(line) for line in values)
            self.lines.extend(INDENT + line for line in digest_lines(self.lines, starts))
        return "\n".join(self.lines).rstrip("\n") + "\n"

    def put(self, lines: Iterable[str]) -> None:
        """Add lines that are not to be read back, whatever stands in them."""
        self.lines.extend(unread(line).rstrip(" ") for line in lines)

    def stated(self, claims: Iterable[Claim], indent: str = STATED) -> None:
        """Add the exact values of claims, a line each."""
        self.lines.extend(indent + visible(statement(claim)) for claim in claims)

    def apart(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def heading(self, title: str, depth: int) -> None:
        lines = [found for found in wrapped(visible(title), self.width) if found]
        if not lines:
            return
        self.put(lines)
        long = min(self.width, max(map(width_of, lines)))
        self.lines.append(UNDERLINES[min(depth, len(UNDERLINES) - 1)] * long)

    # --- blocks ----------------------------------------------------------------------------------

    def section(self, section: Section, depth: int = 1) -> None:
        self.heading(section.title, depth)
        for at, block in enumerate(section.blocks):
            if at or isinstance(block, Section):
                self.apart()
            if isinstance(block, Section):
                self.section(block, depth + 1)
            else:
                self.block(block)

    def block(self, block: Block) -> None:
        self.blocks[type(block)](block)

    def paragraph(self, block: Paragraph) -> None:
        self.put(wrapped(self.runs(block.runs), self.width))
        self.stated(claims_of(block))

    def note(self, block: Note) -> None:
        label = LABELS[block.tone]
        self.put(wrapped(self.runs(block.runs), self.width, "  " + label, INDENT))
        self.stated(claims_of(block))

    def items(self, block: Items) -> None:
        for item in block.items:
            self.put(wrapped(self.runs(item), self.width, "  - ", INDENT))
            self.stated(claims_of(Paragraph(item)))

    def equation(self, block: Equation) -> None:
        text = self.unicode(block.form)
        lines = formula_lines(text, self.width - len(INDENT) - len(HANGING))
        lines = [INDENT + (HANGING if at else "") + line for at, line in enumerate(lines)]
        after = self.runs(block.after)
        if after:
            whole = wrapped(after, self.width, lines[-1] + " " * APART)
            if len(whole) == 1 and width_of(whole[0]) <= self.width:
                lines[-1] = whole[0]
            else:
                lines.extend(wrapped(after, self.width, INDENT))
        self.put(lines)
        self.stated(claims_of(block))

    def derivation(self, block: Derivation) -> None:
        unit = f", in {visible(block.unit)}" if block.unit else ""
        self.put(wrapped(f"{visible(block.name)}{unit}:", self.width))
        left = self.unicode(block.left)
        space = INDENT + " " * width_of(left)
        if width_of(space) > self.width // 2:
            self.put([INDENT + left])
            left, space = "", INDENT
        first = INDENT + left
        for lines in self.steps(block.steps, self.width - width_of(space) - len(EQUAL)):
            self.put([first + lines[0], *(space + line for line in lines[1:])])
            first = space
        if block.value is not None:
            self.put([first + EQUAL + visible(block.value.shown)])
        self.stated(claims_of(block))

    def steps(self, steps: tuple[Step, ...], room: int) -> list[list[str]]:
        """Return each step in lines: its right side, and what it does in a column beside."""
        whys = [visible(step.why) for step in steps]
        widest = max(map(width_of, whys), default=0)
        beside = widest + APART <= room // 2
        most = room - widest - APART if beside else room
        forms = []
        for step in steps:
            text = self.unicode(step.form)
            fits = width_of(text) <= most
            forms.append([text] if fits else formula_lines(text, most - len(HANGING)))
        used = max((width_of(line) for lines in forms for line in lines), default=0)
        found = []
        for step, lines, why in zip(steps, forms, whys, strict=True):
            hung = [f"{BLANK}{HANGING}{line}" for line in lines[1:]]
            first = (NEAR if step.near else EQUAL) + lines[0]
            if why and beside:
                first += " " * (used - width_of(lines[0]) + APART) + why
            elif why:
                hung.append(f"{BLANK}{HANGING}({why})")
            found.append([first, *hung])
        return found

    def table(self, block: Table) -> None:
        if block.caption:
            self.put(wrapped(visible(block.caption), self.width))
            self.apart()
        headings = [Heading(visible(c.title), c.right, c.optional) for c in block.columns]
        rows = [[self.runs(cell) for cell in row] for row in block.rows]
        self.put(columns(headings, rows, self.width))
        claims = list(claims_of(block))
        if claims:
            self.apart()
            self.lines.append(f"  {EXACT}")
            self.stated(claims, INDENT)

    def figure(self, block: Figure) -> None:
        self.put(wrapped(visible(block.caption or block.plot.title), self.width))
        self.put(wrapped(visible(block.plot.description), self.width))
        self.apart()
        self.put(characters(block.plot, self.width))

    def diagram(self, block: Diagram) -> None:
        if block.caption:
            self.put(wrapped(visible(block.caption), self.width))
            self.apart()
        for line in block.listing:
            text = visible(line)
            indent = INDENT + " " * (len(text) - len(text.lstrip()))
            whole = _SHAPE.sub(lambda found: tied(found[0]), text.lstrip())
            self.put(wrapped(whole, self.width, indent, indent + HANGING))

    # --- runs ------------------------------------------------------------------------------------

    def runs(self, runs: Runs) -> str:
        """Return runs as one line, in which ties do not break."""
        return "".join(map(self.run, runs))

    def run(self, run: Run) -> str:
        match run:
            case Text(text):
                return visible(text)
            case Math(form):
                return tied_formula(self.unicode(form))
            case Claim(shown=shown):
                return tied(visible(shown))
            case Link(text, url):
                text = visible(text)
                return f"{text} ({url})" if is_address(url) and url != text else text

    def unicode(self, form: Form) -> str:
        return visible(form.unicode(self.labels))
