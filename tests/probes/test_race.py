"""Threads that run kernels together, on a clock of one's own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.probes.race import Kernel, Timed, Worker, batch_size, fastest, race, timed


class Ticking:
    """A clock that moves when kernels run."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def kernel(self, takes: Sequence[float], amount: int = 100) -> Kernel:
        """Return a kernel whose calls take these times in turn."""

        def call(seconds: float) -> object:
            def run() -> None:
                self.now += seconds

            return run

        return Kernel("made up", [call(seconds) for seconds in takes], amount)  # type: ignore[list-item]


def test_a_batch_takes_long_enough() -> None:
    clock = Ticking()
    assert batch_size(clock.kernel([1e-6]), clock) == 256  # 128 calls take 0.128 ms
    assert batch_size(clock.kernel([1.0]), clock) == 1


def test_batches_go_through_the_parts_in_turn() -> None:
    clock = Ticking()
    found = timed(clock.kernel([1.0, 2.0, 3.0]), 2, 10.0, clock)
    assert [end - begin for begin, end in found.spans] == [3.0, 4.0, 5.0]
    assert found.best == 1.5


def test_the_rate_is_that_of_the_fastest_stretch() -> None:
    clock = Ticking()
    kernel = clock.kernel([4.0, 1.0, 1.0, 4.0], amount=100)
    found = race(lambda _: [kernel], [Worker()], 20.0, clock=clock)
    assert found == {"made up": pytest.approx(100.0)}


def test_each_worker_makes_its_own_kernels() -> None:
    made = []

    def make(number: int) -> list[Kernel]:
        made.append(number)
        return [Kernel("list", [list], 1), Kernel("dict", [dict], 1)]

    found = race(make, [Worker(), Worker(), Worker()], 0.001)
    assert sorted(made) == [0, 1, 2]
    assert list(found) == ["list", "dict"]
    assert all(rate > 0 for rate in found.values())


def test_a_failure_of_one_worker_ends_all() -> None:
    def make(number: int) -> list[Kernel]:
        if number == 1:
            raise MemoryError("no room")
        return [Kernel("list", [list], 1)]

    with pytest.raises(MemoryError, match="no room"):
        race(make, [Worker(), Worker()], 0.001)


def test_threads_that_never_met() -> None:
    first, second = Timed([(0.0, 1.0)], 2, 50), Timed([(2.0, 4.0)], 2, 50)
    assert fastest([first, second]) == 100.0


spans = st.lists(st.tuples(st.floats(0, 0.5), st.floats(0.01, 2)), min_size=3, max_size=12).map(
    lambda pairs: laid_out(pairs)
)


def laid_out(pairs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    now, found = 0.0, []
    for gap, length in pairs:
        found.append((now + gap, now + gap + length))
        now += gap + length
    return found


@given(st.lists(spans, min_size=1, max_size=3))
def test_no_rate_is_above_the_best_batches_together(runs: list[list[tuple[float, float]]]) -> None:
    found = fastest([Timed(each, 3, 7) for each in runs])
    best = sum(21 / min(end - begin for begin, end in each) for each in runs)
    assert 0 < found <= best * (1 + 1e-9)


@given(spans)
def test_a_single_run_is_never_slower_than_its_average(each: list[tuple[float, float]]) -> None:
    done = 21 * len(each)
    average = done / (each[-1][1] - each[0][0])
    steady = [(i * 1.0, i + 1.0) for i in range(len(each))]
    assert fastest([Timed(steady, 3, 7)]) == pytest.approx(21.0)
    assert fastest([Timed(each, 3, 7)], least=1e9) == pytest.approx(average)
