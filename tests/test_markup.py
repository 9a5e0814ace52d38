"""Text in HTML is inert."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.markup import Html, escape, joined, or_none, shortened, table


class Reader(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
        ("\"'", "&quot;&#x27;"),
        ("a\u202eb", "a[U+202E]b"),
        ("a\u2066b\u2069\u200b", "a[U+2066]b[U+2069][U+200B]"),
        ("\x00\x1b\x7f", "[U+0000][U+001B][U+007F]"),
        ("\ud800", "[U+D800]"),
        ("\u2028", "[U+2028]"),
        ("π\u00a0≥", "π\u00a0≥"),
        ("😀", "😀"),
        ("\u05d0x", "\u2068\u05d0x\u2069"),
    ],
)
def test_escape(text, written):
    assert escape(text) == written


@given(st.text())
def test_escaped_text_reads_as_text_alone(text):
    for page in (f"<p>{escape(text)}</p>", f'<p title="{escape(text)}">x</p>'):
        assert Reader(page).tags == ["p"]
    assert [name for name, _ in Reader(f'<p title="{escape(text)}">').attributes] == ["title"]
    escape(text).encode()


@given(st.text(alphabet="ab<>&\"'"))
def test_nothing_visible_is_lost(text):
    assert Reader(f"<p>{escape(text)}</p>").text == text


def test_long_text_keeps_both_ends():
    text = "start" + "x" * 10_000 + "end"
    short = shortened(text)
    assert len(short) == 120
    assert short.startswith("start")
    assert short.endswith("end")
    assert shortened("short") == "short"
    assert shortened("abcde", 5) == "abcde"


def test_a_table_has_its_cells_in_place():
    page = table(["op", "<b>"], [[escape("a&b"), Html("<i>3</i>")]], frozenset({1}), escape("<c>"))
    read = Reader(page)
    assert " ".join(read.tags) == "div div table thead tr th th tbody tr td td i"
    assert read.text == "<c>op<b>a&b3"
    assert 'text-align:right;padding:2px 8px"><i>' in page
    assert "color" not in page


def test_pieces_are_joined_with_text():
    assert joined([Html("<b>x</b>"), escape("<")], "<") == "<b>x</b>&lt;&lt;"


def test_or_none_gives_none_where_it_fails():
    @or_none
    def half(number: int) -> float:
        """Return half of a number."""
        return 1 / number

    assert (half(2), half(0)) == (0.5, None)
    assert half.__doc__ == "Return half of a number."
