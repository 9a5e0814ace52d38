"""Precisions: what tensors are stored in, and what that makes chips compute in, in words."""

from __future__ import annotations

from dataclasses import dataclass

from symroof.units import DType, compute_dtype, dtype

RULE = (
    "the widest float operand decides what a product is computed in; integers and formats in blocks"
    " are converted to it"
)
"""The rule of `symroof.units.compute_dtype`, as reports print it."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Storage formats: of activations, of matrices, and of keys and values that are kept.

    Examples
    --------
    >>> p = Precision.of("bf16", "int4", "fp8")
    >>> p.products, p.attention
    ('bf16', 'bf16')
    >>> print(p)
    W4A16: weights int4, activations bf16, keys and values fp8_e4m3; products at the bf16 peak
    """

    activations: DType
    weights: DType
    cache: DType

    @classmethod
    def of(
        cls,
        activations: str | DType = "bf16",
        weights: str | DType | None = None,
        cache: str | DType | None = None,
    ) -> Precision:
        """Return the formats by name; weights and cache are as activations by default.

        Raises
        ------
        UnknownNameError
            If there is no such format.
        UnitError
            If nothing says what two of them are computed in; names both.
        """
        base = dtype(activations)
        made = cls(
            base,
            base if weights is None else dtype(weights),
            base if cache is None else dtype(cache),
        )
        compute_dtype(base, made.weights)
        compute_dtype(base, made.cache)
        return made

    @property
    def products(self) -> str:
        """The dtype that products with matrices are computed in."""
        return compute_dtype(self.activations, self.weights)

    @property
    def attention(self) -> str:
        """The dtype that attention is computed in."""
        return compute_dtype(self.activations, self.cache)

    @property
    def short(self) -> str:
        """Bits of weights and activations, such as ``W4A16``."""
        bits = (found.element_bits for found in (self.weights, self.activations))
        return "W{}A{}".format(*bits)

    def __str__(self) -> str:
        at = f"products at the {self.products} peak"
        if self.attention != self.products:
            at += f", attention at the {self.attention} peak"
        return (
            f"{self.short}: weights {self.weights.name}, activations {self.activations.name},"
            f" keys and values {self.cache.name}; {at}"
        )
