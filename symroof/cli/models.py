"""Language models where an algorithm is named: which texts name one, and what is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from symroof.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from symroof.graph import Graph
    from symroof.hardware import Chip, System
    from symroof.serving.serving import Serving

LENGTHS = ("S", "p", "d")
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


def model_graph(spec: str, machine: Chip | System, dtype: str | None) -> Graph:
    """Return a decoding step of a model, cut over all chips of the machine by tensors."""
    from symroof.hardware import System
    from symroof.models import model

    chips = 1
    if isinstance(machine, System):
        if not machine.count.is_Integer:
            raise InputError(f"{machine.name} has no fixed number of chips", where="--system")
        chips = int(machine.count)
    return model(spec).graph("decode", dtype=dtype or "bf16", tp=chips, traffic="weights+kv")


def model_serving(
    spec: str,
    machine: Chip | System,
    settings: dict[str, str],
    dtype: str | None,
    memory: str,
) -> Serving:
    """Return a model on a machine; S, or p and d, are set like symbols.

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
            raise UnknownNameError("symbol", name, sorted(LENGTHS))
    if not settings:
        raise InputError(
            f"say how long requests are, as in --set S=1024, or --set p=512 --set d=1024: {spec}"
        )
    return serve(
        spec,
        machine,
        context=settings.get("S"),
        prefill=settings.get("p"),
        decode=settings.get("d"),
        dtype=dtype or "bf16",
        memory=memory,
    )
