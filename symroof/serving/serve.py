"""A model on a machine under a load: the front door of serving."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from symroof.errors import InputError, brief
from symroof.hardware import Chip, System
from symroof.models import Model, ModelConfig, Parallel
from symroof.models import model as find_model
from symroof.serving.asked import Asked, Memory, read_load, read_memory, tokens
from symroof.serving.inputs import amount, count
from symroof.serving.names import check_sizes
from symroof.serving.serving import Serving
from symroof.serving.setup import Setup
from symroof.serving.workload import Workload
from symroof.units import DType, Quantity
from symroof.units import dtype as dtype_of


def serve(
    model: str | os.PathLike[str] | Mapping[str, Any] | ModelConfig | Model,
    machine: str | os.PathLike[str] | Chip | System,
    *,
    prefill: object = None,
    decode: object = None,
    context: object = None,
    source: object = None,
    workload: Workload | None = None,
    memory: str = "touched",
    dtype: str | DType = "bf16",
    weights: str | DType | None = None,
    kv: str | DType | None = None,
    tp: int | None = None,
    dp: int | None = None,
    ep: int | None = None,
    pp: int | None = None,
    parallel: Parallel | None = None,
    absorbed: bool = True,
    price: Quantity | str | None = None,
) -> Serving:
    """Return a model on a machine under a load.

    Parameters
    ----------
    model : str, PathLike, mapping, ModelConfig or Model
        A name of the built-in set, a ``config.json`` or what is in one, or a model.
    machine : str, PathLike, Chip or System
        A chip ("h100-sxm"), or a system ("8xa100-sxm-80gb"), or a file of one: the model is cut
        over all its chips by tensors, unless it is said how.
    prefill, decode : number, symbol or text, optional
        Tokens of a prompt, and new ones: the batch is then B_dense, the tokens of an iteration in
        a steady state of such requests.
    context : number, symbol or text, optional
        Instead of these, tokens in the context of sequences that decode, the new one included: the
        batch is then B, the sequences. S stays a symbol where nothing is given.
    source : number, symbol or text, optional
        Tokens that an encoder reads, where the config does not say.
    workload : Workload, optional
        Instead of these, prompts and answers of a trace or a public mix.
    memory : {"touched", "full"}
        What an iteration streams: what it reads (weights, experts it is expected to reach, caches
        of the batch), or all of the memory once.
    dtype : str or DType
        Of activations.
    weights, kv : str or DType, optional
        Of weights and of the KV cache; as `dtype` by default.
    tp, dp, ep, pp : int, optional
        How the model is cut: by tensors, copies, experts, layers.
    parallel : Parallel, optional
        The same as an object.
    absorbed : bool
        For latent attention, whether keys and values stay compressed.
    price : Quantity or str, optional
        Of one chip, as in ``"2 USD/h"``.

    Returns
    -------
    Serving
        The three terms of an iteration with their crossovers, what fits, rates and latencies.

    Raises
    ------
    InputError
        If loads contradict each other, a length is not positive, nobody says how much an encoder
        reads, a name has another meaning here, or the model cannot be cut so.
    UnknownNameError
        If there is no such model, machine, dtype or memory mode.

    Examples
    --------
    >>> s = serve("llama-3-8b", "h100-sxm", context=1024)
    >>> round(s.time(64).overlapped.to("ms"), 2), str(s.bound(64)), s.max_batch
    (7.04, 'memory', 476)
    >>> s.crossover().kind.name, s.context_limit.last
    ('NEVER', 393)
    """
    mode = read_memory(memory)
    load, length = read_load(prefill, decode, context, workload, mode)
    cost = None if price is None else amount(price, "USD/s", "price", zero=True)
    if not isinstance(model, str | os.PathLike | Mapping | ModelConfig | Model):
        raise InputError(
            f"expected a name, a path, a config or a model, not {type(model).__name__}",
            where="model",
        )
    if isinstance(machine, os.PathLike):
        machine = os.fspath(machine)
    if not isinstance(machine, str | Chip | System):
        raise InputError(
            f"expected a name, a chip or a system, not {type(machine).__name__}", where="machine"
        )
    found = _reading(model if isinstance(model, Model) else find_model(model), source, mode)
    check_sizes(found.config, full=mode is Memory.FULL)
    given = {"tp": tp, "dp": dp, "ep": ep, "pp": pp}
    cut = {name: size for name, size in given.items() if size is not None}
    sizes = asdict(Parallel.of(parallel, cut))
    if cut or parallel is not None:
        cut = {name: size for name, size in sizes.items() if size > 1} or {"tp": 1}
    for stored in (dtype, *(other for other in (weights, kv) if other is not None)):
        dtype_of(stored)
    setup = Setup.of(found, machine, cut, dtype=dtype, weights=weights, kv=kv, absorbed=absorbed)
    return Serving(Asked(setup, mode, load, length, cost))


def _reading(model: Model, source: object, memory: Memory) -> Model:
    """Return a model whose encoder, if it has one, reads so many tokens."""
    config = model.config
    if config.encoder is None:
        if source is not None:
            raise InputError(f"{model.name} has no encoder, so leave it out", where="source")
        return model
    if config.encoder_tokens is not None:
        if source is not None and tokens(source, "source") != config.encoder_tokens:
            raise InputError(
                f"the encoder of {model.name} reads {config.encoder_tokens} tokens, not"
                f" {brief(str(source))}",
                where="source",
            )
        return model
    if source is None:
        raise InputError(
            f"the encoder of {model.name} reads any number of tokens; expected one, as in"
            " source=512",
            where="source",
        )
    read = count(tokens(source, "source", memory), "source")
    return Model(replace(config, encoder_tokens=read))
