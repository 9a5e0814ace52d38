"""Machines of round numbers for what happens inside a chip, and rooflines on them.

`HAND`: 64 TFLOP/s, 1 TB/s to 80 GB, 4 TB/s to 40 MB; ridges at 64 and 16 FLOP/byte. A product of
4000 by 4000 matrices in fp16 is 128 GFLOP and 96 MB: 2 ms, 96 µs from hbm, 24 µs from l2.

`CPU`: 4096 GFLOP/s, 200 GB/s; without SIMD a sixteenth, without FMA a half, without prefetch
120 GB/s; 80 GB/s to the other socket.
"""

from __future__ import annotations

import symroof as sr

HAND = sr.Chip(
    "hand",
    peak={"fp16": "64 TFLOP/s"},
    memory={"hbm": ("1 TB/s", "80 GB"), "l2": ("4 TB/s", "40 MB")},
    compute_units=10,
    launch="1 ms",
)
CPU = sr.Chip(
    "cpu",
    peak={"fp16": "4096 GFLOP/s"},
    memory={"ddr": {"bandwidth": "200 GB/s", "capacity": "256 GB", "remote": "80 GB/s"}},
    ceiling={
        "no simd": {"on": "peak", "factor": "1/16", "reason": "scalar instructions"},
        "no fma": {"on": "peak.fp16", "factor": "1/2", "reason": "two instructions for one"},
        "no prefetch": {"on": "bw.ddr", "rate": "120 GB/s", "reason": "each line is waited for"},
    },
)
ALL = ("no simd", "no fma", "no prefetch")
BIG = {"m": 4000, "n": 4000, "k": 4000}


def product(chip: sr.Chip = HAND, **choices: object) -> sr.Roofline:
    """Return a matrix product on a chip."""
    return sr.analyze(sr.load("mn,nk->mk"), chip, **choices)  # type: ignore[arg-type]
