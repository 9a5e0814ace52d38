"""Closed form → a numpy function: one pass over arrays, in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Max, Min, Mul, Pow, Symbol, ceiling, floor

from symroof.errors import InputError, UnboundError
from symroof.extras import need
from symroof.symbolic import adopt, log2, symbol, to_float
from symroof.units import Quantity
from symroof.units.binding import resolve_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def compile(quantity: Quantity | Expr, names: Sequence[str]) -> Compiled:  # noqa: A001
    """Return a function of `names` that evaluates `quantity` on numpy arrays.

    Parameters
    ----------
    quantity : Quantity or Expr
        A closed form; known rates of a chip are put in.
    names : sequence of str
        The arguments, in order.

    Returns
    -------
    Compiled
        Called with numbers or arrays, which broadcast; returns float64 in base units (``.unit``).
        Integers are cast to float64 first, so nothing wraps around. A division by zero gives
        infinity, 0/0 gives nan, neither warns.

    Raises
    ------
    UnknownNameError
        If a name is not one of the quantity's.
    UnboundError
        If the quantity has other free symbols.
    InputError
        If numpy is not installed.

    Examples
    --------
    >>> f = compile(Quantity("2*M*N*K", "FLOP").at(K=8), ["M", "N"])
    >>> f(M=2**31, N=[2**31, 4]).tolist(), f.unit
    ([7.378697629483821e+19, 137438953472.0], 'FLOP')
    """
    whole = quantity if isinstance(quantity, Quantity) else Quantity(adopt(quantity), "")
    wanted = [names] if isinstance(names, str) else list(names)
    resolved = tuple(resolve_name(whole.scope, name) for name in wanted)
    if len(set(resolved)) < len(resolved):
        raise InputError(f"an argument is named twice in {', '.join(wanted)}")
    known = {
        symbol(name): value for name, value in whole.scope.values.items() if name not in resolved
    }
    expr = whole.expr.xreplace(known)
    left = {s.name for s in expr.free_symbols} - set(resolved)
    if left:
        raise UnboundError("the compiled formula", left)
    return Compiled(expr, resolved, whole.unit)


class Compiled:
    """A formula as a function on numpy arrays. Made by :func:`compile`.

    Attributes
    ----------
    names : tuple of str
        The arguments, in order.
    unit : str
        Base unit of the result.
    """

    def __init__(self, expr: Expr, names: tuple[str, ...], unit: str) -> None:
        self._numpy: Any = need("numpy", "numpy")
        self.names = names
        self.unit = unit
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...]]] = []
        self._constants: dict[int, float] = {}
        self._places: dict[Expr, int] = {symbol(name): i for i, name in enumerate(names)}
        self._size = len(names)
        self._result = self._place(expr)

    def __call__(self, *values: ArrayLike, **named: ArrayLike) -> NDArray[np.float64]:
        """Evaluate at numbers or arrays, given in the order of ``names`` or by name."""
        numpy = self._numpy
        arguments = self._arguments(values, named)
        shape = numpy.broadcast_shapes(*(argument.shape for argument in arguments))
        slots: list[Any] = [*arguments, *([None] * (self._size - len(arguments)))]
        for place, constant in self._constants.items():
            slots[place] = numpy.float64(constant)
        place = len(arguments)
        with numpy.errstate(all="ignore"):
            for function, inputs in self._steps:
                while place in self._constants:
                    place += 1
                slots[place] = function(*(slots[i] for i in inputs))
                place += 1
        return numpy.broadcast_to(slots[self._result], shape).astype(numpy.float64)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<compiled formula of {', '.join(self.names) or 'nothing'} in {self.unit or '1'}>"

    def _arguments(self, values: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        given = dict(zip(self.names, values, strict=False))
        extra = [name for name in named if name not in self.names or name in given]
        if len(values) > len(self.names) or extra or len(given) + len(named) < len(self.names):
            raise InputError(f"expected one value for each of {', '.join(self.names) or 'nothing'}")
        given.update(named)
        try:
            return [self._numpy.asarray(given[name], dtype=float) for name in self.names]
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"expected numbers or arrays of numbers: {error}") from None

    def _place(self, expr: Expr) -> int:
        known = self._places.get(expr)
        if known is not None:
            return known
        if expr.is_number:
            place = self._next()
            self._constants[place] = to_float(expr)
        else:
            function, arguments = self._step(expr)
            inputs = tuple(self._place(argument) for argument in arguments)
            place = self._next()
            self._steps.append((function, inputs))
        self._places[expr] = place
        return place

    def _next(self) -> int:
        self._size += 1
        return self._size - 1

    def _step(self, expr: Expr) -> tuple[Callable[..., Any], tuple[Expr, ...]]:
        numpy = self._numpy
        folds = {Add: numpy.add, Mul: numpy.multiply, Max: numpy.maximum, Min: numpy.minimum}
        plain = {Pow: numpy.power, ceiling: numpy.ceil, floor: numpy.floor, log2: numpy.log2}
        if isinstance(expr, Mul):
            return self._quotient(expr)
        if type(expr) in folds:
            return _fold(folds[type(expr)]), expr.args
        if isinstance(expr, Pow) and expr.exp == -1:
            return numpy.reciprocal, (expr.base,)
        if type(expr) in plain:
            return plain[type(expr)], expr.args
        assert not isinstance(expr, Symbol), f"{expr} is no argument"
        raise InputError(f"{type(expr).__name__} has no numpy form")

    def _quotient(self, expr: Expr) -> tuple[Callable[..., Any], tuple[Expr, ...]]:
        """Divide once, so that 0/0 is nan and not 0 times infinity by another way."""
        # Not as_numer_denom, which makes a ratio of powers of ((E - k)/E)**B that overflows.
        below = [
            factor for factor in expr.args if isinstance(factor, Pow) and factor.exp.is_negative
        ]
        if not below or all(factor.is_number for factor in below):
            return _fold(self._numpy.multiply), expr.args
        above = [factor for factor in expr.args if factor not in below]
        return self._numpy.divide, (Mul(*above), Mul(*(1 / factor for factor in below)))


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def folded(first: Any, *others: Any) -> Any:
        for other in others:
            first = function(first, other)
        return first

    return folded
