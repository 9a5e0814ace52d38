"""Least-error fractions of roofs and a fixed time, for the model max(t_c/e_c, t_m/e_m) + rest.

The rest is a launch floor t_0, and t_p/e_p where something is timed with the op. Fitted are the
logarithms of predicted over measured, so that a factor counts alike at 20 us and at 20 ms, with a
loss that outliers do not rule (soft l1). Each fraction is at most 1: no ceiling is above its roof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares  # type: ignore[import-untyped]

from symroof.measurements.rows import Floats

SCALE = 0.05
"""Relative error beyond which a row counts as an outlier, with less than its square."""
LEAST_FRACTION = 1e-4
ROUGH = 1e-5
"""Tolerance where many fits make one interval."""
NO_LAUNCH, NO_PREPARATION = 1e-5, 1e-3
"""What the search leaves of values that are 0, in medians of the rows, and per second."""
_STARTS = ((0.3, 0.3, 0.2, 1.0), (1.0, 0.3, 0.05, 1.0), (0.2, 1.0, 0.1, 1.0))


@dataclass(frozen=True, slots=True)
class Terms:
    """What the model is made of, row by row, in seconds.

    Attributes
    ----------
    compute, memory : array
        At the full roofs.
    preparation : array
        Bytes that are moved before the op, at the full bandwidth; zeros without any.
    measured : array
        What was measured.
    """

    compute: Floats
    memory: Floats
    preparation: Floats
    measured: Floats

    def __getitem__(self, places: NDArray[Any]) -> Terms:
        return Terms(
            self.compute[places],
            self.memory[places],
            self.preparation[places],
            self.measured[places],
        )

    def __len__(self) -> int:
        return len(self.measured)


@dataclass(frozen=True, slots=True)
class Found:
    """Values that fit.

    Attributes
    ----------
    compute, memory : float
        Fractions of the roofs: e_c and e_m.
    launch : float
        Seconds: t_0.
    preparation : float
        Seconds per second at full bandwidth: 1/e_p; 0 where nothing is seen of it.
    loss : float
        Per row.
    """

    compute: float
    memory: float
    launch: float
    preparation: float
    loss: float

    def predict(self, terms: Terms) -> Floats:
        """Return the seconds of rows."""
        largest = np.maximum(terms.compute / self.compute, terms.memory / self.memory)
        found: Floats = largest + self.launch + self.preparation * terms.preparation
        return found

    def in_compute(self, terms: Terms) -> int:
        """Return how many rows the compute term rules."""
        return int((terms.compute / self.compute >= terms.memory / self.memory).sum())


def fit(terms: Terms, start: Found | None = None, *, tolerance: float = 1e-8) -> Found:
    """Return the values with the least loss.

    Parameters
    ----------
    terms : Terms
        The rows.
    start : Found, optional
        Where to begin; by default at three places, of which the best end is taken.
    tolerance : float
        Relative change of the loss at which to stop.

    Examples
    --------
    >>> work = np.array([1e-5, 1e-4, 1e-3, 1e-5, 1e-6])
    >>> moved = np.array([1e-6, 1e-6, 1e-6, 1e-4, 1e-3])
    >>> time = np.maximum(work / 0.5, moved / 0.8) + 4e-6
    >>> found = fit(Terms(work, moved, 0 * work, time))
    >>> round(found.compute, 3), round(found.memory, 3), round(found.launch * 1e6, 2)
    (0.5, 0.8, 4.0)
    """
    unit = float(np.median(terms.measured))
    has_preparation = bool(terms.preparation.any())
    parts = np.stack(
        [terms.compute, terms.memory, np.full(len(terms), unit), terms.preparation]
    ) / np.maximum(terms.measured, 1e-300)
    most = [-np.log(LEAST_FRACTION)] * 2 + [np.inf, np.inf if has_preparation else 1e-12]
    starts: list[Any] = list(_STARTS)
    if start is not None:
        inner = -np.log([start.compute, start.memory])
        starts = [(*inner, start.launch / unit, start.preparation)]
    ends = [
        least_squares(
            _residual,
            np.clip(begin, 1e-9, np.minimum(most, 1e9) * (1 - 1e-9)),
            jac=_slopes,
            args=(parts,),
            bounds=([0, 0, 0, 0], most),
            loss="soft_l1",
            f_scale=SCALE,
            ftol=tolerance,
        )
        for begin in starts
    ]
    best = min(ends, key=lambda end: float(end.cost))
    compute, memory, launch, preparation = best.x
    return Found(
        compute=float(np.exp(-compute)),
        memory=float(np.exp(-memory)),
        launch=float(launch * unit) if launch > NO_LAUNCH else 0.0,
        preparation=float(preparation) if preparation > NO_PREPARATION else 0.0,
        loss=float(best.cost) / len(terms),
    )


def bootstrap(terms: Terms, found: Found, resamples: int, seed: int) -> list[Found]:
    """Return the fits of as many resamples of the rows, drawn with replacement."""
    random = np.random.default_rng(seed)
    rows = len(terms)
    return [
        fit(terms[random.integers(0, rows, rows)], found, tolerance=ROUGH) for _ in range(resamples)
    ]


def _model(x: Floats, parts: Floats) -> tuple[Floats, Floats, Floats]:
    compute, memory = np.exp(x[0]) * parts[0], np.exp(x[1]) * parts[1]
    return compute, memory, np.maximum(compute, memory) + x[2] * parts[2] + x[3] * parts[3]


def _residual(x: Floats, parts: Floats) -> Floats:
    found: Floats = np.log(_model(x, parts)[2])
    return found


def _slopes(x: Floats, parts: Floats) -> Floats:
    compute, memory, whole = _model(x, parts)
    rules = compute >= memory
    slopes = [np.where(rules, compute, 0), np.where(rules, 0, memory), parts[2], parts[3]]
    found: Floats = np.stack(slopes, axis=1) / whole[:, None]
    return found
