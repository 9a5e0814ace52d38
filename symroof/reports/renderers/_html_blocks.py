"""The blocks and runs of a document as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symroof.markup import escape, shortened
from symroof.reports.claims import statement
from symroof.reports.diagrams import svg_diagram
from symroof.reports.document import (
    Block,
    Claim,
    Column,
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
    Step,
    Table,
    Text,
    Tone,
)
from symroof.reports.plots.svg import svg
from symroof.reports.renderers._formulas import Breaker, width
from symroof.reports.visible import is_address
from symroof.symbolic.forms import Form
from symroof.symbolic.mathml import mathml

# In letters: what stays in one piece in a line, what may scroll in it, what stays in one piece on a
# line of its own on a phone, and how wide such a line is at all.
INLINE, SCROLLING, ALONE, DISPLAY = 16.0, 26.0, 33.0, 62.0
WORDS, READ = 24, 1000
TONES: Mapping[Tone, str] = {Tone.NOTE: "Note", Tone.ANSWER: "Answer", Tone.CAUTION: "Caution"}
FACES: Mapping[Face, str] = {Face.STRONG: "strong", Face.CODE: "code"}


@dataclass(frozen=True, slots=True)
class Blocks:
    """Writes blocks as HTML.

    Attributes
    ----------
    labels : mapping of str to str
        How names are shown.

    Examples
    --------
    >>> Blocks({}).block(Paragraph((Text("a < b"),)))
    '<p>a &lt; b</p>'
    """

    labels: Mapping[str, str]

    def block(self, block: Block) -> str:
        """Return a block."""
        match block:
            case Paragraph(runs):
                return f"<p>{self.runs(runs)}</p>"
            case Items(items):
                return f"<ul>{''.join(f'<li>{self.runs(runs)}</li>' for runs in items)}</ul>"
            case Note(tone, runs):
                return (
                    f'<div class="sr-note sr-{tone.value}" role="note" aria-label="{TONES[tone]}">'
                    f'<p class="sr-tone">{TONES[tone]}</p><p>{self.runs(runs)}</p></div>'
                )
            case Equation(form, after):
                words = f'<div class="sr-after">{self.runs(after)}</div>' if after else ""
                return f'<div class="sr-equation">{self.display(form)}{words}</div>'
            case Derivation():
                return self.derivation(block)
            case Table():
                return self.table(block)
            case Figure(plot, caption):
                return _figure(svg(plot), caption, "sr-figure")
            case Diagram():
                return self.diagram(block)
        raise TypeError(f"no HTML for {type(block).__name__}")

    # --- runs ---

    def runs(self, runs: Runs) -> str:
        """Return runs of a line."""
        return "".join(map(self.run, runs))

    def run(self, run: Run) -> str:
        """Return one run."""
        match run:
            case Text(text, Face.PLAIN):
                return escape(text)
            case Text(text, face):
                return f"<{FACES[face]}>{escape(text)}</{FACES[face]}>"
            case Math(form):
                return self.inline(form)
            case Claim():
                return number(run)
            case Link(text, url):
                if not is_address(url):
                    return escape(text)
                return f'<a href="{escape(url)}" rel="noopener noreferrer">{escape(text)}</a>'
        raise TypeError(f"no HTML for {type(run).__name__}")

    def inline(self, form: Form) -> str:
        """Return a formula in a line; long ones may break between terms, and scroll."""
        if width(form, self.labels) <= INLINE:
            return self.math(form)
        return self.parts(form, "sr-inline", False)

    def display(self, form: Form) -> str:
        """Return a formula on a line of its own."""
        return self.parts(form, "sr-display", True)

    def math(self, form: Form) -> str:
        """Return a formula in one piece."""
        return mathml(Breaker(self.labels).whole(form))

    def parts(self, form: Form, name: str, display: bool) -> str:
        """Return a formula in parts between which a line may break."""
        breaker = Breaker(self.labels, r"\begin{array}{l} ", "", r" \end{array}")
        size = width(form, self.labels)
        short = size <= (ALONE if display else INLINE)
        found = [breaker.whole(form)] if short else breaker.pieces(form, DISPLAY)
        wide = ' class="sr-wide"' if size > SCROLLING or display else ""
        made = [f"<span{wide}>{mathml(part, display)}</span>" for part in found]
        # read as one formula where it is in parts
        about = f' role="math" aria-label="{escape(shortened(form.unicode(self.labels), READ))}"'
        return f'<span class="{name}"{about if len(made) > 1 else ""}>{"".join(made)}</span>'

    # --- blocks ---

    def derivation(self, block: Derivation) -> str:
        """Return the steps of a derivation, their signs under each other, and its number."""
        rows = []
        for at, step in enumerate(block.steps):
            rows.append(self.step(self.math(block.left), step, at == 0))
        unit = f' <span class="sr-unit">in {escape(block.unit)}</span>' if block.unit else ""
        if block.value is not None:
            rows.append(self.value(block.value, self.math(block.left), not block.steps))
        name = escape(block.name)
        return (
            f'<div class="sr-derivation" role="group" aria-label="{name}">'
            f'<p class="sr-name">{name}{unit}</p><div class="sr-steps">{"".join(rows)}</div></div>'
        )

    def step(self, left: str, step: Step, first: bool) -> str:
        """Return one step: left side, sign, right side, reason."""
        sign = "≈" if step.near else "="
        return _row(left, sign, self.display(step.form), escape(step.why), first)

    def value(self, claim: Claim, left: str, first: bool) -> str:
        """Return the number of a derivation, with its exact statement folded under it."""
        exact = (
            '<details class="sr-exact"><summary>exact</summary>'
            f"<code>{escape(statement(claim))}</code></details>"
        )
        sign = "=" if claim.exact == claim.shown.replace(",", "") else "≈"
        return _row(left, sign, f"{number(claim)}{exact}", "", first, "sr-value")

    def table(self, block: Table) -> str:
        """Return a table in a box that scrolls, with its first column as heads of the rows."""
        heads = "".join(_cell("th", column, escape(column.title)) for column in block.columns)
        rows = []
        for row in block.rows:
            cells = []
            for at, (column, cell) in enumerate(zip(block.columns, row, strict=True)):
                tag = "td" if at else "th"
                cells.append(_cell(tag, column, self.runs(cell), not at, _is_wordy(cell)))
            rows.append(f"<tr>{''.join(cells)}</tr>")
        if not rows:
            rows = [
                f'<tr><td colspan="{max(len(block.columns), 1)}" class="sr-none">none</td></tr>'
            ]
        caption = f"<caption>{escape(block.caption)}</caption>" if block.caption.strip() else ""
        label = escape(block.caption) if block.caption.strip() else "Table"
        return (
            f'<div class="sr-table" role="region" tabindex="0" aria-label="{label}"><table>'
            f"{caption}<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        )

    def diagram(self, block: Diagram) -> str:
        """Return a diagram with the same as text folded under it."""
        lines = "".join(f"<li><code>{escape(line)}</code></li>" for line in block.listing)
        listing = f"<details><summary>as text</summary><ul>{lines}</ul></details>" if lines else ""
        return _figure(svg_diagram(block), block.caption, "sr-drawn", listing)


def number(claim: Claim) -> str:
    """Return a number, or a truth, with its exact value and what it follows from.

    Examples
    --------
    >>> number(Claim("time", "2*m", "8", "s", "8 s"))
    '<data class="sr-claim" value="8" title="time = 2*m = 8 s">8 s</data>'
    """
    return (
        f'<data class="sr-claim" value="{escape(claim.exact)}" '
        f'title="{escape(statement(claim))}">{escape(claim.shown)}</data>'
    )


def _row(left: str, sign: str, right: str, why: str, first: bool, kind: str = "") -> str:
    hidden = "" if first else ' aria-hidden="true"'
    return (
        f'<div class="sr-step {kind}"><div class="sr-left"{hidden}>{left if first else ""}</div>'
        f'<div class="sr-sign">{sign}</div><div class="sr-right">{right}</div>'
        f'<div class="sr-why">{why}</div></div>'
    )


def _cell(tag: str, column: Column, content: str, row: bool = False, wordy: bool = False) -> str:
    scope = "" if tag == "td" else f' scope="{"row" if row else "col"}"'
    kind = ' class="sr-number"' if column.right else ' class="sr-words"' if wordy else ""
    return f"<{tag}{scope}{kind}>{content}</{tag}>"


def _is_wordy(runs: Runs) -> bool:
    """Return whether a cell holds so much text that its column should not be narrow."""
    return sum(len(run.text) for run in runs if isinstance(run, (Text, Link))) > WORDS


def _figure(picture: str, caption: str, name: str, after: str = "") -> str:
    words: Iterable[str] = (f"<span>{escape(caption)}</span>" if caption.strip() else "", after)
    below = "".join(words)
    return (
        f'<figure class="{name}">{picture}'
        f"{f'<figcaption>{below}</figcaption>' if below else ''}</figure>"
    )
