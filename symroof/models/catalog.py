"""The built-in models: one file for each, with its config, its source and its published totals."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from symroof.errors import InputError, UnknownNameError, near_match
from symroof.models.config import ModelConfig
from symroof.models.hf import from_hf_config

FOLDER = Path(__file__).with_name("configs")


@dataclass(frozen=True, slots=True)
class Published:
    """The numbers of parameters that the makers of a model publish.

    Attributes
    ----------
    params : int
        All of them.
    exact : bool
        Whether `params` is exact and not rounded.
    active_params : int or None
        Those that one token meets, always rounded or cut; None where that is all.
    active_without : tuple of str
        Parts of the model that `active_params` does not count.
    source : str
        Where they are published.
    """

    params: int
    exact: bool
    active_params: int | None
    active_without: tuple[str, ...]
    source: str


def find(name: str, **fields: Any) -> ModelConfig:
    """Return the config of a built-in model, with fields of its file replaced.

    Parameters
    ----------
    name : str
        A name, an alias, or the name of its weights on Hugging Face; case does not matter, nor do
        spaces, hyphens, dots and underscores but between two digits.
    **fields
        Entries of the config to replace, by numbers, formulas or names.

    Raises
    ------
    UnknownNameError
        If there is no such model; with the nearest.

    Examples
    --------
    >>> find("Llama 3 8B").hidden, find("deepseek-ai/DeepSeek-R1").name
    (4096, 'deepseek-v3')
    >>> find("qwen-2.5-7b").name, find("Qwen2 57B A14B").name
    ('qwen2.5-7b', 'qwen2-57b-a14b')
    """
    data = _data(_stem(name))
    config = from_hf_config(data["config"], **fields)
    return replace(config, name=data["name"], source=data["source"])


def models() -> tuple[str, ...]:
    """Return the names of the built-in models, sorted.

    Examples
    --------
    >>> "llama-3-8b" in models()
    True
    """
    return tuple(sorted(path.stem for path in _files().values()))


def published(name: str) -> Published:
    """Return the published totals of a built-in model.

    Examples
    --------
    >>> published("llama-3-8b").params, published("deepseek-v3").active_params
    (8030261248, 37000000000)
    """
    found = _data(_stem(name))["published"]
    return Published(
        params=found["params"],
        exact=found["exact"],
        active_params=found["active_params"],
        active_without=tuple(found.get("active_without", ())),
        source=found["source"],
    )


def _stem(name: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"a model is named by a text, not {type(name).__name__}", where="model")
    key = _key(name)
    found = _files().get(key) or _aliases().get(key)
    if found is not None:
        return found.stem
    near = near_match(key, [*_files(), *_aliases()])
    path = None if near is None else (_files().get(near) or _aliases().get(near))
    hint = "symroof model lists them all; a config.json is read by its path"
    suggestion = None if path is None else path.stem
    raise UnknownNameError("model", name, models(), hint=hint, suggestion=suggestion)


@cache
def _files() -> dict[str, Path]:
    return {_key(path.stem): path for path in sorted(FOLDER.glob("*.json"))}


@cache
def _aliases() -> dict[str, Path]:
    found = {}
    for path in _files().values():
        for alias in _data(path.stem)["aliases"]:
            found[_key(alias)] = path
    return found


@cache
def _data(stem: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((FOLDER / f"{stem}.json").read_text("utf-8"))
    return data


def _key(name: str) -> str:
    """Return a name without what does not matter; what parts two digits does: 2.5-7b, 2-57b."""
    parted = re.sub(r"(?<=[0-9])[^a-z0-9]+(?=[0-9])", ".", name[:200].lower())
    return re.sub(r"[^a-z0-9.]|(?<![0-9])\.|\.(?![0-9])", "", parted)
