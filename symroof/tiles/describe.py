"""A tiling as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sympy import Expr

from symroof.errors import InputError, UnboundError
from symroof.roofline.ridges import labels, meaning
from symroof.solve import Crossover
from symroof.solve.conditions import TRUE
from symroof.symbolic import bind
from symroof.symbolic.forms import Sum
from symroof.symbolic.numerals import number
from symroof.symbolic.writer import Writer
from symroof.tiles.answers import BestTile, tile_data
from symroof.tiles.closed import Place, RealTile
from symroof.units import Quantity, human

if TYPE_CHECKING:
    from symroof.tiles.tiled import Tiling

BOUND = (
    "the leading term, for a capacity well below the matrices; what is proven is less by terms of"
    " the order of the capacity"
)


def rows(tiling: Tiling) -> Iterator[tuple[str, str]]:
    """Yield what there is to say of a tiling, as labels and texts; the op first."""
    op, sizes = tiling.subject.op, tiling.sizes
    shown = [f"{name.upper()} = {_amount(sizes[name])}" for name in "mnk"]
    if sizes["batch"].expr != 1:
        shown.insert(0, f"a batch of {_amount(sizes['batch'])}")
    yield f"{op.name} ({op.kind.name})", f"{', '.join(shown)}; {_amount(tiling.flops)}"
    yield "tile", f"{tiling.tile}, which takes {_amount(tiling.footprint)}"
    yield "traffic", _amount(tiling.traffic)
    yield "intensity", _amount(tiling.intensity)
    yield "each tensor once", _amount(tiling.once)
    yield "Hong-Kung bound", _amount(tiling.hong_kung)
    lost = tiling.quantisation
    if lost.efficiency.expr.is_number:
        waves = (
            "" if lost.waves is None else f" in {_counted(lost.waves, 'wave')} of {tiling.units}"
        )
        yield (
            "quantisation",
            f"{_counted(lost.tiles, 'tile')}{waves}, {_percent(lost.efficiency)} useful",
        )
    yield from _best(tiling)
    if tiling.chip is not None:
        yield from _enough(asked(tiling))


def tiling_data(tiling: Tiling) -> dict[str, Any]:
    """Return a tiling as plain data, every value with its unit.

    What is not known yet, or takes a chip that is not given, is None.

    Returns
    -------
    dict
        ``op``, ``kind``, ``dtypes``, ``sizes``, ``tile``, ``chip``, ``level``, ``capacity``,
        ``flops``, ``once``, ``traffic``, ``intensity``, ``footprint``, ``hong_kung``,
        ``lower_bound``, ``quantisation``, ``best``, ``closed``, ``fitting``, ``compute_bound``,
        ``compute_bound_whole``, ``cache``.
    """
    op, found = tiling.subject.op, tiling.subject.contraction
    question = asked(tiling)
    has_chip = tiling.chip is not None
    ready = has_chip and not question.compute_bound().free
    return {
        "op": op.name,
        "kind": op.kind.name,
        "dtypes": {name: getattr(found, name).dtype.name for name in ("left", "right", "out")},
        "sizes": {name: size.to_dict() for name, size in tiling.sizes.items()},
        "tile": tile_data(tiling.tile),
        "chip": None if tiling.chip is None else tiling.chip.name,
        "level": tiling.streamed_from,
        "capacity": {"name": tiling.room.name, **tiling.capacity.to_dict()},
        "flops": tiling.flops.to_dict(),
        "once": tiling.once.to_dict(),
        "traffic": tiling.traffic.to_dict(),
        "intensity": tiling.intensity.to_dict(),
        "footprint": tiling.footprint.to_dict(),
        "hong_kung": {**tiling.hong_kung.to_dict(), "condition": BOUND},
        "lower_bound": tiling.lower_bound.to_dict(),
        "quantisation": tiling.quantisation.to_dict(),
        "best": best.to_dict() if (best := _best_tile(tiling)) is not None else None,
        "closed": [_case(tiling, case) for case in _closed(tiling)],
        "fitting": _answer(question.fitting()),
        "compute_bound": _answer(question.compute_bound()) if has_chip else None,
        "compute_bound_whole": _answer(question.compute_bound(whole=True)) if ready else None,
        "cache": question.cache().to_dict() if has_chip else None,
    }


def asked(tiling: Tiling) -> Tiling:
    """Return the tiling with a tile to ask for: its own with one name, else a square one."""
    return tiling if len(tiling.tile.names) == 1 else tiling.in_squares


def _best(tiling: Tiling) -> Iterator[tuple[str, str]]:
    best = _best_tile(tiling)
    if best is not None:
        times = human(best.traffic / best.lower_bound, 4)
        yield (
            "best tile",
            f"{best.tile} under {tiling.room.text(tiling.capacity)}: {human(best.traffic)}, {times}"
            " times the bound",
        )
        return
    for case in _closed(tiling) if tiling.tile.k.is_number else ():
        if case.place is Place.INSIDE and case.m is not None and case.n is not None:
            m, n = _formula(case.m), _formula(case.n)
            sides = f"m = n = {m}" if case.m == case.n else f"m = {m}, n = {n}"
            room = tiling.room.text(tiling.capacity)
            given = "" if case.condition == TRUE else f", given {case.condition.unicode()}"
            yield "best tile", f"{sides} in real numbers under {room}{given}"


def _enough(tiling: Tiling) -> Iterator[tuple[str, str]]:
    needed = tiling.cache()
    values = needed.tile.problem.values
    ridges = [name for name in values if name.startswith("ridge.")]
    short = labels(ridges, tiling.names.dimensions)
    words = needed.tile.sentence(short)
    yield (
        "compute-bound",
        f"{words}, in tiles {tiling.tile} that stream from {tiling.streamed_from}",
    )
    for name, label in short.items():
        if label in str(words):
            ridge = Quantity(bind(values[name], values), "FLOP/byte")
            yield f"where {label}", f"{human(ridge, 6)}, {meaning(name)}"
    if needed.whole is not None:
        yield (
            "enough cache",
            f"{_amount(needed.whole)}, which {needed.tile.name} = {needed.first} takes, partial"
            f" tiles counted; to leading order no schedule does with less than"
            f" {_amount(needed.least)}",
        )


def _best_tile(tiling: Tiling) -> BestTile | None:
    try:
        return tiling.best()
    except (UnboundError, InputError):  # in symbols, or too large to try
        return None


def _closed(tiling: Tiling) -> tuple[RealTile, ...]:
    try:
        return tiling.closed
    except InputError:  # dtypes of unknown width
        return ()


def _answer(answer: Crossover) -> dict[str, Any]:
    return {"unknown": answer.name, "unit": "", **answer.to_dict()}


def _case(tiling: Tiling, case: RealTile) -> dict[str, Any]:
    made: dict[str, Any] = {"place": case.place.value, "condition": case.condition.text()}
    if case.m is None or case.n is None or case.extra is None:
        return {**made, "m": None, "n": None, "traffic": None}
    traffic = tiling.once + Quantity.of(case.extra, "byte", tiling.capacity.scope)
    return {
        **made,
        "m": Quantity(case.m, "").to_dict(),
        "n": Quantity(case.n, "").to_dict(),
        "traffic": traffic.to_dict(),
    }


def _amount(quantity: Quantity) -> str:
    """Return a number for people, or a formula with its unit."""
    if quantity.resolved().expr.is_number:
        return human(quantity, 4)
    form = Writer((), ()).form(quantity.expr)
    text = f"({form.unicode()})" if isinstance(form, Sum) and quantity.unit else form.unicode()
    return f"{text} {quantity.unit}".rstrip()


def _formula(expr: Expr) -> str:
    return number(expr) if expr.is_number else Writer((), ()).form(expr).unicode()


def _counted(count: Quantity, what: str) -> str:
    return f"{human(count)} {what}{'s' * (count.value != 1)}"


def _percent(share: Quantity) -> str:
    return f"{number(share.value * 100, 4)} %"
