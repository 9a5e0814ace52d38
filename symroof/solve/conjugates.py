"""Sums with a root in them, and what they are with the other values of that root."""

from __future__ import annotations

from fractions import Fraction

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.solve.enclosures import Enclosure, Raw, raw, sign_of, widened
from symroof.solve.points import Point
from symroof.solve.quotients import FIELD, Space, Terms, UnsolvableError, added, multiplied, scaled

MAX_INDEX = 5
PRECISIONS = (64, 256)


def resultant(space: Space, terms: Terms, position: int) -> Terms:
    """Return a sum without the radical that vanishes wherever `terms` does.

    It is the product of the conjugates, up to factors without a zero: the determinant of
    multiplication by `terms` on the powers 1, r, ... of the radical.

    Raises
    ------
    UnsolvableError
        If the index of the root is above 5, or the product vanishes everywhere.
    """
    generator = space.generators[position]
    assert generator.radicand is not None
    index, above, below = (
        generator.index,
        generator.radicand.numerator,
        (generator.radicand.denominator),
    )
    if index > MAX_INDEX:
        raise UnsolvableError(f"a root of index {index} of a sum")
    row: list[Terms] = [{} for _ in range(index)]
    lowest = min(space.exponents(key)[position] for key in terms)
    parts: dict[int, Terms] = {}
    for key, coefficient in terms.items():
        exponent = space.exponents(key)[position]
        parts.setdefault(exponent - min(lowest, 0), {})[key - (exponent << FIELD * position)] = (
            coefficient
        )
    top = max(parts) // index
    for exponent, part in parts.items():
        weighted = part
        for _ in range(exponent // index):
            weighted = multiplied(weighted, above)
        for _ in range(top - exponent // index):
            weighted = multiplied(weighted, below)
        row[exponent % index] = added(row[exponent % index], weighted)
    # r**index = above/below: rows are cleared of `below` as they wrap around.
    matrix = []
    for shift in range(index):
        matrix.append(
            [
                multiplied(row[(i - shift) % index], above if i < shift else below)
                for i in range(index)
            ]
        )
    result = _determinant(matrix)
    if not result:
        raise UnsolvableError(f"a root of index {index} of a perfect power")
    return result


def only_this_vanishes(space: Space, terms: Terms, position: int, point: Point) -> bool:
    """Return whether no conjugate of a sum but the sum itself may be zero at a place; proven.

    Where the product of the conjugates is zero, the sum then is.

    Parameters
    ----------
    space : Space
        The generators.
    terms : Terms
        The sum.
    position : int
        The generator that is a root; the conjugates have it times a root of unity.
    point : Point
        The place.

    Examples
    --------
    >>> from symroof.solve.nodes import root_of_number
    >>> space = Space()
    >>> root = root_of_number(space, Fraction(2), Fraction(1, 3))
    >>> terms = space.subtract(space.variable(), root).numerator
    >>> only_this_vanishes(space, terms, 1, Fraction(5, 4))
    True
    """
    index = space.generators[position].index
    by_exponent: dict[int, Terms] = {}
    for key, coefficient in terms.items():
        exponent = space.exponents(key)[position] % index
        by_exponent.setdefault(exponent, {})[key] = coefficient
    sums = {exponent: Enclosure(space, part) for exponent, part in by_exponent.items()}
    for bits in PRECISIONS:
        ends = (point, point) if isinstance(point, Fraction) else point.enclosure(bits)
        values = {exponent: sum_.between(*ends, bits + 32) for exponent, sum_ in sums.items()}
        if all(_is_apart(values, Fraction(turn, index), bits) for turn in range(1, index)):
            return True
    return False


def _is_apart(values: dict[int, Raw], turn: Fraction, bits: int) -> bool:
    """Return whether the sum of values times exp(2*pi*i*turn)**exponent is not zero."""
    real: Raw = (libmp.fzero, libmp.fzero)
    imaginary = real
    pi = (libmp.mpf_pi(bits, libmp.round_floor), libmp.mpf_pi(bits, libmp.round_ceiling))
    for exponent, value in values.items():
        angle = 2 * turn * exponent
        cosine, sine = libmp.mpi_cos_sin(libmp.mpi_mul(pi, raw(angle, angle, bits), bits), bits)
        real = libmp.mpi_add(real, libmp.mpi_mul(value, _wider(cosine, bits), bits), bits)
        imaginary = libmp.mpi_add(imaginary, libmp.mpi_mul(value, _wider(sine, bits), bits), bits)
    return bool(sign_of(real) or sign_of(imaginary))


def _wider(interval: Raw, bits: int) -> Raw:
    unit = libmp.mpf_shift(libmp.fone, 8 - bits)
    lower, upper = widened(interval, bits)
    return libmp.mpf_sub(lower, unit, bits, "f"), libmp.mpf_add(upper, unit, bits, "c")


def _determinant(matrix: list[list[Terms]]) -> Terms:
    if len(matrix) == 1:
        return matrix[0][0]
    total: Terms = {}
    for i, entry in enumerate(matrix[0]):
        if entry:
            minor = [[*line[:i], *line[i + 1 :]] for line in matrix[1:]]
            part = multiplied(entry, _determinant(minor))
            total = added(total, scaled(part, -1 if i % 2 else 1))
    return total
