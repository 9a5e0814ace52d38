"""Configs from a Hugging Face ``config.json``, read offline."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symroof.errors import InputError, near_match
from symroof.lines import NAME
from symroof.models.config import ModelConfig
from symroof.models.families.registry import families, read_fields
from symroof.models.fields import Fields
from symroof.models.hf_file import FILE, check_entries, kind, read_json
from symroof.models.hf_formats import formats
from symroof.models.ignored import is_ignored

CHECKSUM = re.compile(r"[0-9a-f]{40}")
WRITES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


def from_hf_config(
    source: str | os.PathLike[str] | Mapping[str, Any], **fields: Any
) -> ModelConfig:
    """Return the config that a Hugging Face ``config.json`` describes.

    Only the file is read: no code of it is run, and nothing is fetched.

    Parameters
    ----------
    source : str, PathLike or mapping
        A ``config.json``, a folder that has one, or what is in one.
    **fields
        Entries of the file to replace, by numbers, formulas or names of symbols; None leaves an
        entry out. Those of a model of text and pictures are of its text part.

    Returns
    -------
    ModelConfig
        With what the file does not say and was taken in ``defaults``, and what is not modelled in
        ``left_out``.

    Raises
    ------
    InputError
        If the file cannot be read (more than 16 MiB, not JSON, a list), its architecture is
        unknown, or a field is missing, is no number, or contradicts another; with its path.

    Examples
    --------
    >>> file = {
    ...     "model_type": "llama", "vocab_size": 128256, "hidden_size": 4096,
    ...     "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
    ...     "num_key_value_heads": 8, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    ... }
    >>> config = from_hf_config(file, num_hidden_layers="L")
    >>> config.decoder.depth, config.decoder.layers[0][0].mixer.head_dim, config.dtype
    (L, 128, 'bf16')
    >>> config.defaults[0]
    'attention_bias = false'
    """
    values, where, name = _opened(source)
    replaced = {**values, **fields}
    check_entries({key: replaced[key] for key in fields}, where)
    model_type = replaced.get("model_type")
    if model_type is None:
        supported = ", ".join(families())
        raise InputError(f"missing field 'model_type'; supported: {supported}", where=where)
    if not isinstance(model_type, str):
        raise InputError(f"expected text, not {kind(model_type)}", where=f"{where}: model_type")
    f = Fields(values, where, family=model_type, given=fields)
    config = read_fields(f)
    _check_replaced(f, fields)
    stored = formats(_of_formats(replaced, where))
    return replace(
        config,
        name=name or config.name,
        dtype=stored.dtype,
        weights=stored.weights,
        plain_parts=stored.plain_parts,
        left_out=(*config.left_out, *_other_head(replaced, config), *stored.left_out),
        source="" if isinstance(source, Mapping) else where,
    )


def _opened(source: object) -> tuple[Mapping[str, Any], str, str]:
    """Return what is in a config, what messages call it, and the name of the model."""
    if isinstance(source, Mapping):
        check_entries(source, "config")
        return source, "config", _own_name(source)
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(
            f"expected a path or an object of fields, not {kind(source)}", where="config"
        )
    where = os.fspath(source)
    if not isinstance(where, str):
        raise InputError("expected a path as text, not bytes", where="config")
    values = read_json(where)
    check_entries(values, where)
    file = Path(where).absolute()
    folder = file.parent if file.name == FILE else file
    return (
        values,
        where,
        _own_name(values) or _shown(folder.stem if folder == file else folder.name),
    )


def _own_name(values: Mapping[str, Any]) -> str:
    name = values.get("_name_or_path")
    return _shown(Path(name).name) if isinstance(name, str) and "\0" not in name else ""


def _shown(name: str) -> str:
    """Return a name that can be shown, which a checksum of a cache is not."""
    fit = name.isprintable() and len(name) <= NAME and not CHECKSUM.fullmatch(name)
    return name if fit else ""


def _check_replaced(f: Fields, fields: Mapping[str, Any]) -> None:
    """Refuse a field that the caller replaced and nobody reads."""
    for name in fields:
        if name in f.names or is_ignored(name):
            continue
        near = near_match(name, f.names)
        hint = f"; did you mean {near!r}?" if near else f"; known: {', '.join(f.names)}"
        raise InputError(f"{f.family} has no such field{hint}", where=name)


def _of_formats(values: Mapping[str, Any], where: str) -> Fields:
    """Return the fields that say what weights are stored in, those of the text part included."""
    part = values.get("text_config")
    inner = part if isinstance(part, Mapping) else {}
    names = ("dtype", "torch_dtype", "quantization_config")
    found = {key: inner[key] for key in names if inner.get(key) is not None}
    found.update((key, values[key]) for key in names if values.get(key) is not None)
    if "dtype" in found:
        found.pop("torch_dtype", None)
    return Fields(found, where)


def _other_head(values: Mapping[str, Any], config: ModelConfig) -> tuple[str, ...]:
    """Say where a decoder is stored with a head that is not one for text."""
    names = values.get("architectures")
    if not isinstance(names, (list, tuple)) or not names or not isinstance(names[0], str):
        return ()
    if not config.decoder.causal or names[0].endswith(WRITES):
        return ()
    return (f"the head of {names[0][:NAME]}: one that writes text is modelled",)
