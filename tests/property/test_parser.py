"""Formulas: text and back, against an independent evaluator, and under hostile text."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Integer, Rational

from symroof.errors import ParseError, SymroofError
from symroof.symbolic import adopt, bind, log2, max_of, parse, symbol, symbols, to_text
from symroof.symbolic.build import ceil_of, floor_of, minimum, power

NAMES = ["x", "y", "N", "E", "I", "lambda", "max", "peak.bf16"]

numbers = st.one_of(
    st.integers(0, 40),
    st.fractions(min_value=0, max_value=20, max_denominator=12),
)

# An expression as a tree, written and evaluated here, without the code under test.


def binary(children):
    return st.tuples(st.sampled_from(["+", "-", "*", "/", "//"]), children, children)


def trees():
    return st.recursive(
        st.one_of(st.sampled_from(NAMES), numbers),
        lambda children: st.one_of(
            binary(children),
            st.tuples(st.just("neg"), children),
            st.tuples(st.just("**"), children, st.integers(-3, 3)),
            st.tuples(st.sampled_from(["ceil", "floor", "Ceil", "FLOOR"]), children),
            st.tuples(st.sampled_from(["max", "MIN"]), children, children),
        ),
        max_leaves=12,
    )


LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "neg": 3, "**": 4}


def write(tree, level=0):
    """Write a tree with only the parentheses that precedence asks for."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Fraction):
        return f"({tree.numerator}/{tree.denominator})"
    if isinstance(tree, int):
        return str(tree)
    name = tree[0]
    if name.lower() in ("ceil", "floor", "max", "min"):
        return f"{name}({', '.join(write(part) for part in tree[1:])})"
    own = LEVELS[name]
    if name == "neg":
        text = f"-{write(tree[1], 3)}"
    elif name == "**":
        exponent = str(tree[2])
        text = f"{write(tree[1], 5)}**{exponent}"
    else:
        text = f"{write(tree[1], own)} {name} {write(tree[2], own + 1)}"
    return f"({text})" if own < level else text


def compute(tree, values):
    if isinstance(tree, str):
        return values[tree]
    if isinstance(tree, int | Fraction):
        return Fraction(tree)
    name, *parts = tree
    if name == "**":
        return compute(parts[0], values) ** parts[1]
    a, *rest = (compute(part, values) for part in parts)
    b = rest[0] if rest else None
    match name.lower():
        case "neg":
            return -a
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
        case "//":
            return Fraction(a // b)
        case "ceil":
            return Fraction(math.ceil(a))
        case "floor":
            return Fraction(math.floor(a))
        case "max":
            return max(a, b)
        case _:
            return min(a, b)


positive = st.fractions(min_value=Fraction(1, 6), max_value=30, max_denominator=6)


@given(trees(), st.lists(positive, min_size=len(NAMES), max_size=len(NAMES)))
def test_reads_what_was_meant(tree, drawn):
    values = dict(zip(NAMES, drawn, strict=True))
    try:
        expected = compute(tree, values)
    except ZeroDivisionError:
        return
    if max(expected.numerator.bit_length(), expected.denominator.bit_length()) > 10_000:
        return
    bound = bind(parse(write(tree)), values)
    assert bound == Rational(expected.numerator, expected.denominator)


@given(trees())
def test_text_is_read_back(tree):
    try:
        read = parse(write(tree))
    except ParseError:
        return
    assert parse(to_text(read)) == read
    assert to_text(parse(to_text(read))) == to_text(read)
    assert adopt(read) == read


# Expressions made by operators, not by the parser.

atoms = st.one_of(
    st.sampled_from([symbol(name) for name in NAMES]),
    st.builds(Rational, st.integers(-12, 12), st.integers(1, 9)),
)
exponents = st.one_of(
    st.integers(-3, 3).map(Integer),
    st.sampled_from([Rational(1, 2), Rational(-1, 2), Rational(1, 3), Rational(3, 2)]),
    st.sampled_from([symbols("x"), symbols("y") + 1, -symbols("N")]),
)


def tried(make, *args) -> Expr:
    try:
        return adopt(make(*args))
    except SymroofError:
        return Integer(1)


expressions = st.recursive(
    atoms,
    lambda children: st.one_of(
        st.tuples(children, children).map(lambda p: tried(lambda a, b: a + b, *p)),
        st.tuples(children, children).map(lambda p: tried(lambda a, b: a * b, *p)),
        st.tuples(children, children).map(lambda p: tried(lambda a, b: a - b, *p)),
        st.tuples(children, children).map(lambda p: tried(lambda a, b: a / b, *p)),
        st.tuples(children, exponents).map(lambda p: tried(power, *p)),
        st.tuples(children, children).map(lambda p: tried(max_of, *p)),
        st.tuples(children, children).map(lambda p: tried(minimum, p)),
        children.map(lambda e: tried(ceil_of, e)),
        children.map(lambda e: tried(floor_of, e)),
        children.map(lambda e: tried(log2, e)),
    ),
    max_leaves=10,
)


@given(expressions)
def test_any_expression_is_printed_and_read_back(expr):
    text = to_text(expr)
    assert parse(text) == expr
    assert to_text(parse(text)) == text


# Text from anywhere.

hostile = st.one_of(
    st.text(max_size=200),
    st.text("()+-*/ x2e._,9^[]=<", max_size=200),
    st.lists(
        st.sampled_from(
            [
                "x",
                "2",
                "(",
                ")",
                "**",
                "*",
                "//",
                "/",
                "-",
                "+",
                ",",
                "max",
                "ceil(",
                "sqrt(",
                "log2(",
                "e9",
                "1e9",
                "__import__",
                "lambda",
                "os.system",
                "peak.bf16",
                "∞",
                "'",
            ]
        ),
        max_size=60,
    ).map("".join),
)


@given(hostile)
def test_refuses_in_one_line_or_reads(text):
    message, position = "", 0
    try:
        assert isinstance(parse(text), Expr)
    except ParseError as error:
        message, position = str(error), error.position
    assert "\n" not in message
    assert len(message) < 400
    assert 0 <= position <= len(text)


@given(
    st.permutations(NAMES),
    st.lists(positive, min_size=len(NAMES), max_size=len(NAMES)),
)
def test_renaming_is_simultaneous(targets, drawn):
    expr = sum((symbol(name) * 10**n for n, name in enumerate(NAMES)), Integer(0))
    renamed = bind(expr, {a: symbol(b) for a, b in zip(NAMES, targets, strict=True)})
    values = dict(zip(NAMES, drawn, strict=True))
    expected = sum(values[target] * 10**n for n, target in enumerate(targets))
    assert bind(renamed, values) == Rational(expected.numerator, expected.denominator)
