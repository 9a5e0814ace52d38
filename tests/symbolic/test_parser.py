"""The formula language: what it reads, exactly, and what it refuses, in one line."""

from __future__ import annotations

import inspect
import sys

import pytest
from sympy import Integer, Max, Min, Mul, Pow, Rational, S, ceiling, floor, sqrt

from symroof.errors import InputError, ParseError
from symroof.symbolic import bind, log2, max_of, parse, symbol, symbols

B, E, F, M, N, x, y = symbols("B E F M N x y")


def names(text):
    return sorted(atom.name for atom in parse(text).free_symbols)


# Names that sympy's own reader takes for numbers, functions or keywords.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4*(N-1)*B*D*S*L/NetBW", ["B", "D", "L", "N", "NetBW", "S"]),
        ("beta*Q+I", ["I", "Q", "beta"]),
        ("lambda*B", ["B", "lambda"]),
        ("gamma+zeta+pi", ["gamma", "pi", "zeta"]),
        ("test*ff*rf*re*im*deg*div", ["deg", "div", "ff", "im", "re", "rf", "test"]),
        ("N*S*E*I*Q*O*C", ["C", "E", "I", "N", "O", "Q", "S"]),
        ("if+else*for-in/is", ["else", "for", "if", "in", "is"]),
        ("None*True/False", ["False", "None", "True"]),
        ("oo + nan + zoo", ["nan", "oo", "zoo"]),
        ("max*min + ceil", ["ceil", "max", "min"]),
        ("Max * sqrt", ["Max", "sqrt"]),
        ("α*β_1", ["α", "β_1"]),
    ],
)
def test_every_name_is_a_symbol(text, expected):
    assert names(text) == expected


def test_euler_is_not_meant():
    assert bind(parse("2*E*F"), {"E": 8, "F": 3}) == 48


def test_names_are_normalised():
    assert parse("Ｎ*2") == 2 * N
    assert parse("e\u0301") == symbols("é")


def test_keys_of_rates():
    assert parse("peak.bf16/bw.hbm") == symbol("peak.bf16") / symbol("bw.hbm")
    assert parse("2*peak.bf16:fp32:tensor") == 2 * symbol("peak.bf16:fp32:tensor")


# Functions.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ceil(x/128)", ceiling(x / 128)),
        ("Ceil(7/2)", Integer(4)),
        ("FLOOR(-7/2)", Integer(-4)),
        ("Max(3, 5)", Integer(5)),
        ("MAX(x, 3, 2)", Max(3, x, evaluate=False)),
        ("min (x, 3)", Min(3, x, evaluate=False)),
        ("max(x)", x),
        ("max(x, max(y, 3))", Max(x, y, 3, evaluate=False)),
        ("log2(8)", Integer(3)),
        ("Log2(x)", log2(x)),
        ("sqrt(x)", sqrt(x)),
        ("sqrt(9/4)", Rational(3, 2)),
        ("sqrt(8)", 2 * sqrt(2)),
        ("x//3", floor(x / 3)),
        ("7//2", Integer(3)),
        ("-7//2", Integer(-4)),
        ("x*y//3*2", 2 * floor(x * y / 3)),
        ("max*2 + MAX(1, 2)", 2 * symbols("max") + 2),
        ("sqrt((x - y)**2)", max_of(x - y, y - x)),
        ("ceil(100*sqrt(2))", Integer(142)),
        ("max(sqrt(2), 7/5)", sqrt(2)),
    ],
)
def test_calls(text, expected):
    assert parse(text) == expected


# Numbers and operators.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e12", 10**12),
        ("1E12", 10**12),
        ("0.1", Rational(1, 10)),
        ("3.35", Rational(67, 20)),
        ("2.5E-3", Rational(1, 400)),
        ("1_000", 1000),
        ("1_000.5", Rational(2001, 2)),
        (".5", Rational(1, 2)),
        ("5.", 5),
        ("007", 7),
        ("1e400", 10**400),
        ("6*405e9*15e12", 36450000000000000000000000),
        ("989.4e12/3.35e12", Rational(9894, 335) * 10),
        ("9" * 4000, 10**4000 - 1),
    ],
)
def test_numbers_are_exact(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 - 2 - 3", -4),
        ("12/3/2", 2),
        ("12/3*2", 8),
        ("2**3**2", 512),
        ("-2**2", -4),
        ("(-2)**2", 4),
        ("2**-1", Rational(1, 2)),
        ("--3", 3),
        ("+3 - +2", 1),
        ("2*-3", -6),
        ("-6/2*-1", 3),
        ("9**(1/2)", 3),
        ("4**(-3/2)", Rational(1, 8)),
        ("0**0", 1),
        ("2**100 - 2**100", 0),
    ],
)
def test_precedence(text, expected):
    assert parse(text) == expected


