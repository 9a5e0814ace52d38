"""Readers of configs by ``model_type``: every module of this package registers its own here."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from symroof.errors import InputError, brief, near_match
from symroof.models.config import ModelConfig
from symroof.models.fields import Fields

# From here on two names are alike by a slip of the pen and not by chance.
SLIP = 0.92

Reader: TypeAlias = Callable[[Fields], ModelConfig]


class Family(NamedTuple):
    """How configs of one ``model_type`` are read.

    Attributes
    ----------
    read : callable
        From fields to a config; names, formats and what was left out are added later.
    nested : mapping of str to object
        Values of fields that a part of a file lacks: a nested config is stored as its difference
        from the defaults of its class, a whole file is not.
    """

    read: Reader
    nested: Mapping[str, Any]


FAMILIES: dict[str, Family] = {}

REFUSED = {
    "deepseek_v32": "its attention picks tokens by an indexer, which is not modelled",
    "falcon_mamba": "Mamba-1 layers are not modelled; Mamba-2 layers are",
    "gemma3n": "its layers with several residual streams are not modelled",
    "jamba": "Mamba-1 layers are not modelled; Mamba-2 layers are",
    "mamba": "Mamba-1 layers are not modelled; Mamba-2 layers are",
    "mllama": "its layers that attend to images are not modelled",
    "mllama_text_model": "its layers that attend to images are not modelled",
    "qwen3_next": "its layers with a gated delta rule are not modelled",
    "rwkv": "its layers are not modelled",
}


def family(
    *model_types: str, nested: Mapping[str, Any] | None = None
) -> Callable[[Reader], Reader]:
    """Register a reader under one or more values of ``model_type``.

    Parameters
    ----------
    *model_types : str
        What configs of the family have there.
    nested : mapping of str to object, optional
        The defaults of its class, for configs that are part of another.

    Raises
    ------
    ValueError
        If another reader has one of them.
    """

    def decorate(reader: Reader) -> Reader:
        for model_type in model_types:
            if model_type in FAMILIES:
                raise ValueError(f"two readers of {model_type!r}")
            FAMILIES[model_type] = Family(reader, MappingProxyType(dict(nested or {})))
        return reader

    return decorate


def families() -> Mapping[str, Family]:
    """Return all readers by ``model_type``, in the order of the alphabet.

    Examples
    --------
    >>> "llama" in families()
    True
    """
    package = importlib.import_module("symroof.models.families")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return MappingProxyType(dict(sorted(FAMILIES.items())))


def read_fields(f: Fields) -> ModelConfig:
    """Return the config that fields describe, with what was taken and what was left out.

    Parameters
    ----------
    f : Fields
        `f.family` says whose they are.

    Raises
    ------
    InputError
        If the family is unknown or refused, or a field does not fit.
    """
    known = families()
    if f.family in REFUSED:
        raise f.error("model_type", f"{f.family}: {REFUSED[f.family]}")
    if f.family not in known:
        raise _unsupported(f, known)
    config = known[f.family].read(f)
    left_out = list(f.left_out)
    unread = f.unread()
    _refuse_slips(f, unread)
    if unread:
        shown = ", ".join(f"{f.path}{brief(name)}" for name in unread[:8])
        more = f" and {len(unread) - 8} more" if len(unread) > 8 else ""
        left_out.append(f"fields that were not understood: {shown}{more}")
    return replace(
        config,
        left_out=(*config.left_out, *left_out),
        defaults=(*config.defaults, *dict.fromkeys(f.defaults)),
    )


def _refuse_slips(f: Fields, unread: Sequence[str]) -> None:
    """Raise an error for a field so much like one that is absent that its name is misspelt."""
    absent = [name for name in f.names if not f.says(name)]
    for name in unread:
        for other in absent:
            if SequenceMatcher(None, name[:60], other).ratio() >= SLIP:
                raise f.error(name, f"unknown field; did you mean {other!r}?")


def _unsupported(f: Fields, known: Mapping[str, Family]) -> InputError:
    near = near_match(f.family, known)
    hint = f"; did you mean {near!r}? Supported" if near else "; supported"
    supported = ", ".join(known)
    return f.error("model_type", f"unknown architecture {brief(f.family)!r}{hint}: {supported}")
