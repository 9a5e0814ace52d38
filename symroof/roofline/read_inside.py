"""The choices about the inside of a chip, as `analyze` is given them, read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import count
from typing import TypeVar

from sympy import Expr, Integer

from symroof.errors import InputError, UnitError, UnknownNameError, near_match
from symroof.graph import Graph
from symroof.graph.tile import Tile
from symroof.hardware import Chip
from symroof.hardware.ceilings import find_ceilings
from symroof.hardware.rates import BYTE, SECOND, Rate, read_rate
from symroof.readonly import ReadOnly
from symroof.roofline.inside import Inside
from symroof.roofline.inside_checks import check, check_tile
from symroof.roofline.inside_kinds import ONCE, Charge, Numa, Residency
from symroof.symbolic import adopt, symbol, to_text
from symroof.symbolic.symbols import check_own
from symroof.units import Quantity

ONE = Integer(1)

_TILE = re.compile(r"\d[\d\s]*[x×X][^()]*|[^()]*,[^()]*")  # 128x128x32, or b, b, 1

_Kind = TypeVar("_Kind", bound=Enum)


def read_inside(
    graph: Graph,
    chip: Chip,
    *,
    residency: str | Residency = Residency.COLD,
    ceilings: Iterable[str] = (),
    levels: Mapping[str, object] | None = None,
    numa: str | Numa | None = None,
    local: object = None,
    launch: object = None,
    quantise: Tile | str | None = None,
) -> Inside:
    """Return the choices that `analyze` was given, checked against the chip and the graph.

    Raises
    ------
    UnknownNameError
        If there is no such residency, reading, ceiling or level.
    InputError
        If the chip does not say what a choice needs: a capacity, a bandwidth, a launch time.

    Examples
    --------
    >>> from symroof.graph import load
    >>> from symroof.hardware import chip
    >>> made = read_inside(load("mn,nk->mk"), chip("h100-sxm"), residency="partial")
    >>> str(made.residency), made.is_plain
    ('partial', False)
    """
    if isinstance(ceilings, str) or not isinstance(ceilings, Iterable):
        raise InputError("expected a list of names, as in ['no simd']", where="ceilings")
    if not isinstance(levels, Mapping | None):
        raise InputError("expected how by level, as in {'l2': 'once'}", where="levels")
    if local is not None and numa is None:
        raise InputError("it goes with numa, concurrent or serial", where="local")
    made = Inside(
        _one_of(Residency, residency, "residency"),
        find_ceilings(chip.ceilings, ceilings, chip.name),
        ReadOnly({name: _charge(name, how, graph) for name, how in (levels or {}).items()}),
        None if numa is None else _one_of(Numa, numa, "numa"),
        ONE if numa is None else _fraction(local, graph, levels, quantise),
        _launch(launch, chip),
        _tile(quantise, "quantise"),
        chip,
    )
    check(made, chip)
    for name, charge in made.levels.items():
        if isinstance(charge, Tile):
            check_tile(name, charge, graph, chip)
    return made


def _one_of(kind: type[_Kind], given: object, where: str) -> _Kind:
    if isinstance(given, kind):
        return given
    known = [member.value for member in kind]
    if given not in known:
        near = near_match(str(given), known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
        raise InputError(f"unknown {where} {str(given)[:60]!r}; {hint}")
    return kind(given)


def _charge(name: str, how: object, graph: Graph) -> Charge:
    where = f"levels: {str(name)[:60]}"
    if isinstance(how, Tile):
        return how
    if isinstance(how, str) and (meant := near_match(how.strip().lower(), [ONCE])):
        if how.strip() != ONCE:
            raise InputError(f"did you mean {meant!r}, not {how[:60]!r}?", where=where)
        return ONCE
    if isinstance(how, str) and _TILE.fullmatch(how.strip()):
        return Tile.of(how)
    formula = check_own(_bytes(how, where), where)
    known = graph.scope.dimensions
    for name in sorted(atom.name for atom in formula.free_symbols):
        if name not in known:
            raise UnknownNameError("symbol", name, sorted(known), hint=where)
    if formula.is_nonpositive:
        raise InputError(f"expected an amount above 0, not {to_text(formula)}", where=where)
    ops = [op for block in graph.blocks() for op in block.op_list if not op.kind.view]
    if len(ops) != 1:
        raise InputError(
            f"given bytes are those of one op, and {graph.name!r} has {len(ops)}; expected"
            f" {ONCE!r} or a Tile",
            where=where,
        )
    return formula


def _bytes(given: object, where: str) -> Expr:
    if not isinstance(given, Quantity):
        return adopt(given, where=where)
    if given.dimension != BYTE:
        raise UnitError(f"{where}: expected byte, as in '2*m*n', got {str(given)[:60]!r}")
    return given.resolved().expr


def _fraction(
    given: object, graph: Graph, levels: Mapping[str, object] | None, quantise: object
) -> Expr:
    """Return the fraction that is local; by default a symbol of a name that is not taken."""
    if given is None:
        tiles = [tile for tile in (*(levels or {}).values(), quantise) if isinstance(tile, Tile)]
        taken = set(graph.scope.dimensions).union(*(tile.names for tile in tiles))
        return symbol(next(name for i in count() if (name := "f" + "_" * i) not in taken))
    local = check_own(adopt(given, where="local"), "local")
    if local.is_number and not (local.is_Rational and 0 <= local <= 1):
        raise InputError(f"expected a fraction from 0 to 1, not {local}", where="local")
    if not local.is_number and not local.is_Symbol:
        raise InputError(f"expected a number or one symbol, not {to_text(local)}", where="local")
    return local


def _launch(given: object, chip: Chip) -> Rate | None:
    if given is None or given is False:
        return None
    if given is True:
        if chip.launch is None:
            raise InputError(f"{chip.name} does not say it; give it, as in '5 us'", where="launch")
        return chip.launch
    return read_rate(given, SECOND, "launch")


def _tile(given: object, where: str) -> Tile | None:
    if given is None or isinstance(given, Tile):
        return given
    if isinstance(given, str):
        return Tile.of(given)
    message = f"expected a Tile, as in sr.Tile(128, 128), not {type(given).__name__}"
    raise InputError(message, where=where)
