"""Number formats: how many bits an element takes, block scales included, and which peak it uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from sympy import Expr, Integer, Rational, ceiling

from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.symbolic.symbols import MAX_NAME, check_own


class DTypeKind(Enum):
    """What the bits of an element mean."""

    FLOAT = "float"
    INTEGER = "integer"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class DType:
    """A number format of tensors.

    Attributes
    ----------
    name : str
        What `dtype` finds it by.
    bits : Expr
        Storage bits per element, exact; a block's scales and zero points are shared out over it.
    kind : DTypeKind
        Float, integer or boolean; of the elements, for a block format.
    key : str
        The peak of a chip that computes in it: both kinds of fp8 have the key ``fp8``.
    element_bits : Expr
        Bits of one element without scales: the width two operands are compared by.
    is_block : bool
        Whether groups of elements share a scale, so that it is dequantised before arithmetic.
    text : str
        The text that `dtype` reads back, for files.

    Examples
    --------
    >>> dtype("bf16").bytes, dtype("mxfp4").bits
    (2, 17/4)
    """

    name: str
    bits: Expr
    kind: DTypeKind
    key: str
    element_bits: Expr
    is_block: bool = False
    text: str = field(default="", repr=False, compare=False)

    @property
    def bytes(self) -> Expr:
        """Storage bytes per element, exact, so seldom whole for block formats.

        Examples
        --------
        >>> DType.block(4, group=128, scale_bits=16).bytes
        33/64
        """
        return self.bits / 8

    def size(self, elements: object, *, whole: bool = False) -> Expr:
        """Return the bytes that `elements` elements take.

        Parameters
        ----------
        elements : int, str or Expr
            How many elements; may hold symbols.
        whole : bool
            Round up to whole bytes. The exact figure, the default, is the share of a large tensor.

        Examples
        --------
        >>> dtype("int4").size(3), dtype("int4").size(3, whole=True)
        (3/2, 2)
        """
        exact = adopt(elements) * self.bits / 8
        return ceiling(exact) if whole else exact

    @staticmethod
    def block(
        bits: object,
        group: object,
        scale_bits: object,
        zero_bits: object = 0,
        name: str | None = None,
        *,
        element: str | DType | None = None,
    ) -> DType:
        """Return a format whose elements share, in groups, a scale and perhaps a zero point.

        Parameters
        ----------
        bits : int or Expr
            Bits of an element; a symbol makes the width an unknown to solve for.
        group : int or Expr
            Elements that share one scale.
        scale_bits, zero_bits : int or Expr
            Bits of a group's scale, and of its zero point.
        name : str, optional
            A name; by default the call itself, ``block(4,128,16)``.
        element : str or DType, optional
            The format of the elements; integers of `bits` bits by default.

        Returns
        -------
        DType
            With ``bits + (scale_bits + zero_bits) / group`` bits per element.

        Raises
        ------
        InputError
            If a width or the group is not positive, or `element` is not `bits` wide.

        Examples
        --------
        >>> DType.block(4, group=128, scale_bits=16).bits
        33/8
        >>> DType.block(8, 32, 8, element="fp8").key
        'fp8'
        """
        width = _width("bits", bits, least=1)
        size = _width("group", group, least=1)
        scale = _width("scale_bits", scale_bits, least=0)
        zero = _width("zero_bits", zero_bits, least=0)
        inner = None if element is None else dtype(element)
        if inner is not None and (inner.is_block or inner.element_bits != width):
            raise InputError(
                f"an element of {shown(width)} bits is not a {inner.name} of {inner.element_bits}",
                where="DType.block",
            )
        text = _block_text(width, size, scale, zero, inner, name)
        return DType(
            name=name or text,
            bits=width + (scale + zero) / size,
            kind=inner.kind if inner else DTypeKind.INTEGER,
            key=inner.key if inner else f"int{shown(width)}",
            element_bits=width,
            is_block=True,
            text=text,
        )

    def __str__(self) -> str:
        return self.name


def dtype(name: str | DType) -> DType:
    """Return the format called `name`; a `DType` is returned as it is.

    Parameters
    ----------
    name : str or DType
        ``bf16``, ``fp8`` (``fp8_e4m3``), ``mxfp4``, ``block(4,128,16)``; case does not matter.

    Raises
    ------
    UnknownNameError
        If there is no such format; with the nearest one.

    Examples
    --------
    >>> dtype("fp8").name, dtype("float16").name
    ('fp8_e4m3', 'fp16')
    >>> dtype("block(4, 128, 16)").bits
    33/8
    """
    if isinstance(name, DType):
        return name
    if not isinstance(name, str):
        raise InputError(f"a dtype is a name such as 'bf16', not {type(name).__name__}")
    return _found(name)


def dtypes() -> tuple[str, ...]:
    """Return the names of the formats there are, aliases left out.

    Examples
    --------
    >>> "nvfp4" in dtypes()
    True
    """
    return tuple(_NAMED)


def compute_dtype(*operands: str | DType) -> str:
    """Return the key of the peak that arithmetic on these operands runs at.

    The widest float operand decides; integers and block formats are dequantised to it, and block
    formats alone compute in the format of their elements. ``tf32`` is used only where it is named.

    Parameters
    ----------
    *operands : str or DType
        One or more formats.

    Raises
    ------
    UnitError
        If fp16 meets bf16, or nothing says how the operands combine; names both.

    Examples
    --------
    >>> compute_dtype("bf16", "int4"), compute_dtype("mxfp4", "mxfp8"), compute_dtype("q8_0")
    ('bf16', 'fp8', 'int8')
    """
    return _compute_key(tuple(dtype(operand) for operand in operands))


@lru_cache(maxsize=1024)
def _compute_key(found: tuple[DType, ...]) -> str:
    if not found:
        raise InputError("compute_dtype needs at least one dtype")
    floats = [d for d in found if d.kind is DTypeKind.FLOAT]
    integers = [d for d in found if d.kind is DTypeKind.INTEGER]
    if floats and integers and all(d.is_block for d in floats):
        raise UnitError(
            f"{floats[0].name} with {integers[0].name}: no float operand to dequantise to; cast one"
        )
    if {"fp16", "bf16"} <= {d.key for d in floats}:
        raise UnitError("fp16 with bf16: neither holds the other; cast one of them")
    return _widest(floats or integers or list(found)).key


def _widest(found: list[DType]) -> DType:
    best = found[0]
    for other in found[1:]:
        if other.key == best.key:
            continue
        wider = _rank(other) - _rank(best)
        if not wider.is_number:
            raise UnitError(f"{best.name} with {other.name}: which is wider depends on a symbol")
        if wider > 0:
            best = other
    return best


def _rank(found: DType) -> Expr:
    # tf32 takes 32 bits of memory but is narrower than fp32: 19 bits of it count.
    return Integer(19) if found.key == "tf32" else found.element_bits


@lru_cache(maxsize=1024)
def _found(name: str) -> DType:
    plain = name.strip().lower()
    plain = _ALIASES.get(plain, plain)
    if plain in _NAMED:
        return _NAMED[plain]
    block = _BLOCK.fullmatch(name.strip())
    if block:
        options = dict(re.findall(r"(element|name)=([\w.-]+)", block[2]))
        return DType.block(*block[1].split(","), **options)
    raise UnknownNameError("dtype", name, (*_NAMED, *_ALIASES))


_BLOCK = re.compile(r"block\(([^(),=]+(?:,[^(),=]+){2,3})((?:, *(?:element|name)=[\w.-]+)*)\)")
_NAME = re.compile(r"[\w.-]+")


def _block_text(
    width: Expr, group: Expr, scale: Expr, zero: Expr, element: DType | None, name: str | None
) -> str:
    parts = [to_text(part) for part in (width, group, scale, *([zero] if zero != 0 else []))]
    if element:
        parts.append(f"element={element.name}")
    if name is not None:
        if len(name) > MAX_NAME or not _NAME.fullmatch(name):
            raise InputError(f"{name[:60]!r} is not the name of a dtype", where="DType.block")
        parts.append(f"name={name}")
    return f"block({','.join(parts)})"


def _width(what: str, value: object, *, least: int) -> Expr:
    width = check_own(adopt(value), "DType.block")
    if width.is_number and not (width.is_Rational and width >= least):
        raise InputError(
            f"{what} is {shown(value)}; expected at least {least}", where="DType.block"
        )
    return width


def _plain(name: str, bits: int, kind: DTypeKind, key: str | None = None) -> DType:
    return DType(name, Integer(bits), kind, key or name, Integer(bits), text=name)


def _named() -> dict[str, DType]:
    floating, integer = DTypeKind.FLOAT, DTypeKind.INTEGER
    plain = [
        _plain("fp64", 64, floating),
        _plain("fp32", 32, floating),
        _plain("tf32", 32, floating),
        _plain("fp16", 16, floating),
        _plain("bf16", 16, floating),
        _plain("fp8_e4m3", 8, floating, "fp8"),
        _plain("fp8_e5m2", 8, floating, "fp8"),
        _plain("fp6_e3m2", 6, floating, "fp6"),
        _plain("fp6_e2m3", 6, floating, "fp6"),
        _plain("fp4", 4, floating),
        _plain("int64", 64, integer),
        _plain("int32", 32, integer),
        _plain("int16", 16, integer),
        _plain("int8", 8, integer),
        _plain("int4", 4, integer),
        _plain("int2", 2, integer),
        # Every framework stores a boolean in a byte.
        _plain("bool", 8, DTypeKind.BOOLEAN),
    ]
    named = {d.name: d for d in plain}
    # OCP Microscaling v1.0; NVFP4, one fp8 scale for 16; GGUF q4_0 and q8_0, one fp16 for 32.
    blocks = (
        ("mxfp8", 8, 32, 8, "fp8_e4m3"),
        ("mxfp4", 4, 32, 8, "fp4"),
        ("nvfp4", 4, 16, 8, "fp4"),
        ("q4_0", 4, 32, 16, "int4"),
        ("q8_0", 8, 32, 16, "int8"),
    )
    for name, bits, group, scale_bits, inner in blocks:
        element = named[inner]
        share = Rational(scale_bits, group)
        width = Integer(bits)
        named[name] = DType(name, width + share, element.kind, element.key, width, True, name)
    return named


_NAMED = _named()
_ALIASES = {
    "fp8": "fp8_e4m3",
    "fp8_e4m3fn": "fp8_e4m3",
    "fp6": "fp6_e3m2",
    "fp4_e2m1": "fp4",
    "float64": "fp64",
    "double": "fp64",
    "float32": "fp32",
    "float": "fp32",
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "float8_e4m3": "fp8_e4m3",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
    "float4_e2m1": "fp4",
}
