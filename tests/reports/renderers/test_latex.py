from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from symroof.reports.document import (
    Claim,
    Column,
    Document,
    Link,
    Math,
    Paragraph,
    Section,
    Table,
    Text,
)
from symroof.reports.renderers import latex
from symroof.reports.renderers._latex_columns import LINE_POINTS, Need, columns
from symroof.reports.renderers._latex_text import address, comment, tex
from tests.reports.sample import HOSTILE, empty, form, hostile, sample

ENGINES = ("pdflatex", "lualatex")


@pytest.fixture(params=ENGINES)
def engine(request):
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param}")
    return request.param


def compiled(engine: str, text: str, folder: Path) -> str:
    """Compile an article and return the log."""
    (folder / "report.tex").write_text(text, "utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    done = subprocess.run(
        [*command, "report.tex"], cwd=folder, capture_output=True, timeout=300, check=False
    )
    log = (folder / "report.log").read_text("utf-8", "replace")
    assert done.returncode == 0, log[-3000:]
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")
    return log


def test_the_sample_compiles_and_stays_on_its_page(engine, tmp_path):
    log = compiled(engine, latex.render(sample()), tmp_path)
    over = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(over, default=0) <= 3
    # a letter that a font does not have would vanish
    assert "Missing character" not in log
    assert "undefined" not in log


@pytest.mark.parametrize("name", ["latex", "maths", "lines", "emoji", "hebrew", "long", "close"])
def test_hostile_texts_compile(name, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex")
    log = compiled("pdflatex", latex.render(hostile(HOSTILE[name])), tmp_path)
    assert "Missing character" not in log


def test_all_hostile_texts_compile_in_one_article(engine, tmp_path):
    runs = tuple(Paragraph((Text(f"{name}: "), Text(text))) for name, text in HOSTILE.items())
    sections = (Section("s", "all", runs),)
    sections += tuple(Section(name, text, ()) for name, text in HOSTILE.items())
    log = compiled(engine, latex.render(Document("t", "s", sections)), tmp_path)
    assert "Missing character" not in log


def test_an_empty_document_compiles(engine, tmp_path):
    compiled(engine, latex.render(Document("", "", (Section("s", "s", ()),))), tmp_path)
    assert latex.render(empty()).endswith("\\end{document}\n")


def test_every_letter_that_is_set_has_a_glyph(engine, tmp_path):
    letters = [chr(code) for code in range(0x20, 0x2300)]
    text = " ".join(letter for letter in letters if "U+" not in tex(letter))
    assert len(text) > 2 * 280
    log = compiled(
        engine,
        latex.render(Document("t", "", (Section("s", "s", (Paragraph((Text(text),)),)),))),
        tmp_path,
    )
    assert "Missing character" not in log


def test_commands_in_a_text_are_letters():
    assert tex(r"\input{/etc/passwd}") == r"\textbackslash{}input\{/etc/passwd\}"
    assert tex("^^5cinput") == r"\textasciicircum{}\textasciicircum{}5cinput"
    assert tex("50% $x_1$ a&b #1 ~") == r"50\% \$x\_1\$ a\&b \#1 \textasciitilde{}"
    # after \\ a star or a bracket would be read as part of it
    assert tex("*") == "{*}"
    assert tex("[2pt]") == "{[}2pt{]}"


def test_letters_that_ligatures_would_join_stay_apart():
    assert tex("--x 'a' ''b") == "-{}-x 'a' '{}'b"
    assert tex("<<>>") == r"\textless{}\textless{}\textgreater{}\textgreater{}"


@pytest.mark.parametrize("char", ["🔥", "行", "ש", "\u202e", "\x00", "\ud800", "\u0301"])
def test_what_fonts_do_not_have_is_written_by_code_point(char):
    assert tex(char) == rf"{{[}}U+{ord(char):04X}{{]}}\allowbreak{{}}"


def test_long_words_break_and_no_line_of_the_file_is_long():
    text = tex("x" * 500_000)
    assert text.replace("\\allowbreak{}", "").replace("%\n", "") == "x" * 500_000
    assert max(map(len, text.splitlines())) < 2000
    assert max(map(len, tex("word " * 100_000).splitlines())) < 2000


def test_no_blank_line_ends_a_paragraph():
    assert "\n\n" not in tex("a\n\n\n b" * 200)
    assert tex(" a ") == " a "


def test_comments_end_with_their_line():
    assert comment("a\n\\input{x}\r\u2028b") == "% a \\input{x}  b"


def test_addresses_hold_nothing_that_tex_reads():
    assert address("https://x.test/a_b?c=%41&d#e") == r"https://x.test/a\%5Fb?c=\%41\&d\#e"
    assert (
        set(re.findall(r"[\\{}$^~_]", address("https://x.test/\\{}$^~_").replace(r"\%", "")))
        == set()
    )


def test_links_and_claims_are_written():
    runs = (
        Link("a & b", "https://x.test/"),
        Link("no", "javascript:alert(1)"),
        Claim("t", "2*m", "8", "s", "8 s"),
    )
    text = latex.render(Document("t", "", (Section("s", "s", (Paragraph(runs),)),)))
    assert r"\href{https://x.test/}{a \& b}no\textbf{8~s}" in text
    assert "javascript" not in text


def test_derivations_say_their_claim_in_a_comment():
    text = latex.render(sample())
    assert "% time.memory = 2*(m*n + m*k + n*k)/bw.hbm = 33792/3271484375 s\n" in text
    assert r"&\approx \text{\textbf{10.3~\textmu{}s}}" in text


# --- columns -------------------------------------------------------------------------------------


def total(found) -> float:
    return sum(found.widths) * found.size.letter + 10 * (len(found.widths) - 1)


def test_columns_with_room_get_what_they_need():
    assert columns([Need(3, 8), Need(5, 20)]).widths == (8, 20)


def test_columns_without_share_what_is_left_over_the_least():
    found = columns([Need(10, 10), Need(10, 200), Need(5, 300)])
    assert found.widths[0] == 10
    assert total(found) == pytest.approx(LINE_POINTS)


def test_letters_shrink_before_columns_go():
    needs = [Need(30, 30), Need(30, 30), Need(30, 30, optional=True)]
    assert columns(needs).kept == (0, 1, 2)
    assert columns(needs).size.command != r"\small"
    assert columns(
        [Need(60, 60), Need(20, 20, optional=True), Need(60, 60, optional=True)]
    ).kept == (0, 1)


def test_columns_never_leave_the_page():
    found = columns([Need(50, 90)] * 12)
    assert found.kept == tuple(range(12))
    assert total(found) <= LINE_POINTS + 1e-6


def test_a_long_formula_in_a_cell_stays_in_its_column(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex")
    long = Math(form(" + ".join(f"alpha*{name}" for name in "BCDFGHJKLMNPQRTUVWXYZ")))
    cells = ((Text("op"),), (long,), (long,), (Text("words " * 30),))
    table = Table(tuple(Column(f"column {i}") for i in range(4)), (cells, cells))
    log = compiled(
        "pdflatex", latex.render(Document("t", "", (Section("s", "s", (table,)),))), tmp_path
    )
    over = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(over, default=0) <= 5
