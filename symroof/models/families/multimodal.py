"""Models of text and of pictures or sound: their text part, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symroof.models.config import ModelConfig
from symroof.models.families.registry import families, family, read_fields
from symroof.models.fields import Fields
from symroof.models.hf_file import kind

PARTS = ("text_config", "language_config", "llm_config")

# What the text part is where a file does not say.
TEXT = {
    "aya_vision": "cohere2",
    "gemma3": "gemma3_text",
    "idefics3": "llama",
    "internvl": "qwen2",
    "llama4": "llama4_text",
    "llava": "llama",
    "llava_next": "llama",
    "llava_next_video": "llama",
    "llava_onevision": "qwen2",
    "mistral3": "mistral",
    "paligemma": "gemma",
    "qwen2_5_vl": "qwen2",
    "qwen2_audio": "qwen2",
    "qwen2_vl": "qwen2",
    "qwen3_vl": "qwen3_vl_text",
    "qwen3_vl_moe": "qwen3_vl_moe_text",
    "smolvlm": "llama",
    "video_llava": "llama",
    "vipllava": "llama",
}

# Files of these may have the fields of the text part beside those of the others.
FLAT = ("qwen2_vl", "qwen2_5_vl")

OTHERS = {
    "vision": "the part that sees",
    "audio": "the part that hears",
    "video": "the part that sees films",
    "speech": "the part that speaks",
}


@family(*TEXT)
def text_part(f: Fields) -> ModelConfig:
    """Read the text part; what the caller replaces is a field of it."""
    name, part = f.get(*PARTS)
    if part is None and f.family in FLAT:
        name, part = "", {key: value for key, value in f.values.items() if not _is_other(key)}
    if part is None:
        raise f.missing(*PARTS)
    if not isinstance(part, Mapping):
        raise f.error(name, f"expected an object of fields, not {kind(part)}")
    inner = _fields(f, name, part)
    config = read_fields(inner)
    f.names.update(inner.names)
    f.read(*(key for key in f.values if key not in f.given))
    others = [key for key in f.values if _is_other(key)]
    said = [_what(key) for key in others] or ["what is not text"]
    joined = f"{' and '.join(said)}: {f.family} is modelled as its text part, {inner.family}"
    return replace(config, name=f.family, left_out=(joined, *config.left_out))


def _fields(f: Fields, name: str, part: Mapping[str, Any]) -> Fields:
    text = part.get("model_type") if name else None
    chosen = text if isinstance(text, str) and text else TEXT[f.family]
    values = dict(part)
    outer = f.values.get("tie_word_embeddings")
    if name and outer is not None and values.get("tie_word_embeddings") is None:
        values["tie_word_embeddings"] = outer
    known = families()
    return Fields(
        values,
        f.where,
        path=f"{name}." if name else "",
        family=chosen,
        fallback=known[chosen].nested if name and chosen in known else None,
        given=f.given,
    )


def _is_other(name: str) -> bool:
    return name.endswith("_config") and name.split("_")[0] in OTHERS


def _what(name: str) -> str:
    return f"{OTHERS[name.split('_')[0]]} ({name})"
