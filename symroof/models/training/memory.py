"""Memory of training: parameters with their optimizer states, and activations kept for backward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError
from symroof.graph.block import positive_count
from symroof.graph.ops.arguments import choice
from symroof.models.training.step import Recompute
from symroof.symbolic import adopt
from symroof.symbolic.build import add
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import check_own
from symroof.units import Quantity
from symroof.units import dtype as dtype_of


@dataclass(frozen=True, slots=True)
class States:
    """Bytes that training keeps for each parameter.

    Attributes
    ----------
    parameters, gradients : int
        Weights as the forward reads them, and their gradients where they are kept from step to
        step.
    optimizer : int
        Moments, and a master copy of the weights.
    source : str
        Who counts so.

    Raises
    ------
    InputError
        If one is no whole number of 0 or more.
    """

    parameters: int
    gradients: int
    optimizer: int
    source: str

    def __post_init__(self) -> None:
        for name in ("parameters", "gradients", "optimizer"):
            size = getattr(self, name)
            if type(size) is not int or size < 0:
                raise InputError(
                    f"expected a whole number of bytes, 0 or more, not {size!r:.60}", where=name
                )

    @property
    def total(self) -> int:
        """All of them.

        Examples
        --------
        >>> STATES["megatron"].total, STATES["bf16-adam"].total
        (18, 10)
        """
        return self.parameters + self.gradients + self.optimizer


STATES: Mapping[str, States] = MappingProxyType(
    {
        "bf16-adam": States(2, 0, 8, "bf16 weights and two fp32 moments; Austin et al. 2025"),
        "zero": States(2, 2, 12, "fp16 gradients, fp32 master copy; Rajbhandari et al. 2020, 3.1"),
        "megatron": States(2, 4, 12, "fp32 gradients, fp32 master copy; Megatron-LM"),
        "fp32-adam": States(4, 4, 8, "all in fp32; Rajbhandari et al. 2020, 3.1"),
    }
)
"""What is kept for each parameter, by name."""


class Zero(Enum):
    """What copies of a model share out among them (Rajbhandari et al. 2020)."""

    NONE = 0
    OPTIMIZER = 1
    GRADIENTS = 2
    PARAMETERS = 3


def bytes_per_parameter(
    states: str | States = "megatron", *, copies: Any = 1, zero: int | Zero = Zero.NONE
) -> Quantity:
    """Return what one chip keeps for each parameter it holds.

    Parameters
    ----------
    states : str or States
        A name of `STATES`, or bytes of one's own.
    copies : int, symbol or text
        Chips that hold a copy of the same parameters, for data parallelism.
    zero : {0, 1, 2, 3}
        What those share out: nothing, the optimizer's states, gradients too, parameters too.

    Raises
    ------
    UnknownNameError
        If there are no states of that name.

    Examples
    --------
    >>> print(bytes_per_parameter("zero", copies="N", zero=1))
    (4 + 12/N) byte
    """
    kept = _states(states)
    try:
        stage = Zero(zero)
    except ValueError:
        raise InputError(f"expected 0, 1, 2 or 3, not {zero!r:.60}", where="zero") from None
    n = positive_count(copies, "copies")
    parts = ((Zero.PARAMETERS, kept.parameters), (Zero.GRADIENTS, kept.gradients))
    shared = (*parts, (Zero.OPTIMIZER, kept.optimizer))
    return _bytes(
        add([Integer(size) / (n if stage.value >= least.value else 1) for least, size in shared])
    )


def model_state_bytes(
    parameters: Any,
    states: str | States = "megatron",
    *,
    chips: Any = 1,
    copies: Any = 1,
    zero: int | Zero = Zero.NONE,
) -> Quantity:
    """Return what one chip keeps of parameters, gradients and optimizer states.

    Parameters
    ----------
    parameters : number, symbol or text
        Of the whole model.
    states : str or States
        A name of `STATES`, or bytes of one's own.
    chips : int, symbol or text
        Chips that a copy of the model is split over: tensor times pipeline parallel.
    copies, zero
        As in `bytes_per_parameter`.

    Examples
    --------
    >>> print(model_state_bytes("12*L*h**2", "megatron", chips="t*p"))
    216*L*h**2/(p*t) byte
    >>> print(model_state_bytes(13 * 10**9, "bf16-adam"))
    130000000000 byte
    """
    each = bytes_per_parameter(states, copies=copies, zero=zero).expr
    split = positive_count(chips, "chips")
    return _bytes(_positive(parameters, "parameters") * each / split)


def largest_model(
    memory: Quantity | str,
    states: str | States = "megatron",
    *,
    chips: Any = 1,
    copies: Any = 1,
    zero: int | Zero = Zero.NONE,
) -> Quantity:
    """Return the most parameters whose states fit; activations take nothing of it.

    Parameters
    ----------
    memory : Quantity or str
        Of one chip.
    states, chips, copies, zero
        As in `model_state_bytes`.

    Raises
    ------
    UnitError
        If `memory` is in no bytes.

    Examples
    --------
    >>> print(largest_model("96 GB", "bf16-adam"))
    9600000000
    """
    held = _memory(memory)
    each = bytes_per_parameter(states, copies=copies, zero=zero).expr
    return Quantity.of(held.expr * positive_count(chips, "chips") / each, "", held.scope)


def kept_tensor_bytes(
    tokens: Any, widths: Mapping[Any, Any], layers: Any = 1, *, dtype: str = "bf16"
) -> Quantity:
    """Return the bytes of tensors that every layer keeps for the backward.

    Parameters
    ----------
    tokens : number, symbol or text
        Tokens of the batch: rows of each tensor.
    widths : mapping
        How many tensors a layer keeps of each width: ``{"D": 1, "F": 2}``.
    layers : int, symbol or text
        How many layers.
    dtype : str
        What they are stored in.

    Examples
    --------
    >>> print(kept_tensor_bytes("T", {"D": 20}, "L"))
    40*D*L*T byte
    >>> print(kept_tensor_bytes("T", {"D": 1}, "L"))
    2*D*L*T byte
    """
    if not isinstance(widths, Mapping) or not widths:
        raise InputError("expected numbers of tensors by their width", where="widths")
    elements = add(
        [
            _positive(width, "a width") * _positive(number, f"tensors of width {width}")
            for width, number in widths.items()
        ]
    )
    rows, count = _positive(tokens, "tokens"), positive_count(layers, "layers")
    return _bytes(dtype_of(dtype).bytes * rows * count * elements)


def layer_activation_bytes(
    sequence: Any,
    batch: Any,
    hidden: Any,
    heads: Any,
    *,
    tensor: Any = 1,
    sequence_parallel: bool = False,
    recompute: str | Recompute = Recompute.NONE,
) -> Quantity:
    """Return what one chip keeps of a transformer layer of Megatron-LM, in 16 bits, for backward.

    Of s·b·h bytes it keeps 34 + 5·a·s/h times: norms 4, attention 11 and 5·a·s/h for scores,
    softmax and its dropout, the feed-forward network of width 4·h 19. Tensor parallelism t divides
    24 of the 34 and the scores; with sequence parallelism all. Selective recomputation keeps none
    of the scores, a full one the input alone. Source: Korthikanti et al. 2022, table 2.

    Parameters
    ----------
    sequence, batch : int, symbol or text
        Tokens of a sequence, sequences of a micro-batch.
    hidden, heads : int, symbol or text
        Hidden size, and heads of attention (each has keys and values of its own).
    tensor : int, symbol or text
        Chips of a tensor-parallel group.
    sequence_parallel : bool
        Whether norms and dropout are split along the sequence over that group.
    recompute : {"none", "selective", "full"}
        What is computed again.

    Examples
    --------
    >>> print(layer_activation_bytes("s", "b", "h", "a"))
    (5*a*b*s**2 + 34*b*h*s) byte
    >>> print(layer_activation_bytes("s", "b", "h", "a", tensor="t", sequence_parallel=True,
    ...                              recompute="selective"))
    34*b*h*s/t byte
    """
    s, b, h, a = (
        positive_count(size, name)
        for size, name in (
            (sequence, "sequence"),
            (batch, "batch"),
            (hidden, "hidden"),
            (heads, "heads"),
        )
    )
    t = positive_count(tensor, "tensor")
    asked = choice(Recompute, recompute, "recompute")
    along = t if sequence_parallel else Integer(1)
    if asked is Recompute.FULL:
        return _bytes(2 * s * b * h / along)
    scores = 5 * a * b * s**2 / t if asked is Recompute.NONE else Integer(0)
    return _bytes(add([10 * s * b * h / along, 24 * s * b * h / t, scores]))


def activation_bytes(
    layer: Quantity, layers: Any, *, pipeline: Any = 1, interleave: Any = 1
) -> Quantity:
    """Return what the first stage of a pipeline keeps for backward, in the 1F1B schedule.

    Of at least p micro-batches it holds p, of L/p layers each: as much as all layers of one. With
    m > 1 parts of the model on each chip it holds 1 + (p − 1)/(p·m) times that. Source: Korthikanti
    et al. 2022, section 4.2.3.

    Parameters
    ----------
    layer : Quantity
        Bytes of one layer, of `layer_activation_bytes` or `kept_tensor_bytes`.
    layers : int, symbol or text
        Of the whole model.
    pipeline : int, symbol or text
        Stages p.
    interleave : int
        Parts m on each chip; 1 for a schedule that is not interleaved.

    Raises
    ------
    InputError
        If m is a symbol, unless there is one stage: the formulas of m = 1 and m > 1 differ.

    Examples
    --------
    >>> layer = layer_activation_bytes(2048, 1, 12288, 96, tensor=8)
    >>> activation_bytes(layer, 96, pipeline=8, interleave=3).to("GiB")
    66.84375
    """
    held = _memory(layer, "layer")
    count, p = positive_count(layers, "layers"), positive_count(pipeline, "pipeline")
    m = positive_count(interleave, "interleave")
    if not m.is_number and p != 1:
        raise InputError(
            f"expected a number, not {shown(m)}: with 1 part of the model on a chip a stage keeps"
            " less than the formula of several parts says",
            where="interleave",
        )
    factor = Integer(1) if m == 1 else 1 + (p - 1) / (p * m)
    return Quantity.of(held.expr * count * factor, "byte", held.scope)


def _states(given: str | States) -> States:
    if isinstance(given, States):
        return given
    found = STATES.get(given) if isinstance(given, str) else None
    if found is None:
        raise UnknownNameError("states of training", str(given), sorted(STATES))
    return found


def _memory(given: Quantity | str, where: str = "memory") -> Quantity:
    try:
        found = given if isinstance(given, Quantity) else Quantity(given)
    except SymroofError as error:
        raise InputError(str(error), where=where) from None
    if found.dimension != Quantity("1 byte").dimension:
        raise UnitError(f"{where}: expected bytes, not {str(found)[:60]}")
    return found.resolved()


def _positive(given: Any, where: str) -> Expr:
    found = check_own(adopt(given, where=where), where)
    if found.is_number and not (found.is_finite and found > 0):
        raise InputError(f"expected a number above 0, not {shown(found)}", where=where)
    return found


def _bytes(expr: Expr) -> Quantity:
    return Quantity.of(expr, "byte")
