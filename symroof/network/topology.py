"""Topologies: how many chips a network joins, and over how many ports each of them sends.

The bandwidth of a network is what one chip can send into it in one direction over all its ports
together; a topology says how many ports share it. Sizes are whole numbers of 1 or more, or
formulas. A chip has a port only for a neighbour it may have: two on a ring and on a line, of which
the ends of a line use one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer, Mul, expand

from symroof.errors import InputError, UnknownNameError, brief
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own

MAX_AXES = 8
MAX_TEXT = 200
ONE = Integer(1)
RING, LINE, TORUS, MESH = "ring", "line", "torus", "mesh"
_AXIS = re.compile(r"(ring|line)\s+(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Topology:
    """What all topologies have; `Switch` to `Tree` are the ones there are.

    Attributes
    ----------
    size : Expr
        The number of chips.
    """

    kind: ClassVar[str] = ""
    size: Any

    def __post_init__(self) -> None:
        if type(self) not in (*_PLAIN.values(), *_CHAINS.values(), Tree):
            raise InputError(f"expected one of {', '.join(KINDS)}", where="topology")
        object.__setattr__(self, "size", _size(self.size, f"{self.kind} size"))

    @property
    def ports(self) -> Expr:
        """The ports of a chip, which share its bandwidth."""
        return ONE

    @property
    def axes(self) -> tuple[Ring | Line, ...]:
        """The rings and lines it consists of; none where it has another form."""
        return ()

    @property
    def name(self) -> str:
        """Its name, which `topology` reads back with the size."""
        return self.kind

    @property
    def title(self) -> str:
        """Its name with its size, for messages."""
        return f"{self.name} of {shown(self.size)}"


@dataclass(frozen=True, slots=True)
class Switch(Topology):
    """Chips with one port each on a switch that never blocks.

    Examples
    --------
    >>> Switch(8).ports, Switch("n").size
    (1, n)
    """

    kind: ClassVar[str] = "switch"


@dataclass(frozen=True, slots=True)
class FullyConnected(Topology):
    """A link between any two chips: n − 1 ports.

    Examples
    --------
    >>> FullyConnected("n").ports
    n - 1
    """

    kind: ClassVar[str] = "fully-connected"

    @property
    def ports(self) -> Expr:
        """A port for every other chip."""
        return self.size - 1


@dataclass(frozen=True, slots=True)
class Ring(Topology):
    """Chips in a closed chain: two ports; with two chips both lead to the other one.

    Examples
    --------
    >>> Ring(4).ports, Ring(4).name
    (2, 'ring')
    """

    kind: ClassVar[str] = RING

    @property
    def ports(self) -> Expr:
        """One port either way."""
        return Integer(2)

    @property
    def axes(self) -> tuple[Ring | Line, ...]:
        """The ring itself."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Line(Topology):
    """Chips in an open chain: two ports, of which those at the ends use one.

    Examples
    --------
    >>> Line(4).ports, Line(4).axes
    (2, (Line(size=4),))
    """

    kind: ClassVar[str] = LINE

    @property
    def ports(self) -> Expr:
        """One port either way."""
        return Integer(2)

    @property
    def axes(self) -> tuple[Ring | Line, ...]:
        """The line itself."""
        return (self,)


