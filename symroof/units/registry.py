"""Units: the one Pint registry, and the reader and writer of unit texts."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, TypeAlias

from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.units.definitions import COMMON, HINTS, PINT_DEFINITIONS, SPELLINGS, SYMBOLS

Dimension: TypeAlias = tuple[tuple[str, Fraction], ...]

DIMENSIONLESS: Dimension = ()
MAX_LENGTH = 200

TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_$]+)|(?P<number>\d{1,3})|(?P<mark>\*\*|[*/()-]))")
BITS_OR_BYTES = re.compile(r"([kKmMgGtTpPeE]?)(i?)([bB])")


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> tuple[Fraction, Dimension]:
    """Return the factor to base units and the dimension of a unit text.

    Base units are byte, FLOP (an integer operation is one too), token, second, dollar and joule.
    ``FLOPS`` and ``OPS`` in capitals, with any prefix, are per second; ``FLOPs`` is the plural of
    a count. ``GB`` is 10**9 byte, ``GiB`` 2**30. A year is 365.25 days.

    Parameters
    ----------
    text : str
        Names with ``*``, ``/``, ``**`` and parentheses; empty for a plain number.

    Returns
    -------
    tuple of Fraction and Dimension
        The exact factor, and the exponents of the base units, sorted by name.

    Raises
    ------
    UnknownNameError
        If a name is no unit; with the nearest one.
    UnitError
        If a name can be read in two ways (``Gb``), or a letter only looks like a Latin one.
    InputError
        If the text is no product of units.

    Examples
    --------
    >>> parse_unit("TB/s")
    (Fraction(1000000000000, 1), (('byte', Fraction(1, 1)), ('second', Fraction(-1, 1))))
    >>> parse_unit("GiB")[0]
    Fraction(1073741824, 1)
    """
    return _Reader(text).read()


def unit_text(dimension: Dimension) -> str:
    """Return the base unit of a dimension as a text that `parse_unit` reads; empty for none.

    Examples
    --------
    >>> unit_text(parse_unit("GFLOP/MiB")[1])
    'FLOP/byte'
    >>> unit_text(parse_unit("GHz")[1])
    '1/s'
    """
    above = [_power_text(SYMBOLS[base], power) for base, power in dimension if power > 0]
    below = [_power_text(SYMBOLS[base], -power) for base, power in dimension if power < 0]
    if not above and not below:
        return ""
    return "/".join(["*".join(above) or "1", *below])


def multiply(left: Dimension, right: Dimension) -> Dimension:
    """Return the dimension of a product.

    Examples
    --------
    >>> unit_text(multiply(parse_unit("byte/s")[1], parse_unit("s")[1]))
    'byte'
    """
    if not left:
        return right
    return _multiply(left, right) if right else left


@lru_cache(maxsize=4096)
def power(dimension: Dimension, exponent: Fraction) -> Dimension:
    """Return the dimension of a power.

    Examples
    --------
    >>> unit_text(power(parse_unit("s")[1], Fraction(-1)))
    '1/s'
    """
    return tuple((base, by * exponent) for base, by in dimension) if exponent else DIMENSIONLESS


@cache
def unit_names() -> tuple[str, ...]:
    """Return every spelling of a unit, prefixed ones included, the common ones first.

    Examples
    --------
    >>> "TFLOP" in unit_names(), "Gb" in unit_names()
    (True, False)
    """
    names = dict.fromkeys(COMMON)
    for spellings, tables in SPELLINGS:
        for name in spellings.split():
            names[name] = None
            for table in tables:
                for short, long in table.items():
                    names[short + name] = None
                    if len(name) > 2:
                        names[long + name] = None
    return tuple(names)


@cache
def registry() -> Any:
    """Return the Pint registry of the library: its own definitions only, exact fractions.

    It starts empty, because Pint's default registry has no FLOP and takes bytes for plain numbers
    (there ``1 byte + 1`` is 9).

    Examples
    --------
    >>> registry().get_base_units("kilobyte")[0]
    Fraction(1000, 1)
    """
    import pint  # here, because it takes longer to load than all the rest of `units`

    # Pint then leaves an operation with one of our quantities on the right to us, instead of
    # taking it for a bare number: `theirs == ours` would be False for equal amounts.
    vars(pint.compat).get("upcast_type_map", {})["symroof.units.quantity.Quantity"] = None
    made = pint.UnitRegistry(None, non_int_type=Fraction)
    made.load_definitions(PINT_DEFINITIONS.splitlines())
    return made


@lru_cache(maxsize=4096)
def _multiply(left: Dimension, right: Dimension) -> Dimension:
    powers = dict(left)
    for base, by in right:
        powers[base] = powers.get(base, Fraction(0)) + by
    return tuple(sorted((base, by) for base, by in powers.items() if by))


def _power_text(symbol: str, by: Fraction) -> str:
    if by == 1:
        return symbol
    return f"{symbol}**{by}" if by.denominator == 1 else f"{symbol}**({by})"


@lru_cache(maxsize=1024)
def _named(name: str, typed: str) -> tuple[Fraction, Dimension]:
    if name not in unit_names():
        raise _unknown(typed)
    factor, base = registry().get_base_units(name)
    return Fraction(factor), tuple(
        sorted((_base_name(key), Fraction(by)) for key, by in base.dimensionality.items())
    )


def _base_name(key: str) -> str:
    return key.strip("[]")


def _unknown(name: str) -> Exception:
    if name in HINTS:
        return UnitError(f"{name!r} is not a unit here; {HINTS[name]}")
    found = BITS_OR_BYTES.fullmatch(name)
    if found:
        prefix, binary, _ = found.groups()
        prefix = ("k" if prefix in "kK" and not binary else prefix.upper()) if prefix else ""
        stem = prefix + binary
        return UnitError(f"{name!r} may mean bits or bytes; write {stem}bit or {stem}B")
    by_lower: dict[str, str] = {}
    for known in unit_names():
        by_lower.setdefault(known.lower(), known)
    return UnknownNameError("unit", name, by_lower.values())


class _Reader:
    """Reads products, quotients and powers of unit names; the text is short, so is the nesting."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        # A micro sign is read as u; errors show what was typed.
        self.typed = {f"u{typed[1:]}": typed for typed in re.findall(r"[µμ][A-Za-z_]*", text)}
        self.next = 0

    def read(self) -> tuple[Fraction, Dimension]:
        if not self.tokens:
            return Fraction(1), DIMENSIONLESS
        unit = self.product()
        if self.next < len(self.tokens):
            raise self.fault(f"unexpected {self.tokens[self.next]!r}")
        return unit

    def product(self) -> tuple[Fraction, Dimension]:
        factor, dimension = self.factor()
        while self.peek() in ("*", "/"):
            sign = 1 if self.take() == "*" else -1
            more, other = self.factor()
            factor *= more**sign
            dimension = multiply(dimension, power(other, Fraction(sign)))
        return factor, dimension

    def factor(self) -> tuple[Fraction, Dimension]:
        part = self.take()
        if part == "(":
            factor, dimension = self.product()
            self.expect(")")
        elif part == "1":
            factor, dimension = Fraction(1), DIMENSIONLESS
        elif part[:1].isalpha():
            factor, dimension = _named(part, self.typed.get(part, part))
        else:
            raise self.fault(f"expected the name of a unit, got {part or 'the end'!r}")
        if self.peek() != "**":
            return factor, dimension
        self.take()
        exponent = self.exponent()
        if exponent.denominator == 1:
            return factor**exponent.numerator, power(dimension, exponent)
        if factor != 1:
            raise self.fault("a root needs a unit without prefix")
        return factor, power(dimension, exponent)

    def exponent(self) -> Fraction:
        if self.peek() != "(":
            return Fraction(self.integer())
        self.take()
        above = self.integer()
        below = 1
        if self.peek() == "/":
            self.take()
            below = self.integer()
        self.expect(")")
        if below == 0:
            raise self.fault("an exponent divides by zero")
        return Fraction(above, below)

    def integer(self) -> int:
        sign = 1
        if self.peek() == "-":
            self.take()
            sign = -1
        token = self.take()
        if not token.isdigit() or len(token) > 2:
            raise self.fault(f"expected a small whole exponent, got {token or 'the end'!r}")
        return sign * int(token)

    def peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.next += 1
        return token

    def expect(self, mark: str) -> None:
        token = self.take()
        if token != mark:
            raise self.fault(f"expected {mark!r}, got {token or 'the end'!r}")

    def fault(self, what: str) -> InputError:
        return InputError(f"{what}; a unit reads like 'TB/s' or 'FLOP/s'", where=repr(self.text))


