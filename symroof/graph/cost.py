"""Costs of ops: FLOPs, bytes and link bytes, and the weights that scale them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from sympy import Expr, Integer

from symroof.graph.amounts import amount
from symroof.graph.tensor import TensorSpec
from symroof.symbolic.adopt import adopt

AttrPairs: TypeAlias = tuple[tuple[str, Any], ...]
ZERO = Integer(0)
NO_WEIGHTS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Cost:
    """What one op does: FLOPs by compute dtype, bytes by port, bytes through a link.

    Attributes
    ----------
    flops : tuple of (str, Expr)
        Compute dtype key and FLOPs, one entry per dtype.
    reads : tuple of Expr
        Bytes read from main memory, per input port.
    writes : tuple of Expr
        Bytes written to main memory, per output port.
    link_bytes : Expr
        Bytes through this chip's link, in one direction.
    link : str
        Which link.
    unknown : tuple of str
        What nobody knows, of "flops", "bytes", "link_bytes"; the fields are then zero and must not
        be summed.

    Examples
    --------
    >>> from symroof.graph.tensor import TensorSpec
    >>> x = TensorSpec.of((4, 8), "fp32")
    >>> cost = Cost.moving((x, x), (x,), flops={"fp32": x.elements})
    >>> cost.flops, cost.reads, cost.writes
    ((('fp32', 32),), (128, 128), (128,))
    """

    flops: tuple[tuple[str, Expr], ...]
    reads: tuple[Expr, ...]
    writes: tuple[Expr, ...]
    link_bytes: Expr = ZERO
    link: str = "link"
    unknown: tuple[str, ...] = ()

    @classmethod
    def moving(
        cls,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        *,
        flops: Mapping[str, Any] | None = None,
        reads: Iterable[Any] | None = None,
        writes: Iterable[Any] | None = None,
    ) -> Cost:
        """Return the cost of an op that reads each input once and writes each output once.

        Parameters
        ----------
        inputs, outputs : sequence of TensorSpec
            Its ports.
        flops : mapping of str to Expr, optional
            FLOPs by compute dtype key.
        reads, writes : iterable of Expr, optional
            Bytes per port, where they are not those of the whole tensors.
        """
        return cls(
            flops=tuple((key, adopt(n)) for key, n in (flops or {}).items() if n != 0),
            reads=tuple(
                (spec.bytes for spec in inputs) if reads is None else (adopt(n) for n in reads)
            ),
            writes=tuple(
                (spec.bytes for spec in outputs) if writes is None else (adopt(n) for n in writes)
            ),
        )


class Attrs(dict[str, Any]):
    """The attributes of one op by name, and the FLOP weights that hold for it.

    Examples
    --------
    >>> Attrs({"axis": -1}, {"exp": 10}).weight("exp")
    10
    """

    __slots__ = ("weights",)

    def __init__(self, pairs: Any = (), weights: Mapping[str, Any] = NO_WEIGHTS) -> None:
        super().__init__(pairs)
        self.weights = weights

    def weight(self, name: str) -> Expr:
        """Return the FLOPs per element: this call's, else the graph's, else the table's."""
        given = self.get("flop_weight")
        return adopt(self.weights[name] if given is None else given)


def weight_attr(flop_weight: Any) -> AttrPairs:
    """Return the attribute that overrides the FLOP weight of one call; nothing for None.

    Raises
    ------
    InputError
        If the weight is negative or no number or formula.

    Examples
    --------
    >>> weight_attr(None), weight_attr("5/2")
    ((), (('flop_weight', 5/2),))
    """
    if flop_weight is None:
        return ()
    return (("flop_weight", amount(flop_weight, "flop_weight", "a FLOP weight")),)
