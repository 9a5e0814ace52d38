"""Language models: configs, and the graphs they are."""

from __future__ import annotations

from symroof.models.config import (
    Attention,
    Embedding,
    FeedForward,
    Head,
    LatentAttention,
    Layer,
    Mixture,
    ModelConfig,
    Norm,
    Stack,
    StateSpace,
)
from symroof.models.model import Model, model
from symroof.models.parallel import Parallel

__all__ = [
    "Attention",
    "Embedding",
    "FeedForward",
    "Head",
    "LatentAttention",
    "Layer",
    "Mixture",
    "Model",
    "ModelConfig",
    "Norm",
    "Parallel",
    "Stack",
    "StateSpace",
    "model",
]
