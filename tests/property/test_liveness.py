"""The peak of live activations against a simulation that runs every iteration, step by step."""

from __future__ import annotations

from hypothesis import given

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
def test_the_closed_form_is_exact_at_numbers(steps):
    closed = footprint(build(steps, "n")).activations_peak
    several = [_with_count(step, 3) for step in steps]
    numbers = {
        name: value for name, value in (("n", 5), ("L", 3)) if name in closed.scope.dimensions
    }
    assert closed.at(numbers).value == simulated_peak(build(several, 5))


@given(instructions())
def test_one_iteration_never_needs_more_than_the_closed_form(steps):
    closed = footprint(build(steps, "n")).activations_peak
    numbers = {
        name: value for name, value in (("n", 2), ("L", 1)) if name in closed.scope.dimensions
    }
    assert closed.at(numbers).value >= simulated_peak(build(steps, 2))


def _with_count(step, count):
    """The step with the count of repeats that have a symbol for it."""
    if step[0] != "repeat":
        return step
    what, times, carries, steps, picked = step
    inner = [_with_count(part, count) for part in steps]
    return (what, count if times == 1 else times, carries, inner, picked)
