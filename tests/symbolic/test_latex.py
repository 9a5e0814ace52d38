"""Formulas as LaTeX: layout, names, and that no name gets out of its place."""

from __future__ import annotations

import re
import shutil
import subprocess
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.symbolic.forms import (
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
from symroof.symbolic.latex import latex, name_latex, upright
from symroof.symbolic.parser import parse
from symroof.symbolic.readable import readable

M, N, K, SEQ = Name("M"), Name("N"), Name("K"), Name("seq")
TWO, HALF = Number(Fraction(2)), Number(Fraction(1, 2))

HOSTILE = [
    "{}\\input{/etc/passwd}",
    "$x$",
    "\\write18{ls}",
    "}^{",
    "a%b",
    "#1&~",
    "<script>alert(1)</script>",
    "\u202eevil",
    "😀",
    "\u05d0\u05d1",
    "x" * 10_000,
    "a\nb\x00",
    "^^M",
    "",
    "__",
]


@pytest.mark.parametrize(
    ("form", "written"),
    [
        (Product((TWO, M, N, K)), r"2\,M\,N\,K"),
        (Product((TWO, M, SEQ)), r"2\,M \cdot \mathrm{seq}"),
        (Product((M, TWO, Number(Fraction(3)))), r"M \cdot 2 \cdot 3"),
        (Product((M, Power(TWO, N))), r"M \cdot 2^{N}"),
        (Product((M, Sum((N, K)))), r"M\,(N + K)"),
        (Product((Sum((M,), (Quotient(N, K),)), M)), r"\left(M - \frac{N}{K}\right)\,M"),
        (Quotient(Sum((M, N)), Sum((M,), (N,))), r"\frac{M + N}{M - N}"),
        (Sum((), (Quotient(M, N),)), r"-\frac{M}{N}"),
        (Power(Quotient(M, N), TWO), r"\left(\frac{M}{N}\right)^{2}"),
        (Power(Sum((M, N)), TWO), "(M + N)^{2}"),
        (Power(Name("B_kv"), TWO), "B_{kv}^{2}"),
        (Power(Power(M, TWO), N), "(M^{2})^{N}"),
        (Power(M, HALF), "M^{1 / 2}"),
        (Power(Number(Fraction(12345)), M), r"{12\,345}^{M}"),
        (Power(Number(Fraction(-2)), M), "(-2)^{M}"),
        (Call("sqrt", (Sum((M, N)),)), r"\sqrt{M + N}"),
        (Power(Call("sqrt", (M,)), TWO), r"\left(\sqrt{M}\right)^{2}"),
        (Call("ceil", (Quotient(M, TWO),)), r"\left\lceil \frac{M}{2} \right\rceil"),
        (Call("floor", (M,)), r"\left\lfloor M \right\rfloor"),
        (Call("max", (M, N)), r"\max(M, N)"),
        (Call("min", (M, Quotient(N, K))), r"\min\left(M, \frac{N}{K}\right)"),
        (Call("log2", (M,)), r"\log_{2}(M)"),
        (Comparison(M, Relation.AT_LEAST, N), r"M \ge N"),
        (Comparison(M, Relation.AT_MOST, N), r"M \le N"),
        (Comparison(M, Relation.UNEQUAL, N), r"M \ne N"),
        (Comparison(M, Relation.LESS, N), "M < N"),
    ],
)
def test_layout(form, written):
    assert latex(form) == written


def test_fractions_are_two_deep_and_then_slashes():
    deep = Quotient(M, Sum((N, Quotient(K, Sum((M, Quotient(Sum((N, K)), Sum((M, N)))))))))
    assert latex(deep) == r"\frac{M}{N + \frac{K}{M + (N + K) / (M + N)}}"


def test_named_parts_follow():
    form = Named(Call("sqrt", (Name("a"),)), (("a", Sum((M,), (N,))), ("b", K)))
    assert latex(form) == r"\sqrt{a}, \quad\text{where } a = M - N, b = K"
    assert latex(Quotient(form, M)) == r"\frac{\sqrt{M - N}}{M}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Fraction(0), "0"),
        (Fraction(9999), "9999"),
        (Fraction(10000), r"10\,000"),
        (Fraction(10127360, 29359), r"\frac{10\,127\,360}{29\,359}"),
        (Fraction(-1234567), r"-1\,234\,567"),
        (Fraction(-3, 4), r"-\frac{3}{4}"),
        (Fraction(10**40), "10^{40}"),
        (Fraction(-(10**40)), "-10^{40}"),
        (Fraction(3 * 10**40), r"3 \cdot 10^{40}"),
    ],
)
def test_numbers(value, written):
    assert latex(Number(value)) == written


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("M", "M"),
        ("β", r"\beta"),
        ("µ", r"\mu"),
        ("alpha", r"\alpha"),
        ("lambda", r"\lambda"),
        ("Omega", r"\Omega"),
        ("∞", r"\infty"),
        ("I*", "I^{*}"),
        ("FLOPs", r"\mathrm{FLOPs}"),
        ("B_kv", "B_{kv}"),
        ("x_2", "x_{2}"),
        ("x2", r"\mathrm{x2}"),
        ("t_memory", r"t_{\mathrm{memory}}"),
        ("D_model", r"D_{\mathrm{model}}"),
        ("W_link", r"W_{\mathrm{link}}"),
        ("π_fp8", r"\pi_{\mathrm{fp8}}"),
        ("x_alpha", r"x_{\alpha}"),
        ("seq_len", r"\mathrm{seq}_{\mathrm{len}}"),
        ("a_b_c", r"a_{\mathrm{b\_c}}"),
        ("_a", r"\mathrm{\_a}"),
        ("a_", r"\mathrm{a\_}"),
        ("peak.fp16", r"\mathrm{peak}_{\mathrm{fp16}}"),
        ("peak.bf16:fp32:tensor", r"\mathrm{peak}_{\mathrm{bf16{:}fp32{:}tensor}}"),
        ("é", r"\mathrm{\acute{e}}"),
        ("日", r"\mathrm{[U{+}65E5]}"),
        ("}", r"\mathrm{[U{+}007D]}"),
    ],
)
def test_names(name, written):
    assert name_latex(name) == written


