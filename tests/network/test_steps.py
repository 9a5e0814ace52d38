"""The simulation refuses schedules that are wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from symroof.errors import InputError
from symroof.network import Collective, FullyConnected, Line, Ring, Switch, Torus, Tree
from symroof.network.patterns import schedule
from symroof.network.steps import (
    SWITCH,
    Move,
    Schedule,
    chip_at,
    grid_of,
    neighbour,
    place_of,
    simulate,
)

WHOLE = {(0,): Fraction(1)}


def test_a_ring_of_three_by_hand() -> None:
    moved = simulate(schedule("all_gather", Ring(3)))
    third = Fraction(1, 3)
    assert moved.sent == moved.received == (2 * third,) * 3
    assert (moved.busiest, moved.steps) == (third, 1)


def test_a_missing_step_is_seen() -> None:
    made = schedule("all_gather", Ring(5), "ring")
    with pytest.raises(InputError, match="does not end with"):
        simulate(replace(made, moves=made.moves[:-1]))


def test_a_step_too_early_is_seen() -> None:
    made = schedule("all_gather", Ring(5), "ring")
    last = replace(made.moves[-1], step=0)
    with pytest.raises(InputError, match="has no"):
        simulate(replace(made, moves=(*made.moves[:-1], last)))


def test_adding_twice_is_seen() -> None:
    made = schedule("reduce_scatter", Switch(4), "direct")
    again = replace(made.moves[0], step=1)
    with pytest.raises(InputError, match="twice"):
        simulate(replace(made, moves=(*made.moves, again)))
    with pytest.raises(InputError, match="twice"):
        simulate(
            Schedule(
                Collective.ALL_REDUCE, Switch(2), WHOLE, (Move(0, (0, 0), (1,), SWITCH, (0,)),)
            )
        )


def test_sending_for_nothing_is_seen() -> None:
    made = schedule("all_gather", Switch(4), "direct")
    again = replace(made.moves[0], step=1)
    with pytest.raises(InputError, match="there already"):
        simulate(replace(made, moves=(*made.moves, again)))


def test_steps_that_are_left_out_are_seen() -> None:
    made = schedule("all_gather", Switch(4), "direct")
    late = tuple(replace(move, step=move.step + 1) for move in made.moves)
    with pytest.raises(InputError, match="left out"):
        simulate(replace(made, moves=late))


@pytest.mark.parametrize(
    ("topology", "port"),
    [
        (Ring(4), (0, 1)),
        (Line(4), (0, -1)),
        (Torus((2, 2)), (1, 1)),
        (FullyConnected(4), ("to", 1)),
        (Tree(4), ("to", 2)),
        (Switch(4), ("to", 2)),
    ],
)
def test_links_that_are_not_there(topology, port) -> None:
    move = Move(0, (0,), (2 if topology != Tree(4) else 3,), port, (0,))
    with pytest.raises(InputError, match="no link"):
        simulate(Schedule(Collective.BROADCAST, topology, WHOLE, (move,)))


def test_only_a_switch_copies() -> None:
    move = Move(0, (0,), (1, 2), (0, 1), (0,))
    with pytest.raises(InputError, match="no link"):
        simulate(Schedule(Collective.BROADCAST, Ring(3), WHOLE, (move,)))


def test_places_and_neighbours() -> None:
    shape, wrap = grid_of(Torus((2, 3, 4), (True, False, True)))
    assert (shape, wrap) == ((2, 3, 4), (True, False, True))
    for chip in range(24):
        assert chip_at(place_of(chip, shape), shape) == chip
    torus = Torus((2, 3), (True, False))
    assert neighbour(torus, 0, (0, 1)) == neighbour(torus, 0, (0, -1)) == 3
    assert neighbour(torus, 0, (1, -1)) is None
    assert neighbour(torus, 0, (1, 1)) == 1
