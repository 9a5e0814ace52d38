"""What an answer about serving takes for granted, and what it leaves out, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.serving.asked import Memory
from symroof.symbolic.exact import shown
from symroof.units import dtype

if TYPE_CHECKING:
    from symroof.serving.serving import Serving

NOT_MODELLED = (
    "launch overheads, scheduling and sampling",
    "queueing: no request waits",
    "speculative decoding and shared prefixes",
)


def assumptions(serving: Serving) -> tuple[str, ...]:
    """Return what is taken for granted: mode, traffic, precisions, load, memory, placing."""
    found = [
        "Every time is work over a peak rate, a lower bound: memory-bound is certain, compute-bound"
        " is a best case.",
        _mode(serving),
        _precision(serving),
        _load(serving),
        "What fits counts weights and caches, not activations nor what a runtime reserves.",
    ]
    found += _longer(serving)
    if serving.ttft is not None:
        found.append("The time to the first token is that of a prompt with nothing beside it.")
    if serving.setup.parallel.pp > 1:
        found.append(
            f"The batch goes through {serving.setup.parallel.pp} stages in as many parts, so that"
            " each stage reads its weights as often; all take as long as the last, with the head."
        )
    if serving.setup.chips > 1:
        found.append(f"Cut over {_cut(serving)}; aggregates are of all chips, links one direction.")
        found += [f"{said}." for said in serving.setup.roofline("decode").assumptions]
    return tuple(found)


def left_out(serving: Serving) -> tuple[str, ...]:
    """Return what is not modelled: parts of the config, then of serving."""
    return (*serving.setup.model.config.left_out, *NOT_MODELLED)


def _mode(serving: Serving) -> str:
    if serving.memory is Memory.TOUCHED:
        return (
            "Memory mode touched (traffic weights+kv): an iteration reads each weight once (of"
            " experts those that a batch is expected to reach) and each cached token once;"
            " activations and rows of the embedding table do not count."
        )
    most = None if serving.asked.unknown else serving.max_tokens
    at = "" if most is None else f" ({serving.batch} = {most})"
    return (
        "Memory mode full: all of the memory is streamed once per iteration, which is right only at"
        f" the largest batch that fits{at}, and too slow below it."
    )


def _precision(serving: Serving) -> str:
    setup = serving.setup
    peaks = sorted({name for kind, name in setup.roofline("decode").work if kind == "flop"})
    return (
        f"Weights in {setup.stored.name}, cache in {setup.cached.name}, activations in"
        f" {dtype(setup.dtype).name}; products at the dense {' and '.join(peaks)} peak, the widest"
        " operand's."
    )


def _load(serving: Serving) -> str:
    if serving.workload is None:
        context = shown(serving.context.expr)
        return (
            f"B sequences decode one token each at a context of {context} tokens, the new one"
            " included."
        )
    p, d = (shown(n) for n in (serving.workload.prefill, serving.workload.decode))
    return (
        f"Requests of {p} prompt tokens and {d} new ones in a steady state: of B_dense tokens in an"
        f" iteration {p}/({p} + {d}) are of prompts, read whole, and the others are decoded at a"
        f" mean context of {shown(serving.context.expr)}."
    )


def _longer(serving: Serving) -> list[str]:
    """Say where sequences get longer than the model is made for."""
    config, load = serving.setup.model.config, serving.workload
    most = config.context
    longest = serving.asked.length if load is None else load.tokens_per_request
    if most is None or longest is None or not (most - longest).is_negative:
        return []
    return [
        f"{config.name} is made for contexts of up to {shown(most)} tokens, and these are of"
        f" {shown(longest)}."
    ]


def _cut(serving: Serving) -> str:
    parallel = serving.setup.parallel
    sizes = {name: getattr(parallel, name) for name in ("tp", "dp", "ep", "pp", "cp")}
    return f"{parallel.chips} chips, " + ", ".join(
        f"{name} = {size}" for name, size in sizes.items() if size > 1
    )