@dataclass(frozen=True, slots=True, init=False)
class Torus(Topology):
    """A grid of rings; of lines along the axes that do not wrap around.

    Parameters
    ----------
    shape : sequence of int, symbol or text
        Chips along each axis.
    wrap : bool or sequence of bool
        Whether the axes wrap around, all of them or one by one.

    Raises
    ------
    InputError
        If a size is no whole number of 1 or more, or `wrap` has another length than `shape`.

    Notes
    -----
    An axis of 1 chip has no ports; one of 2 that wraps has two links to the same neighbour. The
    formulas take an axis whose size is a symbol to be longer than 1.

    Examples
    --------
    >>> Torus((4, 4)).ports, Torus((4, 4)).name, Torus(("X", "Y")).size
    (4, 'torus 4x4', X*Y)
    >>> Torus((16, 8), wrap=(True, False)).axes
    (Ring(size=16), Line(size=8))
    """

    kind: ClassVar[str] = TORUS
    shape: tuple[Expr, ...]
    wrap: tuple[bool, ...]

    def __init__(self, shape: Iterable[Any], wrap: bool | Iterable[bool] = True) -> None:
        if isinstance(shape, str) or not isinstance(shape, Iterable):
            raise InputError(f"expected a size for each axis, not {shape!r:.60}", where="torus")
        sizes = tuple(_size(size, f"torus axis {at}") for at, size in enumerate(shape))
        if not 1 <= len(sizes) <= MAX_AXES:
            raise InputError(f"expected 1 to {MAX_AXES} axes, not {len(sizes)}", where="torus")
        wraps = (wrap,) * len(sizes) if isinstance(wrap, bool) else wrap
        wraps = tuple(wraps) if isinstance(wraps, Iterable) else (wraps,)
        if len(wraps) != len(sizes) or not all(isinstance(flag, bool) for flag in wraps):
            message = f"expected true or false for each of {len(sizes)} axes, not {wrap!r:.60}"
            raise InputError(message, where="torus wrap")
        object.__setattr__(self, "size", expand(Mul(*sizes)))
        object.__setattr__(self, "shape", sizes)
        object.__setattr__(self, "wrap", wraps)

    @property
    def ports(self) -> Expr:
        """Two ports for every axis that is longer than 1."""
        return Integer(2 * len(self.axes))

    @property
    def axes(self) -> tuple[Ring | Line, ...]:
        """The axes that are longer than 1."""
        pairs = zip(self.shape, self.wrap, strict=True)
        return tuple((Ring if wraps else Line)(size) for size, wraps in pairs if size != 1)

    @property
    def name(self) -> str:
        """The kinds of its axes and their sizes: ``torus 4x4``, ``ring 16 x line 8``."""
        if len(set(self.wrap)) == 1:
            return f"{TORUS if self.wrap[0] else MESH} {_shape_text(self.shape)}"
        pairs = zip(self.wrap, self.shape, strict=True)
        return " x ".join(f"{RING if wraps else LINE} {to_text(size)}" for wraps, size in pairs)

    @property
    def title(self) -> str:
        """Its name, which has its sizes."""
        return self.name


@dataclass(frozen=True, slots=True)
class Tree(Topology):
    """Chips at all nodes of a tree that is filled level by level, each linked to its parent.

    Parameters
    ----------
    size : int, symbol or text
        The number of chips.
    arity : int
        The most children of a chip.

    Examples
    --------
    >>> Tree(15).ports, Tree(15, arity=4).name
    (3, 'tree 4')
    """

    kind: ClassVar[str] = "tree"
    arity: int = 2

    def __post_init__(self) -> None:
        Topology.__post_init__(self)
        if isinstance(self.arity, bool) or not isinstance(self.arity, int) or self.arity < 1:
            message = f"expected a whole number of 1 or more, not {self.arity!r:.60}"
            raise InputError(message, where="tree arity")

    @property
    def ports(self) -> Expr:
        """One port up and one to every child there may be."""
        return Integer(self.arity + 1)

    @property
    def name(self) -> str:
        """``tree``, with the arity where it is not 2."""
        return self.kind if self.arity == 2 else f"{self.kind} {self.arity}"


_PLAIN: dict[str, type[Topology]] = {kind.kind: kind for kind in (Switch, FullyConnected)}
_CHAINS: dict[str, type[Topology]] = {RING: Ring, LINE: Line}
KINDS = (*_PLAIN, *_CHAINS, TORUS, MESH, Tree.kind)


