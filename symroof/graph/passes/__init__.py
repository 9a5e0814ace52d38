"""Passes: a graph in, a new graph out."""

from __future__ import annotations

from symroof.graph.passes.fuse import fuse, fuse_elementwise
from symroof.graph.passes.shard import shard

__all__ = ["fuse", "fuse_elementwise", "shard"]
