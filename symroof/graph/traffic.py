"""The names of traffic in words."""

from __future__ import annotations

from collections.abc import Mapping

from symroof.readonly import ReadOnly

TRAFFIC: Mapping[str, str] = ReadOnly(
    {
        "unfused": "each op reads its inputs and writes its outputs once, nothing fused",
        "weights+kv": "only weights and caches move (weights+kv), activations stay on chip",
    }
)
