"""A document with every kind of node, and the same with a hostile text in every place of text.

The numbers are those of a matmul of 64 x 4096 by 4096 x 4096 in fp16 on a chip of 989 TFLOP/s and
3.35 TB/s, worked by hand: 2*m*n*k FLOP, 2*(m*n + m*k + n*k) bytes.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from symroof.reports.document import (
    Claim,
    Column,
    Derivation,
    Diagram,
    Document,
    Equation,
    Face,
    Figure,
    Items,
    Link,
    Math,
    Node,
    Note,
    Paragraph,
    Section,
    Step,
    Table,
    Text,
    Tone,
)
from symroof.reports.plots.plot import (
    Arrow,
    Axis,
    Bars,
    Chart,
    Line,
    Point,
    Region,
    Role,
    Rule,
    Scale,
)
from symroof.symbolic import parse
from symroof.symbolic.forms import (
    INFINITY,
    Call,
    Comparison,
    Form,
    Name,
    Named,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
)
from symroof.symbolic.readable import readable

FLOPS = 2_147_483_648
BYTES = 34_603_008

VALUES = {
    "m": "64",
    "n": "4096",
    "k": "4096",
    "peak.fp16": "989*10**12",
    "bw.hbm": "3350*10**9",
    "ridge.fp16": "peak.fp16/bw.hbm",
}
UNITS = {"peak.fp16": "FLOP/s", "bw.hbm": "byte/s", "ridge.fp16": "FLOP/byte"}
LABELS = {"peak.fp16": "π", "bw.hbm": "β", "ridge.fp16": "I"}

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "close": "\"'></title></style></svg>--><img src=x onerror=alert(1)>",
    "markdown": "[x](javascript:alert(1)) ![y](http://evil.test/p.png) **b** _i_ `c` ~~s~~ | a | b",
    "heading": "# heading",
    "list": "- point",
    "number": "1. first",
    "quote": "> quoted",
    "rule": "---",
    "fence": "```js\nalert(1)\n```",
    "table": "a | b\n--- | ---\n1 | 2",
    "entity": "&lt;b&gt; &amp; &#x3C;",
    "address": "<http://evil.test> http://evil.test www.evil.test @everyone #1 a@evil.test",
    "mermaid": 'n0["x"] --> n1; click n0 "javascript:alert(1)"; %%{init: {}}%% end subgraph',
    "maths": "$x$ $$y$$ $`z`$ \\(a\\) \\[b\\]",
    "latex": "\\input{/etc/passwd} \\write18{ls} \\end{document} % # $ & _ { } ~ ^ \\",
    "backslash": "\\",
    "terminal": "\x1b[31mred\x1b]0;title\x07 \x9b31m \x08\x7f\r",
    "lines": "one\ntwo\r\nthree\u2028four\u2029five\x0bsix\x85seven",
    "rich": "[red]x[/red] [link=http://evil.test]y[/link] :smile:",
    "turned": "abc\u202edcba\u202c \u2066\u2067x\u2069 \u200e\u200f",
    "hebrew": "שלום עולם",
    "emoji": "👩‍👩‍👧‍👦🔥é",
    "wide": "行列积",
    "zero": "a\u200bb\ufeffc\x00d",
    "surrogate": "\ud800",
    "long": "x" * 10_000,
    "words": "word " * 2_000,
    "value": "value m = 65",
    "statement": "time.memory = 1 = 1 s",
    "empty": "",
    "blank": " \t ",
}
"""Texts that must come out inert, by what they try."""


def form(text: str) -> Form:
    """Return a formula as people write it."""
    return readable(parse(text), order=("m", "n", "k"))


def number(value: int) -> Number:
    return Number(Fraction(value))


def sample() -> Document:
    """Return a document with every kind of section, block, run, form, plot and mark."""
    return Document(
        title="matmul on h100-sxm",
        subtitle="m = 64, n = 4096, k = 4096, fp16",
        sections=(
            Section("answer", "Answer", (answer(), cautions(), points())),
            Section("algorithm", "Algorithm", (diagram(), words())),
            Section(
                "times",
                "Times",
                (
                    Section("times.memory", "Memory time", (memory(), scaling())),
                    Section("times.compute", "Compute time", (compute(), free())),
                ),
            ),
            Section("crossover", "Crossover", (crossover(), quadratic(), limit())),
            Section("ops", "Ops", (table(), small_table())),
            Section("plots", "Plots", (Figure(chart(), "Roofline of the op."), Figure(bars()))),
            Section("empty", "Nothing", ()),
        ),
        values=VALUES,
        units=UNITS,
        labels=LABELS,
    )


def answer() -> Note:
    return Note(
        Tone.ANSWER,
        (
            Text("Memory-bound at "),
            Math(Comparison(Name("m"), Relation.EQUAL, number(64))),
            Text(". Compute-bound or balanced from "),
            Text("m = ", Face.STRONG),
            Claim(
                "crossover.first",
                "ceil(n*k*ridge.fp16/(n*k - ridge.fp16*(n + k)))",
                "345",
                "",
                "345",
            ),
            Text(" on: "),
            Claim(
                "crossover.holds",
                "2*m*n*k/peak.fp16 >= 2*(m*n + m*k + n*k)/bw.hbm",
                "true",
                "",
                "holds",
                {"m": "345"},
            ),
            Text(" there, and "),
            Claim(
                "crossover.fails",
                "2*m*n*k/peak.fp16 >= 2*(m*n + m*k + n*k)/bw.hbm",
                "false",
                "",
                "does not at 344",
                {"m": "344"},
            ),
            Text("."),
        ),
    )


def cautions() -> Note:
    return Note(
        Tone.CAUTION,
        (
            Text("Traffic is a lower bound: "),
            Text("unfused", Face.CODE),
            Text(" counts each operand once. See the "),
            Link("roofline paper", "https://doi.org/10.1145/1498765.1498785"),
            Text(" and "),
            Link("this", "javascript:alert(1)"),
            Text("."),
        ),
    )


def points() -> Items:
    return Items(
        (
            (Text("One multiply-add is 2 FLOP."),),
            (
                Text("Intensity: "),
                Math(form("m*n*k/(m*n + m*k + n*k)")),
                Text(" = "),
                Claim("intensity", "m*n*k/(m*n + m*k + n*k)", "2048/33", "FLOP/byte", "62.1"),
                Text(" FLOP/byte."),
            ),
            (),
        )
    )


def words() -> Paragraph:
    return Paragraph(
        (
            Text("The product "),
            Math(Comparison(Name("C"), Relation.EQUAL, Product((Name("A"), Name("W"))))),
            Text(" moves "),
            Claim("bytes", "2*(m*n + m*k + n*k)", str(BYTES), "byte", "34.6 MB"),
            Text(", of which the weight is the largest part. "),
            Text("fp16", Face.CODE),
            Text(" takes 2 bytes; "),
            Text("nothing", Face.STRONG),
            Text(" is kept in cache between ops."),
        )
    )


def diagram() -> Diagram:
    return Diagram(
        nodes=(
            Node("n0", "A", "m × k, fp16", "input"),
            Node("n1", "W", "k × n, fp16", "weight"),
            Node("n2", "matmul", "2·m·n·k FLOP", "op"),
            Node("n3", "past", "k × n, fp16", "cache"),
            Node("n4", "add", "m·n FLOP", "op"),
            Node("n5", "C", "m × n, fp16", "output"),
        ),
        edges=(("n0", "n2"), ("n1", "n2"), ("n2", "n4"), ("n3", "n4"), ("n4", "n5")),
        listing=("y = matmul(A, W)", "C = add(y, past)"),
        caption="The algorithm.",
    )


def memory() -> Derivation:
    return Derivation(
        name="memory time",
        left=Name("t_memory"),
        steps=(
            Step("definition", Quotient(Name("bytes"), Name("bw.hbm"))),
            Step("closed form", form("2*(m*n + m*k + n*k)/bw.hbm")),
            Step(
                "numbers",
                Quotient(
                    Product(
                        (
                            number(2),
                            Sum(
                                (
                                    Product((number(64), number(4096))),
                                    Product((number(64), number(4096))),
                                    Power(number(4096), number(2)),
                                )
                            ),
                        )
                    ),
                    number(3350 * 10**9),
                ),
            ),
        ),
        unit="s",
        value=Claim(
            "time.memory",
            "2*(m*n + m*k + n*k)/bw.hbm",
            "33792/3271484375",
            "s",
            "10.3 µs",
        ),
    )


def scaling() -> Derivation:
    """A derivation whose last step is an approximation."""
    return Derivation(
        name="memory time for large n and k",
        left=Name("t_memory"),
        steps=(
            Step("closed form", form("2*(m*n + m*k + n*k)/bw.hbm")),
            Step("weight alone", form("2*n*k/bw.hbm"), near=True),
        ),
        unit="s",
        value=Claim("time.memory.near", "2*n*k/bw.hbm", "32768/3271484375", "s", "10 µs"),
    )


def compute() -> Derivation:
    return Derivation(
        name="compute time",
        left=Name("t_compute"),
        steps=(
            Step("definition", Quotient(Name("FLOPs"), Name("peak.fp16"))),
            Step("closed form", form("2*m*n*k/peak.fp16")),
        ),
        unit="s",
        value=Claim("time.compute", "2*m*n*k/peak.fp16", "524288/241455078125", "s", "2.17 µs"),
    )


def free() -> Derivation:
    """A derivation without a number, with a long formula."""
    return Derivation(
        name="time of a layer",
        left=Name("t_layer"),
        steps=(
            Step("definition", Call("max", (Name("t_compute"), Name("t_memory")))),
            Step(
                "closed form",
                form(
                    "max(2*B*S*D*(4*D + 3*F)/peak.fp16 + 4*B*H*S**2*d/peak.fp16,"
                    " (8*D**2 + 6*D*F + 24*B*S*D + 4*B*H*S**2 + 12*B*S*F + 2*B*Hkv*S*d)/bw.hbm)"
                    " + ceil(log2(P))*sqrt(L)"
                ),
            ),
        ),
        unit="s",
    )


def crossover() -> Equation:
    return Equation(
        Comparison(
            Name("m"),
            Relation.AT_LEAST,
            form("ridge.fp16*n*k/(n*k - ridge.fp16*(n + k))"),
        ),
        (
            Text("given "),
            Math(
                Comparison(
                    Product((Name("n"), Name("k"))),
                    Relation.GREATER,
                    Product((Name("ridge.fp16"), Sum((Name("n"), Name("k"))))),
                )
            ),
            Text(", at "),
            Claim(
                "crossover.threshold",
                "n*k*ridge.fp16/(n*k - ridge.fp16*(n + k))",
                "10127360/29359",
                "",
                "344.9",
            ),
            Text("; else never."),
        ),
    )


def quadratic() -> Equation:
    root = Quotient(
        Sum(
            (Call("sqrt", (Sum((Power(Name("b"), number(2)),), (form("4*a*c"),)),)),), (Name("b"),)
        ),
        Product((number(2), Name("a"))),
    )
    names = (("a", form("B*S")), ("b", form("B*D + 3*F")), ("c", form("floor(D/2)")))
    return Equation(Named(Comparison(Name("S"), Relation.LESS, root), names))


def limit() -> Equation:
    return Equation(Comparison(Name("t_layer"), Relation.UNEQUAL, INFINITY))


def table() -> Table:
    """Two ops, with claims, maths and columns that may go."""
    return Table(
        columns=(
            Column("op"),
            Column("FLOPs"),
            Column("FLOPs at the numbers", right=True),
            Column("bytes", right=True),
            Column("intensity", right=True, optional=True),
            Column("traffic", optional=True),
        ),
        rows=(
            (
                (Text("matmul", Face.CODE),),
                (Math(form("2*m*n*k")),),
                (Claim("ops.0.flops", "2*m*n*k", str(FLOPS), "FLOP", "2.15 GFLOP"),),
                (Claim("ops.0.bytes", "2*(m*n + m*k + n*k)", str(BYTES), "byte", "34.6 MB"),),
                (
                    Claim(
                        "ops.0.intensity", "m*n*k/(m*n + m*k + n*k)", "2048/33", "FLOP/byte", "62.1"
                    ),
                ),
                (Text("each operand is read once and the result is written once"),),
            ),
            (
                (Text("add", Face.CODE),),
                (Math(form("m*n")),),
                (Claim("ops.1.flops", "m*n", "262144", "FLOP", "262 kFLOP"),),
                (Claim("ops.1.bytes", "6*m*n", "1572864", "byte", "1.57 MB"),),
                (Claim("ops.1.intensity", "1/6", "1/6", "FLOP/byte", "0.167"),),
                (),
            ),
        ),
        caption="What the ops do.",
    )


def small_table() -> Table:
    return Table((Column("symbol"), Column("meaning")), ())


def chart() -> Chart:
    return Chart(
        title="Roofline of matmul on h100-sxm",
        description="matmul lies under the memory roof, left of the ridge at 295 FLOP/byte.",
        x=Axis("arithmetic intensity", "FLOP/byte", 1.0, 10_000.0),
        y=Axis("performance", "FLOP/s", 1e12, 2e15, Scale.LOG),
        marks=(
            Region(((1.0, 1e12), (295.2, 1e12), (295.2, 989e12), (1.0, 3.35e12)), "memory-bound"),
            Region(
                ((295.2, 1e12), (10_000.0, 1e12), (10_000.0, 989e12), (295.2, 989e12)),
                "compute-bound",
                1,
            ),
            Line(
                ((1.0, 3.35e12), (295.2, 989e12), (10_000.0, 989e12)),
                "fp16, 989 TFLOP/s",
                Role.ROOF,
                0,
                "min(989*10**12, 3350*10**9*i)",
                "i",
            ),
            Line(((1.0, 67e12), (10_000.0, 67e12)), "fp32, 67 TFLOP/s", Role.CEILING, 2),
            Line(((1.0, 2e12), (100.0, 2e13), (10_000.0, 5e13)), "efficiency", Role.CURVE, 3),
            Line(((2000.0, 1e12), (2000.0, 1e14), (3000.0, 1e13)), "boundary", Role.BOUNDARY, 4),
            Line(((1.0, 1e12), (10_000.0, 2e15)), "guide", Role.GUIDE, 5),
            Rule(295.2, "ridge 295.2 FLOP/byte"),
            Rule(1e14, "100 TFLOP/s", vertical=False),
            Arrow((62.06, 207.9e12), (295.2, 989e12), "m grows to 345", 1),
            Point(62.06, 207.9e12, "matmul", 0.9, 0, "10.3 µs, 95 % of the time"),
            Point(0.1667, 0.558e12, "add", 0.1, 1, "outside of the axes"),
            Point(55.0, 150e12, "measured", 0.3, 2, "14.3 µs", measured=True),
        ),
    )


def bars() -> Bars:
    return Bars(
        title="Where the time goes",
        description="matmul takes 10.3 µs, nearly all of it for memory.",
        axis=Axis("time", "µs", 0.0, 12.0, Scale.LINEAR),
        rows=(("matmul", (2.17, 8.16)), ("add", (0.0, 0.47)), ("all", (2.17, 8.63))),
        segments=("compute", "memory"),
    )


TEXTS = frozenset(
    (
        "title",
        "subtitle",
        "text",
        "label",
        "caption",
        "detail",
        "description",
        "why",
        "shown",
        "name",
        "unit",
        "url",
    )
)
"""Fields that hold text for people, or text of the user."""


def hostile(text: str) -> Document:
    """Return the sample with `text` in every place where a text stands.

    Formulas, exact values and ids of claims stay, and so do the values of names; names in the
    formulas that are shown are `text` too, as are the labels of rates.
    """
    found = _with(sample(), text)
    return replace(found, labels=dict.fromkeys(LABELS, text))


def _with(node: Any, text: str, inside: str = "") -> Any:
    if isinstance(node, str):
        return text if inside in TEXTS else node
    if isinstance(node, tuple):
        named = inside in ("rows", "names") and bool(node) and isinstance(node[0], str)
        every = named or inside in ("listing", "segments")
        return tuple(_with(part, text, "text" if every else inside) for part in node)
    if isinstance(node, Claim):
        return replace(node, shown=text)
    if is_dataclass(node) and not isinstance(node, type):
        parts = {
            field.name: _with(getattr(node, field.name), text, field.name) for field in fields(node)
        }
        return replace(node, **parts)
    return node


def empty() -> Document:
    """Return a document without anything."""
    return Document("", "", ())


def marked() -> tuple[Document, list[str]]:
    """Return a document with a word of its own in every node, and the words."""
    words: list[str] = []

    def word() -> str:
        words.append(f"word{chr(97 + len(words) // 26)}{chr(97 + len(words) % 26)}q")
        return words[-1]

    def text(face: Face = Face.PLAIN) -> Text:
        return Text(word(), face)

    def claim() -> Claim:
        return Claim(f"c{len(words)}", "2*m", "128", "byte", word())

    axis = Axis("x", "", 1.0, 10.0)
    chart = Chart(word(), word(), axis, axis, (Point(2.0, 3.0, word(), detail=word()),))
    bars = Bars(word(), word(), axis, ((word(), (2.0,)),), (word(),))
    node = Node("n0", "op", "", "op")
    blocks = (
        Paragraph((text(), text(Face.STRONG), text(Face.CODE), Math(Name(word())), claim())),
        Paragraph((Link(word(), "https://example.org/a"), Link(word(), "javascript:0"))),
        Items(((text(),), (claim(),))),
        *(Note(tone, (text(), claim())) for tone in Tone),
        Equation(Comparison(Name(word()), Relation.LESS, Name(word())), (text(), claim())),
        Derivation(word(), Name(word()), (Step(word(), Name(word())),), "s", claim()),
        Table((Column(word()), Column(word(), right=True)), (((text(),), (claim(),)),), word()),
        Figure(chart),
        Figure(bars),
        Diagram((node,), (), (word(),), word()),
        Section("inner", word(), (Paragraph((text(),)),)),
    )
    section = Section("outer", word(), blocks)
    return Document(word(), word(), (section,), {"m": "64"}, {}, {}), words
