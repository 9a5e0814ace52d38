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
from symroof.models.hf import from_hf_config
from symroof.models.model import Model, model
from symroof.models.parallel import Parallel
from symroof.models.training import training_step

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
    "from_hf_config",
    "model",
    "training_step",
]