def test_powers():
    assert parse("x**(1/2)") == sqrt(x)
    assert parse("(7/8)**B") == Pow(Rational(7, 8), B)
    assert parse("x**2**y") == x ** (2**y)
    assert parse("E*(1 - (1 - k/E)**B)") == E * (1 - (1 - symbols("k") / E) ** B)
    assert parse("2**log2(x)") == x


def test_a_divided_product_is_divided_by_each_factor():
    assert parse("M/(2*(N + 1))") == M / 2 / (N + 1)
    assert parse("-(M + 1)/N") == Mul(-1, M + 1, 1 / N)


def test_infinity():
    assert parse("∞") is S.Infinity
    assert parse("-∞") is S.NegativeInfinity
    assert parse("max(3, ∞)") is S.Infinity


def test_whitespace():
    assert parse("\t2 *\r\n M\n") == 2 * M


# Refusals: the column, what was found, what was expected; always one line.


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a formula, found nothing"),
        ("  \n", 1, "expected a formula, found nothing"),
        ("2E", 2, r"a product needs \*: write 2\*E"),
        ("2x", 2, r"write 2\*x"),
        ("0x10", 2, r"write 0\*x10"),
        ("x y", 3, r"write x\*y"),
        ("(x)(y)", 4, r"a product needs \*"),
        ("80 GB", 4, r"has no units; write 80\*GB"),
        ("989 TFLOPS", 5, r"no units"),
        ("3 GiB", 3, r"no units"),
        ("x(3)", 1, r"unknown function 'x'.*write x\*\(\.\.\.\)"),
        ("log(x)", 1, r"unknown function 'log'.*did you mean log2"),
        ("ln(x)", 1, "did you mean log2"),
        ("sqr(x)", 1, "did you mean sqrt"),
        ("ceiling(x)", 1, "did you mean ceil"),
        ("1,000", 2, "1_000"),
        ("ceil(1, 2)", 1, "ceil takes one argument, not 2"),
        ("max()", 5, r"found '\)'"),
        ("max(x,)", 7, r"found '\)'"),
        ("(x", 3, r"expected '\)', found the end"),
        ("(x y", 4, r"expected '\)'"),
        ("x)", 2, "expected an operator or the end"),
        ("x+", 3, "found the end"),
        ("*x", 1, r"found '\*'"),
        ("x***y", 4, r"found '\*'"),
        ("1..2", 3, "found '.2'"),
        ("1__0", 2, "found '__0'"),
        ("1e", 2, "found 'e'"),
        ("x^2", 2, r"write \*\* for a power"),
        ("x%2", 2, "unexpected character"),
        ("x&y", 2, "unexpected character"),
        ("a@b", 2, "unexpected character"),
        ("a = b", 3, "one side only"),
        ("a < b", 3, "one side only"),
        ("a[1]", 2, r"group with \( \)"),
        ("a{1}", 2, r"group with \( \)"),
        ("a;b", 2, "unexpected character"),
        ("a\\b", 2, "unexpected character"),
        ("'abc'", 1, "without quotes"),
        ("x\0y", 2, r"U\+0000"),
        ("x\u202ey", 2, r"U\+202E RIGHT-TO-LEFT OVERRIDE"),
        ("x\xa0y", 2, r"U\+00A0 NO-BREAK SPACE"),
        ("\ud800", 1, r"U\+D800"),
        ("M²", 2, r"write \*\*2"),
        ("x₂", 2, "unexpected character"),
        ("I·n", 2, r"write \* for a product"),
        ("a − b", 3, "write - for minus"),
        ("２", 1, "unexpected character"),
        ("x.__class__", 1, "only rates have dots"),
        ("os.system", 1, "only rates have dots"),
        ("lambda x: x", 9, "unexpected character ':'"),
        ("1/0", 2, "division by zero"),
        ("0/0", 2, "division by zero"),
        ("x/(3 - 3)", 2, "division by zero"),
        ("0**-1", 2, "division by zero"),
        ("∞ - ∞", 3, "no value"),
        ("sqrt(-2)", 1, "negative"),
        ("(-2)**x", 5, "negative"),
        ("log2(0)", 1, "log2 of a number that is not positive"),
        ("log2(1 - 2)", 1, "log2 of a number that is not positive"),
        ("q" * 201, 1, "is not a symbol name"),
    ],
)
def test_refused(text, column, message):
    with pytest.raises(ParseError, match=message) as caught:
        parse(text)
    assert caught.value.position == column - 1
    assert f"at column {column} of" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [None, 3, 2.5, ["x"], b"x", symbols("x")])
