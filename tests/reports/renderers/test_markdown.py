from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from symroof.reports.document import (
    Claim,
    Column,
    Derivation,
    Document,
    Equation,
    Face,
    Figure,
    Items,
    Link,
    Math,
    Note,
    Paragraph,
    Section,
    Step,
    Table,
    Text,
    Tone,
)
from symroof.reports.plots.plot import Axis, Bars, Chart, Rule, Scale
from symroof.reports.renderers.markdown import render
from symroof.reports.visible import visible
from symroof.symbolic.forms import Comparison, Name, Product, Quotient, Relation
from tests.reports.sample import HOSTILE, bars, chart, form, hostile, sample

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
TEXTS = ("text", "text_special")
WORDS = (*TEXTS, "code_inline")
OURS = {f"<{end}{tag}>" for tag in ("code", "strong", "span") for end in ("", "/")}


def written(*blocks, labels=None) -> str:
    return render(Document("", "", (Section("s", "", blocks),), {}, {}, labels or {}))


def structure(text: str) -> list[tuple[object, ...]]:
    """Return what a reader of Markdown makes of a text, without its words."""
    found: list[tuple[object, ...]] = []
    for token in READER.parse(text):
        found.append((token.type, token.tag, token.info))
        if token.type == "html_block":
            found.append((token.content,))
        for part in token.children or ():
            ours = part.type == "html_inline" and part.content in OURS
            if part.type not in (*WORDS, "strong_open", "strong_close") and not ours:
                found.append((part.type, part.tag, part.content, part.attrs.get("href")))
    return found


def words(text: str) -> str:
    """Return the words a reader sees."""
    return " ".join(
        "".join(part.content for part in token.children or () if part.type in WORDS)
        for token in READER.parse(text)
    )


@pytest.mark.parametrize("name", sorted(set(HOSTILE) - {"empty", "blank"}))
def test_no_text_makes_more_than_words(name):
    assert structure(render(hostile(HOSTILE[name]))) == structure(render(hostile("word")))


@pytest.mark.parametrize("name", sorted(HOSTILE))
@pytest.mark.parametrize("face", Face)
def test_a_text_is_read_as_it_was_given(name, face):
    text = HOSTILE[name]
    for block in (Paragraph((Text(text, face),)), Items(((Text(text, face),),))):
        shown = words(written(block)).replace("\u200b", "").replace("\xa0", " ")
        assert " ".join(shown.split()) == " ".join(visible(text).split())


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_nothing_is_an_address_a_mention_an_emoji_or_maths(name):
    text = render(hostile(HOSTILE[name]))
    for token in READER.parse(text):
        shown = "".join(part.content for part in token.children or () if part.type in TEXTS)
        shown = shown.replace("https://doi.org/10.1145/1498765.1498785", "")
        assert not re.search(r"@\w|://|\bwww\.|#\d|:[\w+-]+:", shown)
    # the maths that GitHub finds are formulas of the document alone
    outside = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", text)
    assert "$" not in re.sub(r"<span>\$</span>|\$`[^`]*`\$|`[^`\n]*`", "", outside)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["1", ". first"], "1\\. first"),
        (["-", " point"], "\\- point"),
        (["+ point"], "\\+ point"),
        (["==="], "\\==="),
        (["12345678901. x"], "12345678901. x"),
        (["    indented"], "indented"),
        (["a", "$b$"], "a<span>$</span>b<span>$</span>"),
        (["http:", "//evil.test"], "http:&#8203;//evil.test"),
        (["value m = 65"], "value m\xa0= 65"),
    ],
)
def test_words_are_escaped_where_they_touch(given, expected):
    assert written(Paragraph(tuple(map(Text, given)))) == f"{expected}\n"


def test_formulas_are_maths_that_underscores_do_not_break():
    runs = (Text("so "), Math(Quotient(Name("bytes_1"), Name("bw.hbm"))))
    text = written(Paragraph(runs), labels={"bw.hbm": "β"})
    assert text == "so $`\\frac{\\mathrm{bytes}_{1}}{\\beta}`$\n"
    equation = Equation(Comparison(Name("m"), Relation.AT_LEAST, Name("I")), (Text("else never."),))
    assert written(equation) == "```math\nm \\ge I\n```\n\nelse never.\n"


def test_a_derivation_is_aligned_and_has_its_exact_value_under_it():
    block = Derivation(
        "memory time",
        Name("t"),
        (Step("definition", Name("a")), Step("", form("2*n*k"), near=True)),
        "s",
        Claim("time.memory", "2*n*k", "3/10", "s", "300 ms"),
    )
    assert written(block) == (
        "**memory time**, in s\n\n"
        "```math\n"
        "\\begin{aligned}\n"
        "t &= a && \\mathrm{definition} \\\\\n"
        "&\\approx 2\\,n\\,k \\\\\n"
        "&= 300\\ \\mathrm{ms}\n"
        "\\end{aligned}\n"
        "```\n\n"
        "`time.memory = 2*n*k = 3/10 s`\n"
    )


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("99.3 %", r"99.3\ \%"),
        ("−1,234", "-1{,}234"),
        ("∞", r"\infty"),
        ("62.1 FLOP/byte", r"62.1\ \mathrm{FLOP/byte}"),
    ],
)
def test_numbers_are_maths_in_a_derivation(shown, expected):
    block = Derivation("x", Name("x"), (), "", Claim("x", "1", "1", "", shown))
    assert f"x &= {expected}\n" in written(block)


