"""Closed forms on grids: compiled functions."""

from __future__ import annotations

from symroof.sweeps.compiled import Compiled, compile  # noqa: A004

__all__ = ["Compiled", "compile"]
