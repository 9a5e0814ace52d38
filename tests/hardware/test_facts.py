"""Rows of facts."""

from __future__ import annotations

from symroof.hardware.facts import Fact, describe, describe_memory
from symroof.hardware.memory import read_links, read_memory
from symroof.hardware.peaks import read_peaks


def test_peaks_dense_before_sparse():
    dense = read_peaks({"bf16:fp32:tensor": {"value": "1 TFLOP/s", "source": "sheet"}}, "peak")
    sparse = read_peaks({"bf16:fp32:tensor": "2 TFLOP/s"}, "sparse_peak")
    assert describe(dense, {"bf16": "bf16:fp32:tensor"}, sparse) == [
        Fact("peak bf16:fp32:tensor, default", "1 TFLOP/s", "sheet", "given", ""),
        Fact("sparse peak bf16:fp32:tensor", "2 TFLOP/s", "given", "given", ""),
    ]


def test_memory_and_links():
    memory = read_memory({"hbm": {"bandwidth": "1 TB/s", "capacity": "80 GB"}}, None, None, "m")
    links = read_links({"nv": {"bandwidth": "2 GB/s", "bidirectional": True, "kind": "wire"}}, "l")
    assert [row[:2] for row in describe_memory(memory, links)] == [
        ("bandwidth hbm, main", "1 TB/s"),
        ("capacity hbm, main", "80 GB"),
        ("link nv (wire), per direction", "1 GB/s"),
    ]
    assert describe_memory([], links)[0].note == "half of 2 GB/s bidirectional"
