"""From the numbers of a model to its graph: one module for each kind of part."""

from __future__ import annotations

from symroof.models.assembly.groups import Group
from symroof.models.assembly.network import Built, Plan, build

__all__ = ["Built", "Group", "Plan", "build"]