def test_only_text_is_text(value):
    with pytest.raises(ParseError, match=f"not {type(value).__name__}"):
        parse(value)


def test_the_place_comes_first():
    with pytest.raises(ParseError, match=r"^mlp\.toml:flops: unexpected character") as caught:
        parse("2^3", where="mlp.toml:flops")
    assert caught.value.where == "mlp.toml:flops"
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, ValueError)


# Hostile text: refused at once, nothing run, nothing computed.


def nested(template, levels, leaf="x"):
    head, tail = template.split("@")
    return head * levels + leaf + tail * levels


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "().__class__.__bases__[0].__subclasses__()",
        "2**9999999999",
        "x**(10**10)",
        "9**9**9**9",
        "2**-9999999999",
        "1e99999999999999",
        "1e-99999999999999",
        "1e5000",
        "9" * 20_000,
        "9" * 4_001,
        "x" * 10_001,
        "(" * 10_000,
        "(" * 5_000 + "x" + ")" * 5_000,
        "-" * 10_000,
        "-" * 9_999 + "x",
        "((((" * 2_000 + "1" + "))))" * 500,
        "x**" * 3_000 + "x",
        "x" + "//3" * 3_000,
        nested("ceil(@)", 101),
        "2**x*2**(10000000000-x)",
        "(2*x)**10000000000",
        "(2**x)**(10000000000/x)",
        "((x**100)**100)**100",
        "(x**1000)**1000",
        "floor(2**(sqrt(2)*10**9))",
        "floor(2**(sqrt(2)*10**5))",
        "sqrt(" + "7" * 3_999 + ")",
        "*".join(f"sqrt({n})" for n in range(2, 900)),
        "+".join(f"sqrt((x-y{n})**2)" for n in range(400)),
        "(1+sqrt(2)+sqrt(3))**50000",
        "sqrt(x-y*" * 99 + "y" + ")" * 99,
        "\u0323\u0301" * 4_000,
        "a" + "\u0323\u0301" * 4_000,
    ],
)
def test_hostile(text):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "text",
    [
        nested("(@)", 100),
        "-" * 100 + "x",
        nested("ceil(1.5*@)", 99),
        nested("max(x, 3*@)", 99, "y"),
        nested("sqrt(x + @)", 30, "y"),
        nested("2*(@ + y)", 99),
        nested("1/(x - @)", 99, "y"),
        nested("log2(3 + @)", 99, "5"),
        "floor(sqrt(5+2*sqrt(6))-sqrt(2)-sqrt(3))",
        "max((1+sqrt(2))**300, (1+sqrt(2))**300*(1+1/10**300))",
        "+".join(f"x{n}" for n in range(1_500)),
        "*".join(f"x{n}" for n in range(1_500)),
        "max(" + ",".join(f"x{n}" for n in range(700)) + ")",
        "+".join(f"1/{n}" for n in range(2, 1_000)),
        "/".join("9999999999" for _ in range(900)),
        "x" + "/y" * 4_000,
    ],
)
def test_large_but_read(text):
    assert parse(text) is not None


def at_stack_depth(levels, call):
    return call() if levels == 0 else at_stack_depth(levels - 1, call)


@pytest.mark.parametrize("template", ["(@)", "ceil(1.5*@)", "-@", "2**@"])
def test_stack(template):
    """Deep text needs half of the usual stack; with less left it is refused, not a crash."""
    text = nested(template, 100 if template in ("(@)", "-@") else 15)
    assert at_stack_depth(300, lambda: parse(text)) is not None
    with pytest.raises(ParseError, match="too deeply"):
        at_stack_depth(sys.getrecursionlimit() - len(inspect.stack()) - 25, lambda: parse(text))


def test_nothing_runs(tmp_path):
    target = tmp_path / "ran"
    for text in (
        f"__import__('pathlib').Path('{target}').touch()",
        f"open('{target}', 'w')",
        f'exec("open(\\"{target}\\", \\"w\\")")',
    ):
        with pytest.raises(ParseError):
            parse(text)
    assert not target.exists()
