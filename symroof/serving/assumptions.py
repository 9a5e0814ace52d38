"""What an answer about serving takes for granted, and what it leaves out, in sentences."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from symroof.serving.asked import Memory
from symroof.serving.full import hardware_of
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
    full = serving.memory is Memory.FULL
    found = [
        *(_full(serving) if full else _touched(serving)),
        _precision(serving),
        *_load(serving),
        "What fits counts weights and caches, not activations nor what a runtime reserves.",
        *_longer(serving),
    ]
    if serving.ttft is not None:
        found.append("The time to the first token is that of a prompt with nothing beside it.")
    return tuple(found + (_all_chips(serving) if full else _cut_over(serving)))


def left_out(serving: Serving) -> tuple[str, ...]:
    """Return what is not modelled: parts of the config, then of serving."""
    return (*serving.setup.model.config.left_out, *NOT_MODELLED)


def _touched(serving: Serving) -> list[str]:
    found = [
        "Every time is work over a peak rate, a lower bound: memory-bound is certain, compute-bound"
        " is a best case.",
        "Memory mode touched (traffic weights+kv): an iteration reads each weight once (of experts"
        " those that a batch is expected to reach) and each cached token once; activations and rows"
        " of the embedding table do not count.",
    ]
    return [*found, *serving.setup.said("decode" if serving.workload is None else "steady")]


def _full(serving: Serving) -> list[str]:
    most = None if serving.asked.unknown else serving.max_tokens
    at = "" if most is None else f" ({serving.batch} = {most})"
    return [
        "Memory mode full: all of the memory is streamed once per iteration, which is right only at"
        f" the largest batch that fits{at}; below it the time on memory is an upper bound.",
        "Compute is 2 FLOPs for each token and each of P_model parameters, those of the embedding"
        " table among them and of experts the active ones; attention is not counted.",
    ]


def _precision(serving: Serving) -> str:
    setup = serving.setup
    peaks = [setup.precision.products]
    if serving.memory is Memory.TOUCHED:
        work = setup.roofline("decode").work
        peaks = sorted({name for kind, name in work if kind == "flop"})
    return (
        f"Weights in {setup.stored.name}, cache in {setup.cached.name}, activations in"
        f" {dtype(setup.dtype).name}; products at the dense {' and '.join(peaks)} peak, the widest"
        " operand's."
    )


def _load(serving: Serving) -> list[str]:
    context, load = shown(serving.context.expr), serving.workload
    if load is None:
        return [
            f"{serving.batch} sequences decode one token each at a context of {context} tokens, the"
            " new one included."
        ]
    p, d = (shown(n) for n in (load.prefill, load.decode))
    return [
        f"Requests of {p} prompt tokens and {d} new ones in a steady state: of B_dense tokens in an"
        f" iteration {p}/({p} + {d}) are of prompts, read whole, and the others are decoded at a"
        f" mean context of {context}.",
        *(f"{said[:1].upper()}{said[1:]}." for said in load.assumptions),
    ]


def _all_chips(serving: Serving) -> list[str]:
    """Say what mode full makes of several chips, however a model is cut over them."""
    if serving.chips == 1:
        return []
    return [
        f"On {serving.chips} chips compute, memory and links are those of all of them, links in one"
        " direction; each layer has four all-gathers over all chips, however it is cut.",
        *(f"{said}." for said in hardware_of(serving.setup).assumptions),
    ]


def _cut_over(serving: Serving) -> list[str]:
    found, parallel = [], serving.setup.parallel
    if parallel.pp > 1:
        found.append(
            f"The batch goes through {parallel.pp} stages in as many parts, so that each stage"
            " reads its weights as often."
        )
    if serving.chips > 1:
        cut = ", ".join(f"{name} = {size}" for name, size in asdict(parallel).items() if size > 1)
        found.append(
            f"Cut over {serving.chips} chips, {cut}; aggregates are of all chips, links one"
            " direction."
        )
        found += [f"{said}." for said in serving.setup.roofline("decode").assumptions]
    return found


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