def test_a_table_keeps_its_columns_and_hides_its_exact_values():
    rows = (
        ((Text("a|b", Face.CODE),), (Math(Product((Name("m"), Name("n")))),)),
        ((Text("c|d"),), (Claim("x", "2*m", "8", "", "8"),)),
    )
    table = Table((Column("op|s"), Column("value", right=True, optional=True)), rows, "The ops.")
    assert written(table) == (
        "**The ops.**\n\n"
        "| op&#124;s | value |\n| --- | ---: |\n"
        "| <code>a&#124;b</code> | $`m\\,n`$ |\n| c&#124;d | 8 |\n\n"
        "<details>\n<summary>Exact values</summary>\n\n```\nx = 2*m = 8\n```\n\n</details>\n"
    )


def test_a_note_is_an_alert_with_its_exact_value_after_it():
    claim = Claim("x", "2*m", "8", "", "8")
    assert written(Note(Tone.CAUTION, (Text("see "), claim))) == (
        "> [!WARNING]\n> see 8\n\n`x = 2*m = 8`\n"
    )


def test_exact_values_stand_in_their_items():
    claim = Claim("x", "2*m", "8", "", "8")
    text = written(Items(((claim, claim), (Text("b"),), (Text("c"),))))
    assert text == "- 88\n\n  ```\n  x = 2*m = 8\n  x = 2*m = 8\n  ```\n\n- b\n- c\n"
    assert [kind for kind, *_ in structure(text)].count("bullet_list_open") == 1


def test_addresses_are_links_whose_parts_cannot_leave_them():
    good = "https://a.org/x_(y)?a=1&b=$2|<z>"
    text = written(Paragraph((Link("a]b", good), Link("bad", "javascript:alert(1)"))))
    assert text == ("[a\\]b](https://a.org/x_%28y%29?a=1&amp;b=%242%7C%3Cz%3E)bad\n")


def test_code_cannot_end_the_block_it_stands_in():
    claim = Claim("x", "1", "1", "", "1", {"a": "```b"})
    text = written(Paragraph((claim, claim)))
    assert text.split("\n")[2] == "````"
    assert [kind for kind, *_ in structure(text)].count("fence") == 1


def test_plots_are_tables_of_their_numbers():
    assert written(Figure(bars(), "Bars")) == (
        "**Bars**\n\n"
        "matmul takes 10.3 µs, nearly all of it for memory.\n\n"
        "| bar | compute time | memory time |\n| --- | ---: | ---: |\n"
        "| matmul | 2.17 µs | 8.16 µs |\n"
        "| add | 0 s | 470 ns |\n"
        "| all | 2.17 µs | 8.63 µs |\n"
    )
    lines = written(Figure(chart())).splitlines()
    assert "| mark | what | arithmetic intensity | performance | detail |" in lines
    roof = "| fp16, 989 TFLOP/s | line | `i` | `min(989*10**12, 3350*10**9*i)` FLOP/s |  |"
    assert roof in lines
    assert "| ridge 295.2 FLOP/byte | threshold | 295 FLOP/byte |  |  |" in lines
    assert "| measured | measured | 55 FLOP/byte | 150 TFLOP/s | 14.3 µs |" in lines
    nothing = Bars("Title", "", Axis("x", "", 0.0, 1.0, Scale.LINEAR), (), ())
    assert written(Figure(nothing)).startswith("**Title**\n\n| bar |\n| --- |\n")


def test_columns_of_a_plot_in_which_nothing_stands_are_left_out():
    axis = Axis("m", "", 1.0, 8.0, Scale.LOG)
    times = Axis("time", "s", 1.0, 8.0, Scale.LOG)
    only = Chart("Times", "", axis, times, (Rule(345.0, "m = 345"),))
    assert written(Figure(only)).splitlines()[2:] == [
        "| mark | what | m |",
        "| --- | --- | ---: |",
        "| m = 345 | threshold | 345 |",
    ]


def test_a_whole_report_reads_as_it_is_meant():
    tokens = READER.parse(render(sample()))
    infos = [token.info for token in tokens if token.type == "fence"]
    assert infos.count("math") == 7
    assert infos.count("mermaid") == 1
    headings = [token.tag for token in tokens if token.type == "heading_open"]
    assert headings[0] == "h1"
    assert headings.count("h3") == 2
    assert [t.content for t in tokens if t.type == "html_block"] == [
        "<details>\n<summary>Exact values</summary>\n",
        "</details>\n",
    ]
