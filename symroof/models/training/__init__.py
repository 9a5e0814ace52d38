"""Training: the graph of a step, and the memory it takes."""

from __future__ import annotations

from symroof.models.training.step import Recompute, training_step

__all__ = ["Recompute", "training_step"]
