"""Layers of several kinds: which index has which, and how many there are of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Integer

from symroof.errors import near_match
from symroof.models.config import Attention, FeedForward, Layer, Mixture, Stack
from symroof.models.fields import Fields
from symroof.models.hf_file import kind
from symroof.symbolic import to_text

MAX_LAYERS = 10_000
FULL, SLIDING, CHUNKED = "full_attention", "sliding_attention", "chunked_attention"

Network = FeedForward | Mixture | None


@dataclass(frozen=True, slots=True)
class Kinds:
    """What kind each layer is of.

    Attributes
    ----------
    at : callable
        The kind of a layer by its index from 0.
    alike : bool
        Whether that is the same for all, however many there are.
    """

    at: Callable[[int], str]
    alike: bool = False

    @staticmethod
    def all(name: str) -> Kinds:
        """Return one kind for all layers."""
        return Kinds(lambda _: name, alike=True)


def window_kinds(window: Expr | None) -> Kinds:
    """Return a window in all layers, if there is one."""
    return Kinds.all(FULL if window is None else SLIDING)


def every(step: int, *, others: str = SLIDING) -> Kinds:
    """Return layers of which every `step`-th sees all tokens.

    Examples
    --------
    >>> [every(3).at(index) for index in range(3)]
    ['sliding_attention', 'sliding_attention', 'full_attention']
    """
    return Kinds(lambda index: others if (index + 1) % step else FULL, alike=step == 1)


def layer_count(f: Fields, *names: str) -> Expr:
    """Return the number of layers."""
    return f.dim(*(names or ("num_hidden_layers",)))


def layers_of(
    f: Fields, count: Expr, layer_at: Callable[[int], Layer], *, alike: bool = False
) -> Stack:
    """Return the layers that differ, in the order they first come, and how many there are of each.

    Parameters
    ----------
    f : Fields
    count : Expr
        All layers.
    layer_at : callable
        A layer by its index from 0. Layers that differ have different names.
    alike : bool
        Whether all are as the first.

    Raises
    ------
    InputError
        If layers differ and their number is no number, or is too large to go through.
    """
    if alike:
        return Stack(((replace(layer_at(0), name="layer"), count),))
    if not count.is_Integer:
        raise f.error(
            "num_hidden_layers",
            f"{to_text(count)} layers need layers that are all alike; these are of several kinds",
        )
    if count > MAX_LAYERS:
        raise f.error("num_hidden_layers", f"more than {MAX_LAYERS} layers that may differ")
    every_one = [layer_at(index) for index in range(int(count))]
    found = Counter(every_one)
    if len(found) == 1:
        return Stack(((replace(layer_at(0), name="layer"), count),))
    place = {layer: number for number, layer in enumerate(found)}
    return Stack(
        tuple((layer, Integer(times)) for layer, times in found.items()),
        order=tuple(place[layer] for layer in every_one),
    )


def listed_kinds(
    f: Fields, count: Expr, default: Kinds, *names: str, among: Sequence[str] = (FULL, SLIDING)
) -> Kinds:
    """Return the kinds of layers from a list in the file, or `default` if it has none.

    Parameters
    ----------
    f : Fields
    count : Expr
        All layers.
    default : Kinds
        Those by the rule of the family.
    *names : str
        Names of the list; ``layer_types`` by default.
    among : sequence of str
        What may stand in it.
    """
    names = names or ("layer_types",)
    given = f.items(*names)
    if given is None:
        return default
    for index, entry in enumerate(given):
        if not isinstance(entry, str) or entry not in among:
            near = near_match(entry, among) if isinstance(entry, str) else None
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(among)}"
            raise f.error(f"{names[0]}[{index}]", f"unknown kind of layer: {kind(entry)}; {hint}")
    if not given:
        raise f.error(names[0], "it is empty")
    if len(set(given)) == 1 and not count.is_Integer:
        return Kinds.all(given[0])
    if count.is_Integer and len(given) != count:
        raise f.error(names[0], f"{len(given)} entries for {to_text(count)} layers")
    if len(set(given)) == 1:
        return Kinds.all(given[0])
    return Kinds(lambda index: str(given[index]))


def windowed(
    f: Fields,
    count: Expr,
    kinds: Kinds,
    attention: Attention,
    window: Expr | None,
    network_at: Callable[[int], tuple[str, Network]],
    *,
    networks_alike: bool = True,
    like: Layer | None = None,
) -> Stack:
    """Return layers whose attention has a window or none, each with its feed-forward network.

    Parameters
    ----------
    f : Fields
    count : Expr
        All layers.
    kinds : Kinds
        Of attention.
    attention : Attention
        Without a window.
    window : Expr or None
        Tokens that `SLIDING` layers see.
    network_at : callable
        The name and the network of a layer by its index from 0.
    networks_alike : bool
        Whether all have the same network.
    like : Layer, optional
        What the layers are like otherwise.
    """
    base = Layer(attention, None) if like is None else like

    def layer_at(index: int) -> Layer:
        name, network = network_at(index)
        if kinds.at(index) == SLIDING:
            if window is None:
                raise f.error("sliding_window", f"missing, but some layers are {SLIDING!r}")
            sees, place = replace(attention, window=window), "local"
        else:
            sees, place = attention, "global"
        name = place if networks_alike else name if kinds.alike else f"{place}_{name}"
        return replace(base, mixer=sees, feed_forward=network, name=name)

    return layers_of(f, count, layer_at, alike=kinds.alike and networks_alike)


def one_network(network: Network) -> Callable[[int], tuple[str, Network]]:
    """Return the same network for all layers, as `windowed` asks for it."""
    return lambda _: ("", network)
