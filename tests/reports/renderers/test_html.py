from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from symroof.reports.document import (
    Claim,
    Document,
    Link,
    Math,
    Paragraph,
    Section,
    Table,
    Text,
    claims_of,
)
from symroof.reports.renderers import html
from tests.reports.sample import HOSTILE, empty, form, hostile, sample

VOID = {"meta", "br", "img", "link", "input", "hr"}
NAMES = """
html head meta title style body div a header h1 h2 h3 h4 h5 h6 p nav ol ul li main section
details summary span data strong code figure figcaption table caption thead tbody tr th td
script math mrow mi mn mo mtext mspace mfrac msqrt msub msup msubsup mstyle mtable mtr mtd
mover svg g path rect text desc line circle polygon tspan clippath defs use button output
"""
TAGS = set(NAMES.split())


class Page(HTMLParser):
    """What stands in a page: tags with attributes, that they close in order, and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag):
        return [attrs for name, attrs in self.found if name == tag]

    def text(self, tag):
        return [text for inside, text in self.texts if inside == tag]


def test_a_page_stands_alone():
    text = html.render(sample())
    page = Page(text)
    assert text.startswith("<!doctype html>\n")
    assert page.all("html") == [{"lang": "en", "class": "symroof-page"}]
    assert not page.all("link") + page.all("img") + page.all("iframe")
    assert not [attrs for _, attrs in page.found if "src" in attrs]
    assert "url(" not in "".join(page.text("style"))
    assert "@import" not in text


def test_only_its_own_script_may_run():
    page = Page(html.render(sample()))
    policy = next(
        attrs["content"]
        for attrs in page.all("meta")
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    script = "".join(page.text("script"))
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert len(page.all("script")) == 1
    assert "script-src 'none'" in html.render(Document("t", "", ()))


def test_headings_are_in_order_and_named():
    page = Page(html.render(sample()))
    levels = [int(tag[1]) for tag, _ in page.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    ids = [attrs["id"] for _, attrs in page.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    for attrs in page.all("section"):
        assert attrs["aria-labelledby"] in ids
    for attrs in page.all("a"):
        if attrs["href"].startswith("#"):
            assert attrs["href"][1:] in ids


def test_ids_that_are_taken_or_unfit_are_changed():
    sections = tuple(Section(i, i, ()) for i in ("a", "a", "content", "<x>", "", "a-title"))
    page = Page(html.render(Document("t", "", sections)))
    ids = [attrs["id"] for _, attrs in page.found if "id" in attrs]
    assert len(ids) == len(set(ids)) == 2 * len(sections) + 1


def test_every_number_says_what_it_is_exactly():
    page = Page(html.render(sample()))
    shown = [(attrs["value"], attrs["title"]) for attrs in page.all("data")]
    claims = list(claims_of(sample()))
    assert [value for value, _ in shown] == [claim.exact for claim in claims]
    assert ("2048/33", "intensity = m*n*k/(m*n + m*k + n*k) = 2048/33 FLOP/byte") in shown
    listed = page.text("code")
    assert all(title in listed for _, title in shown)
    assert "value ridge.fp16 = peak.fp16/bw.hbm [FLOP/byte]" in listed


def test_a_value_is_equal_only_where_it_is_exact():
    page = html.render(sample())
    assert '<div class="sr-sign">≈</div><div class="sr-right"><data' in page
    exact = Claim("n", "64*64", "4096", "", "4,096")
    document = sample()
    derivation = document.sections[2].blocks[0].blocks[0]
    whole = Section("n", "n", (replace(derivation, steps=(), value=exact),))
    assert '<div class="sr-sign">=</div><div class="sr-right"><data' in html.render(
        Document("t", "", (whole,))
    )


def test_links_lead_to_the_web_only():
    runs = (
        Link("good", "https://doi.org/10.1145/1498765.1498785"),
        Link("script", "javascript:alert(1)"),
        Link("data", "data:text/html,x"),
        Link("file", "file:///etc/passwd"),
        Link("quoted", 'https://x.test/"onmouseover="alert(1)'),
    )
    page = Page(html.render(Document("t", "", (Section("s", "s", (Paragraph(runs),)),))))
    links = [attrs for attrs in page.all("a") if not attrs["href"].startswith("#")]
    assert [attrs["href"].partition("://")[0] for attrs in links] == ["https", "https"]
    assert all(attrs["rel"] == "noopener noreferrer" for attrs in links)
    assert not [attrs for attrs in links if any(key.startswith("on") for key in attrs)]


def test_tables_say_what_is_a_head():
    page = Page(html.render(sample()))
    scopes = [attrs["scope"] for attrs in page.all("th")]
    # two tables of six and two columns, and two rows
    assert (scopes.count("col"), scopes.count("row")) == (8, 2)
    assert "What the ops do." in page.text("caption")


def test_an_empty_table_says_so():
    page = html.render(Document("t", "", (Section("s", "s", (Table((), ()),)),)))
    assert '<td colspan="1" class="sr-none">none</td>' in page


def test_short_formulas_are_one_and_long_ones_may_wrap():
    def rendered(text: str) -> str:
        runs = (Text("x "), Math(form(text)))
        return html.render(Document("t", "", (Section("s", "s", (Paragraph(runs),)),)))

    assert rendered("m + n").count("<math") == 1
    long = rendered(" + ".join(f"alpha_{i}*beta_{i}" for i in range(12)))
    assert long.count("<math") == 12
    assert 'role="math" aria-label="' in long


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_texts_add_nothing(name):
    for text in (html.render(hostile(HOSTILE[name])), html.fragment(hostile(HOSTILE[name]))):
        page = Page(text)
        assert {tag for tag, _ in page.found} <= TAGS
        for tag, attrs in page.found:
            assert not [key for key in attrs if key.startswith("on")], tag
            assert attrs.get("href", "#").startswith(("#", "http"))
        assert "alert" not in "".join(page.text("script"))
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", text)


def test_styles_hold_for_a_report_alone():
    rules = re.sub(r"@page[^{]*\{[^}]*\}|@media[^{]*\{", "", html.style())
    found = re.findall(r"([^{}]+)\{[^{}]*\}", rules)
    # commas inside of a selector do not part selectors
    selectors = [one.strip() for text in found for one in re.split(r",(?![^(]*\))", text)]
    assert len(selectors) > 100
    assert all(s.startswith((".symroof-report", "html.symroof-page")) for s in selectors)


def test_a_fragment_leaks_nothing():
    page = Page(html.fragment(sample()))
    assert not {"html", "head", "body", "script", "meta", "main"} & {tag for tag, _ in page.found}
    assert not [attrs for _, attrs in page.found if "id" in attrs]


def test_a_document_without_anything_is_a_page():
    page = Page(html.render(empty()))
    assert page.text("title") == ["Report"]
    assert not page.all("nav")


def test_the_same_document_gives_the_same_bytes():
    assert html.render(sample()) == html.render(sample())
