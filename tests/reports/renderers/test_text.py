from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from symroof.reports.document import (
    Claim,
    Column,
    Derivation,
    Document,
    Equation,
    Face,
    Items,
    Link,
    Note,
    Paragraph,
    Section,
    Step,
    Table,
    Text,
    Tone,
)
from symroof.reports.renderers.text import render
from symroof.reports.wrapping import width_of
from symroof.symbolic.forms import Comparison, Name, Number, Quotient, Relation
from tests.reports.sample import HOSTILE, form, hostile, sample


def written(*blocks, labels=None, width=80) -> str:
    """Return the lines of blocks in a document without titles."""
    document = Document("", "", (Section("s", "", blocks),), {}, {}, labels or {})
    return render(document, width)


def test_a_derivation_is_aligned_and_has_its_exact_value_under_it():
    block = Derivation(
        "memory time",
        Name("t_memory"),
        (
            Step("definition", Quotient(Name("bytes"), Name("bw.hbm"))),
            Step("closed form", form("2*(m*n + m*k + n*k)/bw.hbm")),
            Step("weight alone", form("2*n*k/bw.hbm"), near=True),
        ),
        "s",
        Claim("time.memory", "2*(k*m + k*n + m*n)/bw.hbm", "1234/335", "s", "12.4 µs"),
    )
    assert written(block, labels={"bw.hbm": "β"}) == (
        "memory time, in s:\n"
        "    t_memory = bytes/β                 definition\n"
        "             = 2·(m·n + m·k + n·k)/β   closed form\n"
        "             ≈ 2·n·k/β                 weight alone\n"
        "             = 12.4 µs\n"
        "      time.memory = 2*(k*m + k*n + m*n)/bw.hbm = 1234/335 s\n"
    )


def test_a_derivation_without_a_number_or_a_unit():
    block = Derivation("zero", Name("t_network"), (Step("nothing is sent", Number(Fraction(0))),))
    assert written(block) == "zero:\n    t_network = 0   nothing is sent\n"


def test_a_long_formula_wraps_before_operators_and_hangs():
    terms = " + ".join(f"{chr(97 + i)}_long*name_{i}" for i in range(8))
    block = Derivation("sum", Name("x"), (Step("closed form", form(terms)),))
    lines = written(block).splitlines()[1:]
    assert all(len(line) <= 80 for line in lines)
    assert lines[0].startswith("    x = ")
    assert all(line.startswith("          + ") for line in lines[1:])
    joined = " ".join(line.replace("closed form", "").strip() for line in lines)
    assert joined.split(" + ")[3].replace(" ", "") == "d_long·name_3"


def test_claims_stand_beside_what_is_shown():
    claim = Claim("first", "ceil(m*t)", "345", "", "345", {"m": "7", "n": "2*3 + 1"})
    line = "      first = ceil(m*t) = 345 @ m=7, n=2*3+1\n"
    assert written(Paragraph((Text("from "), claim))) == f"from 345\n{line}"
    assert written(Note(Tone.CAUTION, (claim,))) == f"  Caution: 345\n{line}"
    assert written(Items(((claim,), (Text("b"),)))) == f"  - 345\n{line}  - b\n"
    equation = Equation(Comparison(Name("m"), Relation.AT_LEAST, Name("t")), (claim,))
    assert written(equation) == f"    m ≥ t   345\n{line}"


def test_exact_values_stand_under_a_table_and_are_not_wrapped():
    long = " + ".join(f"a{i}*b{i}" for i in range(40))
    claim = Claim("ops.0.bytes", long, "12", "byte", "12 B")
    table = Table((Column("op"), Column("bytes", right=True)), (((Text("add"),), (claim,)),), "Ops")
    assert written(table) == (
        "Ops\n\nop   bytes\n───  ─────\nadd   12 B\n\n"
        f"  exact values\n    ops.0.bytes = {long} = 12 byte\n"
    )


def test_optional_columns_go_before_cells_fold_and_claims_stay():
    wide = Text("word " * 15 + "end")
    claim = Claim("c", "m", "4", "", "4")
    columns = (Column("a"), Column("b"), Column("c", optional=True))
    text = written(Table(columns, (((wide,), (Text("x"),), (claim,)),)))
    assert text.splitlines()[0].split() == ["a", "b"]
    assert text.splitlines()[3] == "end"
    assert "    c = m = 4" in text


def test_what_names_are_stands_once_at_the_end():
    document = Document("t", "", (), {"m": "64", "r": "p/b"}, {"r": "FLOP/byte"})
    whole = "    value m = 64\n    value r = p/b [FLOP/byte]\n    digest "
    assert render(document).count(whole) == 1
    assert "Values" not in render(Document("t", "", ()))


def test_links_are_shown_only_where_they_lead_to_the_web():
    runs = (Link("paper", "https://a.org/b"), Text(", "), Link("bad", "javascript:alert(1)"))
    assert written(Paragraph(runs)) == "paper (https://a.org/b), bad\n"


def test_headings_are_underlined_as_wide_as_they_are():
    inner = Section("b", "行列", (Section("c", "deep", (Section("d", "deeper", ()),)),))
    assert render(Document("title", "sub", (inner,))) == (
        "title\n=====\nsub\n\n行列\n----\n\ndeep\n~~~~\n\ndeeper\n~~~~~~\n"
    )


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_lines_are_no_wider_than_the_page_but_for_exact_values(width):
    lines = render(sample(), width).splitlines()
    exact = ("      ", "    ops.", "    value ", "    digest ")
    wide = [line for line in lines if width_of(line) > width and not line.startswith(exact)]
    assert [line for line in wide if "https://" not in line] == []


def test_a_unit_is_never_parted_from_its_number():
    claim = Claim("c", "m", "4", "s", "10.3 µs")
    for count in range(60, 80):
        text = written(Paragraph((Text("x" * count + " "), claim)))
        assert "10.3 µs" in text


def test_no_escape_gets_out_to_the_terminal():
    text = render(hostile(HOSTILE["terminal"]))
    assert "\\x1b[31mred" in text
    assert all(character.isprintable() or character in "\n\xa0" for character in text)


@pytest.mark.parametrize("face", Face)
def test_words_are_not_marked_up(face):
    assert written(Paragraph((Text("[red]*x*[/red]", face),))) == "[red]*x*[/red]\n"


def test_a_table_of_a_hundred_ops_states_every_number():
    def row(at: int):
        claims = [
            (Claim(f"o.{at}.{i}", f"2*m*{i}", str(2 * i), "byte", f"{i} B"),) for i in range(8)
        ]
        return ((Text(f"layer.{at}"),), *claims)

    columns = tuple(Column(f"c{i}", right=True) for i in range(9))
    document = replace(
        sample(), sections=(Section("a", "", (Table(columns, tuple(map(row, range(100)))),)),)
    )
    assert render(document).count(" byte\n") == 800
