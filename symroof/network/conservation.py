"""The byte check of compositions: what a chip holds, followed from phase to phase."""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy import Expr, Integer, expand

from symroof.errors import InputError, UnknownNameError
from symroof.network.forms import A2A, AG, AR, RS, SEND, some
from symroof.network.levels import Level, Phase
from symroof.network.names import Collective
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import sign_of

# What each collective is composed of.
COMPOSED = {AR: (RS, AR, AG), AG: (AG,), RS: (RS,), A2A: (A2A,), SEND: (SEND,)}


def check(
    collective: Collective, levels: tuple[Level, ...], volume: Expr, phases: tuple[Phase, ...]
) -> None:
    """Follow what a chip holds through the phases, and raise where bytes are missing.

    Parameters
    ----------
    collective : Collective
        What the phases should make up.
    levels : tuple of Level
        All levels of the machine, innermost first.
    volume : Expr
        V in bytes, as for one level.
    phases : tuple of Phase
        In their order.

    Raises
    ------
    InputError
        With the phase and the bytes.

    Examples
    --------
    >>> from symroof.network import Level, Switch, flow
    >>> node = Level("node", Switch(8), "450 GB/s")
    >>> scattered = Phase(node, flow("reduce_scatter", node.topology, 800))
    >>> check(AR, (node,), Integer(800), (scattered,))
    Traceback (most recent call last):
    symroof.errors.InputError: all_reduce over node: a chip ends with 100 of 800 bytes
    """
    if collective not in COMPOSED:
        known = ", ".join(one.value for one in COMPOSED)
        raise InputError(f"{collective.value} is not composed over levels; {known} are")
    followed = _Followed(collective, levels, volume)
    for phase in phases:
        followed.take(phase)
    followed.finish()


@dataclass(slots=True)
class _Followed:
    """The bytes of a chip, the levels they are split over, and those they are added up over."""

    collective: Collective
    levels: tuple[Level, ...]
    volume: Expr
    held: Expr = field(init=False)
    split: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.held = self.volume
        if self.collective is AG:
            for level in self.levels:
                self.held = self.held / level.topology.size
                self.split.add(level.name)

    def take(self, phase: Phase) -> None:
        """Go through a phase."""
        kind, name, n = phase.flow.collective, phase.level.name, phase.level.topology.size
        where = f"{kind.value} over {name}"
        if name not in {level.name for level in self.levels}:
            raise UnknownNameError("level", name, [level.name for level in self.levels])
        if phase.flow.topology != phase.level.topology:
            raise InputError(f"it runs on another topology than {name}", where=where)
        if kind not in COMPOSED[self.collective]:
            raise InputError(f"it is no part of {self.collective.value}", where=where)
        if kind in (RS, AR, A2A, SEND) and name in self.done:
            raise InputError(f"{_DONE[kind]} over {name} already", where=where)
        if kind is AG and name not in self.split:
            raise InputError(f"nothing is split over {name}", where=where)
        whole = self.held * n if kind is AG else self.held
        if _differ(whole, phase.flow.volume):
            holds = "would hold" if kind is AG else "holds"
            message = f"a chip {holds} {shown(whole)} bytes, and the phase takes"
            raise InputError(f"{message} {shown(phase.flow.volume)}", where=where)
        must, received = some(n) * whole * _LEAST[kind](n), phase.flow.received
        if _differ(received, must) and sign_of(received - must, _names(must)).is_nonpositive:
            message = f"a chip must receive {shown(must)} bytes, and receives {shown(received)}"
            raise InputError(message, where=where)
        if kind is RS:
            self.held = whole / n
            self.split.add(name)
        elif kind is AG:
            self.held = whole
            self.split.discard(name)
        if kind is not AG:
            self.done.add(name)

    def finish(self) -> None:
        """See that a chip ends with what it should."""
        what, names = self.collective, {level.name for level in self.levels}
        where = f"{what.value} over {', '.join(level.name for level in self.levels)}"
        if what in (AR, RS, A2A) and self.done != names:
            left = ", ".join(level.name for level in self.levels if level.name not in self.done)
            raise InputError(f"nothing is {_ENDS[what]} over {left}", where=where)
        if what is SEND and not self.done:
            raise InputError("nothing is sent", where=where)
        if self.split != (names if what is RS else set()):
            message = f"a chip ends with {shown(self.held)} of {shown(self.volume)} bytes"
            raise InputError(message, where=where)


_DONE = {
    RS: "its parts are added up",
    AR: "its parts are added up",
    A2A: "the chips have exchanged",
    SEND: "it was sent",
}
_ENDS = {AR: "added up", RS: "added up", A2A: "exchanged"}
# What any algorithm must bring to a chip, in the volume of the phase.
_LEAST = {
    AG: lambda n: (n - 1) / n,
    RS: lambda n: 1 / n,
    AR: lambda n: Integer(1),
    A2A: lambda n: (n - 1) / n,
    SEND: lambda n: Integer(1),
}


def _differ(a: Expr, b: Expr) -> bool:
    return bool(a != b and expand(a - b) != 0)


def _names(*formulas: Expr) -> frozenset[str]:
    return frozenset(symbol.name for formula in formulas for symbol in formula.free_symbols)
