"""``calibrate``: what of its roofs a chip reaches, from measured rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from symroof.errors import InputError
from symroof.extras import need
from symroof.graph import Graph
from symroof.graph.tile import Tile
from symroof.hardware import Chip
from symroof.hardware import chip as find_chip
from symroof.symbolic.exact import shown
from symroof.units import Quantity

if TYPE_CHECKING:
    from symroof.measurements.calibration import Calibration

LEAST_RESAMPLES, MOST_RESAMPLES = 10, 100_000


def calibrate(
    path: str | os.PathLike[str],
    chip: str | Chip,
    *,
    op: str | Graph = "matmul",
    columns: Mapping[str, str] | None = None,
    time: str | None = None,
    where: Mapping[str, str] | None = None,
    dtype: str | None = None,
    residency: str = "cold",
    above: str | Quantity = "20 us",
    seed: int = 0,
    resamples: int = 200,
    tiles: str | Iterable[Tile | str] | None = "auto",
    preparation: object = "auto",
    tick: Callable[[str], None] = lambda phase: None,
) -> Calibration:
    r"""Return the fractions of a chip's roofs that measured rows reach, with their error on others.

    The model is t = max(t_c/e_c, t_m/e_m) + t_0 + t_p/e_p: compute and memory terms of the
    roofline over the fractions that are reached, a launch floor, and what is moved before the op.
    It is fitted on a random half of the rows, and tested on the other half. Intervals are those of
    a bootstrap over the rows it is fitted on.

    Parameters
    ----------
    path, chip, op, columns, time, where, dtype, residency
        As `compare` takes them.
    above : Quantity or str
        Shorter rows are left out: they are launches, not work.
    seed : int
        Of the halves, and of the resamples.
    resamples : int
        For the intervals.
    tiles : "auto", sequence of Tile, or None
        Tiles whose edges and last wave count as work; each row is taken to run with the tile that
        pads it least. By default none or one of a few sets, whichever fits the first half best.
    preparation : "auto", text, or None
        Bytes that are moved before the op by what the rows time, a formula of its dims. By default,
        where the input is stored in fewer bits than the result, its quantising: read in the dtype
        of the result, and written.
    tick : callable
        Is told each phase as it begins.

    Returns
    -------
    Calibration
        A fit for each dtype; ``.chip`` has the fractions as ceilings, ``.save`` writes it.

    Raises
    ------
    InputError
        As `compare`; or where there are too few rows to fit, or scipy is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> lines = ["m,n,k,time_us"]
    >>> for n in range(1, 41):  # half the peak of 1 TFLOP/s, and 3 us
    ...     lines.append(f"1024,1024,{1024 * n},{2 * 2 * 1024**3 * n / 1e6 + 3}")
    >>> mine = Chip("mine", peak={"fp32": "1 TFLOP/s"}, memory={"ddr": "1 TB/s"})
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "gemm.csv"
    ...     _ = table.write_text("\n".join(lines))
    ...     found = calibrate(table, mine, dtype="fp32", resamples=20, tiles=None)
    >>> round(found.fits[0].compute.value, 4), found.chip.ceilings[0].name
    (0.5, 'calibrated fp32')
    """
    for name in ("numpy", "scipy"):
        need(name, "calibrate")
    from symroof.measurements.calibration import Calibration
    from symroof.measurements.fitted import Options
    from symroof.measurements.reading import read_measured, seconds_of

    limit = seconds_of(above, "above")
    if not _is_whole(resamples) or not LEAST_RESAMPLES <= resamples <= MOST_RESAMPLES:
        message = f"expected {LEAST_RESAMPLES} to {MOST_RESAMPLES:,}, got {shown(resamples)}"
        raise InputError(message, where="resamples")
    if not _is_whole(seed) or seed < 0:
        message = f"expected a whole number of 0 or more, got {shown(seed)}"
        raise InputError(message, where="seed")
    tick("reading rows")
    machine = chip if isinstance(chip, Chip) else find_chip(chip)
    measured = read_measured(path, op, columns, time, where, dtype)
    options = Options(residency, limit, seed, resamples, tiles, preparation)
    return Calibration(measured, machine, options, tick)


def _is_whole(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)
