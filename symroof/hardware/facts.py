"""Facts of a chip as rows of text: each number with its source and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from symroof.hardware.ceilings import Ceiling
from symroof.hardware.memory import Link, MemoryLevel
from symroof.hardware.peaks import Peak
from symroof.hardware.rates import Rate


class Fact(NamedTuple):
    """A row: what it is of, the value as written, and where it is from."""

    quantity: str
    value: str
    source: str
    confidence: str
    note: str


def describe(
    peaks: Iterable[Peak], defaults: Mapping[str, str], sparse: Iterable[Peak]
) -> list[Fact]:
    """Return a row for each peak, dense ones first.

    Examples
    --------
    >>> from symroof.hardware.peaks import read_peaks
    >>> row = describe(read_peaks({"bf16": "989 TFLOP/s"}, "peak"), {"bf16": "bf16"}, [])[0]
    >>> row.quantity, row.value
    ('peak bf16', '989 TFLOP/s')
    """
    rows = []
    for peak in peaks:
        default = ", default" if defaults[peak.dtype] == peak.key != peak.dtype else ""
        rows.append(_fact(f"peak {peak.key}{default}", peak.rate))
    return rows + [_fact(f"sparse peak {peak.key}", peak.rate) for peak in sparse]


def describe_memory(memory: Iterable[MemoryLevel], links: Iterable[Link]) -> list[Fact]:
    """Return a row for each bandwidth and capacity; a link that was halved says so.

    Examples
    --------
    >>> from symroof.hardware.memory import read_links
    >>> describe_memory([], read_links("900 GB/s bidirectional", "link"))[0].note
    'half of 900 GB/s bidirectional'
    """
    rows = []
    for level in memory:
        main = ", main" if level.main else ""
        rates = {
            "bandwidth": level.bandwidth,
            "capacity": level.capacity,
            "remote bandwidth": level.remote,
        }
        for what, rate in rates.items():
            if rate is not None:
                rows.append(_fact(f"{what} {level.name}{main}", rate))
    for link in links:
        name = "link" if link.name == "link" else f"link {link.name}"
        kind = f" ({link.kind})" if link.kind else ""
        half = f"half of {link.halved_from} bidirectional" if link.halved_from else ""
        row = _fact(f"{name}{kind}, per direction", link.bandwidth)
        rows.append(row._replace(note="; ".join(filter(None, (half, row.note)))))
        if link.latency is not None:
            rows.append(_fact(f"{name}, latency of a hop", link.latency))
    return rows


def describe_inside(
    ceilings: Iterable[Ceiling], launch: Rate | None, compute_units: int | None
) -> list[Fact]:
    """Return a row for each ceiling, for the fixed time of a kernel and for the compute units.

    Examples
    --------
    >>> describe_inside([], None, 132)[0][:2]
    ('compute units', '132')
    """
    rows = []
    for ceiling in ceilings:
        note = "; ".join(filter(None, (ceiling.reason, ceiling.note)))
        what = f"ceiling {ceiling.name} on {ceiling.on}"
        rows.append(Fact(what, ceiling.text, ceiling.source, ceiling.confidence, note))
    if launch is not None:
        rows.append(_fact("launch of a kernel", launch))
    if compute_units is not None:
        rows.append(Fact("compute units", str(compute_units), "given", "given", ""))
    return rows


def _fact(what: str, rate: Rate) -> Fact:
    return Fact(what, rate.text, rate.source, rate.confidence, rate.note)
