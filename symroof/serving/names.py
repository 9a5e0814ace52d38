"""Names that mean something in the formulas of serving, and so can name nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from symroof.errors import InputError
from symroof.models import ModelConfig
from symroof.serving.answers import BITS
from symroof.serving.hardware import N_GPUS, PER_GPU, TOTALS
from symroof.serving.size import HIDDEN, LAYERS, PARAMS, VALUE_BYTES
from symroof.serving.touched import BATCH, CONTEXT, TOKENS
from symroof.serving.workload import DECODE, PREFILL
from symroof.symbolic import symbol

OWN: Mapping[str, str] = MappingProxyType(
    {
        BATCH: "the batch",
        TOKENS: "the batch",
        N_GPUS: "the number of chips",
        BITS: "the bits of a weight",
        "T": "a chunk of a prompt",
    }
)
"""Names that no length can have, with what they are."""
LENGTHS: Mapping[str, str] = MappingProxyType(
    {
        CONTEXT: "the context",
        PREFILL: "the tokens of a prompt",
        DECODE: "the new tokens",
        "P": "the tokens of a prompt",
        "R": "the prompts of an iteration",
    }
)
"""Names of lengths, that no size of a model can have."""
SUMS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(TOTALS, "a sum over the chips"),
        **dict.fromkeys((name + PER_GPU for name in TOTALS), "of one chip"),
        PARAMS: "the parameters",
        HIDDEN: "the hidden size",
        LAYERS: "the number of layers",
        VALUE_BYTES: "the bytes of a value",
    }
)
"""Names in memory mode full."""


def check_length(names: Iterable[str], where: str, *, full: bool = False) -> None:
    """Check that a length is named by nothing that means something else.

    Parameters
    ----------
    names : iterable of str
        The symbols of the length.
    where : str
        Which length.
    full : bool
        Whether the memory mode is ``full``.

    Raises
    ------
    InputError
        If it is; with what the name means.

    Examples
    --------
    >>> check_length(["B"], "context")
    Traceback (most recent call last):
    symroof.errors.InputError: context: B is the batch, so take another name
    """
    _check(names, {**OWN, **(SUMS if full else {})}, where)


def check_sizes(config: ModelConfig, *, full: bool = False) -> None:
    """Check that no size of a model is named by what means something else.

    Raises
    ------
    InputError
        If one is; with what the name means.
    """
    taken = {**OWN, **LENGTHS, **(SUMS if full else {})}
    for name, size in ((LAYERS, config.decoder.depth), (HIDDEN, config.hidden)):
        if size == symbol(name):
            taken.pop(name, None)
    _check(sorted(config.symbols), taken, f"sizes of {config.name}")


def _check(names: Iterable[str], taken: Mapping[str, str], where: str) -> None:
    for name in names:
        if name in taken:
            raise InputError(f"{name} is {taken[name]}, so take another name", where=where)
