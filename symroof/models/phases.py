"""Phases: which groups of sequences a step has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from sympy import Expr, Integer, expand

from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph.tensor import dim
from symroof.models.assembly.groups import ONE, Group
from symroof.models.config import ModelConfig
from symroof.models.parallel import Parallel
from symroof.symbolic import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import check_own

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

LENGTHS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "decode": ("batch", "context"),
        "prefill": ("batch", "tokens", "context"),
        "mixed": ("batch", "tokens", "context"),
        "steady": ("batch", "context", "prompts", "prompt"),
        "training": ("batch", "tokens"),
    }
)
"""The lengths that a step of each phase has."""
CACHED = "S"


@dataclass(frozen=True, slots=True)
class Dims:
    """The lengths of a step, as they are given; None for the default.

    Attributes
    ----------
    batch, tokens, context : int, symbol or text
        Sequences, new tokens of a prompt, and tokens of the context.
    prompts, prompt : int, symbol or text
        In the steady phase prompts that begin, and tokens of each.
    source : int, symbol or text
        Tokens that an encoder reads.
    """

    batch: Any = "B"
    tokens: Any = "T"
    context: Any = None
    prompts: Any = "R"
    prompt: Any = "P"
    source: Any = "E"


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
    _check_known(phase)
    sequences, new = length("batch", dims.batch), length("tokens", dims.tokens)
    if phase in ("prefill", "training"):
        cached = Integer(0) if dims.context is None else length("context", dims.context, least=0)
        if phase == "training" and cached != 0:
            raise InputError(f"nothing is cached in training, not {shown(cached)}", where="context")
        total = new if cached == 0 else dim(expand(cached + new))
        return (Group(sequences, new, total, encodes=True),)
    context = length("context", CACHED if dims.context is None else dims.context)
    decoding = Group(sequences, ONE, context)
    if phase == "decode":
        return (decoding,)
    if phase == "mixed":
        return decoding, Group(replicas, new, new, encodes=True)
    prompts, prompt = length("prompts", dims.prompts), length("prompt", dims.prompt)
    return decoding, Group(prompts, prompt, prompt, encodes=True)


def check_lengths(phase: str, dims: Dims, config: ModelConfig) -> None:
    """Check that a step has every length that is given, and each a name of its own.

    Two lengths that are given by one name are equal. One that is not given has a name that nobody
    asked for, which must mean nothing else.

    Raises
    ------
    InputError
        If a length is given that the step does not have, or the name of one that is not given is
        that of another, or of a size of the model.

    Examples
    --------
    >>> from symroof.models import model
    >>> check_lengths("decode", Dims(batch="S"), model("llama-3-8b").config)
    Traceback (most recent call last):
    symroof.errors.InputError: context: S, which it is called unless it is given, is batch too;\
 take another name for one of them
    """
    used = LENGTHS.get(phase, ())
    if config.encoder is not None and config.encoder_tokens is None:
        used = (*used, "source")
    plain = Dims()
    own = [each.name for each in fields(Dims) if not _is_default(dims, each.name, plain)]
    for name in own:
        if name not in used and not (phase == "training" and name == "context"):
            raise InputError(
                f"{config.name} has none in {phase}; it has {', '.join(used)}", where=name
            )
    for name in used:
        if name not in own:
            _check_name(name, phase, {each: getattr(dims, each) for each in own}, config)


def _check_name(name: str, phase: str, own: Mapping[str, Any], config: ModelConfig) -> None:
    """Check that the name of a length that is not given means nothing else."""
    called = getattr(Dims(), name)
    if called is None:
        if phase == "prefill":
            return
        called = CACHED
    meant = {
        each: frozenset(s.name for s in length(each, given, least=0).free_symbols)
        for each, given in own.items()
    }
    meant[f"a size of {config.name}"] = config.symbols
    for what, names in meant.items():
        if called in names:
            raise InputError(
                f"{called}, which it is called unless it is given, is {what} too;"
                " take another name for one of them",
                where=name,
            )


def _is_default(dims: Dims, name: str, plain: Dims) -> bool:
    given, default = getattr(dims, name), getattr(plain, name)
    if name == "context" and default is None:
        default = CACHED
    if isinstance(given, Expr):
        return bool(given.is_Symbol) and given.name == default
    return given is None or (isinstance(given, str) and given.strip() == default)


_SEQUENCES = ("batch", "prompts")


def check_cut(phase: str, groups: Sequence[Group], parallel: Parallel) -> None:
    """Check that sequences and tokens divide over the chips they are spread over.

    Raises
    ------
    InputError
        If they do not, or if the context is cut where that is not modelled.
    """
    if parallel.cp > 1 and phase not in ("prefill", "training"):
        raise InputError(f"context parallel {phase} is not modelled", where="cp")
    for place, group in enumerate(groups):
        for what, size, over, count, where in (
            ("sequences", group.sequences, "replicas", parallel.replicas, _SEQUENCES[place]),
            ("new tokens", group.new, "chips", parallel.cp, "cp"),
        ):
            if size.is_Integer and size % count:
                raise InputError(
                    f"{shown(size)} {what} do not divide over {count} {over}", where=where
                )


def check_phase(phase: str, config: ModelConfig) -> None:
    """Check that a model has a phase: an encoder alone makes no tokens one by one.

    Raises
    ------
    InputError
        If it does not.
    UnknownNameError
        If there is no such phase.
    """
    _check_known(phase)
    if config.decoder.causal or phase in ("prefill", "training"):
        return
    raise InputError(
        f"{config.name} is an encoder; it has prefill and training, not {phase!r:.40}",
        where="phase",
    )


def _check_known(phase: str) -> None:
    if not isinstance(phase, str) or phase not in PHASES:
        raise UnknownNameError("phase", str(phase), PHASES)


def length(what: str, given: Any, *, least: int = 1) -> Expr:
    """Return a number of tokens or of sequences: whole, or a formula in symbols.

    Raises
    ------
    InputError
        If it is something else, or fewer than `least`; with `what` it is.

    Examples
    --------
    >>> length("batch", "2*N"), length("context", 0, least=0)
    (2*N, 0)
    """
    made = check_own(adopt(given, where=what), what)
    expected = f"a whole number of {least} or more"
    if made.is_number and not (made.is_Integer and made.p >= least):
        raise InputError(f"expected {expected}, not {shown(made)}", where=what)
    if made == 0:
        return made
    try:
        return dim(made)
    except ShapeError:
        raise InputError(f"expected {expected}, not {shown(made)}", where=what) from None
