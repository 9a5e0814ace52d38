"""Precisions: what tensors are stored in, and what that makes chips compute in."""

from __future__ import annotations

from dataclasses import dataclass

from symroof.units import DType, compute_dtype, dtype


@dataclass(frozen=True, slots=True)
class Precision:
    """Storage formats: of activations, of matrices, and of keys and values that are kept.

    Examples
    --------
    >>> Precision.of("bf16", "int4", "fp8").products
    'bf16'
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
        """The dtype that products with matrices are computed in: the widest float decides."""
        return compute_dtype(self.activations, self.weights)
