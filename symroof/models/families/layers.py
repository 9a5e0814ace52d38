"""Kinds of layers in counts: those a list in the file names, or those a rule of the family gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from sympy import Expr, Integer

from symroof.models.config import Attention, Layer
from symroof.models.families.patterns import FULL, MAX_LAYERS, SLIDING, Kinds, listed_kinds
from symroof.models.fields import Fields
from symroof.symbolic import to_text


def layer_types(
    f: Fields,
    count: Expr,
    rule: str | Callable[[int], str],
    *names: str,
    among: Sequence[str] = (FULL, SLIDING),
) -> tuple[tuple[str, Expr], ...]:
    """Return the kinds of attention and how many layers have each.

    Parameters
    ----------
    f : Fields
    count : Expr
        All layers.
    rule : str or callable
        The kind of all layers, or of a layer by its index from 0, where the file has no list.
    *names : str
        Names of the list; ``layer_types`` by default.
    among : sequence of str
        What may stand in it.
    """
    default = Kinds.all(rule) if isinstance(rule, str) else Kinds(rule)
    kinds = listed_kinds(f, count, default, *names, among=among)
    if kinds.alike:
        return ((kinds.at(0), count),)
    return by_kind(f, count, kinds.at, "of several kinds")


def by_kind(
    f: Fields, count: Expr, kind_at: Callable[[int], str], what: str
) -> tuple[tuple[str, Expr], ...]:
    """Return the kinds of layers in the order they first come, and how many there are of each.

    Raises
    ------
    InputError
        If the number of layers is no number, or is too large to go through.
    """
    if not count.is_Integer:
        message = f"{to_text(count)} layers need layers that are all alike; here they are {what}"
        raise f.error("num_hidden_layers", message)
    if count > MAX_LAYERS:
        raise f.error("num_hidden_layers", f"more than {MAX_LAYERS} layers that may differ")
    found = Counter(kind_at(index) for index in range(int(count)))
    return tuple((each, Integer(times)) for each, times in found.items())


def local_and_global(
    f: Fields, layer: Layer, window: Expr | None, kinds: Sequence[tuple[str, Expr]]
) -> tuple[tuple[Layer, Expr], ...]:
    """Return a layer with a window and without one, as kinds of attention say.

    Parameters
    ----------
    f : Fields
    layer : Layer
        One whose attention sees all tokens.
    window : Expr or None
        Tokens a query sees in layers that slide.
    kinds : sequence of (str, Expr)
        From `layer_types`.
    """
    found = []
    for each, count in kinds:
        mixer = layer.mixer
        if each == SLIDING and isinstance(mixer, Attention):
            if window is None:
                raise f.error("sliding_window", f"missing, but some layers are {SLIDING!r}")
            mixer = replace(mixer, window=window)
        name = "layer" if len(kinds) == 1 else "local" if each == SLIDING else "global"
        found.append((replace(layer, mixer=mixer, name=name), count))
    return tuple(found)
