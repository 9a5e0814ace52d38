"""The JSON of ``analyze`` and ``crossover``: plain data, a unit with every quantity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr

from symroof.errors import UnboundError
from symroof.hardware import Part
from symroof.roofline.compare import as_bound
from symroof.roofline.inside_kinds import Charge
from symroof.roofline.level_rows import LevelRow
from symroof.roofline.lifting import Lifting
from symroof.roofline.roofline import Roofline
from symroof.roofline.thumb import RuleOfThumb
from symroof.solve import Crossover
from symroof.symbolic import adopt, bind, to_float, to_text
from symroof.units import Quantity, unit_text
from symroof.units.scope import rate_dimension

SCHEMA_VERSION = 1


def analysis_document(roofline: Roofline) -> dict[str, Any]:
    """Return a roofline as plain data; see ``docs/schemas.md``.

    Each quantity is ``{"expr", "exact", "value", "unit"}``; ``value`` is None while symbols that
    are not rates of the machine are free.
    """
    time = roofline.time
    return {
        "schema_version": SCHEMA_VERSION,
        "algorithm": roofline.graph.name,
        **machine_document(roofline),
        "bindings": bindings_document(roofline),
        "traffic": roofline.traffic,
        "inside": inside_document(roofline),
        "flops": roofline.flops.to_dict(),
        "bytes": roofline.bytes.to_dict(),
        "link_bytes": roofline.link_bytes.to_dict(),
        "intensity": _optional(roofline.intensity),
        "critical_intensity": roofline.critical_intensity.to_dict(),
        "link_intensity": _optional(roofline.link_intensity),
        "critical_link_intensity": _optional(roofline.critical_link_intensity),
        "terms": {name: term.to_dict() for name, term in roofline.groups.items()},
        "time": {
            "overlapped": time.overlapped.to_dict(),
            "per_op": time.per_op.to_dict(),
            "serial": time.serial.to_dict(),
        },
        **verdict_document(roofline),
        "levels": [_level_document(row) for row in roofline.levels],
        "ceilings": [_lifting_document(found) for found in roofline.liftings],
        "binding_ceiling": _binding_ceiling(roofline),
        "footprint": footprint_document(roofline),
        "ops": [
            {
                "name": row.name,
                "kind": row.kind,
                "count": row.count.to_dict(),
                "flops": row.flops.to_dict(),
                "bytes": row.bytes.to_dict(),
                "link_bytes": row.link_bytes.to_dict(),
                "intensity": _optional(row.intensity),
                "terms": {name: term.to_dict() for name, term in row.terms.items()},
                "time": row.time.to_dict(),
                "bound": None if row.bound is None else str(row.bound),
                "share": row.share,
            }
            for row in roofline.ops()
        ],
        "rates": rates_document(roofline),
    }


def crossover_document(
    roofline: Roofline,
    general: Crossover,
    answer: Crossover,
    term: str,
    thumb: RuleOfThumb | None,
) -> dict[str, Any]:
    """Return the answer to a crossover as plain data; see ``docs/schemas.md``.

    Parameters
    ----------
    roofline : Roofline
        The algorithm and the machine, with what is bound.
    general, answer : Crossover
        The answer before and after names were bound: closed forms, conditions and cases are of
        the former, kind and numbers of the latter.
    term : str
        The time term that is to be the largest.
    thumb : RuleOfThumb or None
        The rule of thumb beside the answer.
    """
    found = answer.to_dict()
    if general is not answer and general.free:
        found |= closed_form(general, answer)
    return {
        "schema_version": SCHEMA_VERSION,
        "question": {
            "algorithm": roofline.graph.name,
            "unknown": answer.name,
            "bound": term,
            **machine_document(roofline),
            "traffic": roofline.traffic,
            "inside": inside_document(roofline),
            "bindings": bindings_document(roofline),
        },
        "answer": found,
        "rule_of_thumb": None if thumb is None else thumb_document(thumb),
        "rates": rates_document(roofline, answer),
    }


def inside_document(roofline: Roofline) -> dict[str, Any]:
    """Return how the inside of the chip is modelled: where bytes are charged, what is counted.

    Examples
    --------
    >>> import symroof as sr
    >>> found = inside_document(sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", launch="5 us"))
    >>> found["residency"], found["launch"]["exact"]
    ('cold', '1/200000')
    """
    inside = roofline.inside
    tiled = inside.quantise is not None
    return {
        "residency": str(inside.residency),
        "levels": {name: _charge(how) for name, how in inside.levels.items()},
        "numa": None if inside.numa is None else str(inside.numa),
        "local": None if inside.numa is None else to_text(inside.local),
        "ceilings": [each.name for each in inside.ceilings],
        "launch": None if inside.launch is None else inside.launch.value.to_dict(),
        "quantise": str(inside.quantise) if tiled else None,
        "compute_units": roofline.chip.compute_units if tiled else None,
    }


def _charge(how: Charge) -> str:
    return to_text(how) if isinstance(how, Expr) else str(how)


def _level_document(row: LevelRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "bytes": row.bytes.to_dict(),
        "bandwidth": row.bandwidth.to_dict(),
        "capacity": _optional(row.capacity),
        "time": row.time.to_dict(),
        "intensity": _optional(row.intensity),
        "ridge": row.ridge.to_dict(),
    }


def _lifting_document(found: Lifting) -> dict[str, Any]:
    ceiling = found.ceiling
    return {
        "name": ceiling.name,
        "key": ceiling.key,
        "on": ceiling.on,
        "fraction": to_text(ceiling.fraction),
        "rate": None if ceiling.rate is None else ceiling.rate.value.to_dict(),
        "reason": ceiling.reason,
        "source": ceiling.source,
        "confidence": ceiling.confidence,
        "time": found.time.to_dict(),
        "gain": found.gain.to_dict(),
    }


def _binding_ceiling(roofline: Roofline) -> str | None:
    """Return the name of the ceiling that binds; None where none does, or symbols decide."""
    try:
        found = roofline.binding_ceiling()
    except UnboundError:
        return None
    return None if found is None else found.ceiling.name


def machine_document(roofline: Roofline) -> dict[str, Any]:
    """Return the chip, and the system where there is one, with what each axis uses of it."""
    placed = roofline.placed
    if placed is None:
        return {"chip": roofline.chip.name}
    system = placed.system
    return {
        "chip": system.chip.name,
        "system": {
            "name": system.name,
            "chips": to_text(system.count),
            "composition": placed.composition,
            "latency": placed.latency,
            "axes": [
                {
                    "axis": at.axis,
                    "size": _size(roofline, at.size),
                    "parts": [_part_document(roofline, part) for part in at.parts],
                }
                for at in placed.places.values()
            ],
        },
    }


def _part_document(roofline: Roofline, part: Part) -> dict[str, Any]:
    terms, work = roofline.terms, roofline.work
    link, hop = ("link", part.link), ("hop", part.link)
    found = {
        "link": part.link,
        "level": part.level,
        "topology": part.topology.name,
        "size": _size(roofline, part.topology.size),
        "bandwidth": roofline.rate(link).to_dict(),
        "bytes": roofline.amount(link).to_dict(),
        "time": None if link not in terms else terms[link].to_dict(),
    }
    if hop in work:
        found["hops"] = roofline.amount(hop).to_dict()
        found["hop_time"] = terms[hop].to_dict()
    return found


def _size(roofline: Roofline, size: Expr) -> str:
    names = {symbol.name for symbol in size.free_symbols} & roofline.values.keys()
    return to_text(bind(size, {name: adopt(roofline.values[name]) for name in names}))


def closed_form(general: Crossover, answer: Crossover) -> dict[str, Any]:
    """Return the symbolic parts of an answer, as they were before names were bound."""
    symbolic = general.to_dict()
    shared: dict[str, Any] = {"cases": symbolic["cases"]} if symbolic["cases"] else {}
    if symbolic["condition"] not in (None, "true") or general.kind is answer.kind:
        shared["condition"] = symbolic["condition"]
    if general.kind is answer.kind:
        keys = ("relation", "threshold", "threshold_upper", "region")
        shared |= {key: symbolic[key] for key in keys}
    return shared


def verdict_document(roofline: Roofline) -> dict[str, Any]:
    """Return the verdict, the largest terms, and the free symbols that decide where it is None."""
    try:
        terms = roofline.largest_terms()
    except UnboundError as error:
        return {"verdict": None, "largest_terms": [], "depends_on": list(error.names)}
    return {"verdict": str(as_bound(terms)), "largest_terms": list(terms), "depends_on": []}


def footprint_document(roofline: Roofline) -> dict[str, Any]:
    """Return the bytes of memory that are taken, and whether they fit; None where unknown."""
    taken = roofline.footprint
    return {
        "weights": taken.weights.to_dict(),
        "caches": taken.caches.to_dict(),
        "inputs": taken.inputs.to_dict(),
        "activations_peak": taken.activations_peak.to_dict(),
        "total": taken.total.to_dict(),
        "capacity": _optional(roofline.capacity),
        "fits": roofline.fits(),
    }


def thumb_document(thumb: RuleOfThumb) -> dict[str, Any]:
    """Return a rule of thumb as plain data."""
    return {
        "expr": to_text(thumb.expr),
        "value": None if thumb.value is None else to_float(thumb.value),
        "integer": thumb.integer,
        "applies": thumb.applies,
        "error": thumb.error,
    }


def bindings_document(roofline: Roofline) -> dict[str, str]:
    """Return what is bound, as text with units."""
    bound = {name: str(value) for name, value in roofline.bindings.items()}
    return {**bound, **{name: str(rate) for name, rate in roofline.overridden_rates.items()}}


def rates_document(roofline: Roofline, answer: Crossover | None = None) -> dict[str, Any]:
    """Return the known rates that formulas name by key."""
    values: Mapping[str, Any] = roofline.rates.scope.values
    if answer is not None:
        values = {**values, **answer.problem.known}
    return {key: Quantity(key_expr, unit_of(key)).to_dict() for key, key_expr in values.items()}


def unit_of(key: str) -> str:
    """Return the unit of a rate key.

    Examples
    --------
    >>> unit_of("ridge.fp16"), unit_of("bw.hbm"), unit_of("cap.l2")
    ('FLOP/byte', 'byte/s', 'byte')
    """
    return unit_text(rate_dimension(key))


def _optional(quantity: Quantity | None) -> dict[str, Any] | None:
    return None if quantity is None else quantity.to_dict()
