"""``compare``: measured rows against the roof of a chip."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from symroof.extras import need
from symroof.graph import Graph
from symroof.graph.tile import Tile
from symroof.hardware import Chip
from symroof.hardware import chip as find_chip
from symroof.units import Quantity

if TYPE_CHECKING:
    from symroof.measurements.comparison import Comparison


def compare(
    path: str | os.PathLike[str],
    chip: str | Chip,
    *,
    op: str | Graph = "matmul",
    columns: Mapping[str, str] | None = None,
    time: str | None = None,
    where: Mapping[str, str] | None = None,
    dtype: str | None = None,
    residency: str = "cold",
    ceilings: Iterable[str] = (),
    levels: Mapping[str, object] | None = None,
    numa: str | None = None,
    local: object = None,
    launch: object = None,
    quantise: Tile | None = None,
    above: str | Quantity = "0 s",
) -> Comparison:
    r"""Return the rows of a CSV file of timings beside their bound on a chip.

    The bound is a closed form, compiled once; a few rows of each dtype are computed exactly too.

    Parameters
    ----------
    path : str or PathLike
        A CSV file, its first line the names of the columns. Rows that cannot be read are listed
        with their column, and counted.
    chip : str or Chip
        The machine: a name of the catalogue, a file, or a chip.
    op : str or Graph
        What was timed. ``matmul``: C[m,n] = A[m,k] · B[k,n]; an einsum; a named algorithm or a TOML
        file; or a graph.
    columns : mapping of str to str, optional
        The column of a dim, where it is not its name: ``{"m": "M"}``; a number, or a formula of
        columns: ``{"S": "isl + step"}``. ``dtype`` names the column of dtypes.
    time : str, optional
        The column of the time, with its unit where the name does not end in one: ``latency_ms``,
        ``t:us``. By default the one whose name says both.
    where : mapping of str to str, optional
        Rows to take: ``{"device": "l40s"}``.
    dtype : str, optional
        The dtype of all rows, instead of a column ``dtype``: ``bf16``, ``fp8_block``,
        ``fp8/fp8/bf16``.
    residency, ceilings, levels, numa, local, launch, quantise
        The inside of the chip, as `symroof.analyze` takes it. With a launch time the bound of a row
        is that time and its largest term after it.
    above : Quantity or str
        Rows of this time or less are left out.

    Returns
    -------
    Comparison
        Ratios, the bound of each row, and why rows may lie above the roof.

    Raises
    ------
    InputError
        If the file cannot be read, a column is missing (with the nearest one), no row can be used,
        or numpy is not installed.
    UnknownNameError
        If there is no such chip, op, or value of `where`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "gemm.csv"
    ...     _ = table.write_text("m,n,k,latency_ms\n4096,4096,4096,0.2\n4096,4096,4096,-1\n")
    ...     found = compare(table, "h100-sxm", dtype="bf16")
    >>> found.rows, round(float(found.ratio[0]), 3), str(found.bad[0])
    (1, 1.439, 'row 2, column latency_ms: -1 is not above 0')
    """
    need("numpy", "calibrate")
    from symroof.measurements.comparison import Comparison
    from symroof.measurements.reading import read_measured, seconds_of

    machine = chip if isinstance(chip, Chip) else find_chip(chip)
    limit = seconds_of(above, "above")
    measured = read_measured(path, op, columns, time, where, dtype).longer(limit)
    choices = {
        "residency": residency,
        "ceilings": list(ceilings) if isinstance(ceilings, Iterator) else ceilings,
        "levels": levels,
        "numa": numa,
        "local": local,
        "launch": launch,
        "quantise": quantise,
    }
    return Comparison(measured, machine, choices)
