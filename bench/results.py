"""What a measurement yields: ratios with their targets, and tables of what stands behind them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Ratio:
    """One figure against its peer.

    Attributes
    ----------
    what, peer : str
        What was measured, and what it is compared with.
    value : float
        Own time over the peer's (or a count).
    target : float
        The largest value that will do.
    note : str
        Own time and the peer's, or what a reader must know.
    """

    what: str
    peer: str
    value: float
    target: float
    note: str = ""

    @property
    def passes(self) -> bool:
        """Whether the target is met."""
        return self.value <= self.target


@dataclass(frozen=True)
class Table:
    """Rows behind the ratios."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def is_number(self, column: int) -> bool:
        """Whether a column holds times and ratios, and is set to the right."""
        return all(row[column][:1] in tuple("0123456789>") for row in self.rows)


@dataclass(frozen=True)
class Outcome:
    """What one measurement yields.

    Attributes
    ----------
    ratios : tuple of Ratio
        Figures with targets.
    tables : tuple of Table
        What stands behind them.
    spread : float
        Largest distance of quartiles over median among the repetitions: how noisy the machine was.
    """

    ratios: tuple[Ratio, ...]
    tables: tuple[Table, ...] = ()
    spread: float = field(default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        ratios = [{**asdict(ratio), "passes": ratio.passes} for ratio in self.ratios]
        tables = [asdict(table) for table in self.tables]
        return {"ratios": ratios, "tables": tables, "spread": self.spread}


def duration(seconds: float) -> str:
    """Return a time as people read it.

    Examples
    --------
    >>> duration(0.00042), duration(0.0123), duration(3)
    ('0.42 ms', '12.3 ms', '3.00 s')
    """
    if seconds >= 1:
        return f"{seconds:.2f} s"
    thousandths = seconds * 1000
    return f"{thousandths:.1f} ms" if thousandths >= 10 else f"{thousandths:.2f} ms"


def as_text(ratio: float) -> str:
    """Return a ratio as people compare it: small ones as a fraction of one.

    Examples
    --------
    >>> as_text(0.02), as_text(1.25), as_text(0)
    ('1/50', '1.25', '0')
    """
    if 0 < ratio < 0.5:
        return f"1/{1 / ratio:.0f}" if ratio < 0.1 else f"1/{1 / ratio:.1f}"
    return f"{ratio:.2f}" if ratio % 1 else f"{ratio:.0f}"
