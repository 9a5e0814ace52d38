"""The fit of the rows of one dtype: on one half of them, with its error on the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from symroof.errors import InputError, UnknownNameError
from symroof.graph.tile import Tile
from symroof.hardware import Chip
from symroof.measurements.estimates import Errors, Estimate
from symroof.measurements.fit import Found, Terms, bootstrap, fit
from symroof.measurements.forms import Forms, Times
from symroof.measurements.reading import Group
from symroof.measurements.rows import Floats
from symroof.measurements.tilesets import NONE, candidates, padded_compute
from symroof.measurements.workload import names_of
from symroof.sweeps.compiled import compile as compiled
from symroof.symbolic import adopt, to_text

NOISE = 1e-7
"""Loss that rounding of the rows may make: errors of 0.04 %."""
AUTO = "auto"
SEEN = 0.975
"""The part of resamples that show a preparation, where it is taken to be there."""
WORTH = 0.95
"""A set of tiles is taken where it leaves less than this of the loss without tiles."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to calibrate.

    Attributes
    ----------
    residency : str
        Where bytes are charged.
    above : float
        Seconds: shorter rows are left out.
    seed : int
        Of the halves, and of the resamples.
    resamples : int
        For the intervals.
    tiles : str, tiles or None
        Sets of tiles to try.
    preparation : str or None
        Bytes moved before the op, a formula of its dims; "auto" where the input is quantised.
    """

    residency: str
    above: float
    seed: int
    resamples: int
    tiles: str | Iterable[Tile | str] | None
    preparation: object


@dataclass(frozen=True, slots=True)
class Fit:
    """What rows of one dtype say of a chip: t = max(t_c/e_c, t_m/e_m) + t_0 + t_p/e_p.

    Attributes
    ----------
    dtype : str
        As answers call it.
    key : str
        Of the peak: ``bf16``; empty for an op that computes nothing.
    fitted, tested : int
        Rows of either half.
    compute, memory : Estimate or None
        e_c and e_m, fractions of the roofs; None where no row of the first half is bound so.
    launch : Estimate
        t_0 in seconds.
    preparation : Estimate or None
        e_p: the fraction of the bandwidth at which `prepared` is moved; None where nothing is, or
        the rows show nothing of it.
    prepared : str
        Bytes that are moved before the op, as a formula; empty without.
    tiles : str
        The set of tiles whose edges and waves are counted; ``none``.
    compute_bound : int
        Rows of the first half that e_c rules.
    error, plain : Errors
        On the other half: of the fit, and of the plain roofline.
    found : Found
        The values, to predict with.
    """

    dtype: str
    key: str
    fitted: int
    tested: int
    compute: Estimate | None
    memory: Estimate | None
    launch: Estimate
    preparation: Estimate | None
    prepared: str
    tiles: str
    compute_bound: int
    error: Errors
    plain: Errors
    found: Found

    def __str__(self) -> str:
        parts = [
            f"{name} {estimate}"
            for name, estimate in (("e_c", self.compute), ("e_m", self.memory))
            if estimate is not None
        ]
        parts.append(f"t_0 {self.launch}")
        if self.preparation is not None:
            parts.append(f"e_p {self.preparation}")
        return f"{self.dtype}: {', '.join(parts)}; {self.error} on {self.tested:,} other rows"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, a unit with every amount."""
        return {
            "dtype": self.dtype,
            "peak": f"peak.{self.key}" if self.key else None,
            "rows_fitted": self.fitted,
            "rows_tested": self.tested,
            "rows_compute_bound": self.compute_bound,
            "compute_fraction": _plain(self.compute),
            "memory_fraction": _plain(self.memory),
            "launch": self.launch.to_dict(),
            "preparation_fraction": _plain(self.preparation),
            "preparation": {"formula": self.prepared, "unit": "byte"} if self.prepared else None,
            "tiles": self.tiles,
            "error": self.error.to_dict(),
            "plain_error": self.plain.to_dict(),
        }


