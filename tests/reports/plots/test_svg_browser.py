"""Plots in Chromium: what is seen without the script, and what the script adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from symroof.reports.plots.svg import script, style, svg
from tests.reports.plots.drawings import PLOTS
from tests.reports.plots.test_svg import bars_of, chart_of
from tests.reports.sample import HOSTILE

# Words that one sees, with the boxes they fill on the screen, turned ones left out.
BOXES = """() => [...document.querySelectorAll("svg[role] text")]
  .filter((node) => node.getBoundingClientRect().width)
  .filter((node) => !/rotate/.test(node.getAttribute("transform")))
  .map((node) => { const b = node.getBoundingClientRect();
    return [node.closest(".plot").id, node.textContent, b.left, b.top, b.right, b.bottom]; })"""


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a page of plots from the file system; every line on the console is a failure."""
    said: list[str] = []
    contexts: list[Any] = []

    def opened(*names: str, width: int = 760, live: bool = True, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 700}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        plots = "".join(f'<div class="plot" id="{name}">{svg(PLOTS[name])}</div>' for name in names)
        file = tmp_path / f"{len(contexts)}.html"
        file.write_text(
            '<!doctype html><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">'
            f"<style>body{{margin:16px}}{style()}</style>{plots}<p style='height:2000px'>"
            + (f"<script>{script()}</script>" if live else ""),
            "utf-8",
        )
        page.goto(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def ticks(page: Any) -> list[str]:
    settle(page)
    return page.locator(".tick:visible text").all_text_contents()


def settle(page: Any) -> None:
    page.evaluate(
        "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
    )


def point_at(page: Any, selector: str, shift: float = 0.0) -> None:
    box = page.locator(selector).first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + shift, box["y"] + box["height"] / 2)
    settle(page)


@pytest.mark.parametrize("width", [760, 390])
@pytest.mark.parametrize("live", [True, False])
def test_words_are_legible_and_apart(visit: Callable[..., Any], width: int, live: bool) -> None:
    page = visit(*PLOTS, width=width, live=live)
    boxes = page.evaluate(BOXES)
    assert {box[0] for box in boxes} == set(PLOTS)
    for plot, text, left, top, right, bottom in boxes:
        assert 0 <= left <= right <= width, text
        assert bottom - top >= 11, text
        for other, second, *there in boxes:
            if other == plot and (text, left, top) < (second, *there[:2]):
                apart = right <= there[0] or there[2] <= left
                # The boxes of the browser are as high as a line, higher than letters.
                assert apart or bottom - 5 <= there[1] or there[3] - 5 <= top, (text, second)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_one_drawing_is_seen_and_the_other_is_not(visit: Callable[..., Any]) -> None:
    for width, seen in ((760, "720"), (390, "360")):
        page = visit("roofline", width=width)
        assert page.locator("svg[role]:visible").count() == 1
        box = page.locator("svg[role]:visible").get_attribute("viewBox")
        assert box.split()[2] == seen


def test_zoom_by_key_changes_the_ticks_and_zero_resets(visit: Callable[..., Any]) -> None:
    page = visit("roofline")
    before = ticks(page)
    assert before[:4] == ["1", "10", "100", "1k"]
    page.locator("svg[role]:visible").focus()
    for _ in range(6):
        page.keyboard.press("+")
    near = ticks(page)
    assert near != before
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    moved = ticks(page)
    assert moved != near
    page.keyboard.press("-")
    assert ticks(page) != moved
    page.keyboard.press("0")
    assert ticks(page) == before
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")


@pytest.mark.parametrize("name", ["roofline", "intensity", "times", "regimes"])
def test_ticks_stay_where_their_values_are(visit: Callable[..., Any], name: str) -> None:
    """A tick that is there before and after a zoom has moved as the data have."""
    page = visit(name)
    places = """() => [...document.querySelector("svg[role] .tick.middle").children]
        .map((node) => [node.textContent, +node.getAttribute("x")])"""
    before = dict(page.evaluate(places))
    page.get_by_label("Zoom in").click()
    settle(page)
    after = dict(page.evaluate(places))
    moved = page.evaluate(
        """() => { const { baseVal } = document.querySelector("svg[role] .scaled").transform;
        const { a, e } = baseVal.consolidate().matrix; return [a, e]; }"""
    )
    common = before.keys() & after.keys()
    assert moved[0] == pytest.approx(1.5)
    assert common
    for text in common:
        assert after[text] == pytest.approx(moved[0] * before[text] + moved[1], abs=0.2)


