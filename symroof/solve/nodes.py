"""Formulas in one unknown as small trees, in which all that is plain algebra is one leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import TypeAlias

from sympy import Add, Expr, Max, Min, Mul, Pow, Symbol, ceiling, floor

from symroof.solve.quotients import (
    FIELD,
    MAX_BITS,
    MAX_EXPONENT,
    Generator,
    Kind,
    Quotient,
    Space,
    UndefinedError,
    UnsolvableError,
)
from symroof.solve.univariate import floor_root
from symroof.symbolic.functions import log2

FEW_STEPS = 8


@dataclass(frozen=True, slots=True)
class Leaf:
    """A quotient."""

    quotient: Quotient


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A product."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Power:
    """An integer power."""

    base: Node
    exponent: int


@dataclass(frozen=True, slots=True)
class FractionalPower:
    """A power whose exponent is a fraction; the base must not be negative."""

    base: Node
    exponent: Fraction


@dataclass(frozen=True, slots=True)
class Step:
    """The next integer, upwards (ceil) or downwards (floor)."""

    argument: Node
    up: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """The largest or smallest of several."""

    parts: tuple[Node, ...]
    largest: bool


@dataclass(frozen=True, slots=True)
class Exponential:
    """A power of a rational number with a varying exponent."""

    base: Fraction
    exponent: Node


@dataclass(frozen=True, slots=True)
class Logarithm:
    """A logarithm to base 2."""

    argument: Node


Node: TypeAlias = (
    Leaf | Sum | Product | Power | FractionalPower | Step | Choice | Exponential | Logarithm
)


def compile_nodes(expressions: Sequence[Expr], unknown: Symbol) -> tuple[Space, list[Node]]:
    """Return the expressions as trees over one space of generators.

    Raises
    ------
    UnsolvableError
        For what the grammar of formulas has but the solver has not: the unknown both below and
        in an exponent, the logarithm of a sum.
    UndefinedError
        For a division by zero.

    Examples
    --------
    >>> u = Symbol("u", positive=True)
    >>> space, (node,) = compile_nodes([u / 2 + ceiling(u / 3)], u)
    >>> [type(part).__name__ for part in node.parts]
    ['Leaf', 'Step']
    """
    power, scale = 1, 1
    for expression in expressions:
        power, scale = _scan(expression, unknown, power, scale)
    if max(power, scale) > MAX_EXPONENT:
        raise UnsolvableError("a fractional exponent has too large a denominator")
    space = Space(power, scale)
    compiler = _Compiler(space, unknown)
    return space, [compiler.node(expression) for expression in expressions]


def has_steps(node: Node) -> bool:
    """Return whether ceil or floor occurs in the tree, with more than a few steps to look at."""
    match node:
        case Leaf():
            return False
        case Step():
            return True
        case Choice(parts, largest):
            return not (_is_capped(parts, largest)) and any(map(has_steps, parts))
        case Sum(parts) | Product(parts):
            return any(map(has_steps, parts))
        case Power(inner, _) | FractionalPower(inner, _):
            return has_steps(inner)
        case Exponential(_, inner) | Logarithm(inner):
            return has_steps(inner)


def cap_of(parts: Sequence[Node], largest: bool) -> Fraction | None:
    """Return the number that the smallest of several never exceeds; None without one."""
    if largest:
        return None
    numbers = [part.quotient.constant for part in parts if isinstance(part, Leaf)]
    known = [number for number in numbers if number is not None]
    return min(known, default=None)


def _is_capped(parts: Sequence[Node], largest: bool) -> bool:
    """Return whether these are steps of something positive that end at a small number."""
    cap = cap_of(parts, largest)
    if cap is None or cap > FEW_STEPS:
        return False
    return all(
        isinstance(part, Leaf)
        or (isinstance(part, Step) and isinstance(part.argument, Leaf) and _is_positive(part))
        for part in parts
    )


def _is_positive(step: Step) -> bool:
    """Return whether the argument of a step is a quotient of positive terms of the variable."""
    assert isinstance(step.argument, Leaf)
    quotient = step.argument.quotient
    sums = (quotient.numerator, quotient.denominator)
    keys = {key for terms in sums for key in terms}
    powers = all(key < 1 << FIELD for key in keys)
    return powers and all(c > 0 for terms in sums for c in terms.values())


def add(space: Space, parts: Sequence[Node]) -> Node:
    """Return the sum of trees: leaves added up, multiples of one tree made one.

    Trees count as one when they are the same object; the parts of one formula share theirs.
    """
    terms: list[Node] = []
    for part in parts:
        terms.extend(part.parts if isinstance(part, Sum) else (part,))
    leaves = [term.quotient for term in terms if isinstance(term, Leaf)]
    others: list[Node] = [term for term in terms if not isinstance(term, Leaf)]
    if not others:
        return Leaf(reduce(space.add, leaves))
    others = _like_terms(space, others)
    if leaves:
        total = reduce(space.add, leaves)
        if total.constant != 0 or total.poles:
            others.insert(0, Leaf(total))
    return others[0] if len(others) == 1 else Sum(tuple(others))


def _like_terms(space: Space, terms: list[Node]) -> list[Node]:
    counted: dict[tuple[int, ...], tuple[list[Quotient], list[Node]]] = {}
    for term in terms:
        factors: list[Node] = list(term.parts) if isinstance(term, Product) else [term]
        leaf = factors.pop(0) if isinstance(factors[0], Leaf) else None
        weight = leaf.quotient if isinstance(leaf, Leaf) else space.number(Fraction(1))
        key = tuple(sorted(map(id, factors)))
        counted.setdefault(key, ([], factors))[0].append(weight)
    return [
        multiply(space, [Leaf(reduce(space.add, weights)), *factors])
        for weights, factors in counted.values()
    ]


def multiply(space: Space, parts: Sequence[Node]) -> Node:
    """Return the product of trees, its leaves multiplied."""
    factors: list[Node] = []
    for part in parts:
        factors.extend(part.parts if isinstance(part, Product) else (part,))
    leaves = [factor.quotient for factor in factors if isinstance(factor, Leaf)]
    others: list[Node] = [factor for factor in factors if not isinstance(factor, Leaf)]
    if not others:
        return Leaf(reduce(space.multiply, leaves))
    if leaves:
        total = reduce(space.multiply, leaves)
        if total.constant != 1:
            others.insert(0, Leaf(total))
    return others[0] if len(others) == 1 else Product(tuple(others))


def negate(space: Space, node: Node) -> Node:
    """Return the opposite of a tree."""
    if isinstance(node, Sum):
        return Sum(tuple(negate(space, part) for part in node.parts))
    return multiply(space, [Leaf(space.number(Fraction(-1))), node])


def raise_to(space: Space, base: Node, exponent: int) -> Node:
    """Return an integer power of a tree."""
    if isinstance(base, Leaf):
        return Leaf(space.raise_to(base.quotient, exponent))
    return base if exponent == 1 else Power(base, exponent)


def step(space: Space, argument: Node, up: bool) -> Node:
    """Return the next integer of a tree, a maximum inside brought outside."""
    if isinstance(argument, Choice):
        return Choice(tuple(step(space, part, up) for part in argument.parts), argument.largest)
    if isinstance(argument, Leaf):
        value = argument.quotient.constant
        if value is not None:
            whole = -(-value).__floor__() if up else value.__floor__()
            return Leaf(space.number(Fraction(whole)))
    return Step(argument, up)


def root_of_number(space: Space, value: Fraction, exponent: Fraction) -> Quotient:
    """Return a fractional power of a positive rational number.

    Examples
    --------
    >>> root_of_number(Space(), Fraction(8), Fraction(2, 3)).constant
    Fraction(4, 1)
    """
    index = exponent.denominator
    exact = _exact_root(value, index)
    if exact is not None:
        return space.raise_to(space.number(exact), exponent.numerator)
    whole, rest = divmod(exponent.numerator, index)
    radical = Generator(Kind.RADICAL, positive=True, radicand=space.number(value), index=index)
    return space.multiply(
        space.raise_to(space.number(value), whole), space.generator(radical, rest)
    )


def exponential(space: Space, base: Fraction, exponent: Quotient) -> Quotient | None:
    """Return base**exponent for an exponent linear in the unknown, else None.

    Powers of two may have logarithms to base 2 in the exponent.
    """
    if base == 1:
        return space.number(Fraction(1))
    if exponent.denominator.keys() != {0}:
        return None
    below = exponent.denominator[0]
    logarithm_key = _logarithm_key(space)
    if not exponent.numerator.keys() <= {0, space.power, logarithm_key}:
        return None
    slope = Fraction(exponent.numerator.get(space.power, 0), below) * space.scale
    constant = Fraction(exponent.numerator.get(0, 0), below)
    if slope.denominator != 1:
        raise UnsolvableError("an exponent has a denominator that varies")
    if max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(constant) > MAX_BITS:
        raise UnsolvableError("a power is too large to write out")
    result = root_of_number(space, base, constant) if constant else space.number(Fraction(1))
    primitive, multiple = _primitive_base(base)
    if logarithm_key in exponent.numerator:
        # 2**(k * log2(v)) is v**k.
        times = Fraction(exponent.numerator[logarithm_key], below) * multiple
        if primitive != 2 or times.denominator != 1:
            return None
        result = space.multiply(result, space.variable(int(times)))
    if not slope:
        return result
    generator = Generator(Kind.EXPONENTIAL, positive=True, base=primitive)
    return space.multiply(result, space.generator(generator, int(slope) * multiple))


def _logarithm_key(space: Space) -> int | None:
    for position, generator in enumerate(space.generators):
        if generator.kind is Kind.LOGARITHM:
            return 1 << (FIELD * position)
    return None


def logarithm(space: Space, argument: Quotient) -> Quotient | None:
    """Return log2 of a monomial in the variable, else None."""
    if len(argument.numerator) != 1 or argument.denominator.keys() != {0}:
        return None
    ((key, coefficient),) = argument.numerator.items()
    total = binary_logarithm(space, Fraction(coefficient, argument.denominator[0]))
    exponents, generators = space.exponents(key), tuple(space.generators)
    for exponent, generator in zip(exponents, generators, strict=True):
        if not exponent:
            continue
        if generator.kind is Kind.VARIABLE:
            part = space.generator(Generator(Kind.LOGARITHM, positive=False))
            factor = Fraction(exponent)
        elif generator.radicand is not None and generator.radicand.constant is not None:
            part = binary_logarithm(space, generator.radicand.constant)
            factor = Fraction(exponent, generator.index)
        else:
            return None
        total = space.add(total, space.multiply(space.number(factor), part))
    return total


def binary_logarithm(space: Space, value: Fraction) -> Quotient:
    """Return log2 of a positive rational number.

    Examples
    --------
    >>> binary_logarithm(Space(), Fraction(1, 8)).constant
    Fraction(-3, 1)
    """
    if value <= 0:
        raise UndefinedError
    above, below = value.numerator, value.denominator
    if above & (above - 1) == 0 and below & (below - 1) == 0:
        return space.number(Fraction(above.bit_length() - below.bit_length()))
    return space.generator(Generator(Kind.BINARY_LOGARITHM, positive=value > 1, base=value))


class _Compiler:
    def __init__(self, space: Space, unknown: Symbol) -> None:
        self.space = space
        self.unknown = unknown
        self.done: dict[Expr, Node] = {}

    def node(self, expr: Expr) -> Node:
        if expr.is_Rational:
            return Leaf(self.space.number(Fraction(expr.p, expr.q)))
        if expr is self.unknown or expr == self.unknown:
            return Leaf(self.space.variable(self.space.power))
        found = self.done.get(expr)
        if found is None:
            found = self.done[expr] = self.compound(expr)
        return found

    def compound(self, expr: Expr) -> Node:
        space = self.space
        if isinstance(expr, Add):
            return add(space, [self.node(arg) for arg in expr.args])
        if isinstance(expr, Mul):
            return multiply(space, [self.node(arg) for arg in expr.args])
        if isinstance(expr, Pow):
            return self.power(expr.base, expr.exp)
        if isinstance(expr, ceiling | floor):
            return step(space, self.node(expr.args[0]), isinstance(expr, ceiling))
        if isinstance(expr, Max | Min):
            return Choice(tuple(map(self.node, expr.args)), isinstance(expr, Max))
        if isinstance(expr, log2):
            argument = self.node(expr.args[0])
            if not isinstance(argument, Leaf):
                return Logarithm(argument)
            value = logarithm(space, argument.quotient)
            if value is None:
                raise UnsolvableError("the logarithm of a sum")
            return Leaf(value)
        raise UnsolvableError(f"{str(expr)[:60]} is outside what the solver knows")

    def power(self, base: Expr, exponent: Expr) -> Node:
        space = self.space
        if exponent.is_Integer:
            if abs(exponent.p) > MAX_EXPONENT:
                raise UnsolvableError(f"the exponent {str(exponent)[:20]} is too large")
            return raise_to(space, self.node(base), exponent.p)
        if exponent.is_Rational:
            fraction = Fraction(exponent.p, exponent.q)
            if base == self.unknown:
                return Leaf(space.variable(int(fraction * space.power)))
            inner = self.node(base)
            if isinstance(inner, Leaf):
                value = inner.quotient.constant
                if value is not None and value > 0:
                    return Leaf(root_of_number(space, value, fraction))
            return FractionalPower(inner, fraction)
        if not base.is_Rational or base.p <= 0:
            raise UnsolvableError("a power whose base is not a positive rational number")
        rational = Fraction(base.p, base.q)
        inner = self.node(exponent)
        if not isinstance(inner, Leaf):
            return Exponential(rational, inner)
        result = exponential(space, rational, inner.quotient)
        if result is None:
            raise UnsolvableError("an exponent that is not linear in the unknown")
        return Leaf(result)


def _scan(expr: Expr, unknown: Symbol, power: int, scale: int) -> tuple[int, int]:
    """Return the common denominators of the exponents on the unknown, and in exponents."""
    if isinstance(expr, Pow):
        if expr.exp.is_Rational and not expr.exp.is_Integer and expr.base == unknown:
            return lcm(power, expr.exp.q), scale
        if not expr.exp.is_Rational:
            for part in _numbers(expr.exp):
                scale = lcm(scale, part.q)
    for arg in expr.args:
        if arg.args:
            power, scale = _scan(arg, unknown, power, scale)
    return power, scale


def _numbers(expr: Expr) -> list[Expr]:
    if expr.is_Rational:
        return [expr]
    return [number for arg in expr.args for number in _numbers(arg)]


def _exact_root(value: Fraction, index: int) -> Fraction | None:
    above, below = integer_root(value.numerator, index), integer_root(value.denominator, index)
    return None if above is None or below is None else Fraction(above, below)


def integer_root(value: int, index: int) -> int | None:
    """Return the integer whose power `value` is, or None.

    Examples
    --------
    >>> integer_root(27, 3), integer_root(28, 3)
    (3, None)
    """
    root = floor_root(value, index)
    return root if root**index == value else None


def _primitive_base(base: Fraction) -> tuple[Fraction, int]:
    """Return (b, k) with base = b**k and k as large as possible."""
    size = max(base.numerator, base.denominator).bit_length()
    multiple = 1
    for prime in (p for p in range(2, size + 1) if all(p % d for d in range(2, p))):
        while (root := _exact_root(base, prime)) is not None:
            base, multiple = root, multiple * prime
    if base < 1:
        base, multiple = 1 / base, -multiple
    return base, multiple
