"""The serving-throughput model of language models."""

from __future__ import annotations

from symroof.serving.hardware import Hardware
from symroof.serving.pairs import Pair
from symroof.serving.size import ModelSize
from symroof.serving.workload import Workload, mix, mixes

__all__ = ["Hardware", "ModelSize", "Pair", "Workload", "mix", "mixes"]
