"""What a file stores its weights in: a number format, and what matrices are quantised to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from symroof.errors import InputError, brief
from symroof.models.fields import Fields
from symroof.models.hf_file import kind
from symroof.units import dtype

ENDS = ("embedding", "head")
WHOLE = (2, 4, 8)
MAX_BITS = 16
SCALE = 16


class Formats(NamedTuple):
    """What weights are stored in.

    Attributes
    ----------
    dtype : str or None
        Of weights that are not quantised.
    weights : str or None
        Of quantised matrices.
    plain_parts : tuple of str
        Parts of the model whose matrices are not quantised.
    left_out : tuple of str
        What of it is not modelled, in words.
    """

    dtype: str | None
    weights: str | None = None
    plain_parts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def formats(f: Fields) -> Formats:
    """Return what the fields ``dtype`` (or ``torch_dtype``) and ``quantization_config`` say.

    Examples
    --------
    >>> method = {"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True}
    >>> formats(Fields({"torch_dtype": "float16", "quantization_config": method}, "config"))[:2]
    ('fp16', 'block(4,128,16)')
    """
    plain, said = _dtype(f)
    _, given = f.get("quantization_config")
    if given is None:
        return Formats(plain, left_out=said)
    if not isinstance(given, Mapping):
        raise f.error("quantization_config", f"expected an object, not {kind(given)}")
    part = Fields(given, f.where, path=f"{f.path}quantization_config.")
    method = part.text("quant_method", default=_guess(given))
    found = METHODS[method](part) if method in METHODS else None
    if found is None:
        words = f"the quantisation {brief(method)!r}: weights count in their plain format"
        return Formats(plain, left_out=(*said, words))
    weights, parts = found
    dtype(weights)
    return Formats(plain, weights, parts, (*said, *part.left_out))


def _dtype(f: Fields) -> tuple[str | None, tuple[str, ...]]:
    name, value = f.get("dtype", "torch_dtype")
    if value is None or value == "auto":
        return None, ()
    if not isinstance(value, str):
        raise f.error(name, f"expected text, not {kind(value)}")
    try:
        return dtype(value.removeprefix("torch.")).name, ()
    except InputError:
        return None, (f"the format {brief(value)!r} of its weights",)
    except LookupError:
        return None, (f"the format {brief(value)!r} of its weights",)


def _guess(given: Mapping[str, Any]) -> str:
    if given.get("load_in_4bit") is True or given.get("load_in_8bit") is True:
        return "bitsandbytes"
    return "modelopt" if "quant_algo" in given else "unknown"


_Found = tuple[str, tuple[str, ...]] | None


def _gptq(f: Fields) -> _Found:
    """GPTQ: groups along the input share a 16-bit scale, and a zero point unless symmetric."""
    bits = _bits(f, "bits")
    zero = 0 if f.flag("sym", default=True) else bits
    return _grouped(f, bits, zero), ENDS


def _awq(f: Fields) -> _Found:
    bits = _bits(f, "bits", "w_bit")
    zero = bits if f.flag("zero_point", default=True) else 0
    return _grouped(f, bits, zero), _plain_parts(f, "modules_to_not_convert", ENDS)


def _bits(f: Fields, *names: str) -> int:
    found = f.whole(*names, least=1)
    if found > MAX_BITS:
        raise f.error(names[0], f"expected at most {MAX_BITS} bits, not {found}")
    return found


def _grouped(f: Fields, bits: int, zero: int) -> str:
    """Return integers with a scale for each group, or for a whole row, which files call -1."""
    _, given = f.get("group_size", "q_group_size")
    if given is not None and given != -1:
        group = f.whole("group_size", "q_group_size", least=1)
        return _block(bits, group, SCALE, zero)
    f.left_out.append("the scales of its quantised matrices, one a row")
    return f"int{bits}" if bits in WHOLE else f"block({bits},1,0)"


def _fp8(f: Fields) -> _Found:
    """FP8 as DeepSeek-V3 stores it: square blocks share a 32-bit scale."""
    parts = _plain_parts(f, "modules_to_not_convert", ENDS)
    block = f.items("weight_block_size")
    if not block:
        return "fp8_e4m3", parts
    if len(block) != 2:
        raise f.error("weight_block_size", f"expected two numbers, not {len(block)}")
    named = {str(place): side for place, side in enumerate(block)}
    sides = Fields(named, f.where, path=f"{f.path}weight_block_size.")
    elements = 1
    for place in sides.values:
        elements *= sides.whole(place, least=1)
    return f"block(8,{elements},32,element=fp8_e4m3)", parts


def _mxfp4(f: Fields) -> _Found:
    return "mxfp4", _plain_parts(f, "modules_to_not_convert", ())


def _bitsandbytes(f: Fields) -> _Found:
    """NF4: blocks of 64 share a scale, itself of 8 bits in blocks of 256 if quantised twice."""
    parts = _plain_parts(f, "llm_int8_skip_modules", ENDS)
    if f.flag("load_in_8bit", "_load_in_8bit", default=False):
        return "int8", parts
    if not f.flag("load_in_4bit", "_load_in_4bit", default=False):
        return None
    twice = f.flag("bnb_4bit_use_double_quant", default=False)
    return _block(4, 64 * 256, 256 * 8 + 32) if twice else _block(4, 64, 32), parts


def _fbgemm(f: Fields) -> _Found:
    return "fp8_e4m3", _plain_parts(f, "modules_to_not_convert", ENDS)


def _compressed_tensors(f: Fields) -> _Found:
    """Take the format of the first group of layers for all."""
    _, groups = f.get("config_groups")
    if not isinstance(groups, Mapping) or not groups:
        return None
    if len(groups) > 1:
        f.left_out.append("all but the first of the groups of layers that are quantised apart")
    name, group = next(iter(groups.items()))
    weights = group.get("weights") if isinstance(group, Mapping) else None
    if not isinstance(weights, Mapping):
        return None
    part = Fields(weights, f.where, path=f"{f.path}config_groups.{brief(name)}.weights.")
    found = _compressed_weights(part)
    f.left_out += part.left_out
    return None if found is None else (found, _plain_parts(f, "ignore", ("embedding",)))


def _compressed_weights(f: Fields) -> str | None:
    bits = _bits(f, "num_bits")
    _, size = f.get("group_size")
    grouped = size is not None and size != -1
    what = f.text("type", default="int")
    if what not in ("int", "float"):
        return None
    if what == "float":
        group = f.whole("group_size", least=1) if grouped else 0
        return {(8, 0): "fp8_e4m3", (4, 16): "nvfp4", (4, 32): "mxfp4"}.get((bits, group))
    return _grouped(f, bits, 0 if f.flag("symmetric", default=True) else bits)


def _modelopt(f: Fields) -> _Found:
    known = {"FP8": "fp8_e4m3", "NVFP4": "nvfp4"}
    _, method = f.get("quant_algo")
    if not isinstance(method, str) or method not in known:
        return None
    return known[method], _plain_parts(f, "ignore", ENDS, "exclude_modules")


METHODS: Mapping[str, Callable[[Fields], _Found]] = {
    "awq": _awq,
    "bitsandbytes": _bitsandbytes,
    "compressed-tensors": _compressed_tensors,
    "fbgemm_fp8": _fbgemm,
    "fp8": _fp8,
    "gptq": _gptq,
    "modelopt": _modelopt,
    "mxfp4": _mxfp4,
}


def _block(bits: int, group: int, scale: int, zero: int = 0) -> str:
    return f"block({bits},{group},{scale},{zero})" if zero else f"block({bits},{group},{scale})"


# The last words of names of modules that are a whole part of the model.
_PARTS = {
    "lm_head": "head",
    "embed_tokens": "embedding",
    "wte": "embedding",
    "self_attn": "attention",
    "attn": "attention",
    "attention": "attention",
}
# Routers are never quantised, and what is not text is not modelled.
_NEVER = ("gate", "router", "shared_expert_gate")
_ELSEWHERE = ("norm", "visi", "visual", "audio", "multi_modal", "mtp")
_WORD = re.compile(r"[A-Za-z_]+|[0-9]+")


def _plain_parts(f: Fields, name: str, always: tuple[str, ...], *others: str) -> tuple[str, ...]:
    """Return the parts that a list of modules keeps out of the quantisation."""
    found = dict.fromkeys(always)
    unknown = 0
    for index, module in enumerate(f.items(name, *others) or ()):
        if not isinstance(module, str):
            raise f.error(f"{name}[{index}]", f"expected text, not {kind(module)}")
        words = _WORD.findall(module)
        part = _PARTS.get(words[-1]) if words else None
        if part is not None and not any(word.isdigit() for word in words):
            found[part] = None
        elif words and words[-1] not in _NEVER and not any(w in module for w in _ELSEWHERE):
            unknown += 1
    if unknown:
        f.left_out.append(
            f"{unknown} of the modules that are not quantised ({f.path}{name}):"
            " they are counted as quantised"
        )
    return tuple(sorted(found))