def test_the_wheel_scrolls_the_page_until_the_plot_is_used(visit: Callable[..., Any]) -> None:
    page = visit("times")
    before = ticks(page)
    point_at(page, "svg[role]")
    page.mouse.wheel(0, 120)
    page.wait_for_function("scrollY > 0")
    assert ticks(page) == before
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_function("scrollY === 0")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    zoomed = ticks(page)
    assert zoomed != before
    page.get_by_text("Reset").click()
    assert ticks(page) == before
    page.locator("svg[role]:visible").focus()
    point_at(page, "svg[role]")
    page.mouse.wheel(0, -300)
    assert ticks(page) != before
    assert page.evaluate("scrollY") == 0
    page.mouse.dblclick(300, 200)
    assert ticks(page) == before


def test_dragging_pans_what_is_zoomed(visit: Callable[..., Any]) -> None:
    page = visit("roofline")
    page.get_by_label("Zoom in").click()
    page.get_by_label("Zoom in").click()
    before = ticks(page)
    page.mouse.move(400, 250)
    page.mouse.down()
    page.mouse.move(300, 200, steps=4)
    page.mouse.up()
    assert ticks(page) != before


def test_hover_tells_name_detail_and_values(visit: Callable[..., Any]) -> None:
    page = visit("roofline")
    tip = page.locator(".tip")
    assert not tip.is_visible()
    point_at(page, ".fixed > .cross")
    assert tip.inner_text().split("\n")[:4] == [
        "measured q",
        "150 TFLOP/s",
        "arithmetic intensity: 62 FLOP/byte",
        "performance: 150 TFLOP/s",
    ]
    page.mouse.move(5, 5)
    settle(page)
    assert not tip.is_visible()


def test_hover_on_a_curve_tells_its_value_there(visit: Callable[..., Any]) -> None:
    page = visit("roofline")
    point_at(page, ".roof.c1")
    said = page.locator(".tip").inner_text().split("\n")
    assert said[0] == "HBM 3.35 TB/s"
    x, y = (line.split(": ")[1] for line in said[1:])
    scale = {"TFLOP/s": 1e12, "GFLOP/s": 1e9}[y.split()[1]]
    # On this roof performance is intensity times bandwidth; both have three digits.
    assert float(y.split()[0]) * scale == pytest.approx(3.35e12 * float(x.split()[0]), rel=0.01)


def test_marks_are_reached_by_key_and_have_a_name(visit: Callable[..., Any]) -> None:
    page = visit("bars")
    page.locator("svg[role]:visible").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    settle(page)
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name == "attention, all heads\nmemory: 41.3 µs (77.3 %)"
    assert page.locator(".tip").inner_text() == name
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "svg"
    assert not page.locator(".tip").is_visible()
    assert page.get_by_text("Reset").count() == 0


def test_a_plot_says_what_it_shows_to_a_screen_reader(visit: Callable[..., Any]) -> None:
    for live in (True, False):
        page = visit("times", live=live)
        name = page.get_by_role("group" if live else "img", name=PLOTS["times"].title)
        assert name.count() == 1
        seen = page.locator("svg[role]:visible")
        about = seen.get_attribute("aria-label") if live else seen.locator("desc").text_content()
        assert PLOTS["times"].description in about


def test_a_pinch_zooms_and_one_finger_scrolls(visit: Callable[..., Any]) -> None:
    page = visit("roofline", width=390, has_touch=True)
    before = ticks(page)
    fire = """([first, second]) => { const svg = [...document.querySelectorAll("svg[role]")]
        .find((s) => s.getBoundingClientRect().width);
      let held = false;
      for (const places of [first, second]) {
        const touches = places.map(([clientX, clientY], identifier) =>
          new Touch({identifier, target: svg, clientX, clientY}));
        const moved = new TouchEvent("touchmove", {touches, cancelable: true, bubbles: true});
        held = !svg.dispatchEvent(moved);
      }
      svg.dispatchEvent(new TouchEvent("touchend", {touches: []}));
      return held; }"""
    assert page.evaluate(fire, [[[100, 200]], [[100, 150]]]) is False
    assert ticks(page) == before
    assert page.evaluate(fire, [[[150, 200], [200, 200]], [[100, 200], [250, 200]]]) is True
    assert ticks(page) != before


def test_hostile_names_run_nothing(browser: Any, tmp_path: Path) -> None:
    plots = "".join(svg(make(name)) for name in HOSTILE.values() for make in (chart_of, bars_of))
    file = tmp_path / "page.html"
    head = f"<!doctype html><meta charset=utf-8><style>{style()}</style>"
    file.write_text(f"{head}{plots}<script>{script()}</script>", "utf-8")
    page = browser.new_page()
    said: list[str] = []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    settle(page)
    assert page.locator("img, .symroof-plot script").count() == 0
    assert page.locator(".symroof-plot.live").count() == 2 * len(HOSTILE)
    page.close()
    assert said == []
