"""LaTeX as MathML: well-formed, inert, with words and numbers in one piece."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.symbolic.forms import Name, Number, Power
from symroof.symbolic.latex import latex, name_latex, upright
from symroof.symbolic.mathml import NAMESPACE, mathml

HOSTILE = [
    "<script>alert(1)</script>",
    r"\text{<script>alert(1)</script>}",
    r"\text{&#60;script&#62;}",
    r"\href{javascript:alert(1)}{x}",
    r"\class{a}{x} \style{color:red}{x} \cssId{b}{x}",
    "a < b & c",
    r"\frac{1",
    r"\left(",
    "{" * 3000,
    "\x00\ud800\u202e",
    "x" * 10_000,
    "",
]


def tree(text: str, *, display: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(mathml(text, display))


def tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def shown(text: str) -> list[str]:
    """The tags and texts of the leaves."""
    return [
        f"{node.tag.removeprefix(tag(''))} {node.text or ''}".rstrip(" ")
        for node in tree(text).iter()
        if len(node) == 0
    ]


def test_it_is_one_element_in_its_namespace():
    assert tree("x").tag == tag("math")
    assert tree("x").get("display") == "inline"
    assert tree("x", display=True).get("display") == "block"
    assert mathml("x").count("xmlns") == 1


def test_a_fraction():
    fraction = tree(r"\frac{I\,n}{n - I}").find(f".//{tag('mfrac')}")
    assert fraction is not None
    over, under = fraction
    assert [node.tag.removeprefix(tag("")) for node in over] == ["mi", "mspace", "mi"]
    assert ["".join(node.itertext()) for node in under] == ["n", "−", "I"]


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        (r"t_{\mathrm{memory}}", ["mi t", "mi memory"]),
        (r"\mathrm{FLOP/byte}", ["mi FLOP/byte"]),
        (r"\mathrm{a\_b\ c{.}d{:}e}", ["mi a_b\u00a0c.d:e"]),
        (r"\mathrm{\acute{e}t\grave{a}}", ["mi étà"]),
        (r"\mathrm{[U{+}65E5][U{+}672C]x}", ["mi 日本x"]),
        (r"\mathrm{[U{+}202E][U{+}05D0]x}", ["mi [U+202E][U+05D0]x"]),
        (r"\mathrm{ab} + \mathrm{c}", ["mi ab", "mo +", "mi c"]),
        (r"10\,127\,360\,x", ["mn 10\u2009127\u2009360", "mspace", "mi x"]),
        (r"\max(a, b)", ["mi max", "mo (", "mi a", "mo ,", "mi b", "mo )"]),
        (r"\log_{2}(x)", ["mi log", "mn 2", "mo (", "mi x", "mo )"]),
        (r"\left\lceil x \right\rceil", ["mo ⌈", "mi x", "mo ⌉"]),
        (r"\left\lfloor x \right\rfloor", ["mo ⌊", "mi x", "mo ⌋"]),
        (r"m \ge 1", ["mi m", "mo ≥", "mn 1"]),
        (r"\beta \cdot \pi", ["mi β", "mo ·", "mi π"]),
        (r"x, \quad\text{where } a", ["mi x", "mo ,", "mspace", "mtext where\u00a0", "mi a"]),
    ],
)
def test_what_is_shown(text, leaves):
    assert shown(text) == leaves


def test_a_lone_upright_letter_stays_upright():
    letter = tree(r"\mathrm{I}").find(f".//{tag('mi')}")
    assert letter is not None
    assert letter.get("mathvariant") == "normal"
    italic = tree("I").find(f".//{tag('mi')}")
    assert italic is not None
    assert italic.get("mathvariant") is None


def test_a_sign_before_a_term_has_no_space():
    assert [node.get("form") for node in tree("(-2) - x = -1").iter(tag("mo"))] == [
        None, "prefix", None, None, None, "prefix",
    ]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert(text):
    whole = tree(text)
    known = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msub", "mstyle"}
    assert {node.tag for node in whole.iter()} <= {tag(name) for name in known}
    for node in whole.iter():
        assert not set(node.attrib) & {"href", "style", "class", "id"}
        assert not any(value.startswith("javascript") for value in node.attrib.values())
    mathml(text).encode()


@given(st.text(max_size=40))
def test_every_name_comes_out(name):
    for text in (name_latex(name), upright(name), latex(Power(Name(name), Number(Fraction(2))))):
        found = "".join(tree(text).itertext())
        assert "\\" not in found
        assert "{" not in found


def test_it_is_kept():
    assert mathml(r"\frac{1}{kept}") is mathml(r"\frac{1}{kept}")
