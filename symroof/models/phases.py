"""Phases: which groups of sequences a step has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sympy import Expr, Integer, expand

from symroof.errors import InputError, UnknownNameError
from symroof.graph.tensor import dim
from symroof.models.assembly.groups import ONE, Group
from symroof.models.config import ModelConfig
from symroof.models.parallel import Parallel
from symroof.symbolic import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below

PHASES: Mapping[str, str] = MappingProxyType(
    {
        "decode": "one new token for each sequence",
        "prefill": "the tokens of prompts",
        "mixed": "one new token for each sequence, and the tokens of one prompt",
        "steady": "one new token for each sequence, and prompts that take their place",
        "training": "forward and backward over whole sequences",
    }
)
"""Phases by name, with what a step of them reads."""


@dataclass(frozen=True, slots=True)
class Dims:
    """The lengths of a step, as they are given; None for the default.

    Attributes
    ----------
    batch, tokens, context : int, symbol or text
        Sequences, new tokens of a prompt, and tokens of the context.
    prompts, prompt : int, symbol or text
        In the steady phase prompts that begin, and tokens of each.
    """

    batch: Any = "B"
    tokens: Any = "T"
    context: Any = None
    prompts: Any = "R"
    prompt: Any = "P"


def groups_of(phase: str, dims: Dims, replicas: Expr = ONE) -> tuple[Group, ...]:
    """Return the groups of a phase.

    Parameters
    ----------
    phase : str
    dims : Dims
    replicas : Expr
        Parts that sequences are cut into; a mixed step has one prompt in each.

    Raises
    ------
    UnknownNameError
        If there is no such phase.

    Examples
    --------
    >>> groups_of("prefill", Dims(context="C"))
    (Group(sequences=B, new=T, context=C + T, encodes=True),)
    >>> [group.new for group in groups_of("mixed", Dims())]
    [1, T]
    """
    if phase not in PHASES:
        raise UnknownNameError("phase", str(phase), PHASES)
    sequences, new = _length("batch", dims.batch), _length("tokens", dims.tokens)
    if phase in ("prefill", "training"):
        cached = Integer(0) if dims.context is None else adopt(dims.context, where="context")
        if is_below(cached, 0) or (phase == "training" and cached != 0):
            raise InputError(
                f"expected tokens that are cached, not {shown(cached)}", where="context"
            )
        total = new if cached == 0 else dim(expand(cached + new))
        return (Group(sequences, new, total, encodes=True),)
    context = _length("context", "S" if dims.context is None else dims.context)
    decoding = Group(sequences, ONE, context)
    if phase == "decode":
        return (decoding,)
    if phase == "mixed":
        return decoding, Group(replicas, new, new, encodes=True)
    prompts, prompt = _length("prompts", dims.prompts), _length("prompt", dims.prompt)
    return decoding, Group(prompts, prompt, prompt, encodes=True)


def check_cut(phase: str, groups: Sequence[Group], parallel: Parallel) -> None:
    """Check that sequences and tokens divide over the chips they are spread over.

    Raises
    ------
    InputError
        If they do not, or if the context is cut where that is not modelled.
    """
    if parallel.cp > 1 and phase not in ("prefill", "training"):
        raise InputError(f"context parallel {phase} is not modelled", where="cp")
    for group in groups:
        for what, size, over, count in (
            ("sequences", group.sequences, "replicas", parallel.replicas),
            ("new tokens", group.new, "chips", parallel.cp),
        ):
            if size.is_Integer and size % count:
                raise InputError(
                    f"{shown(size)} {what} do not divide over {count} {over}",
                    where="cp" if over == "chips" else "batch",
                )


def check_phase(phase: str, config: ModelConfig) -> None:
    """Check that a model has a phase: an encoder alone makes no tokens one by one.

    Raises
    ------
    InputError
        If it does not.
    """
    if config.decoder.causal or phase in ("prefill", "training"):
        return
    raise InputError(
        f"{config.name} is an encoder; it has prefill and training, not {phase!r:.40}",
        where="phase",
    )


def _length(what: str, given: Any) -> Expr:
    made = adopt(given, where=what)
    if made.is_number and not (made.is_Integer and made.p > 0):
        raise InputError(f"expected a whole number of 1 or more, not {shown(made)}", where=what)
    return dim(made)
