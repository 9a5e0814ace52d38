"""The page in Chromium: it flips where the library flips, and looks as a page should."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import symroof as sr
from symroof.errors import SymroofError
from symroof.reports.explorer import explore
from symroof.roofline import Roofline
from symroof.symbolic import bind, parse, to_float, to_text
from tests.reports.inside import BIG, CPU, HAND, product

Visit = Callable[..., Any]

# N is too large for floats: 2·M·N·K has more than 53 bits, and the two times round differently.
TIE = {"n": 5060205, "k": 5060205}
TIED_AT = 627
TIE_CHIP = """
schema_version = 1
name = "tie"
[peak]
fp16 = "3172.748535 TFLOP/s"
[memory.hbm]
bandwidth = "5.061459 TB/s"
"""


def matmul() -> Roofline:
    return sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=4096, k=4096)


def tie(folder: Path) -> Roofline:
    (folder / "tie.toml").write_text(TIE_CHIP, "utf-8")
    return sr.analyze(sr.load("mn,nk->mk"), str(folder / "tie.toml")).at(TIE)


def parallel() -> Roofline:
    return sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm").at(D=4096, F=14336, n=8)


def type_in(page: Any, place: int, text: object) -> None:
    page.fill(f"#slot-{place}-box", str(text))
    page.press(f"#slot-{place}-box", "Enter")
    settle(page)


def settle(page: Any) -> None:
    frames = "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 50)))"
    page.evaluate(f"new Promise(r => {frames})")


def bound(page: Any) -> str:
    return str(page.get_attribute("#verdict", "data-bound"))


def value(page: Any, place: int) -> str:
    return str(page.input_value(f"#slot-{place}-box"))


@pytest.mark.parametrize("which", ["matmul", "tie", "parallel"])
def test_the_slider_flips_the_verdict_exactly_where_the_library_does(
    visit: Visit, tmp_path: Path, which: str
) -> None:
    roofline = {"matmul": matmul, "tie": lambda: tie(tmp_path), "parallel": parallel}[which]()
    name = roofline.name_order[0]
    first = roofline.crossover(name).first
    assert first is not None
    page = visit(explore(roofline, name))
    type_in(page, 0, first - 3)
    page.focus("#slot-0")
    for number in range(first - 3, first + 4):
        assert value(page, 0) == str(number)
        assert page.get_attribute("#slot-0", "aria-valuetext").replace(",", "") == str(number)
        assert bound(page) == roofline.verdict(**{name: number}).value
        page.keyboard.press("ArrowRight")
        settle(page)
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert value(page, 0) == str(first + 3)


def test_a_tie_that_floats_miss_is_balanced(visit: Visit, tmp_path: Path) -> None:
    n, m = float(TIE["n"]), float(TIED_AT)
    assert 2 * m * n * n / 3172.748535e12 != 2 * (m * n * 2 + n * n) / 5.061459e12
    exact = Fraction(2 * TIED_AT * TIE["n"] ** 2, 3172748535 * 10**6)
    assert exact == Fraction(2 * (2 * TIED_AT * TIE["n"] + TIE["n"] ** 2), 5061459 * 10**6)
    page = visit(explore(tie(tmp_path)))
    type_in(page, 0, TIED_AT)
    assert page.inner_text("#bound") == "Balanced: compute = memory"
    assert "exactly equal" in page.inner_text("#reason")
    assert page.evaluate("symroof.verdict({m: '627'})") == {
        "kind": "balanced",
        "tied": ["compute", "memory"],
        "exact": True,
    }


def test_every_whole_number_is_reached_and_the_pointer_moves_the_slider(visit: Visit) -> None:
    page = visit(explore(matmul()))
    box = page.locator("#slot-0").bounding_box()
    before = value(page, 0)
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] / 2)
    settle(page)
    assert 1 < int(value(page, 0)) < int(before)
    page.press("#slot-0", "Home")
    settle(page)
    assert value(page, 0) == "1"
    page.press("#slot-0", "ArrowLeft")
    settle(page)
    assert value(page, 0) == "1"


@pytest.mark.parametrize(
    ("spec", "x", "y"), [("matmul", "M", "N"), ("tensor-parallel-mlp", "B", "D"), ("moe", "B", "E")]
)
def test_the_regime_map_agrees_with_the_library_at_random_points(
    visit: Visit, spec: str, x: str, y: str
) -> None:
    roofline = sr.analyze(sr.load(spec), "h100-sxm")
    page = visit(explore(roofline, x))
    rng = random.Random(spec)
    defaults = {name: int(n) for name, n in roofline.graph.about.defaults.items()}
    low, high = 1, 2**14
    for _ in range(200 if spec == "matmul" else 60):
        at = {**defaults, x: round(2 ** rng.uniform(0, 14)), y: round(2 ** rng.uniform(0, 14))}
        runs = column(page, "boundary", y, at, low, high)
        (run,) = [run for run in runs if int(run["from"]) <= at[y] <= int(run["to"])]
        assert run["kind"] == library_verdict(roofline, at), at
        for before, after in pairwise(runs):  # both sides of every boundary
            assert int(after["from"]) == int(before["to"]) + 1
            for end, kind in ((before["to"], before["kind"]), (after["from"], after["kind"])):
                assert kind == library_verdict(roofline, {**at, y: int(end)}), (at, end)
        drawn = column(page, "column", y, at, low, high)
        edges = [part["from"] for part in drawn[1:]]
        if all(abs(math.log(at[y] / edge)) > 1e-6 for edge in edges):
            (part,) = [part for part in drawn if part["from"] <= at[y] <= part["to"]]
            assert part["kind"] == library_verdict(roofline, at), at


def column(page: Any, how: str, name: str, at: dict[str, int], low: int, high: int) -> Any:
    given = {key: str(number) for key, number in at.items()}
    return page.evaluate(f"([n, g, a, b]) => symroof.{how}(n, g, a, b)", [name, given, low, high])


def library_verdict(roofline: Roofline, at: dict[str, int]) -> str:
    try:
        return roofline.verdict(**at).value
    except SymroofError:
        return "impossible"  # more experts for a token than there are


@pytest.mark.parametrize(
    "spec", ["matmul", "mlp", "attention-decode", "fft", "moe", "tensor-parallel-mlp", "conv"]
)
def test_crossovers_are_those_of_the_library(visit: Visit, spec: str) -> None:
    roofline = sr.analyze(sr.load(spec), "h100-sxm")
    page = visit(explore(roofline))
    rng = random.Random(spec)
    names = [name for name in roofline.scope.dimensions if "." not in name]
    for name in names:
        for _ in range(4):
            at = {other: round(2 ** rng.uniform(0, 12)) for other in names}
            try:
                roofline.at(at)
            except SymroofError:
                continue
            at.pop(name)
            answer = roofline.at(at).crossover(name)
            given = {key: str(number) for key, number in at.items()}
            found = page.evaluate("([n, g]) => symroof.crossover(n, g)", [name, given])
            runs = [[str(low), high and str(high)] for low, high in answer.intervals or ()]
            assert found["runs"] == runs, (name, at)
            if found["ends"] is not None:
                assert found["kind"] == answer.kind.value, (name, at)


def test_exact_arithmetic_agrees_with_the_library(browser: Any) -> None:
    from symroof.reports.explorer.build import _read
    from symroof.reports.explorer.javascript import exact_code, float_code

    formulas = (
        "2*a*b/(a + b)", "ceil(a/7)*floor(b/3) - c", "max(a, b, c) - min(a/2, c)", "(1 - a/b)**c",
        "a**3/b**2 - 1/c", "log2(2**c)*a", "sqrt(a**2*b**2)", "-a/(3*b) + c", "floor(-a/b)",
        "10**400*a/(10**400*b + 1)", "(a/b)**2",
    )  # fmt: skip
    rng = random.Random(7)
    page = browser.new_page()
    places = {"a": 0, "b": 1, "c": 2}
    for text in formulas:
        expr = parse(text)
        for _ in range(5):
            at = {
                "a": rng.randint(1, 60),
                "b": Fraction(rng.randint(1, 99), 7),
                "c": rng.randint(1, 20),
            }
            want = bind(expr, at)
            values = [
                f"q({Fraction(n).numerator}n, {Fraction(n).denominator}n)" for n in at.values()
            ]
            script = f"""(() => {{ {_read("exact.js")}
                const v = [{", ".join(values)}], found = {exact_code(expr, places)};
                const w = v.map(toFloat), near = (v => {float_code(expr, places)})(w);
                return [String(found.n), String(found.d), toFloat(found), near]; }})()"""
            above, below, rounded, near = page.evaluate(script)
            assert to_text(want) == to_text(
                parse(f"{above}/{below}".replace("/1", "") if below == "1" else f"{above}/{below}")
            )
            assert rounded == pytest.approx(to_float(want), rel=1e-14)
            if "10**400" not in text:
                assert near == pytest.approx(to_float(want), rel=1e-9, abs=1e-12)
    page.close()


def test_enclosures_hold_what_no_fraction_is(browser: Any) -> None:
    import mpmath

    from symroof.reports.explorer.build import _read
    from symroof.reports.explorer.javascript import exact_code

    formulas: dict[str, Callable[[Any, Any], Any]] = {
        "log2(a)*b - log2(a + 1)*b": lambda a, b: b * mpmath.log(a / (a + 1), 2),
        "2**(a/7)/b": lambda a, b: mpmath.power(2, a / 7) / b,
        "sqrt(a + 1/3) - sqrt(a)": lambda a, b: mpmath.sqrt(a + 1 / mpmath.mpf(3)) - mpmath.sqrt(a),
        "(1 - 1/b)**a": lambda a, b: (1 - 1 / b) ** a,
        "1/(1 - log2(a))": lambda a, b: 1 / (1 - mpmath.log(a, 2)),
        "ceil(log2(a))*max(b, sqrt(b))": lambda a, b: mpmath.ceil(mpmath.log(a, 2)) * b,
        "(a/b)**(3/5)": lambda a, b: (a / b) ** (mpmath.mpf(3) / 5),
    }
    rng = random.Random(11)
    page = browser.new_page()
    for text, meant in formulas.items():
        code = exact_code(parse(text), {"a": 0, "b": 1})
        for bits in (128, 512):
            a, b = rng.randint(3, 10**12), rng.randint(2, 10**9)
            if "7)" in text:
                a %= 900
            script = f"""(() => {{ {_read("exact.js")} {_read("enclosures.js")}
                const made = enclosures({bits}n), v = [q({a}n), q({b}n)].map(made.point);
                const found = (({{ q, add, mul, div, pow, log2, ceil, max }}) => {code})(made);
                return [found.low, found.high].map((x) => [String(x.n), String(x.d)]); }})()"""
            with mpmath.workprec(1500):
                want = meant(mpmath.mpf(a), mpmath.mpf(b))
                low, high = (mpmath.mpf(n) / mpmath.mpf(d) for n, d in page.evaluate(script))
                assert low <= want <= high, (text, a, b)
                assert high - low <= max(abs(want), b) * mpmath.mpf(2) ** (60 - bits), (text, a, b)
    page.close()


@pytest.mark.parametrize("chip", ["a30", "mi300x", "l4"])
def test_whole_numbers_that_floats_miss_are_those_of_the_library(visit: Visit, chip: str) -> None:
    # From n = 2**(16*I/5) on: a float of it has 16 digits, the whole number 11, 30 and 98.
    roofline = sr.analyze(sr.load("fft"), chip).at(B=1024)
    first = roofline.crossover("n").first
    page = visit(explore(roofline.at(n=65536), "n"))
    assert page.evaluate("symroof.crossover('n', {}).first") == str(first)
    words = page.inner_text("#crossover")
    assert f"from n = {first:,} on" in words or (first > 10**40 and "from n = about 1.96" in words)
    # What is rounded is not shown as if it were whole.
    assert "·10" in words.partition(":")[0]
    for number, kind in ((first - 1, "memory"), (first, "compute")):
        assert page.evaluate(f"symroof.verdict({{n: '{number}'}})") == {
            "kind": kind,
            "tied": [kind],
            "exact": True,
        }


def test_numbers_too_large_to_work_out_are_said_to_be_so(visit: Visit) -> None:
    page = visit(explore(sr.analyze(sr.load("fft"), "h100-sxm").at(B=1024), "n"))
    type_in(page, 2, "1e9")  # the ridge: 2**(16*I/5) has hundreds of millions of digits
    assert page.inner_text("#crossover") == (
        "Compute-bound for n ≥ a number of more than 6000 digits."
    )
    assert not page.is_visible("#jump")
    type_in(page, 2, "1000")
    assert "from n = about " in page.inner_text("#crossover")
    assert "∞" not in page.inner_text("#crossover")


def test_a_tie_that_no_digits_settle_is_said_to_be_unsure(visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "even.toml").write_text(
        'schema_version = 1\nname = "even"\n[peak]\nfp16 = "1 TFLOP/s"\n'
        '[memory.hbm]\nbandwidth = "1 TB/s"\n',
        "utf-8",
    )
    graph = sr.Graph("g")
    x = graph.input("x", ("n",), "fp16")
    # Of equal value, and irrational.
    flops, moved = "n*sqrt(3 + 2*sqrt(2))", "n*(1 + sqrt(2))"
    sr.ops.custom("scan", inputs=[x], output_shape=("n",), flops=flops, bytes=moved)
    page = visit(explore(sr.analyze(graph, str(tmp_path / "even.toml"))))
    assert bound(page) == "balanced"
    assert page.inner_text("#reason") == ("These time terms are equal, as far as 600 digits tell.")
    assert "as far as 600 digits tell" in page.inner_text("#crossover")


def test_where_values_are_tried_it_says_how_far(visit: Visit) -> None:
    roofline = sr.analyze(sr.load("moe"), "a30").at(D=4096, F=14336, E=7735, k=2)
    assert roofline.crossover("B").first == 637943
    page = visit(explore(roofline.at(B=6), "B"))
    words = page.inner_text("#crossover")
    assert "compute-bound for no B up to 8192 (" in words
    assert "values beyond were not tried)" in words
    type_in(page, 0, "2**20")
    words = page.inner_text("#crossover")
    assert words.startswith("Compute-bound from B = 637,943 to 1,048,576 (")
    assert words.endswith(" values up to 1,048,576 were tried, none beyond).")


def test_what_must_hold_between_names_stops_the_slider_with_a_message(visit: Visit) -> None:
    roofline = sr.analyze(sr.load("moe"), "h100-sxm")
    page = visit(explore(roofline))
    k, experts = (next(i for i in range(5) if label(page, i).startswith(name)) for name in "kE")
    type_in(page, k, 100)
    assert value(page, k) == "8"
    assert page.inner_text("#refused") == "k stops at 8: k ≤ E must hold."
    type_in(page, experts, 3)
    assert value(page, experts) == "8"
    assert "k ≤ E" in page.inner_text("#refused")
    type_in(page, experts, 16)
    assert page.inner_text("#refused") == ""
    assert bound(page) == "memory"


def label(page: Any, place: int) -> str:
    return str(page.inner_text(f"label[for=slot-{place}-box]"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "positive"),
        ("-3", "positive"),
        ("abc", "positive"),
        ("2.5", "whole"),
        ("1/0", "positive"),
        ("<img src=x onerror=alert(1)>", "positive"),
        ("9e999", "between"),
        ("2**", "as in 4096 or 2**12"),
        ("2**2**40", "as in 4096 or 2**12"),
        ("(2", "as in 4096 or 2**12"),
        ("2 alert(1)", "as in 4096 or 2**12"),
        ("1/(2-2)", "as in 4096 or 2**12"),
        ("2**1000", "between"),
        ("(" * 9999, "as in 4096 or 2**12"),
    ],
)
def test_bad_input_in_a_box_is_refused_and_said(visit: Visit, text: str, words: str) -> None:
    page = visit(explore(matmul()))
    type_in(page, 0, text)
    assert words in page.inner_text("#refused")
    assert page.get_attribute("#slot-0-box", "aria-invalid") == "true"
    assert bound(page) == "compute"  # of the last good value, 1024
    type_in(page, 0, "1,000")
    assert (page.inner_text("#refused"), value(page, 0)) == ("", "1000")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2**10", "1024"),
        ("4*1,024", "4096"),
        ("(3/4) * 8192", "6144"),
        ("2**3**2 - 2", "510"),
        ("-(1 - 9) / 2", "4"),
        ("2**-1 * 1e3", "500"),
        ("8**(1/3)", "2"),
    ],
)
def test_a_box_takes_small_formulas(visit: Visit, text: str, number: str) -> None:
    page = visit(explore(matmul()))
    type_in(page, 0, text)
    assert (page.inner_text("#refused"), value(page, 0)) == ("", number)


def test_what_is_being_typed_is_not_overwritten(visit: Visit) -> None:
    page = visit(explore(matmul()))
    page.fill("#slot-0-box", "77")
    page.select_option("#chip", index=2)  # draws the page anew, and so do its sizes
    page.fill("#slot-1-box", "88")
    page.set_viewport_size({"width": 900, "height": 700})
    settle(page)
    assert (value(page, 0), value(page, 1)) == ("77", "88")
    page.press("#slot-1-box", "ArrowUp")
    settle(page)
    assert value(page, 1) == "89"


def test_large_numbers_stay_exact(visit: Visit) -> None:
    page = visit(explore(matmul()))
    type_in(page, 0, "9007199254740993")  # 2**53 + 1
    assert value(page, 0) == "9007199254740993"
    type_in(page, 0, "1e30")
    assert value(page, 0) == "1" + "0" * 30
    assert bound(page) == "compute"


def test_another_chip_and_own_rates(visit: Visit) -> None:
    roofline = matmul()
    page = visit(explore(roofline, "m"))
    titles = page.eval_on_selector_all("#chip option", "all => all.map(o => o.textContent)")
    assert len(titles) == len(set(titles)) > 20
    for name in ("mi300x", "tpu-v5e", "a100-sxm-80gb"):
        if sr.chip(name).title not in titles:
            continue
        page.select_option("#chip", label=sr.chip(name).title)
        settle(page)
        other = sr.analyze(roofline.graph, name).at(n=4096, k=4096)
        assert bound(page) == other.verdict(m=1024).value
        assert f"from m = {other.crossover('m').first} on" in page.inner_text("#crossover")
    page.select_option("#chip", index=0)
    settle(page)  # a redraw between the selecting and the typing of a box moves the caret
    type_in(page, 4, "1.5")
    assert page.input_value("#chip") == "own"
    slower = roofline.at(bw="1.5 TB/s")
    assert f"from m = {slower.crossover('m').first} on" in page.inner_text("#crossover")
    page.click("#reset")
    settle(page)
    assert (page.input_value("#chip"), value(page, 4)) == ("0", "3.35")
    assert "no fp16 peak" in page.text_content("#left-out")


def test_the_answer_in_words(visit: Visit) -> None:
    page = visit(explore(matmul(), "m"))
    assert page.inner_text("#crossover") == "Compute-bound for m ≥ 344.949: from m = 345 on."
    assert page.inner_text("#thumb") == "The rule of thumb, m ≥ I, says 296: 49 too few."
    page.click("#jump")
    settle(page)
    assert value(page, 0) == "345"
    type_in(page, 1, 512)
    type_in(page, 2, 512)
    assert page.inner_text("#crossover") == "With these values it is compute-bound for no m."
    page.select_option("#unknown", label="β_hbm (hbm bandwidth)")
    settle(page)
    needed = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=345, n=512, k=512).crossover("bw")
    assert f"{needed.threshold_value / 1e12:.5g}" in page.inner_text("#crossover")


def test_the_closed_form_stands_without_javascript(visit: Visit) -> None:
    page = visit(explore(matmul()), java_script_enabled=False)
    assert "JavaScript" in page.inner_text("noscript")
    assert page.locator("#terms li:not([hidden]) math").count() == 2
    assert not page.is_visible("#controls")


def first_paint(page: Any) -> float:
    """Load the page anew, and return the milliseconds to its first paint."""
    page.reload()
    page.wait_for_timeout(100)
    paints = page.evaluate("performance.getEntriesByType('paint').map(p => p.startTime)")
    return float(max(paints, default=10_000))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_paints_soon_and_shows_its_maths(visit: Visit, width: int, scheme: str) -> None:
    for spec in ("matmul", "tensor-parallel-mlp", "transformer-decode"):
        explorer = explore(sr.analyze(sr.load(spec), "h100-sxm"))
        assert len(explorer.html.encode()) < 200_000
        page = visit(explorer, width, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert min(first_paint(page) for _ in range(3)) < 1000
        sizes = page.eval_on_selector_all(
            "#terms li:not([hidden]) math",
            "all => all.map(m => m.getBoundingClientRect()).map(b => [b.width, b.height])",
        )
        assert all(w > 40 and h > 12 for w, h in sizes)


def test_it_can_be_used_by_keyboard_and_read_aloud(visit: Visit) -> None:
    page = visit(explore(matmul()))
    unlabelled = page.evaluate(
        """[...document.querySelectorAll("input, select, button")].filter((e) =>
        !(e.hidden || e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim())
        ).length"""
    )
    assert unlabelled == 0
    assert page.get_attribute(".live-words", "aria-live") == "polite"
    assert page.locator("fieldset > legend").all_inner_texts() == ["Symbols", "Machine"]
    drawings = page.locator(".plot svg").all()
    assert len(drawings) == 3
    assert all(d.get_attribute("role") == "img" and d.get_attribute("aria-label") for d in drawings)
    page.focus("#slot-0")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


def test_hostile_names_are_inert(visit: Visit) -> None:
    graph = sr.Graph("</script><img src=x onerror=alert(1)> [[data]] אבג 🙂")
    name = "x" * 150
    a = graph.input("a", ("א", name), "fp16")
    graph.output(a @ graph.weight("w", (name, "constructor"), "fp16"))
    page = visit(explore(sr.analyze(graph, "h100-sxm")))
    assert page.locator("img").count() == 0
    assert page.evaluate("document.scripts.length") == 2
    assert "</script><img src=x onerror=alert(1)> [[data]]" in page.title()
    assert "</script><img" in page.inner_text("h1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    data = json.loads(page.text_content("#data"))
    assert [slot["name"] for slot in data["slots"]][:3] == ["א", name, "constructor"]
    assert bound(page) == "compute"


def test_hostile_words_of_files_are_inert(visit: Visit, tmp_path: Path) -> None:
    words = json.dumps(HOSTILE)  # a TOML text as well
    (tmp_path / "chip.toml").write_text(
        f'schema_version = 1\nname = "bad"\ntitle = {words}\nvendor = {words}\n'
        '[peak]\nfp16 = "900 TFLOP/s"\n[memory.hbm]\nbandwidth = "3 TB/s"\n',
        "utf-8",
    )
    (tmp_path / "graph.toml").write_text(
        f'schema_version = 1\nname = "g"\ntitle = {words}\ndescription = {words}\n'
        f'dtype = "fp16"\n[symbols]\nm = {{ meaning = {words} }}\n'
        '[tensors]\na = { shape = ["m", "m"] }\nw = { shape = ["m", "m"], role = "weight" }\n'
        '[[ops]]\nop = "matmul"\nname = "y"\ninputs = ["a", "w"]\n',
        "utf-8",
    )
    roofline = sr.analyze(sr.load(str(tmp_path / "graph.toml")), str(tmp_path / "chip.toml"))
    page = visit(explore(roofline))
    assert page.locator("img").count() == 0
    assert page.evaluate("document.scripts.length") == 2
    assert page.inner_text("h1") == HOSTILE
    assert page.inner_text(".about") == HOSTILE
    assert HOSTILE in label(page, 0)
    assert page.text_content("#chip option") == HOSTILE
    assert page.evaluate("symroof.crossover('m', {}).first") == str(roofline.crossover("m").first)


def test_a_chip_of_symbols_has_boxes_for_its_rates(visit: Visit) -> None:
    chip = sr.Chip(
        name=HOSTILE,
        peak={"fp16": sr.Quantity("P", "FLOP/s")},
        memory={"hbm": sr.Quantity("W", "byte/s")},
    )
    roofline = sr.analyze(sr.load("mn,nk->mk"), chip).at(n=4096, k=4096)
    page = visit(explore(roofline, "m"))
    assert page.locator("img").count() == 0
    assert page.locator("#chip option").all_text_contents() == [HOSTILE, "Rates of your own"]
    at = {"P": "989e12", "W": "3350e9"}
    assert page.evaluate("g => symroof.crossover('m', g).first", at) == "345"
    assert page.evaluate("g => symroof.verdict({...g, m: '344'}).kind", at) == "memory"


def test_a_residency_switches_the_exact_terms(visit: Visit) -> None:
    """m/8 µs of compute, 8000·m + 8·10⁶ bytes: 8.4, so 69, from hbm; 2.1 µs, so 17, from l2."""
    page = visit(explore(product().at(n=2000, k=2000), "m"))
    for residency, first in (("cold", 69), ("cached", 17), ("partial", 17)):
        page.select_option("#residency", label=residency)
        settle(page)
        assert f"m = {first} " in page.inner_text("#crossover")
        for number, verdict in ((first - 1, "memory"), (first, "compute")):
            type_in(page, 0, number)
            assert bound(page) == verdict
            here = product(residency=residency).at(n=2000, k=2000, m=number)
            assert here.verdict().value == verdict
        assert page.inner_text("#residency-words").startswith(f"Residency {residency}: ")
    page.click("#reset")
    settle(page)
    assert page.input_value("#residency") == "0"


@pytest.mark.parametrize("residency", ["cached", "partial"])
def test_verdicts_of_a_residency_are_those_of_the_library(visit: Visit, residency: str) -> None:
    graph = sr.load("mlp")
    page = visit(explore(sr.analyze(graph, "h100-sxm")))
    assert page.evaluate(f"symroof.residency('{residency}')") == residency
    library = sr.analyze(graph, "h100-sxm", residency=residency)
    rng = random.Random(residency)
    for _ in range(40):
        at = {name: round(2 ** rng.uniform(0, 14)) for name in ("B", "D", "F")}
        given = {name: str(number) for name, number in at.items()}
        found = page.evaluate("g => symroof.verdict(g)", given)
        assert found["kind"] == library.verdict(**at).value, at


def test_chips_without_the_levels_are_left_out_with_the_reason(visit: Visit) -> None:
    page = visit(explore(sr.analyze(sr.load("mlp"), "h100-sxm")))
    tpu = page.locator("#chip option", has_text="TPU v5e")
    assert tpu.get_attribute("hidden") is None
    page.select_option("#residency", label="cached")
    settle(page)
    assert tpu.get_attribute("hidden") is not None
    assert "tpu-v5e: no l2 bandwidth" in page.text_content("#left-out")
    boxes = page.locator("#machine .slot:visible .name").all_inner_texts()
    assert boxes == ["π", "β_hbm", "β_l2", "Z"]
    page.select_option("#residency", label="cold")
    settle(page)
    assert page.locator("#machine .slot:visible").count() == 2
    offered = page.locator("#unknown option:not([hidden])").all_inner_texts()
    assert not any("l2" in name for name in offered)


def test_sizes_of_a_tile_are_moved(visit: Visit) -> None:
    # 1000 by 1000 matrices: A ten times, B ten times, C once are 42 MB; with 4 rows of tiles 30 MB.
    r = product(levels={"l2": sr.Tile(100, 100, 1)}).at(m=1000, n=1000, k=1000)
    page = visit(explore(r))
    names = page.locator("#symbols .name").all_inner_texts()
    assert names == ["m", "n", "k", "bm", "bn"]
    assert page.inner_text('[data-term="memory"]:not([hidden]) .term-value') == "10.5 µs"
    type_in(page, 3, 300)
    assert page.inner_text('[data-term="memory"]:not([hidden]) .term-value') == "7.5 µs"
    assert page.locator("#residency-field").get_attribute("hidden") is not None


def test_launches_bind_and_fractions_end_at_one(visit: Visit) -> None:
    page = visit(explore(product(HAND, launch=True).at(m=1000, n=1000, k=1000)))
    assert (bound(page), page.inner_text("#bound")) == ("launch", "Launch-bound")
    page = visit(explore(product(CPU, numa="concurrent").at(BIG)))
    place = 3
    assert value(page, place) == "0.5"
    type_in(page, place, 2)
    assert page.inner_text("#refused") == "f is a fraction, at most 1."
    type_in(page, place, "5/7")  # both sockets end together: 200 of 280 GB/s
    assert value(page, place) == "5/7"
    verdict = page.evaluate("symroof.verdict({f: '5/7', m: '1'})")
    assert verdict["kind"] == "memory"