def topology(name: str | Topology, size: Any = None) -> Topology:
    """Return the topology of a name, for a number of chips.

    Parameters
    ----------
    name : str or Topology
        ``switch``, ``fully-connected``, ``ring``, ``line``, ``tree`` (``tree 4`` with four
        children a chip), ``torus 4x8`` and, without wrap-around, ``mesh 4x8``; axes of both kinds
        as ``ring 16 x line 8``; symbols as ``torus X,Y``.
    size : int, symbol or text, optional
        The number of chips; a torus knows it.

    Raises
    ------
    UnknownNameError
        If there is no such topology; with the nearest.
    InputError
        If a size is no whole number of 1 or more, or missing, or not that of the shape.

    Examples
    --------
    >>> topology("ring", "n"), topology("torus 4x4").ports
    (Ring(size=n), 4)
    >>> topology("rings", 8)
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown topology 'rings'; did you mean 'ring'?
    >>> topology("torus 4x4", 8)
    Traceback (most recent call last):
    symroof.errors.InputError: topology: a torus 4x4 has 16 chips, not 8
    """
    if isinstance(name, str):
        made = _read(name, size)
    elif isinstance(name, Topology):
        made = name
    else:
        raise InputError(f"expected a name such as 'ring', not {name!r:.60}", where="topology")
    if size is not None:
        wanted = _size(size, "topology size")
        if expand(made.size - wanted) != 0:
            has = "chip" if made.size == 1 else "chips"
            message = f"a {made.title} has {shown(made.size)} {has}, not {shown(wanted)}"
            raise InputError(message, where="topology")
    return made


def _read(text: str, size: Any) -> Topology:
    if len(text) > MAX_TEXT:
        raise InputError(f"a name of {len(text)} letters is too long", where="topology")
    words = text.strip()
    kind, _, rest = words.partition(" ")
    rest = rest.strip()
    if kind in (TORUS, MESH):
        if not rest:
            raise InputError(f"{kind} needs its shape, as in '{kind} 4x4'", where="topology")
        return Torus(_shape(rest), wrap=kind == TORUS)
    if kind in _CHAINS and rest:
        return _chains(words)
    if kind not in KINDS or (rest and kind != Tree.kind):
        raise UnknownNameError("topology", words, KINDS)
    if size is None:
        raise InputError(f"{kind} needs the number of its chips", where="topology")
    if kind == Tree.kind:
        if rest and not _is_digits(rest):
            message = f"expected a number of children, as in 'tree 4', not {brief(rest)!r}"
            raise InputError(message, where="topology")
        return Tree(size, int(rest) if rest else 2)
    return (_PLAIN | _CHAINS)[kind](size)


def _chains(text: str) -> Topology:
    sizes, wraps = [], []
    for part in re.split(r"\sx\s+(?=ring|line)", text):
        found = _AXIS.fullmatch(part.strip())
        if found is None:
            message = f"expected axes as in 'ring 16 x line 8', not {brief(text)!r}"
            raise InputError(message, where="topology")
        sizes.append(found[2])
        wraps.append(found[1] == RING)
    if len(sizes) == 1:
        return (Ring if wraps[0] else Line)(sizes[0])
    return Torus(sizes, tuple(wraps))


def _shape(text: str) -> list[str]:
    by = "x" if re.fullmatch(r"[0-9 x-]+", text) else ","
    return [part.strip() for part in text.split(by)]


def _shape_text(shape: tuple[Expr, ...]) -> str:
    numbers = all(size.is_Integer for size in shape)
    return ("x" if numbers else ",").join(to_text(size) for size in shape)


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _size(value: Any, where: str) -> Expr:
    made = check_own(adopt(value, where=where), where)
    whole = not made.is_number or (made.is_Integer and made.p >= 1)
    if not whole or is_below(made, 1):
        raise InputError(f"expected a whole number of 1 or more, not {shown(made)}", where=where)
    return made
