"""Reports in Chromium: nothing on the console, nothing too wide, formulas with a size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symroof.reports.renderers import html
from tests.reports.sample import HOSTILE, hostile, sample

VIEWS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]

SIZES = """() => [...document.querySelectorAll("math")]
  .filter(m => !m.closest("details:not([open])"))
  .map(m => m.getBoundingClientRect()).map(b => [b.width, b.height])"""
OUTSIDE = """() => [...document.querySelectorAll("body *")].filter(e => {
  for (let up = e.parentElement; up; up = up.parentElement)
    if (getComputedStyle(up).overflowX !== "visible") return false;
  const box = e.getBoundingClientRect();
  return box.width && box.right > innerWidth + 1 && !e.matches(".sr-skip");
}).map(e => e.className || e.tagName)"""
COLOURS = """() => { const s = getComputedStyle(document.querySelector(".symroof-report"));
  const around = getComputedStyle(document.documentElement);
  return [s.color, s.backgroundColor, around.backgroundColor] }"""


@pytest.fixture
def visit(browser, tmp_path):
    """Return a function that opens a page; what it says, or asks for elsewhere, is a failure."""
    said: list[str] = []
    pages = []

    def opened(text: str, width: int = 1280, scheme: str = "light", **options: Any) -> Any:
        viewport = {"width": width, "height": 844}
        page = browser.new_page(viewport=viewport, color_scheme=scheme, **options)
        pages.append(page)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: _own(request.url, said))
        path: Path = tmp_path / "report.html"
        path.write_text(text, "utf-8")
        page.goto(path.as_uri())
        return page

    yield opened
    for page in pages:
        page.close()
    assert said == []


def _own(url: str, said: list[str]) -> None:
    if not url.startswith(("file:", "data:")):
        said.append(f"a request to {url}")


def luminance(colour: str) -> float:
    parts = [int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in (part / 255 for part in parts)]  # fmt: skip
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_report_fits_and_its_formulas_have_a_size(visit, width, scheme):
    page = visit(html.render(sample()), width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(OUTSIDE) == []
    sizes = page.evaluate(SIZES)
    assert len(sizes) > 20
    assert min(wide for wide, _ in sizes) > 4
    assert min(high for _, high in sizes) > 5
    ink, sheet, around = page.evaluate(COLOURS)
    light, dark = sorted((luminance(ink), luminance(sheet)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) > 7
    assert (luminance(sheet) > 0.5) is (scheme == "light")
    assert sheet == around


@pytest.mark.parametrize("name", ["script", "close", "long", "words", "turned", "emoji", "latex"])
def test_hostile_texts_do_nothing_and_stay_inside(visit, name):
    page = visit(html.render(hostile(HOSTILE[name])), 390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("document.images.length") == 0


def test_contents_stand_beside_on_wide_screens_only(visit):
    text = html.render(sample())
    wide, narrow = visit(text, 1280), visit(text, 390)
    assert wide.locator(".sr-contents").is_visible()
    assert not wide.locator(".sr-contents-narrow").is_visible()
    assert not narrow.locator(".sr-contents").is_visible()
    assert narrow.locator(".sr-contents-narrow summary").is_visible()


def test_the_exact_statement_unfolds_and_still_fits(visit):
    page = visit(html.render(sample()), 390)
    for summary in page.locator("details:not([open]) > summary").all():
        if summary.is_visible():
            summary.click()
    statement = "time.memory = 2*(m*n + m*k + n*k)/bw.hbm"
    assert page.locator(".sr-exact code", has_text=statement).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_the_keyboard_reaches_the_content_first(visit):
    page = visit(html.render(sample()))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "sr-skip"
    assert page.locator(".sr-skip").bounding_box()["x"] > 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_the_head_of_a_long_table_stays(visit):
    from symroof.reports.document import Column, Document, Section, Table, Text

    rows = tuple((Text(f"op {i}"),) for i in range(200))
    table = Table((Column("the head"),), tuple((row,) for row in rows))
    page = visit(html.render(Document("t", "", (Section("s", "s", (table,)),))))
    page.evaluate("document.querySelector('.sr-table').scrollTop = 2000")
    box = page.locator("thead th").bounding_box()
    around = page.locator(".sr-table").bounding_box()
    assert around["height"] < 844
    assert abs(box["y"] - around["y"]) < 3


def test_print_is_light_and_whole(visit):
    page = visit(html.render(sample()), 1280, "dark")
    page.emulate_media(media="print", color_scheme="dark")
    ink, sheet, _ = page.evaluate(COLOURS)
    assert luminance(sheet) > 0.9 > 0.1 > luminance(ink)
    assert not page.locator(".sr-contents").is_visible()


def test_a_fragment_changes_nothing_around_it(visit):
    around = (
        "<!doctype html><title>x</title><h1>a</h1><p>b <code>c</code></p><table><tr><td>d</table>"
    )
    look = """() => [...document.querySelectorAll("body > :not(.symroof-report), body > p > code")]
      .filter(e => !e.closest(".symroof-report")).map(e => { const s = getComputedStyle(e);
      return [s.font, s.color, s.margin, s.padding, s.backgroundColor] })"""
    assert visit(around).evaluate(look) == visit(around + html.fragment(sample())).evaluate(look)
    page = visit(around + html.fragment(sample()), 390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_it_reads_without_script(visit):
    page = visit(html.render(sample()), java_script_enabled=False)
    assert page.locator("main svg").first.is_visible()
    assert page.locator("main h2").first.inner_text() == "Answer"
