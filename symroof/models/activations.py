"""Activations of feed-forward networks, by their names in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from symroof.graph import Tensor
from symroof.graph.ops.elementwise import Unary, gelu, relu, sigmoid, silu, square, tanh

Activation = Callable[[Tensor, str], Tensor]


def _named(function: Unary) -> Activation:
    return lambda x, name: function(x, name=name)


def _relu_squared(x: Tensor, name: str) -> Tensor:
    return square(relu(x, name=f"{name}_relu"), name=name)


ACTIVATIONS: Mapping[str, Activation] = MappingProxyType(
    {
        "silu": _named(silu),
        "swish": _named(silu),
        "swiglu": _named(silu),
        "gelu": _named(gelu),
        "gelu_new": _named(gelu),
        "gelu_fast": _named(gelu),
        "gelu_python": _named(gelu),
        "gelu_pytorch_tanh": _named(gelu),
        "quick_gelu": _named(gelu),
        "relu": _named(relu),
        "relu2": _relu_squared,
        "tanh": _named(tanh),
        "sigmoid": _named(sigmoid),
    }
)
"""What applies an activation to a tensor under a name; variants of one cost alike."""
