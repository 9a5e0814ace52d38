"""A closed form at many places: exact fractions on the way, floats at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeAlias

from sympy import Add, Expr, Max, Min, Mul, Pow, Symbol, ceiling, floor

from symroof.errors import InputError, SymroofError, UnboundError
from symroof.reports.plots.precise import UnsureError, precisely
from symroof.symbolic import adopt, bind, log2, to_float
from symroof.symbolic.reals import Located

Number: TypeAlias = Fraction | float
Step: TypeAlias = tuple[Callable[..., Number], tuple[int, ...]]

MAX_POWER_BITS = 4096
DIGITS = 6
SAMPLES, SAMPLES_OF_STEPS = 65, 513
ONE = Fraction(1)
LARGEST = 1e290
"""What is beyond is left out, so that there is room for another unit."""

CLOSE = 1e-9
"""How near to a whole number a float may be before its floor is worked out exactly."""

CANCELLED = 1e-4
"""What a sum of floats may shrink to before it is worked out exactly."""


def places(low: Fraction, high: Fraction, count: int) -> tuple[Fraction, ...]:
    """Return `count` numbers from `low` to `high`, each the same factor above the one before.

    Those between the ends are decimals of six digits, so that a file that holds them as floats
    says exactly where a formula was evaluated.

    Parameters
    ----------
    low, high : Fraction
        The ends, positive.
    count : int
        How many, 2 or more.

    Examples
    --------
    >>> [str(place) for place in places(Fraction(1), Fraction(1000), 4)]
    ['1', '10', '100', '1000']
    """
    start, stop = math.log(low), math.log(high)
    steps = (start + (stop - start) * i / (count - 1) for i in range(1, count - 1))
    inner = [decimal(math.exp(step)) for step in steps]
    return (low, *(place for place in dict.fromkeys(inner) if low < place < high), high)


def samples_for(formulas: Iterable[Expr]) -> int:
    """Return at how many places to sample: more of them where a formula has steps.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> samples_for([parse("2*B")]), samples_for([parse("ceil(B/128)")])
    (65, 513)
    """
    return SAMPLES_OF_STEPS if any(f.has(ceiling, floor) for f in formulas) else SAMPLES


def decimal(number: float, digits: int = DIGITS) -> Fraction:
    """Return the decimal of a few digits nearest to a float, exactly.

    Examples
    --------
    >>> decimal(1 / 3, 2)
    Fraction(33, 100)
    """
    return Fraction(f"{number:.{digits - 1}e}")


def sampled(
    expr: Expr, name: str, at: Sequence[Fraction], unit: Fraction = ONE
) -> tuple[tuple[float, float], ...]:
    """Return (x, y) where `expr` of the symbol `name` has a finite positive value.

    Each y belongs to the very x that is returned, as it is written: a formula with steps may be
    elsewhere at a number that is only near.

    Parameters
    ----------
    expr : Expr
        A closed form without other free symbols.
    name : str
        Its variable.
    at : sequence of Fraction
        Where to evaluate it.
    unit : Fraction
        What x is returned in.

    Raises
    ------
    UnboundError
        If other symbols are free.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> sampled(parse("2*B/(B + 1)"), "B", [Fraction(1), Fraction(3)])
    ((1.0, 1.0), (3.0, 1.5))
    """
    function = evaluator(expr, name)
    pairs = ((x, function(as_written(x) * unit)) for x in (float(x / unit) for x in at))
    return tuple((x, y) for x, y in pairs if 0 < y < LARGEST)


def as_written(number: float) -> Fraction:
    """Return the decimal that a float is written as, exactly.

    Examples
    --------
    >>> as_written(0.1), as_written(2.0**161) == 2**161
    (Fraction(1, 10), False)
    """
    return Fraction(repr(number))


@lru_cache(maxsize=64)
def evaluator(expr: Expr, name: str) -> Callable[[Fraction], float]:
    """Return a function that evaluates `expr` at a value of the symbol `name`.

    Everything rational is exact until the end, and what floats cannot tell is worked out exactly;
    a division by zero gives infinity.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> f = evaluator(parse("ceil(B/128)*128/log2(B)"), "B")
    >>> f(Fraction(256)), f(Fraction(1))
    (32.0, inf)
    """
    program = _Program(expr, name)
    return program.at


def number_of(expr: Expr) -> float:
    """Return the float of an exact number, of a root that has no closed form too.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> number_of(parse("sqrt(2)"))
    1.4142135623730951
    """
    if expr.has(Located):
        return float(expr)
    return to_float(expr)


class _Program:
    """The steps of a formula, equal parts once."""

    def __init__(self, expr: Expr, name: str) -> None:
        self.expr = expr
        self.name = name
        self.slots: list[Number | Step | None] = [None]
        self.known: dict[Expr, int] = {}
        self.result = self.place(expr)

    def at(self, x: Fraction) -> float:
        """Return the value at `x`."""
        values: list[Number] = []
        try:
            for slot in self.slots:
                if slot is None:
                    values.append(x)
                elif isinstance(slot, tuple):
                    function, inputs = slot
                    values.append(function(*[values[i] for i in inputs]))
                else:
                    values.append(slot)
            return float(values[self.result])
        except UnsureError:
            return self.exactly(x)
        except (ZeroDivisionError, OverflowError, ValueError):
            return math.inf

    def exactly(self, x: Fraction) -> float:
        """Return the value at `x`, slowly; infinity where it is too large to work out."""
        try:
            return precisely(self.expr, self.name, x)
        except (ZeroDivisionError, OverflowError, ValueError):
            return math.inf
        except UnsureError:
            pass
        try:
            found = number_of(bind(self.expr, {self.name: adopt(x)}))
        except SymroofError:
            return math.inf
        return found if math.isfinite(found) else math.inf

    def place(self, expr: Expr) -> int:
        """Return the slot of a part, made when it is new."""
        if isinstance(expr, Symbol):
            if expr.name != self.name:
                raise UnboundError("the formula of a plot", [expr.name])
            return 0
        found = self.known.get(expr)
        if found is None:
            slot = self.slot(expr)
            self.slots.append(slot)
            found = self.known[expr] = len(self.slots) - 1
        return found

    def slot(self, expr: Expr) -> Number | Step:
        """Return a number, or the function of other slots that a part is."""
        if expr.is_Rational:
            return Fraction(int(expr.p), int(expr.q))
        if expr.is_number:
            return number_of(expr)
        if isinstance(expr, Pow) and expr.exp.is_Integer:
            return partial(_power, exponent=int(expr.exp)), (self.place(expr.base),)
        function = _FUNCTIONS.get(type(expr))
        if function is None:
            raise InputError(f"a plot cannot evaluate {type(expr).__name__}")
        return function, tuple(self.place(part) for part in expr.args)


def _sum(*parts: Number) -> Number:
    found: Number = Fraction(0)
    for part in parts:
        found = found + part
    if isinstance(found, float) and abs(found) < CANCELLED * max(
        abs(float(part)) for part in parts
    ):
        raise UnsureError
    return found


def _product(*parts: Number) -> Number:
    found: Number = Fraction(1)
    for part in parts:
        found = found * part
    return found


def _power(base: Number, exponent: Number) -> Number:
    whole = int(exponent)
    if exponent == whole and isinstance(base, Fraction):
        bits = base.numerator.bit_length() + base.denominator.bit_length()
        if abs(whole) * bits <= MAX_POWER_BITS:
            return base**whole
    if not isinstance(base, Fraction) or base <= 0:
        return math.pow(base, exponent)
    # The logarithm of 1 - 1/10**12 as a float of the float would have four digits.
    near = Fraction(1, 2) < base < 2
    log = math.log1p(base - 1) if near else math.log(base.numerator) - math.log(base.denominator)
    return math.exp(exponent * log)


def _log2(number: Number) -> Number:
    if isinstance(number, Fraction) and number > 0:
        above, below = number.numerator, number.denominator
        if above & (above - 1) == 0 == below & (below - 1):
            return Fraction(above.bit_length() - below.bit_length())
        if Fraction(1, 2) < number < 2:
            return math.log1p(number - 1) / math.log(2)
        return math.log2(above) - math.log2(below)
    return math.log2(number)


def _ceiling(number: Number) -> Number:
    return Fraction(math.ceil(_certain(number)))


def _floor(number: Number) -> Number:
    return Fraction(math.floor(_certain(number)))


def _certain(number: Number) -> Number:
    """Return a number unless it is a float that may be a whole number, or beside one."""
    if isinstance(number, float):
        if math.isinf(number):
            raise OverflowError
        if abs(number - round(number)) <= CLOSE * max(1.0, abs(number)):
            raise UnsureError
    return number


_FUNCTIONS: dict[type, Callable[..., Number]] = {
    Add: _sum,
    Mul: _product,
    Pow: _power,
    Max: max,
    Min: min,
    ceiling: _ceiling,
    floor: _floor,
    log2: _log2,
}
