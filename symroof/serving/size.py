"""A model by its numbers: parameters, layers, widths, bytes of weights and of the KV cache."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.serving.inputs import amount, count, number
from symroof.symbolic import symbol
from symroof.units import Dimension, DType, Quantity, Scope, union
from symroof.units import dtype as read_dtype

PARAMS, HIDDEN, LAYERS, GROUP, VALUE_BYTES = "P_model", "D_model", "L", "R_GQA", "S_type"
WEIGHTS, KV_PER_TOKEN, B_DENSE = "weights", "kv_per_token", "B_dense"
BYTE: Dimension = (("byte", Fraction(1)),)


@dataclass(frozen=True, slots=True, init=False)
class ModelSize:
    """The numbers of a model that the serving model needs.

    Parameters
    ----------
    params : int, str or Expr
        Parameters that a token is multiplied with (of a mixture of experts the active ones), in
        formulas P_model.
    hidden : int, str or Expr
        The width of the residual stream, D_model.
    layers : int, str or Expr
        L.
    group_size : number, optional
        Query heads that share one key-value head, R_GQA; 1 by default. Not the number of KV heads.
    heads, kv_heads : int, optional
        The numbers of both kinds of heads, instead of `group_size`.
    dtype : str or DType
        Of weights, activations and KV cache; a value has S_type bytes.
    weights : Quantity or str, optional
        byte of all weights, where they are not P_model·S_type.
    kv_bytes_per_token : Quantity or str, optional
        byte of the cache of one token in all layers, where it is not 2·L·S_type·D_model/R_GQA: with
        heads that do not add up to the hidden width, or with other layers.

    Raises
    ------
    InputError
        If a number is not in its range, or group size and heads are both given.

    Examples
    --------
    >>> llama = ModelSize(params=70 * 10**9, hidden=8192, layers=80, heads=64, kv_heads=8)
    >>> llama.group_size, llama.kv_per_token
    (8, 2*D_model*L*S_type/R_GQA)
    """

    params: Expr
    hidden: Expr
    layers: Expr
    group_size: Expr
    value_bytes: Quantity
    own_weights: Quantity | None
    own_kv_per_token: Quantity | None

    def __init__(
        self,
        *,
        params: object,
        hidden: object,
        layers: object,
        group_size: object = None,
        heads: object = None,
        kv_heads: object = None,
        dtype: str | DType = "bf16",
        weights: Quantity | str | None = None,
        kv_bytes_per_token: Quantity | str | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "params", number(params, "params", strictly=True))
        put(self, "hidden", count(hidden, "hidden"))
        put(self, "layers", count(layers, "layers"))
        put(self, "group_size", _group(group_size, heads, kv_heads))
        put(self, "value_bytes", Quantity.of(read_dtype(dtype).bytes, "byte"))
        for field, given, where in (
            ("own_weights", weights, "weights"),
            ("own_kv_per_token", kv_bytes_per_token, "kv_bytes_per_token"),
        ):
            put(self, field, None if given is None else amount(given, "byte", where))

    @property
    def weights(self) -> Expr:
        """Bytes of all weights, as a formula."""
        if self.own_weights is not None:
            return symbol(WEIGHTS)
        return symbol(VALUE_BYTES) * symbol(PARAMS)

    @property
    def kv_per_token(self) -> Expr:
        """Bytes of the cache of a token, as a formula: keys and values of all layers."""
        if self.own_kv_per_token is not None:
            return symbol(KV_PER_TOKEN)
        width = symbol(HIDDEN) / symbol(GROUP)
        return 2 * symbol(LAYERS) * symbol(VALUE_BYTES) * width

    @property
    def scope(self) -> Scope:
        """The names in formulas, with their units and values."""
        counted = {HIDDEN: self.hidden, LAYERS: self.layers}
        given = {**counted, PARAMS: self.params, GROUP: self.group_size}
        known = {name: value for name, value in given.items() if value != symbol(name)}
        names = {s.name for value in given.values() for s in value.free_symbols}
        scope = Scope(counts=frozenset(counted), values=known)
        scope = scope.with_names(sorted(names | given.keys()))
        for name, own in (
            (VALUE_BYTES, self.value_bytes),
            (WEIGHTS, self.own_weights),
            (KV_PER_TOKEN, self.own_kv_per_token),
        ):
            if own is not None:
                found = own.resolved()
                inner = found.scope.without([name])
                scope = union(scope, union(Scope({name: BYTE}, values={name: found.expr}), inner))
        return scope


def _group(group_size: object, heads: object, kv_heads: object) -> Expr:
    """Return query heads per key-value head, however it was said."""
    if group_size is not None:
        if heads is not None or kv_heads is not None:
            raise InputError("give either group_size, or heads and kv_heads", where="group_size")
        return number(group_size, "group_size", strictly=True)
    if kv_heads is None:
        return Integer(1)
    if heads is None:
        raise InputError("kv_heads is given without heads", where="heads")
    many, few = count(heads, "heads"), count(kv_heads, "kv_heads")
    group: Expr = many / few
    if group.is_number and not group.is_Integer:
        raise InputError(f"{many} heads do not divide into {few} groups", where="kv_heads")
    return group
