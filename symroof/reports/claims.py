"""Claims written as lines of text, read back, and recomputed from what is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sympy import Expr, oo

from symroof.errors import InputError, SymroofError
from symroof.reports.document import Claim, Document
from symroof.symbolic import bind, parse, to_float
from symroof.symbolic.symbols import OTHERS, RATES
from symroof.symbolic.tokens import MAX_LENGTH
from symroof.units.compare import same
from symroof.units.registry import parse_unit

TRUTHS = {True: "true", False: "false"}
ABOUT = "~"
"""Stands before an exact value that is too long to write out, given to 30 digits."""
NEAR = Fraction(1, 10**20)
KEYS = (*RATES, *OTHERS)
LONGEST_SHOWN = 200
SAID = 200

_ID = r"[A-Za-z][\w.-]*"
_STATEMENT = re.compile(rf"({_ID}) = (.+) = (~?[^=\s]+|true|false)(?: ([A-Za-z/0-9*²³µ]+))?")
_AT = re.compile(r"^(.*\S) @ (\S+=\S+(?:, \S+=\S+)*)$")
_VALUE = re.compile(r"value (\S+) = (\S.*?)(?: \[(\S+)\])?")
_DOTTED = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[\w:]+)+")
_RELATION = re.compile(r"(.+?) (>=|<=|!=|>|<|=) (.+)")
_SHOWN = re.compile(r"([-−+]?)(∞|[0-9][0-9,]*(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,5})?)(?: ?(\S.*))?")


@dataclass(frozen=True, slots=True)
class Fault:
    """What does not hold: where, what is written, and what comes out."""

    id: str
    written: str
    found: str

    def __str__(self) -> str:
        return f"{self.id[:SAID]}: {self.written[:SAID]} is written, {self.found[: 2 * SAID]}"


def statement(claim: Claim) -> str:
    """Return a claim as a line that `read_statement` reads.

    Examples
    --------
    >>> statement(Claim("time", "2*m/bw.hbm", "1/8", "s", "125 ms", {"m": "3"}))
    'time = 2*m/bw.hbm = 1/8 s @ m=3'
    """
    unit = f" {claim.unit}" if claim.unit else ""
    at = ", ".join(f"{name}={value.replace(' ', '')}" for name, value in claim.at.items())
    return f"{claim.id} = {claim.expr} = {claim.exact.replace(' ', '')}{unit}" + (
        f" @ {at}" if at else ""
    )


def read_statement(line: str) -> Claim | None:
    """Return the claim that a line states, without what was displayed; None for other lines.

    Examples
    --------
    >>> read_statement("  time = 2*m/bw.hbm = 1/8 s @ m=3").at
    {'m': '3'}
    >>> read_statement("Any other line.") is None
    True
    """
    text, at = line.strip(), {}
    if found := _AT.fullmatch(text):
        text = found[1]
        at = dict(part.split("=", 1) for part in found[2].split(", "))
    found = _STATEMENT.fullmatch(text)
    if found is None:
        return None
    return Claim(found[1], found[2], found[3], found[4] or "", "", at)


def value_lines(document: Document) -> list[str]:
    """Return the values of names as lines that `read_value` reads.

    Examples
    --------
    >>> value_lines(Document("t", "", (), {"bw.hbm": "8"}, {"bw.hbm": "byte/s"}))
    ['value bw.hbm = 8 [byte/s]']
    """
    lines = []
    for name, value in document.values.items():
        unit = document.units.get(name, "")
        lines.append(f"value {name} = {value}" + (f" [{unit}]" if unit else ""))
    return lines


def read_value(line: str) -> tuple[str, str] | None:
    """Return the name and the value that a line gives; None for other lines.

    Examples
    --------
    >>> read_value("value ridge.fp16 = peak.fp16/bw.hbm [FLOP/byte]")
    ('ridge.fp16', 'peak.fp16/bw.hbm')
    """
    found = _VALUE.fullmatch(line.strip())
    return None if found is None else (found[1], found[2])


def check(claims: Iterable[Claim], values: Mapping[str, str]) -> list[Fault]:
    """Recompute every claim from its text, and return those that do not hold.

    Parameters
    ----------
    claims : iterable of Claim
        What is claimed. A formula may name another claim by its dotted id, and means its formula.
    values : mapping of str to str
        The values of names, exactly; or formulas of other names.

    Examples
    --------
    >>> check([Claim("a", "2*m", "9", "", "9")], {"m": "4"})[0].found
    '8 comes out'
    >>> twice = Claim("b.twice", "2*m", "8", "", "8")
    >>> check([twice, Claim("b.more", "b.twice + 1", "7", "", "7", {"m": "3"})], {"m": "4"})
    []
    """
    stated = list(claims)
    known = Names(stated, values)
    faults = []
    for claim in stated:
        try:
            found = _fault(claim, known)
        except SymroofError as error:
            found = f"which cannot be recomputed: {error}"
        except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
            found = f"which cannot be recomputed: {error or 'nested too deeply'}"
        if found is not None:
            written = claim.shown if found.startswith("but") else claim.exact
            faults.append(Fault(claim.id, f"{written} {claim.unit}".rstrip(), found))
    return faults


class Names:
    """The numbers of the names in a document's formulas, worked out when they are needed.

    Parameters
    ----------
    claims : sequence of Claim
        Those with dotted ids may be named in formulas.
    values : mapping of str to str
        Numbers, or formulas of other names.
    """

    def __init__(self, claims: Sequence[Claim], values: Mapping[str, str]) -> None:
        named = {claim.id: claim.expr for claim in claims if "." in claim.id and not claim.at}
        self.formulas = {**named, **values}
        self.numbers: dict[tuple[str, frozenset[tuple[str, str]]], Expr] = {}
        self.open: set[str] = set()

    def evaluated(self, text: str, at: Mapping[str, str]) -> Expr:
        """Return the number of a formula, with some names having other values here.

        Raises
        ------
        InputError
            If a name has no value, or one that depends on itself.
        """
        expr, ids = _read(text)
        found = {}
        for symbol in expr.free_symbols:
            name = ids.get(symbol.name, symbol.name)
            found[symbol.name] = self._number(name, at)
        return bind(expr, found)

    def _number(self, name: str, at: Mapping[str, str]) -> Expr:
        key = (name, frozenset(at.items()))
        if key in self.numbers:
            return self.numbers[key]
        text = at.get(name, self.formulas.get(name))
        if text is None:
            raise InputError(f"there is no value for {name}")
        if name in self.open:
            raise InputError(f"the value of {name} depends on itself")
        self.open.add(name)
        try:
            found = self.numbers[key] = self.evaluated(text, at)
        finally:
            self.open.discard(name)
        return found


def _fault(claim: Claim, known: Names) -> str | None:
    """Return what is wrong with a claim, in words."""
    if claim.exact in TRUTHS.values():
        truth = TRUTHS[_holds(claim.expr, known, claim.at)]
        return None if truth == claim.exact else f"{truth} comes out"
    found = known.evaluated(claim.expr, claim.at)
    approximate = claim.exact.startswith(ABOUT)
    if len(claim.exact) > MAX_LENGTH:
        raise InputError(f"{len(claim.exact):,} characters of an exact value")
    written = parse(claim.exact.removeprefix(ABOUT))
    if not (_near(written, found) if approximate else same(written, found)):
        return f"{_short(found)} comes out"
    if claim.shown and not shown_agrees(claim.shown, found, claim.unit):
        return f"but {_short(found)} {claim.unit}".rstrip() + " comes out"
    return None


def _holds(text: str, known: Names, at: Mapping[str, str]) -> bool:
    if len(text) > 2 * MAX_LENGTH:
        raise InputError(f"{len(text):,} characters of a comparison")
    match = _RELATION.fullmatch(text)
    if match is None:
        raise InputError(f"expected a comparison, got {text[:60]!r}")
    left, right = (known.evaluated(side, at) for side in (match[1], match[3]))
    relation = match[2]
    equal = same(left, right)
    if relation in ("=", "!="):
        return bool(equal) is (relation == "=")
    if equal:
        return relation in (">=", "<=")
    greater = left is oo or (right is not oo and bool((left - right).is_positive))
    return greater is (relation in (">=", ">"))


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Expr, dict[str, str]]:
    """Return a formula, and the ids of claims in it by the symbols that stand for them."""
    if len(text) > MAX_LENGTH:
        raise InputError(f"a formula has at most {MAX_LENGTH:,} characters, not {len(text):,}")
    ids = {name for name in _DOTTED.findall(text) if name.partition(".")[0] not in KEYS}
    prefix = "q"
    while ids and prefix in text:
        prefix += "q"
    places = {name: f"{prefix}{place}" for place, name in enumerate(sorted(ids))}
    if places:
        text = _DOTTED.sub(lambda found: places.get(found[0], found[0]), text)
    return parse(text), {place: name for name, place in places.items()}


def shown_agrees(shown: str, exact: Expr, unit: str) -> bool:
    """Return whether what is displayed is the exact number, rounded to the digits it has.

    Examples
    --------
    >>> from sympy import Rational
    >>> shown_agrees("12.4 µs", Rational(124, 10**7), "s"), shown_agrees("345", Rational(344), "")
    (True, False)
    """
    match = _SHOWN.fullmatch(shown.strip()) if len(shown) <= LONGEST_SHOWN else None
    if match is None:
        return False
    sign, digits, shown_unit = match[1], match[2].replace(",", ""), match[3] or ""
    if digits == "∞":
        return exact is oo
    factor, dimension = _unit_of(shown_unit)
    if dimension != _unit_of(unit)[1] or exact in (oo, -oo):
        return False
    mantissa, _, exponent = digits.partition("e")
    places = len(mantissa.partition(".")[2]) - int(exponent or 0)
    value = Fraction(digits) * (-1 if sign in ("-", "−") else 1)
    number = (
        Fraction(int(exact.p), int(exact.q)) if exact.is_Rational else Fraction(to_float(exact))
    )
    # Half a digit; a little more for numbers that were rounded twice.
    return abs(number / factor - value) <= Fraction(501, 1000) / Fraction(10) ** places


@lru_cache(maxsize=256)
def _unit_of(text: str) -> tuple[Fraction, object]:
    if text == "%":
        return Fraction(1, 100), parse_unit("")[1]
    factor, dimension = parse_unit(text)
    return Fraction(factor), dimension


def _near(written: Expr, found: Expr) -> bool:
    if not found.is_Rational:
        return abs(to_float(written) / to_float(found) - 1) < 1e-12
    gap = abs(Fraction(int(written.p), int(written.q)) - Fraction(int(found.p), int(found.q)))
    return gap <= abs(Fraction(int(found.p), int(found.q))) * NEAR


def _short(number: Expr) -> str:
    text = str(number)
    return text if len(text) <= 60 else f"{to_float(number):.15g}"
