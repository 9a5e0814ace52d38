"""Kernels that move bytes: read, dot, copy, add, update, over a working set of a given size.

Bytes are compulsory traffic: what a kernel reads and writes by its definition. That a cache may
read a line before it is written is not counted.
"""

from __future__ import annotations

from typing import Any

from symroof.extras import need
from symroof.probes.race import Call, Kernel

WORD = 8
LINE = 64
PIECE = 2**20
"""Bytes of a working set that one call goes through, at most."""
PASSES = 4 * 2**20
"""Bytes that one call moves, where numpy can go over a small working set again and again."""


class Streams:
    """The kernels of one worker over one working set, which is made and touched here.

    Parameters
    ----------
    size : int
        Bytes of the working set.
    """

    def __init__(self, size: int) -> None:
        self._numpy = need("numpy", "measure")
        self.size = size
        self._repeats = max(1, PASSES // size) if size < PIECE else 1
        drift = 2 * self._repeats * LINE if self._repeats > 1 else 0
        self._words = self._numpy.ones((size + drift) // WORD)
        self._pieces = max(1, size // PIECE)
        self._keep = self._numpy.empty(self._repeats)

    def kernels(self) -> list[Kernel]:
        """Return the kernels.

        Examples
        --------
        >>> [kernel.name for kernel in Streams(2**16).kernels()]
        ['read', 'dot', 'copy', 'add', 'update']
        """
        return [self._read(), self._dot(), self._copy(), self._add(), self._update()]

    def _parts(self, arrays: int, length: int | None = None) -> list[list[Any]]:
        """Return for each piece as many arrays of equal length, which share the working set."""
        whole = self.size // WORD // self._pieces
        each = whole // arrays if length is None else length
        starts = [piece * whole for piece in range(self._pieces)]
        offsets = [start + array * each for start in starts for array in range(arrays)]
        found = [self._words[offset : offset + each] for offset in offsets]
        return [found[i : i + arrays] for i in range(0, len(found), arrays)]

    def _read(self) -> Kernel:
        numpy, repeats = self._numpy, self._repeats
        strided = numpy.lib.stride_tricks.as_strided
        largest = numpy.maximum.reduce

        def call(words: Any) -> Call:
            again = strided(words, (repeats, len(words)), (0, WORD))
            return lambda: largest(again, axis=1, out=self._keep)

        parts = self._parts(1)
        return Kernel("read", [call(*part) for part in parts], parts[0][0].nbytes * repeats)

    def _dot(self) -> Kernel:
        dot = self._numpy.dot

        def call(x: Any, y: Any) -> Call:
            return lambda: dot(x, y)

        parts = self._parts(2)
        return Kernel("dot", [call(*part) for part in parts], 2 * parts[0][0].nbytes)

    def _copy(self) -> Kernel:
        """Copy one half to the other; again and again, a line further on each time."""
        numpy, repeats = self._numpy, self._repeats
        strided, copy = numpy.lib.stride_tricks.as_strided, numpy.copyto
        half = self.size // WORD // self._pieces // 2

        def call(source: Any, target: Any) -> Call:
            shape, steps = (repeats, half), (LINE, WORD)
            x, y = strided(source, shape, steps), strided(target, shape, steps)
            return lambda: copy(y, x)

        room = None if repeats == 1 else half + repeats * LINE // WORD
        parts = self._parts(2, room)
        return Kernel("copy", [call(*part) for part in parts], 2 * half * WORD * repeats)

    def _add(self) -> Kernel:
        add = self._numpy.add

        def call(x: Any, y: Any, total: Any) -> Call:
            return lambda: add(x, y, out=total)

        parts = self._parts(3)
        return Kernel("add", [call(*part) for part in parts], 3 * parts[0][0].nbytes)

    def _update(self) -> Kernel:
        """Multiply in place, by one: numbers stay what they are."""
        multiply = self._numpy.multiply

        def call(x: Any) -> Call:
            return lambda: multiply(x, 1.0, out=x)

        parts = self._parts(1)
        return Kernel("update", [call(*part) for part in parts], 2 * parts[0][0].nbytes)