def _tokens(text: str) -> list[str]:
    if not isinstance(text, str):
        raise UnitError(f"a unit is a text such as 'TB/s', not {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise InputError(f"unit text of {len(text)} characters (at most {MAX_LENGTH})")
    text = text.replace("µ", "u").replace("μ", "u").replace("·", "*").replace("$", "USD").strip()
    _refuse_look_alikes(text)
    tokens: list[str] = []
    place = 0
    while place < len(text):
        found = TOKEN.match(text, place)
        if not found:
            hint = "; write ** for a power" if text[place] == "^" else ""
            raise InputError(f"unexpected {text[place]!r}{hint}", where=repr(text))
        part = found[0].strip()
        if part.isdigit() and part != "1" and (not tokens or tokens[-1] not in _BEFORE_NUMBER):
            raise InputError(f"a unit holds no number, got {part!r}", where=repr(text))
        if tokens and found["name"] and (tokens[-1][-1].isalnum() or tokens[-1] == ")"):
            raise UnitError(f"{text!r}: unexpected {part!r}; {_word_hint(text)}")
        tokens.append(part)
        place = found.end()
    return tokens


def _word_hint(text: str) -> str:
    words = [word for word in re.findall("[A-Za-z]+", text) if word in HINTS]
    return HINTS[words[-1]] if words else "write * or / between two units"


_BEFORE_NUMBER = ("**", "-", "(", "/")


def _refuse_look_alikes(text: str) -> None:
    for letter in text:
        if letter.isascii() or letter.isspace():
            continue
        if letter in "°℃℉":
            raise UnitError(f"{text!r}: temperatures are no part of this library")
        name = unicodedata.name(letter, f"U+{ord(letter):04X}").lower()
        plain = unicodedata.normalize("NFKC", letter)
        hint = f"; type {plain!r}" if plain.isascii() and plain != letter else ""
        raise UnitError(f"{text!r}: {letter!r} ({name}) is not a letter of a unit{hint}")
