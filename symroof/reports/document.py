"""A document as a tree that knows no format: sections of blocks, blocks of runs.

Builders of sections make these nodes, renderers write them; neither knows of the other. All text in
the nodes is plain text, also that of users: a renderer escapes what its format needs escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from symroof.reports.plots.plot import Plot
from symroof.symbolic.forms import NO_LABELS, Form

SCHEMA_VERSION = 1


# --- runs: what stands in a line -----------------------------------------------------------------


class Face(Enum):
    """How a text looks."""

    PLAIN = "plain"
    STRONG = "strong"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str
    face: Face = Face.PLAIN


@dataclass(frozen=True, slots=True)
class Math:
    """A formula or a comparison; the labels of the document say how names are shown."""

    form: Form


@dataclass(frozen=True, slots=True)
class Claim:
    """A number, or a truth, with the formula it follows from: what a report can be checked by.

    Attributes
    ----------
    id : str
        Where it stands, unique in a document: ``time.memory``, ``ops.3.bytes``.
    expr : str
        Its formula in the grammar of ``parse``, in base units; ``a >= b`` for a truth. Names are
        those of the document's `values`; a dotted id of another claim means the formula of that.
    exact : str
        Its exact value in base units, in the same grammar; ``true`` or ``false`` for a truth.
    unit : str
        The base unit; empty for plain numbers and truths.
    shown : str
        What is displayed: ``12.4 µs``, ``345``, ``99.3 %``; rounded from `exact`.
    at : mapping of str to str
        Names that have another value here than in the document: ``{"m": "344"}``.
    """

    id: str
    expr: str
    exact: str
    unit: str
    shown: str
    at: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to an address (http or https, else only the text is shown)."""

    text: str
    url: str


Run: TypeAlias = Text | Math | Claim | Link
Runs: TypeAlias = tuple[Run, ...]


# --- blocks --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class Items:
    """A list of points."""

    items: tuple[Runs, ...]


class Tone(Enum):
    """What a note is for."""

    NOTE = "note"
    ANSWER = "answer"
    CAUTION = "caution"


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph set apart: the answer, a caution, a remark."""

    tone: Tone
    runs: Runs


@dataclass(frozen=True, slots=True)
class Equation:
    """A formula on a line of its own, with words after it (``given``, ``else never``)."""

    form: Form
    after: Runs = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a derivation: ``definition``, ``closed form``, ``numbers``; ``≈`` for the last.

    Attributes
    ----------
    why : str
        What the step does, in a word or two.
    form : Form
        The right side after it.
    near : bool
        Whether it is an approximation, so that the sign is ≈ and not =.
    """

    why: str
    form: Form
    near: bool = False


@dataclass(frozen=True, slots=True)
class Derivation:
    """A quantity from its definition to its number.

    Attributes
    ----------
    name : str
        What it is, in words: ``memory time``.
    left : Form
        The left side of all steps: ``t_memory``.
    steps : tuple of Step
        The steps, first the definition.
    unit : str
        The unit of the right sides; empty for plain numbers.
    value : Claim or None
        The number; None while symbols are free.
    """

    name: str
    left: Form
    steps: tuple[Step, ...]
    unit: str = ""
    value: Claim | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; the `optional` ones go first where there is little room."""

    title: str
    right: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, a cell being runs."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Runs, ...], ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot; its `description` stands for it where nothing is drawn, and is read aloud."""

    plot: Plot
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A box of a diagram: an op, or a tensor that comes from or goes outside.

    Attributes
    ----------
    id : str
        Unique in the diagram: ``n3``.
    label : str
        What it is called.
    detail : str
        A second, smaller line: a shape, a formula.
    shape : str
        ``op``, ``input``, ``weight``, ``cache`` or ``output``.
    """

    id: str
    label: str
    detail: str
    shape: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """A small graph: nodes, edges by ids, and the same as lines of text."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...]
    listing: tuple[str, ...]
    caption: str = ""


Block: TypeAlias = "Paragraph | Items | Note | Equation | Derivation | Table | Figure | Diagram"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it."""

    id: str
    title: str
    blocks: tuple[Block | Section, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report.

    Attributes
    ----------
    title, subtitle : str
        The headings.
    sections : tuple of Section
        The content.
    values : mapping of str to str
        What the names in the claims' formulas are, exactly and in base units: ``{"m": "64"}``. The
        value of one may be a formula of others: ``{"ridge.fp16": "peak.fp16/bw.hbm"}``.
    units : mapping of str to str
        Base units of those names that have one: ``{"bw.hbm": "byte/s"}``.
    labels : mapping of str to str
        How names are shown: ``{"bw.hbm": "β"}``.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=lambda: NO_LABELS)


def claims_of(block: Document | Section | Block) -> Iterator[Claim]:
    """Yield the claims under a node, in the order in which they stand.

    Examples
    --------
    >>> claim = Claim("first", "ceil(t)", "345", "", "345")
    >>> [found.id for found in claims_of(Paragraph((Text("m = "), claim)))]
    ['first']
    """
    match block:
        case Document(sections=inside) | Section(blocks=inside):
            for part in inside:
                yield from claims_of(part)
        case Paragraph(runs) | Note(runs=runs) | Equation(after=runs):
            yield from _claims(runs)
        case Items(items):
            for runs in items:
                yield from _claims(runs)
        case Derivation(value=value):
            if value is not None:
                yield value
        case Table(rows=rows):
            for row in rows:
                for cell in row:
                    yield from _claims(cell)


def _claims(runs: Runs) -> Iterator[Claim]:
    return (run for run in runs if isinstance(run, Claim))
