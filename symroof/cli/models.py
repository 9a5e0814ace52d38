"""Language models where an algorithm is named: which texts name one, and what is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.cli.options import CUTS, ModelArguments
from symroof.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from symroof.hardware import Chip, System
    from symroof.serving.serving import Serving
    from symroof.serving.setup import Setup

LENGTHS = {"S": "context", "p": "prefill", "d": "decode", "E": "source"}
"""Names of lengths -> what `serve` calls them."""
CONFIG = "config.json"


def names_model(spec: str) -> bool:
    """Return whether a text is the name of a built-in model, a JSON file or a folder with a config.

    Examples
    --------
    >>> names_model("llama-3-8b"), names_model("mn,nk->mk"), names_model("llama-3-8b-decode")
    (True, False, False)
    """
    if spec.lower().endswith(".json"):
        return True
    if "->" in spec or spec.lower().endswith(".toml"):
        return False
    try:
        if (Path(spec) / CONFIG).is_file():
            return True
    except (OSError, ValueError):
        return False
    from symroof.graph.spec import algorithms
    from symroof.models.catalog import find

    if spec in algorithms():
        return False
    try:
        find(spec)
    except UnknownNameError:
        return False
    return True


def model_setup(
    spec: str, machine: Chip | System, dtype: str | None, given: ModelArguments
) -> Setup:
    """Return a model as `serve` puts it on a machine: cut over all chips, unless it is said how."""
    from symroof.models import model
    from symroof.serving.setup import Setup

    return Setup.of(model(spec), machine, given.cut, dtype=dtype or "bf16", **given.precisions)


def model_notes(setup: Setup) -> tuple[str, ...]:
    """Return what a decoding step takes for granted: its load, its precisions, its cut."""
    from symroof.units import dtype

    stored = f"weights in {setup.stored.name}, cache in {setup.cached.name}"
    cut = ", ".join(f"{name} = {n}" for name, n in sizes(setup).items() if n > 1)
    stage = " of one stage" if setup.parallel.pp > 1 else ""
    notes = (
        f"one step{stage} of B sequences that decode at a context of S tokens",
        f"{stored}, activations in {dtype(setup.dtype).name}",
    )
    return (*notes, cut) if cut else notes


def sizes(setup: Setup) -> dict[str, int]:
    """Return over how many chips a model is cut, by tensors, layers, experts, copies."""
    return {name: getattr(setup.parallel, name) for name in CUTS}


def model_serving(
    spec: str,
    machine: Chip | System,
    settings: dict[str, str],
    dtype: str | None,
    memory: str,
    given: ModelArguments,
) -> Serving:
    """Return a model on a machine; S, or p and d, and E of an encoder are set like symbols.

    Raises
    ------
    UnknownNameError
        If something else is set.
    InputError
        If no lengths are set.
    """
    from symroof.serving.serve import serve

    for name in settings:
        if name not in LENGTHS:
            raise UnknownNameError(
                "length", name, sorted(LENGTHS), hint="a rate is set in a file: --chip mine.toml"
            )
    if not settings:
        raise InputError(
            "say how long requests are, as in --set S=1024, or --set p=512 --set d=1024"
        )
    lengths: dict[str, Any] = {LENGTHS[name]: value for name, value in settings.items()}
    dtype = dtype or "bf16"
    return serve(spec, machine, dtype=dtype, memory=memory, **lengths, **given.given)
