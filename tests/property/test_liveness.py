"""The peak of live activations against a simulation that runs every iteration, step by step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symroof.graph import Graph, Repeat, Role, footprint
from symroof.graph.block import Block

from .random_graphs import build, instructions


def simulated_peak(graph: Graph) -> int:
    """Bytes alive at the worst step; a storage is an id, a step the set of ids it touches."""
    sizes: dict[int, int] = {}
    steps: list[set[int]] = []
    holds: dict[object, int] = {}

    def run(block: Block) -> None:
        for leaf in block.leaves.values():
            if leaf.role is not Role.ACTIVATION:
                holds[leaf] = -1
        for op in block.ops:
            if isinstance(op, Repeat):
                carried = [holds[t.storage] for t in op.inputs[: op.carries]]
                for _ in range(int(op.times)):
                    for number, held in enumerate(carried):
                        holds[op.body.tensor(f"carry_{number}")] = held
                    run(op.body)
                    carried = [holds[t.storage] for t in op.body.carried]
                for out, held in zip(op.outputs, carried, strict=True):
                    holds[out] = held
            elif not op.kind.view:
                for out in op.outputs:
                    if out.storage is out:
                        sizes[len(sizes)] = int(out.spec.bytes)
                        holds[out] = len(sizes) - 1
                steps.append({holds[t.storage] for t in (*op.inputs, *op.outputs)})

    run(graph)
    taken = {t for op in graph.ops for t in op.inputs}
    kept = {
        holds[t.storage]
        for op in graph.ops
        for t in op.outputs
        if t in graph.results or t not in taken
    }
    touched = [*steps, kept]
    peak = 0
    for now in range(len(steps)):
        before = set().union(*touched[: now + 1])
        after = set().union(*touched[now:])
        peak = max(peak, sum(sizes[held] for held in before & after if held >= 0))
    return peak


@given(instructions())
def test_the_peak_is_that_of_a_simulation(steps):
    graph = build(steps, 3)
    assert footprint(graph).activations_peak.value == simulated_peak(graph)


@given(instructions())
def test_the_closed_form_is_exact_for_counts_two_above_what_is_carried(steps):
    assert _closed(steps, n=3, L=5) == simulated_peak(build(_counted(steps, 5), 3))


@given(instructions(), st.integers(1, 4))
def test_fewer_iterations_never_need_more_than_the_closed_form(steps, count):
    assert _closed(steps, n=2, L=count) >= simulated_peak(build(_counted(steps, count), 2))


def _closed(steps, **numbers):
    """The peak of a graph of `n` rows whose repeats run `L` times, at numbers."""
    peak = footprint(build(steps, "n")).activations_peak
    return peak.at({name: n for name, n in numbers.items() if name in peak.scope.dimensions}).value


def _counted(steps, count):
    """The steps with the count of repeats that have a symbol for it."""
    return [_with_count(step, count) for step in steps]


def _with_count(step, count):
    """The step with the count of repeats that have a symbol for it."""
    if step[0] != "repeat":
        return step
    what, times, carries, steps, picked = step
    return (what, count if times == 1 else times, carries, _counted(steps, count), picked)