def test_distinct_names_look_distinct():
    names = ["x2", "x_2", "xx", "x", "X", "x_", "_x", "x__2", "x_2_", "x_22", "x_2_2", "x_xx"]
    assert len({name_latex(name) for name in names}) == len(names)


def test_labels_stand_for_rates():
    form = Quotient(Name("peak.bf16"), Name("bw.hbm"))
    assert latex(form, {"peak.bf16": "π", "bw.hbm": "β"}) == r"\frac{\pi}{\beta}"


def test_a_dim_never_looks_like_a_rate():
    labels = {"bw.hbm": "β", "ridge.fp16": "I"}
    form = Product((Name("beta"), Name("bw.hbm"), Name("ridge.fp16"), Name("I")))
    assert latex(form, labels) == r"\mathrm{beta} \cdot \beta\,I \cdot \mathrm{I}"
    assert latex(Name("beta")) == r"\beta"


def test_upright_text():
    assert upright("FLOP/byte") == r"\mathrm{FLOP/byte}"
    assert upright("a b-c") == r"\mathrm{a\ b{-}c}"


# The commands that may stand in what we write; a name must add no other one.
COMMANDS = r"""
\frac \sqrt \left \right \lceil \rceil \lfloor \rfloor \cdot \, \max \min \log \ge \le \ne
\mathrm \_ \acute \grave \hat \tilde \bar \breve \dot \ddot \check \infty \quad \text
\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \iota \kappa \lambda \mu \nu \xi
\pi \rho \sigma \varsigma \tau \upsilon \phi \varphi \chi \psi \omega
\Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega
"""
COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)")


def check_inert(text: str) -> None:
    assert text.isascii()
    assert text.isprintable()
    assert not set(text) & set("$%#&~<\"'`|;") - {"<", ">"}
    assert set(COMMAND.findall(text)) <= {*COMMANDS.split(), "\\ "}
    depth = 0
    for sign in COMMAND.sub("", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_inert(name):
    for text in (name_latex(name), upright(name), latex(Power(Name(name), TWO))):
        check_inert(text)
        assert len(text) < 1500
    assert "<" not in latex(Name(name))
    check_inert(latex(Name("r"), {"r": name}))


def forms(names: st.SearchStrategy[str]) -> st.SearchStrategy[Form]:
    """Random formulas, of every node but a comparison."""
    numbers = st.fractions() | st.integers(0, 10**45).map(Fraction)
    leaves = names.map(Name) | numbers.map(Number)

    def grown(inner: st.SearchStrategy[Form]) -> st.SearchStrategy[Form]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Sum, several, st.lists(inner, max_size=2).map(tuple)),
            several.map(Product),
            st.builds(Quotient, inner, inner),
            st.builds(Power, inner, inner),
            st.builds(Call, st.sampled_from(["min", "max"]), several),
            st.builds(Call, st.sampled_from(["ceil", "floor", "sqrt", "log2"]), st.tuples(inner)),
            st.builds(Named, inner, st.tuples(st.tuples(names, inner))),
        )

    return st.recursive(leaves, grown, max_leaves=8)


NAMES = st.sampled_from(["M", "N", "B_kv", "seq_len", "β", "lambda", "peak.fp16", "I*"]) | st.text()


@given(forms(NAMES), st.dictionaries(st.sampled_from(["M", "peak.fp16"]), st.text(max_size=5)))
def test_whatever_is_written_is_inert_and_readable(form, labels):
    converter = pytest.importorskip("latex2mathml.converter")
    text = latex(form, labels)
    check_inert(text)
    converter.convert(text)


def test_the_formula_of_a_matrix_product():
    form = readable(parse("ridge.fp16*N*K/(N*K - ridge.fp16*(N + K))"))
    right = r"\frac{I\,K\,N}{K\,N - I\,(K + N)}"
    assert latex(Comparison(M, Relation.AT_LEAST, form), {"ridge.fp16": "I"}) == rf"M \ge {right}"


def test_a_node_nobody_knows_is_refused():
    with pytest.raises(TypeError, match="no text"):
        latex(Form())


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_pdflatex_takes_it_with_amsmath_alone(tmp_path):
    samples = [
        Comparison(M, Relation.AT_LEAST, Named(Call("sqrt", (Name("a"),)), (("a", Sum((M, N))),))),
        Power(Call("ceil", (Quotient(M, TWO),)), TWO),
        Power(Name("I*"), TWO),
        Power(Number(Fraction(12345)), Quotient(M, N)),
        Call("log2", (Call("max", (M, Call("floor", (N,)))),)),
        *(Power(Name(name), TWO) for name in [*HOSTILE, "é", "naïve", "a_b_c", "x_alpha", "Ω"]),
    ]
    lines = "\n\n".join(f"$\\displaystyle {latex(form)}$" for form in samples)
    source = tmp_path / "names.tex"
    head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n"
    source.write_text(f"{head}{lines}\n\\end{{document}}\n", encoding="ascii")
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", source.name],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout.decode(errors="replace")[-2000:]
