"""A calibration for people: what fits, how well it predicts, and what is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.cli.text import Block, Lines, Sentence
from symroof.cli.timings_options import bad_rows
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

if TYPE_CHECKING:
    from symroof.measurements.calibration import Calibration
    from symroof.measurements.estimates import Estimate
    from symroof.measurements.fitted import Fit


def calibrate_view(found: Calibration) -> tuple[str, list[Block]]:
    """Return the title and the blocks of a calibration."""
    blocks: list[Block] = [Lines(_fit(each, found.memory_roof), strong=True) for each in found.fits]
    few = [
        (f"{name}", f"{count} rows: too few to fit, or too few sizes")
        for name, count in found.skipped.items()
    ]
    blocks.append(Lines(few))
    blocks.append(Sentence(_method(found), dim=True))
    blocks.append(Lines(bad_rows(found.bad)))
    machine = found.base.title or found.base.name
    title = (
        f"{found.measured.title}   on {machine}: what {found.measured.source} shows of its roofs"
    )
    return title, [block for block in blocks if block.filled]


def _fit(each: Fit, memory_roof: str) -> list[tuple[str, str]]:
    memory_bound = each.fitted - each.compute_bound
    rows = [
        (
            "dtype",
            f"{each.dtype}   {number(each.fitted)} rows fitted, {number(each.tested)} others",
        ),
        ("e_c", _text(each.compute, "compute", f"peak.{each.key}", each.compute_bound)),
        ("e_m", _text(each.memory, "memory", memory_roof, memory_bound)),
        ("t_0", str(each.launch)),
    ]
    if each.prepared:
        shown = "nothing seen of it" if each.preparation is None else str(each.preparation)
        rows.append(("e_p", f"{shown}; {each.prepared} bytes before the op"))
    rows += [
        ("tiles", each.tiles),
        ("error", f"{each.error} on the other rows"),
        ("plain roofline", f"{each.plain}"),
    ]
    return rows


def _text(estimate: Estimate | None, term: str, roof: str, rows: int) -> str:
    if estimate is None:
        return f"unknown, no row is {term}-bound"
    return f"{estimate} of {roof}, {number(rows)} rows"


def _method(found: Calibration) -> str:
    limit = human(Quantity(found.options.above, "s"))
    return (
        f"t = max(t_c/e_c, t_m/e_m) + t_0 + t_p/e_p, residency {found.options.residency}, on half"
        f" of the rows above {limit} (seed {found.options.seed}); 95 % intervals by bootstrap,"
        f" {found.options.resamples} resamples."
    )
