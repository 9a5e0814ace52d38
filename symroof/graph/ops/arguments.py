"""Reading of the arguments ops share: whole numbers, choices, axes."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from sympy import Expr

from symroof.errors import InputError, ShapeError, UnknownNameError, near_match
from symroof.graph.op import AttrPairs
from symroof.graph.shapes import axis_of
from symroof.graph.tensor import TensorSpec
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own

Choice = TypeVar("Choice", bound=Enum)


def whole(value: Any, where: str, *, least: int = 1) -> Expr:
    """Return `value` as a whole number of at least `least`, or as a formula that may be one.

    Parameters
    ----------
    value : int, symbol, expression or text
        What the user gave.
    where : str
        Op and argument, for the message.
    least : int
        The smallest number allowed.

    Raises
    ------
    InputError
        If it is a number below `least` or no whole number.

    Examples
    --------
    >>> whole("2*n", "all_reduce group")
    2*n
    >>> whole(0, "all_reduce group")
    Traceback (most recent call last):
    symroof.errors.InputError: all_reduce group: expected a whole number of 1 or more, not 0
    """
    made = check_own(adopt(value, where=where), where)
    bad = made.is_number and not (made.is_Integer and made >= least)
    if bad or is_below(made, least):
        raise InputError(
            f"expected a whole number of {least} or more, not {shown(made)}", where=where
        )
    return made


def choice(options: type[Choice], value: Any, where: str) -> Choice:
    """Return the member of `options` whose value is the text `value`.

    Raises
    ------
    UnknownNameError
        If there is none; the nearest is offered.

    Examples
    --------
    >>> class Side(Enum):
    ...     LEFT = "left"
    ...     RIGHT = "right"
    >>> choice(Side, "left", "trmm side")
    <Side.LEFT: 'left'>
    >>> choice(Side, "lft", "trmm side")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown trmm side 'lft'; did you mean 'left'?
    """
    if isinstance(value, options):
        return value
    known = {str(member.value): member for member in options}
    if not isinstance(value, str):
        expected = ", ".join(map(repr, known))
        raise InputError(f"expected one of {expected}, not {value!r}"[:200], where=where)
    if value not in known:
        raise UnknownNameError(where, value, known)
    return known[value]


def refuse_typo(value: Any, options: type[Enum], where: str) -> None:
    """Refuse text that is almost one of `options`; it would otherwise be read as a symbol.

    Raises
    ------
    UnknownNameError
        With the option that was meant.

    Examples
    --------
    >>> class Padding(Enum):
    ...     SAME = "same"
    >>> refuse_typo("smae", Padding, "conv padding")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown conv padding 'smae'; did you mean 'same'?
    >>> refuse_typo("p", Padding, "conv padding")
    """
    known = [str(member.value) for member in options]
    if isinstance(value, str) and near_match(value, known):
        raise UnknownNameError(where, value, known)


def integer(value: Any, where: str) -> int:
    """Return `value`, a Python integer such as the number of an axis.

    Examples
    --------
    >>> integer("0", "softmax axis")
    Traceback (most recent call last):
    symroof.errors.InputError: softmax axis: expected a whole number, not '0'
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"expected a whole number, not {value!r}"[:200], where=where)
    return value


def axis_attr(op: str, axis: Any, default: int) -> AttrPairs:
    """Return the attribute of an axis; nothing for the default.

    Examples
    --------
    >>> axis_attr("softmax", 0, default=-1), axis_attr("softmax", -1, default=-1)
    ((('axis', 0),), ())
    """
    found = integer(axis, f"{op} axis")
    return () if found == default else (("axis", found),)


def flag_attr(op: str, name: str, value: Any) -> AttrPairs:
    """Return the attribute of a switch that is off by default.

    Examples
    --------
    >>> flag_attr("sum", "keepdims", True), flag_attr("sum", "keepdims", False)
    ((('keepdims', True),), ())
    >>> flag_attr("sum", "keepdims", 1)
    Traceback (most recent call last):
    symroof.errors.InputError: sum keepdims: expected true or false, not 1
    """
    if not isinstance(value, bool):
        raise InputError(f"expected true or false, not {value!r}"[:200], where=f"{op} {name}")
    return ((name, True),) if value else ()


def axes_of(op: str, spec: TensorSpec, axes: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return several axes counted from 0, in order; all of them for None.

    Raises
    ------
    ShapeError
        If the tensor has no such axis, or one is named twice.

    Examples
    --------
    >>> axes_of("sum", TensorSpec.of(("B", "S"), "bf16"), None)
    (0, 1)
    """
    if axes is None:
        return tuple(range(spec.rank))
    found = sorted(axis_of(op, spec, axis) for axis in axes)
    if len(set(found)) < len(found):
        raise ShapeError(op, f"an axis is named twice in {shown(axes)}", (spec.text,))
    return tuple(found)


def rank_of(op: str, what: str, spec: TensorSpec, *ranks: int) -> None:
    """Refuse a tensor that has none of the numbers of dims `ranks`.

    Examples
    --------
    >>> rank_of("fft", "x", TensorSpec.of((), "fp64"), 1, 2)
    Traceback (most recent call last):
    symroof.errors.ShapeError: fft: x must have 1 or 2 dims, not 0 (got [] fp64)
    """
    if spec.rank not in ranks:
        expected = " or ".join(map(str, ranks))
        raise ShapeError(op, f"{what} must have {expected} dims, not {spec.rank}", (spec.text,))
