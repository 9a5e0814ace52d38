"""Passes: a graph in, a new graph out."""

from __future__ import annotations

from symroof.graph.passes.fuse import fuse, fuse_elementwise
from symroof.graph.passes.shard import shard
from symroof.graph.passes.weights_and_caches import weights_and_caches

__all__ = ["fuse", "fuse_elementwise", "shard", "weights_and_caches"]
