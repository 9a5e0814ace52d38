"""The kernels that move bytes: what they do, and that they move what they say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from symroof.probes.streams import PIECE, Streams

SIZES = [2**13, 2**16, PIECE, 4 * PIECE]
MOVED = {"read": 1, "dot": 1, "copy": 1, "add": 1, "update": 2}
"""Passes over the working set, in bytes, of one run through all parts."""


@pytest.mark.parametrize("size", SIZES)
def test_all_parts_together_move_the_working_set(size: int) -> None:
    streams = Streams(size)
    for kernel in streams.kernels():
        repeats = streams._repeats if kernel.name in ("read", "copy") else 1
        whole = kernel.amount * len(kernel.calls)
        assert whole == pytest.approx(MOVED[kernel.name] * size * repeats, rel=0.01), kernel.name
        assert len(kernel.calls) == max(1, size // PIECE)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("arrays", [1, 2, 3])
def test_parts_share_the_working_set_and_nothing_else(size: int, arrays: int) -> None:
    streams = Streams(size)
    flat = [array for part in streams._parts(arrays) for array in part]
    for before, after in pairwise(flat):
        assert not np.shares_memory(before, after)
    used = flat[-1].ctypes.data + flat[-1].nbytes - flat[0].ctypes.data
    assert used <= size


@pytest.mark.parametrize("size", SIZES)
def test_what_they_compute(size: int) -> None:
    streams = Streams(size)
    kernels = {kernel.name: kernel for kernel in streams.kernels()}
    words = streams._words
    words[:] = np.arange(len(words)) % 1000
    largest = max(call().max() for call in kernels["read"].calls)
    assert largest == words[: size // 8].max()
    before = words.copy()
    for call in kernels["update"].calls:
        call()
    assert (words == before).all()
    half = size // 16 // max(1, size // PIECE)
    assert kernels["dot"].calls[0]() == words[:half] @ words[half : 2 * half]
    kernels["add"].calls[0]()
    third = size // 24 // max(1, size // PIECE)
    assert (words[2 * third : 3 * third] == before[:third] + before[third : 2 * third]).all()


def test_a_small_working_set_is_copied_again_and_again() -> None:
    streams = Streams(2**14)
    words = streams._words
    words[:] = 0
    words[: len(words) // 2] = 3
    next(kernel for kernel in streams.kernels() if kernel.name == "copy").calls[0]()
    assert (words[len(words) // 2 :] == 3).mean() > 0.99