def fitted(group: Group, chip: Chip, options: Options) -> Fit:
    """Return the fit of the rows of one dtype.

    Tiles and values are chosen on the first half alone; the other half is for the errors.
    """
    long = group.measured > options.above
    dims = {name: values[long] for name, values in group.dims.items()}
    moved = prepared_bytes(group, options.preparation)
    times = Forms(group.graph, chip, residency=options.residency)(dims)
    plain = _terms(times, group.measured[long], _seconds(moved, chip, dims, times.bytes))
    order = np.random.default_rng(options.seed).permutation(len(plain))
    first, other = order[: len(order) // 2], order[len(order) // 2 :]
    tiles, terms, found = _best(group, chip, options, dims, plain, first)
    again = bootstrap(terms[first], found, options.resamples, options.seed)
    ruled = found.in_compute(terms[first])
    compute = Estimate.of(found.compute, [each.compute for each in again])
    memory = Estimate.of(found.memory, [each.memory for each in again])
    return Fit(
        dtype=group.name,
        key=_peak_key(group),
        fitted=len(first),
        tested=len(other),
        compute=compute if ruled else None,
        memory=memory if ruled < len(first) else None,
        launch=Estimate.of(found.launch, [each.launch for each in again], "s"),
        preparation=_fraction(found, again),
        prepared="" if moved is None else to_text(moved),
        tiles=tiles,
        compute_bound=ruled,
        error=Errors.of(found.predict(terms[other]), plain.measured[other]),
        plain=Errors.of(times.bound[other], plain.measured[other]),
        found=found,
    )


def _terms(times: Times, measured: Floats, preparation: Floats) -> Terms:
    nothing = np.zeros_like(measured)
    compute, memory = (times.terms.get(name, nothing) for name in ("compute", "memory"))
    return Terms(compute, memory, preparation, measured)


def prepared_bytes(group: Group, given: object) -> Expr | None:
    """Return the bytes that are moved before the op; None without any.

    Parameters
    ----------
    group : Group
        The rows.
    given : "auto", text, number or None
        A formula of the dims; "auto" is the quantising of the first operand, where it is stored in
        fewer bits than the result: read in the dtype of the result, and written.

    Raises
    ------
    UnknownNameError
        If the formula has a name that the op has not.
    """
    if given is None:
        return None
    if given != AUTO:
        found = adopt(given, where="preparation")
        names = names_of(group.graph)
        for name in sorted(symbol.name for symbol in found.free_symbols):
            if name not in names:
                raise UnknownNameError("dim", name, names, hint="in preparation")
        return found
    if group.form is None or not group.form.is_narrow:
        return None
    elements = group.graph.tensors[0].spec.elements
    return elements * (group.form.result.bytes + group.form.first.bytes)


def _seconds(moved: Expr | None, chip: Chip, dims: Mapping[str, Floats], like: Floats) -> Floats:
    """Return the seconds that bytes take at the full bandwidth of main memory."""
    if moved is None:
        return np.zeros_like(like)
    names = sorted(symbol.name for symbol in moved.free_symbols)
    amounts = compiled(moved, names)(*(dims[name] for name in names))
    if not (amounts >= 0).all():
        message = f"{to_text(moved)[:60]} is negative for some rows"
        raise InputError(message, where="preparation")
    found: Floats = np.broadcast_to(amounts / chip.bandwidth().to("byte/s"), like.shape)
    return found


def _best(
    group: Group,
    chip: Chip,
    options: Options,
    dims: Mapping[str, Floats],
    plain: Terms,
    first: Any,
) -> tuple[str, Terms, Found]:
    """Return the set of tiles that fits the first half best, with its terms and values."""
    tried: list[tuple[str, Terms, Found]] = []
    for name, tiles in candidates(options.tiles, group.graph).items():
        terms = plain
        if tiles:
            compute = padded_compute(group.graph, chip, tiles, dims)
            terms = Terms(compute, plain.memory, plain.preparation, plain.measured)
        tried.append((name, terms, fit(terms[first])))
    best, simple = min(tried, key=lambda each: each[2].loss), tried[0]
    least = min(WORTH * simple[2].loss, simple[2].loss - NOISE)
    return simple if simple[0] == NONE and best[2].loss > least else best


def _peak_key(group: Group) -> str:
    keys = list(group.graph.flops_by_dtype)
    if len(keys) > 1:
        message = f"{group.graph.name!r} computes in {len(keys)} dtypes; expected one to fit"
        raise InputError(message)
    return keys[0] if keys else ""


def _fraction(found: Found, again: list[Found]) -> Estimate | None:
    """Return e_p; None where the rows show nothing of what is prepared."""
    seen = [1 / each.preparation for each in again if each.preparation > 0]
    if found.preparation == 0 or len(seen) < SEEN * len(again):
        return None
    return Estimate.of(1 / found.preparation, seen)


def _plain(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.to_dict()
