"""Rates and capacities of a machine: an exact quantity, its source, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from sympy import Expr, Integer, Rational

from symroof.errors import InputError, SymroofError, UnitError, near_match
from symroof.hardware.fields import RateFields
from symroof.lines import DESCRIPTION, line
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.tables import read_table
from symroof.units.quantity import Quantity
from symroof.units.reading import is_foreign
from symroof.units.registry import Dimension, parse_unit, unit_text
from symroof.units.scope import EMPTY, Scope

CONFIDENCES = ("high", "medium", "low", "unverified", "given")
"""How sure a number is; ``given`` is the user's own."""

# Spelt out, because parsing a unit loads Pint.
FLOP_PER_SECOND: Dimension = (("FLOP", Fraction(1)), ("second", Fraction(-1)))
BYTE_PER_SECOND: Dimension = (("byte", Fraction(1)), ("second", Fraction(-1)))
BYTE: Dimension = (("byte", Fraction(1)),)
SECOND: Dimension = (("second", Fraction(1)),)

_UNITS = {FLOP_PER_SECOND: "FLOP/s", BYTE_PER_SECOND: "B/s", BYTE: "B"}
_EXAMPLES = {
    FLOP_PER_SECOND: "989 TFLOP/s",
    BYTE_PER_SECOND: "3.35 TB/s",
    BYTE: "80 GB",
    SECOND: "1 us",
}
_PREFIXES = ("P", "T", "G", "M", "k", "")


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate or a capacity of a machine, and where it is from.

    Attributes
    ----------
    value : Quantity
        Exact; may hold symbols. A text such as ``"989 TFLOP/s"`` is read as one.
    source : str
        Who states it.
    confidence : str
        One of `CONFIDENCES`.
    note : str
        What a reader of the number should know.
    text : str
        The value as it was written, for display and for files.

    Examples
    --------
    >>> rate = Rate("3.35 TB/s", source="datasheet", confidence="high")
    >>> rate.value.value, rate.text
    (3350000000000, '3.35 TB/s')
    """

    value: Quantity
    source: str = "given"
    confidence: str = "given"
    note: str = ""
    text: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if isinstance(self.value, str):
            put(self, "text", self.text or " ".join(self.value.split()))
        put(self, "value", _own(_quantity(self.value)))
        put(self, "text", self.text or written_amount(self.value))
        line(self.source, "source", DESCRIPTION)
        line(self.note, "note", DESCRIPTION)
        if self.confidence not in CONFIDENCES:
            near = near_match(str(self.confidence), CONFIDENCES)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(CONFIDENCES)}"
            raise InputError(f"unknown confidence {str(self.confidence)[:60]!r}; {hint}")

    @property
    def is_known(self) -> bool:
        """Whether the value is a number, with no symbol in it."""
        return bool(self.value.expr.is_number)

    def to_fields(self) -> str | dict[str, object]:
        """Return what a file says of the rate: a text, or a table where there is more to say.

        Examples
        --------
        >>> Rate("80 GB").to_fields(), Rate("80 GB", source="label").to_fields()["confidence"]
        ('80 GB', 'given')
        """
        fields: dict[str, object] = {"value": self.text}
        if not self.value.expr.is_Rational:
            fields = {"value": to_text(self.value.expr), "unit": self.value.unit}
            named = {name: unit_text(unit) for name, unit in self.value.scope.dimensions.items()}
            if any(named.values()) and not self.value.expr.is_Symbol:
                fields["symbols"] = named
        if (self.source, self.confidence) != ("given", "given"):
            fields |= {"source": self.source, "confidence": self.confidence}
        if self.note:
            fields["note"] = self.note
        return self.text if list(fields) == ["value"] else fields


def read_rate(given: object, dimension: Dimension, where: str) -> Rate:
    """Return `given` as a checked rate of a dimension.

    Parameters
    ----------
    given : Rate, Quantity, str or mapping
        A mapping has ``value`` and perhaps ``unit``, ``source``, ``confidence``, ``note``; with
        ``unit`` the value may be a number or a formula.
    dimension : Dimension
        What the rate must be in.
    where : str
        The place, for messages.

    Raises
    ------
    UnitError
        If the value is a bare number, or in another unit.
    InputError
        If it is not positive and finite, or cannot be read.

    Examples
    --------
    >>> read_rate("3.35 TB/s", BYTE_PER_SECOND, "memory").text
    '3.35 TB/s'
    >>> read_rate("3.35 TB/s", FLOP_PER_SECOND, "peak.bf16")
    Traceback (most recent call last):
    ...
    symroof.errors.UnitError: peak.bf16: expected FLOP/s, as in '989 TFLOP/s', got '3.35 TB/s'
    """
    try:
        rate = _rate(given, _EXAMPLES[dimension])
    except UnitError as error:
        raise UnitError(f"{where}: {error}") from None
    except SymroofError as error:
        raise InputError(str(error), where=where) from None
    if rate.value.dimension != dimension:
        raise UnitError(
            f"{where}: expected {unit_text(dimension)}, as in {_EXAMPLES[dimension]!r}, "
            f"got {rate.text[:60]!r}"
        )
    _check_positive(rate, where)
    return rate


def halved(rate: Rate) -> Rate:
    """Return half of a rate, with its source.

    Examples
    --------
    >>> halved(Rate("900 GB/s")).text
    '450 GB/s'
    """
    half = rate.value / 2
    return replace(rate, value=half, text=written_amount(half))


def written_amount(quantity: Quantity) -> str:
    """Return an amount as a text that reads back exactly, with the prefix that suits it.

    Examples
    --------
    >>> written_amount(Quantity("3350 GB/s")), written_amount(Quantity("1/3 TB/s"))
    ('3.35 TB/s', '1000000000000/3 byte/s')
    """
    expr, unit = quantity.expr, _UNITS.get(quantity.dimension)
    if not expr.is_Rational or unit is None:
        return str(quantity)
    for prefix in _PREFIXES:
        scaled = expr / Integer(parse_unit(prefix + unit)[0].numerator)
        decimal = _decimal(scaled)
        if decimal and (abs(scaled) >= 1 or not prefix):
            return f"{decimal} {prefix}{unit}"
    return str(quantity)


def _rate(given: object, example: str) -> Rate:
    if isinstance(given, Rate):
        return given
    if not isinstance(given, Mapping):
        _check_written(given, example)
        return Rate(given)  # type: ignore[arg-type]  # read by Rate itself
    fields = read_table(given, RateFields)
    value = fields.value
    if fields.unit is None:
        _check_written(value, example)
    else:
        units = {name: parse_unit(unit)[1] for name, unit in fields.symbols.items()}
        value = Quantity(value, fields.unit, Scope(units) if units else EMPTY)
    return Rate(value, fields.source, fields.confidence, fields.note)


def _quantity(value: Any) -> Quantity:
    _check_written(value, _EXAMPLES[BYTE_PER_SECOND])
    return Quantity(value)


def _check_written(value: Any, example: str) -> None:
    if isinstance(value, (Quantity, str)) or is_foreign(value):
        return
    if isinstance(value, (int, float, complex, Expr)) or hasattr(value, "numerator"):
        raise UnitError(f"{shown(value)} is a bare number; write its unit too, as in {example!r}")
    raise InputError(f"expected a text such as {example!r}, got {type(value).__name__}")


def _own(quantity: Quantity) -> Quantity:
    """Return the quantity with only its own symbols in scope, rates of other chips put in."""
    resolved = quantity.resolved()
    names = sorted(symbol.name for symbol in resolved.expr.free_symbols)
    for name in names:
        if "." in name:
            raise InputError(f"{name} is a rate of another machine and has no value")
    scope = Scope(
        {name: resolved.scope.dimensions[name] for name in names},
        resolved.scope.counts.intersection(names),
    )
    return Quantity.of(resolved.expr, unit_text(resolved.dimension), scope if names else EMPTY)


def _check_positive(rate: Rate, where: str) -> None:
    expr = rate.value.expr
    if expr.is_number:
        if not expr.is_finite or not expr.is_positive:
            raise InputError(f"{rate.text[:60]} is not positive and finite", where=where)
    elif expr.is_nonpositive:
        raise InputError(f"{rate.text[:60]} is never positive", where=where)


def _decimal(number: Rational) -> str:
    """Return the finite decimal of a rational; empty if it has none of a few digits."""
    for digits in range(13):
        scaled = number * 10**digits
        if scaled.is_Integer:
            whole = str(abs(int(scaled))).rjust(digits + 1, "0")
            sign = "-" if number < 0 else ""
            return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)
    return ""
