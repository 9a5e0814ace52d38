"""A model by its numbers: parameters, layers, the hidden width, bytes of a value."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from symroof.hardware.rates import BYTE
from symroof.serving.inputs import count, number
from symroof.symbolic import adopt, symbol
from symroof.units import DType, Scope
from symroof.units import dtype as read_dtype

PARAMS, HIDDEN, LAYERS, VALUE_BYTES = "P_model", "D_model", "L", "S_type"


@dataclass(frozen=True, slots=True, init=False)
class ModelSize:
    """The numbers of a model that memory mode full needs.

    Parameters
    ----------
    params : int, str or Expr
        Parameters that count 2 FLOPs for each token (of a mixture of experts the active ones), in
        formulas P_model.
    hidden : int, str or Expr
        The width of the residual stream, D_model.
    layers : int, str or Expr
        L.
    dtype : str or DType
        Of activations; a value has S_type bytes.

    Raises
    ------
    InputError
        If a number is not in its range.

    Examples
    --------
    >>> llama = ModelSize(params=70 * 10**9, hidden=8192, layers=80)
    >>> llama.layers, llama.value_bytes
    (80, 2)
    """

    params: Expr
    hidden: Expr
    layers: Expr
    value_bytes: Expr

    def __init__(
        self, *, params: object, hidden: object, layers: object, dtype: str | DType = "bf16"
    ) -> None:
        put = object.__setattr__
        put(self, "params", number(params, "params", strictly=True))
        put(self, "hidden", count(hidden, "hidden"))
        put(self, "layers", count(layers, "layers"))
        put(self, "value_bytes", adopt(read_dtype(dtype).bytes))

    @property
    def scope(self) -> Scope:
        """The names in formulas, with their units and values."""
        given = {HIDDEN: self.hidden, LAYERS: self.layers, PARAMS: self.params}
        known = {name: value for name, value in given.items() if value != symbol(name)}
        names = {s.name for value in given.values() for s in value.free_symbols}
        scope = Scope(
            {VALUE_BYTES: BYTE},
            counts=frozenset({HIDDEN, LAYERS}),
            values={**known, VALUE_BYTES: self.value_bytes},
        )
        return scope.with_names(sorted(names | given.keys()))
