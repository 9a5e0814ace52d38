"""Pipelines: the schedule step by step against the closed forms."""

from __future__ import annotations

import pytest
from sympy import Rational

import symroof as sr
from symroof.errors import InputError, UnitError
from symroof.roofline.pipeline import Pipeline


def fill_and_drain(stages: int, microbatches: int) -> int:
    """Return when the last stage is done, each stage taking 1 for a microbatch."""
    free = [0] * stages
    for _ in range(microbatches):
        ready = 0
        for stage in range(stages):
            ready = free[stage] = max(free[stage], ready) + 1
    return free[-1]


def interleaved(stages: int, microbatches: int, chunks: int) -> int:
    """Return the same with chunks of layers in turn, each chunk taking 1, groups of p at once."""
    done = {}
    free = [0] * stages
    for group in range(0, microbatches, stages):
        for chunk in range(chunks):
            for batch in range(group, group + stages):
                for stage in range(stages):
                    before = (
                        done.get((batch, chunk, stage - 1))
                        if stage
                        else (done.get((batch, chunk - 1, stages - 1), 0))
                    )
                    done[batch, chunk, stage] = free[stage] = max(free[stage], before) + 1
    return max(done.values())


@pytest.mark.parametrize("stages", [1, 2, 3, 8])
@pytest.mark.parametrize("microbatches", [1, 2, 7, 32])
def test_the_schedule(stages, microbatches):
    pipe = Pipeline.of(stages, microbatches)
    steps = fill_and_drain(stages, microbatches)
    # A stage is busy one step for each microbatch.
    assert pipe.time(sr.Quantity(microbatches, "s")).value == steps
    assert pipe.bubble.value == Rational(steps - microbatches, steps)


@pytest.mark.parametrize(("stages", "microbatches", "chunks"), [(2, 4, 2), (4, 8, 3), (4, 4, 4)])
def test_chunks_in_turn(stages, microbatches, chunks):
    pipe = Pipeline.of(stages, microbatches, chunks)
    steps = interleaved(stages, microbatches, chunks)
    assert pipe.time(sr.Quantity(microbatches * chunks, "s")).value == steps


def test_what_crosses_the_borders():
    activations = sr.Quantity("2*B*D", "byte")
    assert str(Pipeline.of(4, "m").sent(activations)) == "2*B*D byte"
    assert Pipeline.of(1, "m").sent(activations).value == 0
    assert str(Pipeline.of("p", "m", 2).sent(activations).at(p=3)) == "4*B*D byte"


def test_microbatches_for_a_bubble():
    for stages in (2, 5, 16):
        for share in (Rational(1, 10), Rational(1, 3), Rational(1, 100)):
            found = int(Pipeline.of(stages, "m").microbatches_for(share).value)
            assert Pipeline.of(stages, found).bubble.value <= share
            assert found == 1 or Pipeline.of(stages, found - 1).bubble.value > share
    assert str(Pipeline.of("p", "m").microbatches_for("e").at(p=3, e="1/2")) == "2"


def test_the_border_stays_behind_compute():
    """A stage of L/p layers of D*F weights each is compute-bound whatever its batch is."""
    g = sr.Graph("stage")
    x = g.input("x", ("B", "D"), "bf16")

    def layer(h):
        return h @ g.weight("up", ("D", "F"), "bf16") @ g.weight("down", ("F", "D"), "bf16")

    g.output(g.repeat("layer", "L/p", layer, x))
    chip = sr.Chip(
        name="c",
        peak={"bf16": "400 TFLOP/s"},
        memory={"hbm": "2 TB/s"},
        link="50 GB/s",
    )
    sent = Pipeline.of("p", "m").sent(sr.Quantity("2*B*D", "byte"))
    border = sent / sr.Quantity(chip.link())
    computed = sr.analyze(g, chip).t_compute
    at = {"B": 64, "D": 1024, "F": 4096, "L": 32, "p": 4}
    # 4*B*D*F*L/p FLOPs against 2*B*D bytes: F*L/p >= C/(2*W) = 4000.
    slack = computed - border
    assert slack.at(at).value > 0
    assert slack.at({**at, "F": 480}).value < 0
    assert slack.at({**at, "F": 500}).value == 0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Pipeline.of(0, 4), InputError, "pipeline stages: the count is a whole number"),
        (lambda: Pipeline.of(4, 1.5), InputError, "pipeline microbatches"),
        (lambda: Pipeline.of(4, 4).time(3), InputError, "expected a time, not int"),
        (lambda: Pipeline.of(4, 4).time(sr.Quantity("3 GB")), UnitError, "byte"),
        (lambda: Pipeline.of(4, 4).sent(sr.Quantity("3 s")), UnitError, "byte"),
        (lambda: Pipeline.of(4, 4).microbatches_for(0), InputError, "bubble: expected a share"),
        (lambda: Pipeline.of(4, 4).microbatches_for(2), InputError, "above 0 and at most 1, not 2"),
    ],
)
def test_bad_input(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)
