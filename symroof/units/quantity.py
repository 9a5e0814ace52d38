"""Quantity: an exact expression in base units, its dimension, and the names it may be bound by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from sympy import Expr, Integer, Rational, Symbol

from symroof.errors import InputError, UnboundError, UnitError
from symroof.symbolic.adopt import adopt
from symroof.symbolic.evaluate import bind, to_float, value
from symroof.symbolic.printer import to_text
from symroof.units import compare
from symroof.units.arithmetic import (
    check_dimensions,
    difference_of,
    noun,
    power_of,
    product_of,
    quotient_of,
    shorten,
    sum_of,
    whole_quotient_of,
)
from symroof.units.binding import read_bindings
from symroof.units.reading import is_foreign, read_foreign, read_text, read_unit
from symroof.units.registry import DIMENSIONLESS, Dimension, parse_unit, unit_text
from symroof.units.scope import EMPTY, Scope, rate_dimension, union

MAX_RESOLVE = 20
PHYSICAL = frozenset({"second", "joule", "dollar"})


class Quantity:
    """An amount with its unit: exact, immutable, symbolic or not.

    Parameters
    ----------
    value : str, number, Expr or Quantity
        ``"3.35 TB/s"``, a number or formula (then `unit` says of what), another quantity, or one
        of another Pint registry, which is carried over as text.
    unit : str, optional
        Unit of a number or formula; a plain number without. A lone symbol given a rate, a time,
        an energy or a price in base units stands for the whole amount and is bound with a unit.
    scope : Scope
        What is known of the names in the formula; names not in it are plain positive numbers.

    Attributes
    ----------
    expr : Expr
        The value in base units (byte, FLOP, token, s, USD, J).
    dimension : Dimension
        Exponents of the base units.
    scope : Scope
        The names `at` takes.

    Raises
    ------
    UnitError, UnknownNameError, InputError
        If value or unit cannot be read.

    Examples
    --------
    >>> Quantity("989 TFLOP/s") / Quantity("3.35 TB/s")
    Quantity('19780/67 FLOP/byte')
    >>> q = Quantity("2*M*N*K", "FLOP")
    >>> print(q, "=", q.at(M=64, N=4096, K=4096).to("GFLOP"), "GFLOP")
    2*K*M*N FLOP = 2.147483648 GFLOP
    """

    __slots__ = ("dimension", "expr", "scope")

    # Expr * Quantity and array * Quantity come here, instead of taking the quantity for a number.
    _op_priority = 1000.0
    __array_ufunc__ = None

    expr: Expr
    dimension: Dimension
    scope: Scope

    def __init__(self, value: object, unit: str | None = None, scope: Scope = EMPTY) -> None:
        if isinstance(value, Quantity):
            expr, dimension, scope = value.expr, value.dimension, union(value.scope, scope)
            if unit is not None and parse_unit(unit)[1] != dimension:
                raise UnitError(f"{shorten(value)} is not an amount of {unit}")
        elif is_foreign(value):
            expr, dimension, _ = read_foreign(value)
            if unit is not None and parse_unit(unit)[1] != dimension:
                raise UnitError(f"{shorten(value)} is not an amount of {unit}")
        elif isinstance(value, str) and unit is None:
            expr, dimension, _ = read_text(value)
        else:
            plain = adopt(value)
            expr, dimension, factor = read_unit(plain, "" if unit is None else unit)
            if (
                type(plain) is Symbol
                and factor == 1
                and plain.name not in scope.dimensions
                and not PHYSICAL.isdisjoint(base for base, _ in dimension)
            ):
                scope = union(scope, Scope({plain.name: dimension}))
        _fill(self, expr, dimension, _with_names(scope, expr))

    @classmethod
    def of(cls, expr: Expr, unit: str, scope: Scope = EMPTY) -> Quantity:
        """Return the quantity of an expression that is ours already, in a base unit: the fast way.

        Examples
        --------
        >>> from symroof.symbolic import symbols
        >>> Quantity.of(2 * symbols("M"), "FLOP")
        Quantity('2*M', 'FLOP')
        """
        return from_parts(expr, parse_unit(unit)[1], _with_names(scope, expr))

    @property
    def unit(self) -> str:
        """The base unit `expr` is in; empty for a plain number.

        Examples
        --------
        >>> Quantity("3 GiB").unit
        'byte'
        """
        return unit_text(self.dimension)

    @property
    def value(self) -> Expr:
        """The exact number of base units, with the rates that are known put in.

        Raises
        ------
        UnboundError
            If symbols are left.

        Examples
        --------
        >>> Quantity("1 GiB").value
        1073741824
        """
        return value(self.resolved().expr)

    def value_in(self, unit: str) -> Expr:
        """Return the exact number of `unit`.

        Examples
        --------
        >>> Quantity("1 GB").value_in("GiB")
        1953125/2097152
        """
        factor, dimension = parse_unit(unit)
        if dimension != self.dimension:
            raise UnitError(
                f"{shorten(self)} is {noun(self.dimension)}, not {noun(dimension)} ({unit!r})"
            )
        return self.value / Rational(factor)

    def to(self, unit: str) -> float:
        """Return the number of `unit` as a float.

        Raises
        ------
        UnitError
            If `unit` has another dimension; names both.
        UnboundError
            If symbols are left.

        Examples
        --------
        >>> Quantity("3.35 TB/s").to("GB/s")
        3350.0
        """
        return to_float(self.value_in(unit))

    def at(self, values: Mapping[str, object] | None = None, /, **named: object) -> Quantity:
        """Return the quantity with names bound, all at once and exactly.

        Parameters
        ----------
        values, **named : number, str, Expr or Quantity
            By name. Plain names take numbers and formulas (``K="4*D"``), rates need a unit
            (``bw="3.35 TB/s"``). ``peak``, ``bw``, ``link`` and ``ridge`` mean the one rate of
            their kind. A rate that is known is overridden. Names that cancelled are accepted.

        Raises
        ------
        UnknownNameError
            If the scope has no such name; with the nearest one.
        UnitError, InputError
            If a value has the wrong unit, or is not positive (1 or more for dims and counts).

        Examples
        --------
        >>> Quantity("2*M*N", "FLOP").at(M=3, N="4*D")
        Quantity('24*D', 'FLOP')
        """
        given = {**(values or {}), **named}
        if not given:
            return self
        bound, scope = read_bindings(self.scope, given)
        return from_parts(bind(self.expr, bound), self.dimension, scope)

    def resolved(self) -> Quantity:
        """Return the quantity with all known rates put in.

        Examples
        --------
        >>> scope = Scope(values={"bw.hbm": Integer(3_350_000_000_000)})
        >>> Quantity.of(adopt("1/bw.hbm"), "s", scope).resolved()
        Quantity('1/3350000000000 s')
        """
        known = self.scope.values
        if not known or self.expr.is_number:
            return self
        expr = self.expr
        for _ in range(MAX_RESOLVE):
            if not any(symbol.name in known for symbol in expr.free_symbols):
                break
            expr = bind(expr, known)
        return from_parts(expr, self.dimension, self.scope)

    def to_dict(self) -> dict[str, str | float | None]:
        """Return the JSON form: ``expr``, ``exact`` and ``value`` in ``unit``.

        ``exact`` and ``value`` are None while symbols are left, ``value`` also where it is
        infinite, which JSON cannot say, and the texts where they would be too long to read.

        Examples
        --------
        >>> Quantity("1/3 GB").to_dict()["exact"]
        '1000000000/3'
        """
        found = self.resolved().expr
        bound = not found.free_symbols
        number = to_float(found) if bound else None
        finite = number is not None and abs(number) != float("inf")
        return {
            "expr": _text_or_none(self.expr),
            "exact": _text_or_none(found) if bound else None,
            "value": number if finite else None,
            "unit": self.unit,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, object], scope: Scope = EMPTY) -> Quantity:
        """Return the quantity that `to_dict` wrote: its ``expr`` in its ``unit``.

        Examples
        --------
        >>> q = Quantity("2*M", "FLOP")
        >>> Quantity.from_dict(q.to_dict()) == q
        True
        """
        expr, unit = stored.get("expr"), stored.get("unit", "")
        if not isinstance(expr, str) or not isinstance(unit, str):
            raise InputError("a stored quantity has an 'expr' and a 'unit', both text")
        return cls(expr, unit, scope)

    # Arithmetic, with a quantity, a number or an expression on either side.

    def __add__(self, other: object) -> Quantity:
        right = _operand(other)
        return NotImplemented if right is None else from_parts(*sum_of(self, right))

    def __radd__(self, other: object) -> Quantity:
        left = _operand(other)
        return NotImplemented if left is None else from_parts(*sum_of(left, self))

    def __sub__(self, other: object) -> Quantity:
        right = _operand(other)
        return NotImplemented if right is None else from_parts(*difference_of(self, right))

    def __rsub__(self, other: object) -> Quantity:
        left = _operand(other)
        return NotImplemented if left is None else from_parts(*difference_of(left, self))

    def __mul__(self, other: object) -> Quantity:
        right = _operand(other)
        return NotImplemented if right is None else from_parts(*product_of(self, right))

    def __rmul__(self, other: object) -> Quantity:
        left = _operand(other)
        return NotImplemented if left is None else from_parts(*product_of(left, self))

    def __truediv__(self, other: object) -> Quantity:
        right = _operand(other)
        return NotImplemented if right is None else from_parts(*quotient_of(self, right))

    def __rtruediv__(self, other: object) -> Quantity:
        left = _operand(other)
        return NotImplemented if left is None else from_parts(*quotient_of(left, self))

    def __floordiv__(self, other: object) -> Quantity:
        right = _operand(other)
        return NotImplemented if right is None else from_parts(*whole_quotient_of(self, right))

    def __rfloordiv__(self, other: object) -> Quantity:
        left = _operand(other)
        return NotImplemented if left is None else from_parts(*whole_quotient_of(left, self))

    def __pow__(self, other: object) -> Quantity:
        right = _operand(other)
        return NotImplemented if right is None else from_parts(*power_of(self, right))

    def __rpow__(self, other: object) -> Quantity:
        left = _operand(other)
        return NotImplemented if left is None else from_parts(*power_of(left, self))

    def __neg__(self) -> Quantity:
        return from_parts(-self.expr, self.dimension, self.scope)

    def __pos__(self) -> Quantity:
        return self

    # Comparison: by value, with known rates put in.

    def __eq__(self, other: object) -> bool:
        try:
            right = _operand(other)
        except (InputError, UnitError):
            return NotImplemented
        if right is None:
            return NotImplemented
        return self.dimension == right.dimension and compare.same(
            self.resolved().expr, right.resolved().expr
        )

    def __hash__(self) -> int:
        number = compare.constant(self.resolved().expr)
        if number is None:  # one amount may be written in many ways
            return hash(self.dimension)
        return hash((self.dimension, number)) if self.dimension else hash(number)

    def __lt__(self, other: object) -> bool:
        right = _operand(other)
        return NotImplemented if right is None else _decide(self, right, "<", compare.is_negative)

    def __le__(self, other: object) -> bool:
        right = _operand(other)
        return (
            NotImplemented if right is None else _decide(self, right, "<=", compare.is_nonpositive)
        )

    def __gt__(self, other: object) -> bool:
        right = _operand(other)
        return NotImplemented if right is None else _decide(self, right, ">", compare.is_positive)

    def __ge__(self, other: object) -> bool:
        right = _operand(other)
        return (
            NotImplemented if right is None else _decide(self, right, ">=", compare.is_nonnegative)
        )

    # Immutable, so copies are the object itself.

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a Quantity does not change; cannot set {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Quantity does not change; cannot delete {name}")

    def __copy__(self) -> Quantity:
        return self

    def __deepcopy__(self, _: object) -> Quantity:
        return self

    def __reduce__(self) -> tuple[Callable[..., Quantity], tuple[object, ...]]:
        return _restored, (self.expr, self.dimension, self.scope)

    def __str__(self) -> str:
        text = to_text(self.expr)
        if not self.dimension:
            return text
        return f"({text}) {self.unit}" if self.expr.is_Add else f"{text} {self.unit}"

    def __repr__(self) -> str:
        if self.expr.is_Rational:
            return f"Quantity({str(self)!r})"
        return f"Quantity({to_text(self.expr)!r}, {self.unit!r})"

    def _repr_latex_(self) -> str | None:
        from symroof.units.notebook import quantity_latex  # for notebooks alone

        return quantity_latex(self)

    def __format__(self, spec: str) -> str:
        if spec[-1:] in ("", "s"):
            return format(str(self), spec)
        if self.resolved().expr.free_symbols:
            return str(self)
        return f"{format(to_float(self.value), spec)} {self.unit}".rstrip()


def from_parts(expr: Expr, dimension: Dimension, scope: Scope) -> Quantity:
    """Return a quantity of parts that are known to fit: an adopted expression, in base units.

    Examples
    --------
    >>> from_parts(Integer(3), DIMENSIONLESS, EMPTY)
    Quantity('3')
    """
    made = object.__new__(Quantity)
    _fill(made, expr, dimension, scope)
    return made


def _fill(made: Quantity, expr: Expr, dimension: Dimension, scope: Scope) -> None:
    put = object.__setattr__
    put(made, "expr", expr)
    put(made, "dimension", dimension)
    put(made, "scope", scope)


def _text_or_none(expr: Expr) -> str | None:
    try:
        return to_text(expr)
    except InputError:  # thousands of digits
        return None


def _restored(expr: Expr, dimension: Dimension, scope: Scope) -> Quantity:
    return from_parts(adopt(expr), dimension, scope)


def _with_names(scope: Scope, expr: Expr) -> Scope:
    if expr.is_number:
        return scope
    return scope.with_names(sorted(symbol.name for symbol in expr.free_symbols))


def _decide(left: Quantity, right: Quantity, mark: str, decide: Callable[..., bool | None]) -> bool:
    check_dimensions(left, right, "compare")
    a, b = left.resolved(), right.resolved()
    found = decide(a.expr, b.expr, a.scope.counts | b.scope.counts)
    if found is None:
        names = {symbol.name for symbol in (a.expr.free_symbols | b.expr.free_symbols)}
        text = f"{shorten(left)} {mark} {shorten(right)}"
        if names:
            raise UnboundError(text, names)
        raise InputError(f"{text[:200]} cannot be decided")
    return found


def _operand(other: object) -> Quantity | None:
    """Return the other side of an operation as a quantity; None when it cannot be one."""
    if type(other) is Quantity:
        return other
    if type(other) is int:
        return from_parts(Integer(other), DIMENSIONLESS, EMPTY)
    if is_foreign(other):
        return Quantity(other)
    if isinstance(other, str | bytes | list | tuple | dict | set) or other is None:
        return None
    if getattr(other, "ndim", 0):
        raise UnitError("an array times a quantity; compile the formula and evaluate it on arrays")
    expr = adopt(other)
    if expr.is_number:
        return from_parts(expr, DIMENSIONLESS, EMPTY)
    names = sorted(symbol.name for symbol in expr.free_symbols)
    rates = [name for name in names if rate_dimension(name)]
    if rates:
        unit = unit_text(rate_dimension(rates[0]))
        raise UnitError(
            f"{rates[0]} is a rate in {unit}; "
            f"make a quantity of it, as in Quantity({rates[0]!r}, {unit!r})"
        )
    return from_parts(expr, DIMENSIONLESS, EMPTY.with_names(names))
