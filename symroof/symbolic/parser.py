"""Formulas from text: an own tokenizer and a precedence parser; text is never executed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from sympy import Expr, Integer, Rational, S

from symroof.errors import InputError, ParseError, near_match
from symroof.symbolic.build import (
    add,
    ceil_of,
    floor_of,
    log2_of,
    maximum,
    minimum,
    multiply,
    power,
    power_effort,
)
from symroof.symbolic.symbols import symbol
from symroof.symbolic.tokens import INFINITY, Token, read_tokens

MAX_DEPTH = 100
MAX_DIGITS = 4_000
MAX_BITS = 13_288  # 4,000 digits

_UNIT = re.compile(
    r"(k|[KMGTPE]i?|m|u|µ|n)?(b|B|bit|bits|byte|bytes|s|Hz|W|J|FLOPS?|flops?|OPS?|bps|tokens?)"
)

_CALLS: dict[str, Callable[[list[Expr]], Expr]] = {
    "ceil": lambda args: ceil_of(args[0]),
    "floor": lambda args: floor_of(args[0]),
    "log2": lambda args: log2_of(args[0]),
    "max": maximum,
    "min": minimum,
    "sqrt": lambda args: power(args[0], S.Half),
}


Result = TypeVar("Result")


def parse(text: str, *, where: str | None = None) -> Expr:
    """Return the expression written in `text`.

    The grammar has ``+ - * / // **`` (``//`` is floor division), parentheses, the calls
    ``ceil floor min max log2 sqrt`` in any case, exact numbers (``1e12``, ``0.1``, ``1_000``),
    ``∞`` and names. Every name that no ``(`` follows is a symbol, also E, I, N, S, beta, pi,
    lambda, max. There is no implicit multiplication.

    Parameters
    ----------
    text : str
        At most 10,000 characters, nested at most 100 deep, numbers of at most 4,000 digits.
    where : str, optional
        The place to name in an error (a file and field, an option).

    Raises
    ------
    ParseError
        One line with the column, what was found and what was expected.

    Examples
    --------
    >>> parse("2*E*F"), parse("4*(N-1)*B/NetBW"), parse("0.1 + S // 128")
    (2*E*F, 4*B*(N - 1)/NetBW, floor(S/128) + 1/10)
    >>> parse("M+*N")
    Traceback (most recent call last):
    symroof.errors.ParseError: expected a number, a name or '(', found '*', at column 3 of 'M+*N'
    """
    try:
        if not isinstance(text, str):
            kind = type(text).__name__
            raise ParseError(f"a formula is text, not {kind}", text=kind, position=0)
        return _read(text)
    except ParseError as error:
        if where is not None:
            error.where = where
            error.args = (f"{where}: {error}",)
        raise


def _read(text: str) -> Expr:
    parser = _Parser(text)
    try:
        return parser.result()
    except RecursionError:  # the caller had little stack left
        raise parser.error("the formula is nested too deeply here") from None


class _Parser:
    """Reads one text, left to right; `bits` is what its powers may still compute."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = read_tokens(text)
        self.next = 0
        self.depth = 0
        self.bits = MAX_BITS

    def result(self) -> Expr:
        """Return the whole text as one expression."""
        if self.tokens[0].kind == "end":
            raise self.error("expected a formula, found nothing")
        found = self.made(self.tokens[0], multiply, self.sum())
        token = self.tokens[self.next]
        if token.kind != "end":
            raise self.unexpected(token)
        return found

    # A product travels as the list of its factors until something needs it whole. So
    # 1/(2*(x + y)) divides by 2 and by x + y; sympy would distribute the 2 first.

    def sum(self) -> list[Expr]:
        """Read terms joined by + and -."""
        start = self.tokens[self.next]
        factors = self.product()
        terms: list[Expr] = []
        while (token := self.tokens[self.next]).text in ("+", "-"):
            terms.append(self.made(start, multiply, factors))
            start = token
            self.next += 1
            factors = self.product()
            if token.text == "-":
                factors.insert(0, S.NegativeOne)
        if not terms:
            return factors
        terms.append(self.made(start, multiply, factors))
        return [self.made(start, add, terms)]

    def product(self) -> list[Expr]:
        """Read factors joined by * / and //."""
        factors = self.factor()
        while (token := self.tokens[self.next]).text in ("*", "/", "//"):
            self.next += 1
            right = self.factor()
            if token.text == "*":
                factors += right
                continue
            factors += [self.made(token, power, part, S.NegativeOne) for part in right]
            if token.text == "//":
                self.enter(token)  # for good: each floor nests all that is to its left
                factors = [self.made(token, floor_of, self.made(token, multiply, factors))]
        return factors

    def factor(self) -> list[Expr]:
        """Read signs, an atom and its power; a sign binds less tightly than ``**``."""
        token = self.tokens[self.next]
        if token.text in ("+", "-"):
            self.next += 1
            self.enter(token)
            inner = self.factor()
            self.depth -= 1
            return inner if token.text == "+" else [S.NegativeOne, *inner]
        found = self.atom()
        token = self.tokens[self.next]
        if token.text != "**":
            return found
        self.next += 1
        base = self.made(token, multiply, found)
        self.enter(token)
        exponent = self.made(token, multiply, self.factor())
        self.depth -= 1
        self.spend(token, base, exponent)
        return [self.made(token, power, base, exponent)]

    def atom(self) -> list[Expr]:
        """Read a number, a name, a call or a sum in parentheses."""
        token = self.tokens[self.next]
        self.next += 1
        if token.kind == "number":
            return [self.number(token)]
        if token.kind == "name":
            if self.tokens[self.next].text == "(":
                return [self.call(token)]
            return [self.made(token, symbol, token.text)]
        if token.text == "(":
            self.enter(token)
            found = self.sum()
            self.depth -= 1
            self.close(token)
            return found
        if token.text == INFINITY:
            return [S.Infinity]
        raise self.error(f"expected a number, a name or '(', found {self.shown(token)}", token)

    def call(self, name: Token) -> Expr:
        """Read the arguments of a function and return its value."""
        function = name.text.lower()
        if function not in _CALLS:
            raise self.unknown_function(name)
        opened = self.tokens[self.next]
        self.enter(opened)
        args: list[Expr] = []
        while not args or self.tokens[self.next].text == ",":
            self.next += 1
            args.append(self.made(self.tokens[self.next], multiply, self.sum()))
        self.depth -= 1
        self.close(opened)
        if len(args) > 1 and function not in ("max", "min"):
            raise self.error(f"{function} takes one argument, not {len(args)}", name)
        if function == "sqrt":
            self.spend(name, args[0], S.Half)
        else:
            self.bits -= 16 * (len(args) - 1)
            self.check_effort(name)
        return self.made(name, _CALLS[function], args)

    def spend(self, token: Token, base: Expr, exponent: Expr) -> None:
        """Take what a power may cost from what is left for this text."""
        if base == 10 and exponent.is_Integer and 0 <= exponent < MAX_DIGITS:
            return  # as free as the digits it is short for
        self.bits -= self.made(token, power_effort, base, exponent)
        if not exponent.is_Integer:
            self.bits -= 6 * self.depth  # roots of roots: each level asks the ones inside
        self.check_effort(token)

    def check_effort(self, token: Token) -> None:
        """Refuse what would take long."""
        if self.bits < 0:
            limit = f"a number has at most {MAX_DIGITS:,} digits"
            raise self.error(f"powers or roots too large or too many ({limit})", token)

    def number(self, token: Token) -> Expr:
        """Read a decimal exactly."""
        mantissa, _, exponent = token.text.replace("_", "").lower().partition("e")
        whole, _, fraction = mantissa.partition(".")
        digits = (whole + fraction).lstrip("0") or "0"
        shift = int(exponent[:8] or 0) - len(fraction)
        if len(digits) + abs(shift) > MAX_DIGITS or len(exponent) > 8:
            raise self.error(f"a number has at most {MAX_DIGITS:,} digits", token)
        value = int(digits)
        return Integer(value * 10**shift) if shift >= 0 else Rational(value, 10**-shift)

    def enter(self, token: Token) -> None:
        """Go one level deeper, within the bound that keeps recursion small."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"a formula is nested at most {MAX_DEPTH} deep", token)

    def made(self, token: Token, make: Callable[..., Result], *args: object) -> Result:
        """Return ``make(*args)``; what it refuses is reported at `token`."""
        try:
            return make(*args)
        except ParseError:
            raise
        except InputError as error:
            raise self.error(str(error), token) from None

    def close(self, opened: Token) -> None:
        """Expect the parenthesis that closes `opened`."""
        token = self.tokens[self.next]
        if token.text == ")":
            self.next += 1
        elif token.kind == "end":
            raise self.error("expected ')', found the end", token)
        else:
            raise self.unexpected(token, "')' or an operator")

    def unexpected(self, token: Token, expected: str = "an operator or the end") -> ParseError:
        """Return the error for a token where `expected` was due, with the likely reason."""
        before = self.tokens[self.next - 1]
        hint = ""
        if token.text == ",":
            hint = "digits are grouped as in 1_000" if before.kind == "number" else ""
        elif before.kind == "number" and token.kind == "name" and _UNIT.fullmatch(token.text):
            hint = f"a formula has no units; write {before.text}*{token.text} for a product"
        elif token.kind in ("number", "name") or token.text == "(":
            left = before.text if before.kind in ("number", "name") else "..."
            right = "(...)" if token.text == "(" else token.text
            hint = f"a product needs *: write {left[:20]}*{right[:20]}"
        found = f"expected {expected}, found {self.shown(token)}"
        return self.error(found + (f" ({hint})" if hint else ""), token)

    def unknown_function(self, name: Token) -> ParseError:
        """Return the error for a name before a parenthesis that is no function."""
        lower = name.text.lower()
        near = {"log": "log2", "ln": "log2", "ceiling": "ceil", "lg": "log2"}.get(lower)
        near = near or near_match(name.text, _CALLS)
        hint = (
            f"did you mean {near}?" if near else f"a product needs *: write {name.text[:20]}*(...)"
        )
        known = " ".join(_CALLS)
        shown = self.shown(name)
        return self.error(f"unknown function {shown}; known: {known} ({hint})", name)

    def shown(self, token: Token) -> str:
        """Return a token as an error shows it."""
        if token.kind == "end":
            return "the end"
        return repr(token.text if len(token.text) <= 40 else token.text[:37] + "...")

    def error(self, message: str, token: Token | None = None) -> ParseError:
        """Return an error at a token, or at the start."""
        return ParseError(message, text=self.text, position=token.start if token else 0)
