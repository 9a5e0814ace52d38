"""How a measured op stores its operands and its result, by the name a table of timings gives it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from symroof.errors import InputError
from symroof.units.dtype import DType, DTypeKind, dtype

# DeepSeek-V3 (arXiv 2412.19437, section 3.3.2): an fp32 scale for 1 x 128 elements of the
# activations, and one for 128 x 128 of the weights.
_PER_ROW = DType.block(8, 128, 32, name="fp8_per_128", element="fp8")
_PER_BLOCK = DType.block(8, 128 * 128, 32, name="fp8_per_128x128", element="fp8")
_WIDE = 16


@dataclass(frozen=True, slots=True)
class Format:
    """Dtypes of an op: of its first operand, of the others, of its result.

    Attributes
    ----------
    name : str
        What answers call it: ``bf16``, ``fp8``, ``fp8_block``.
    first, second, result : DType
        Of the input, of the weights, of what is written.
    """

    name: str
    first: DType
    second: DType
    result: DType

    @property
    def is_narrow(self) -> bool:
        """Whether the first operand is stored in fewer bits than the result."""
        return bool(self.first.bits < self.result.bits)

    def __str__(self) -> str:
        return self.name


@lru_cache(maxsize=1024)
def format_of(name: str) -> Format:
    """Return the format of a name.

    Results of narrow floats and of block formats are bf16, as kernels write them; all else is one
    dtype throughout. Three dtypes, ``fp8/nvfp4/bf16``, say those of input, weights and result.

    Parameters
    ----------
    name : str
        A dtype as `symroof.dtype` reads it, ``fp8_block`` (fp8 with an fp32 scale per 128 elements
        of the input and per 128 x 128 of the weights), or three dtypes.

    Raises
    ------
    UnknownNameError
        If there is no such dtype; with the nearest one.
    InputError
        If there are not one or three.

    Examples
    --------
    >>> [str(d.bytes) for d in (format_of("nvfp4").first, format_of("nvfp4").result)]
    ['9/16', '2']
    >>> made = format_of("fp8_block")
    >>> made.first.bytes, made.second.bytes, made.first.key
    (33/32, 4097/4096, 'fp8')
    >>> format_of("float16").name, format_of("fp8/fp8/fp16").result.name
    ('fp16', 'fp16')
    """
    if isinstance(name, DType):
        return Format(name.name if name.is_block else name.key, name, name, _result(name))
    if not isinstance(name, str):
        raise InputError(f"a dtype is named by a text, not {type(name).__name__}")
    plain = name.strip().lower()
    if plain == "fp8_block":
        return Format(plain, _PER_ROW, _PER_BLOCK, dtype("bf16"))
    parts = plain.split("/")
    if len(parts) not in (1, 3):
        raise InputError(f"expected one dtype, or three as in fp8/fp8/bf16, got {name[:60]!r}")
    each = [_of_known_width(part) for part in parts]
    if len(each) == 3:
        return Format(plain, *each)
    (found,) = each
    return Format(found.name if found.is_block else found.key, found, found, _result(found))


def _result(found: DType) -> DType:
    narrow = found.kind is DTypeKind.FLOAT and bool(found.element_bits < _WIDE)
    return dtype("bf16") if narrow or found.is_block else found


def _of_known_width(name: str) -> DType:
    found = dtype(name)
    if not found.bits.is_number:
        raise InputError(f"{name[:60]} has a width that is no number")
    return found
