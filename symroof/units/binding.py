"""Read the values that names of a scope are bound to."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from sympy import Expr

from symroof.errors import InputError, ParseError, SymroofError, UnitError, UnknownNameError
from symroof.symbolic.adopt import adopt
from symroof.symbolic.evaluate import bind
from symroof.units.arithmetic import Measured, noun, shorten
from symroof.units.reading import is_foreign, read_foreign, read_text
from symroof.units.registry import DIMENSIONLESS, unit_text
from symroof.units.scope import EMPTY, Scope, rate_dimension, union

ALIASES = ("peak", "bw", "link", "latency", "launch", "cap", "ridge")


def read_bindings(scope: Scope, given: Mapping[str, object]) -> tuple[dict[str, Expr], Scope]:
    """Return the expression each name is bound to, and the scope that is left.

    Parameters
    ----------
    scope : Scope
        The names there are.
    given : Mapping of str to number, str, Expr or Quantity
        Values by name, by rate key, or by ``peak``, ``bw``, ``link``, ``latency``, ``launch``,
        ``cap``, ``ridge`` where the scope has one such key. Plain names take numbers and formulas,
        all others need a unit.

    Raises
    ------
    UnknownNameError
        If a name is not in scope; with the nearest one.
    UnitError
        If a rate comes without unit or in another dimension.
    InputError
        If a value is not positive, or less than 1 for a count.

    Examples
    --------
    >>> scope = Scope(counts=frozenset({"M", "N"}))
    >>> values, left = read_bindings(scope, {"M": "4*D"})
    >>> values, sorted(left.dimensions)
    ({'M': 4*D}, ['D', 'N'])
    """
    values: dict[str, Expr] = {}
    added = EMPTY
    for text, value in given.items():
        name = resolve_name(scope, text)
        each = f"{name}_per_gpu"
        if each in scope.dimensions:
            raise InputError(f"{name} is a sum over all GPUs; give {each}, or N_gpus", where=name)
        if name in values:
            raise InputError(f"{name} is bound twice, the second time as {text}")
        expr, inner = _amount(name, value, scope)
        _check_positive(name, expr, count=name in scope.counts)
        values[name] = expr
        fresh = sorted(s.name for s in expr.free_symbols if s.name not in scope.dimensions)
        if name in scope.counts:
            # A dim made of other names makes dims of them.
            counts = frozenset(n for n in fresh if n not in inner.dimensions)
            inner = union(inner, Scope(counts=counts))
        added = union(added, inner.with_names(fresh))
    left = scope.without(values.keys() - _names_in(values))
    known = {key: bind(value, values) for key, value in left.values.items() if key not in values}
    return values, union(Scope(left.dimensions, left.counts, known), added)


def resolve_name(scope: Scope, text: str) -> str:
    """Return the name in scope that `text` means: itself, or the one rate of its kind.

    Examples
    --------
    >>> resolve_name(EMPTY.with_names(["peak.bf16", "M"]), "peak")
    'peak.bf16'
    """
    if not isinstance(text, str):
        raise InputError(f"names are text, not {type(text).__name__}")
    name = unicodedata.normalize("NFKC", text)
    if name in scope.dimensions:
        return name
    kind = name.lower()
    if kind in ALIASES:
        keys = sorted(key for key in scope.dimensions if key.startswith(kind + "."))
        if len(keys) == 1:
            return keys[0]
        if keys:
            raise InputError(f"{name} may be any of {', '.join(keys)}; name one of these")
    raise UnknownNameError("symbol", name, sorted(scope.dimensions))


def _names_in(values: Mapping[str, Expr]) -> set[str]:
    return {symbol.name for expr in values.values() for symbol in expr.free_symbols}


def _amount(name: str, value: object, scope: Scope) -> tuple[Expr, Scope]:
    dimension = scope.dimensions[name]
    plain = isinstance(value, Expr | int | str)  # asking for a protocol takes ten times as long
    if not plain and isinstance(value, Measured):
        expr, given, inner = value.expr, value.dimension, value.scope
    elif not plain and is_foreign(value):
        expr, given, _ = read_foreign(value)
        inner = EMPTY
    elif not dimension:
        return _plain(name, value, scope), EMPTY
    elif isinstance(value, str):
        expr, given, _ = read_text(value)
        inner = EMPTY
    else:
        expr, given, inner = adopt(value, where=name), DIMENSIONLESS, EMPTY
    if given == dimension:
        return expr, inner
    expected = unit_text(dimension)
    if not dimension:
        raise UnitError(f"{name} is a plain number, not {noun(given)} ({shorten(value)})")
    if not given:
        raise UnitError(f"{name} needs a unit, as in {name}='3 {expected}'; got {shorten(value)}")
    raise UnitError(f"{name} is {noun(dimension)}, not in {unit_text(given)} ({shorten(value)})")


def _plain(name: str, value: object, scope: Scope) -> Expr:
    try:
        expr = adopt(value, where=name)
    except ParseError:
        if isinstance(value, str) and _has_unit(value):
            raise UnitError(f"{name} is a plain number, got {shorten(value)}") from None
        raise
    for symbol in expr.free_symbols:
        dimension = scope.dimensions.get(symbol.name, rate_dimension(symbol.name))
        if dimension:
            raise UnitError(f"{name} is a plain number, but {symbol.name} is {noun(dimension)}")
    return expr


def _has_unit(text: str) -> bool:
    try:
        return bool(read_text(text).dimension)
    except SymroofError:
        return False


def _check_positive(name: str, value: Expr, *, count: bool) -> None:
    if value.is_Rational and value.p >= (value.q if count else 1):
        return
    if not value.is_number:
        if value.is_nonpositive:
            raise InputError(f"{name}={value}: dims, counts and rates are positive")
        return
    if value.is_infinite or not value.is_positive:
        raise InputError(f"{name}={value}: dims, counts and rates are positive and finite")
    if count and value < 1:
        raise InputError(f"{name}={value}: {name} is a dim or count, at least 1")
