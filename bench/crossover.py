"""Crossovers against `sympy.solve`, on all kinds of problems."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from bench.peers import LIMIT, Peer, equation, inequality
from bench.problems import Kind, kinds
from bench.results import Outcome, Ratio, Table, as_text, duration
from bench.timing import medians, seconds
from symroof.solve import Problem, solve

REPETITIONS = 9
ENOUGH = 1.0  # seconds; a slower question is put to sympy in fewer rounds
TARGETS = {"core": 1 / 50, "printed": 1 / 8, "bound": 1 / 10}


@dataclass(frozen=True)
class Row:
    """Times of one kind in seconds, and what is wrong with sympy's answers."""

    name: str
    core: float
    printed: float
    equation: Answered
    bound: float
    inequality: Answered
    spread: float

    def ratios(self) -> dict[str, float]:
        """Return own time over sympy's."""
        return {
            "core": self.core / self.equation.seconds,
            "printed": self.printed / self.equation.seconds,
            "bound": self.bound / self.inequality.seconds,
        }


@dataclass(frozen=True)
class Answered:
    """How long sympy took (the limit where it never answered), and what is wrong with it."""

    seconds: float
    ended: bool
    fault: str

    @property
    def text(self) -> str:
        """The time as text."""
        return f"{'' if self.ended else '> '}{duration(self.seconds)}"


def run(repetitions: int = REPETITIONS, limit: float = LIMIT) -> Outcome:
    """Time every kind."""
    return outcome([measure(kind, repetitions, limit) for kind in kinds()])


def measure(kind: Kind, repetitions: int = REPETITIONS, limit: float = LIMIT) -> Row:
    """Time one kind, symbolic and bound; all caches of formulas are emptied before each call."""
    symbolic, bound = kind.symbolic, kind.bound
    peers = {"equation": equation(symbolic, limit), "inequality": inequality(bound, limit)}
    printed(symbolic), numbers(bound)
    questions = {
        "core": lambda: core(symbolic),
        "printed": lambda: printed(symbolic),
        "equation": peers["equation"].ask,
        "bound": lambda: numbers(bound),
        "inequality": peers["inequality"].ask,
    }
    actions = {name: partial(seconds, question, cold=True) for name, question in questions.items()}
    fewer = {name: rounds(peer, repetitions) for name, peer in peers.items()}
    taken, spread = medians(actions, repetitions, fewer)
    answered = {
        name: Answered(taken.get(name, peer.first), peer.ended, peer.fault)
        for name, peer in peers.items()
    }
    return Row(
        kind.name,
        taken["core"],
        taken["printed"],
        answered["equation"],
        taken["bound"],
        answered["inequality"],
        spread,
    )


def rounds(peer: Peer, repetitions: int) -> int:
    """Return how often sympy is asked again."""
    if not peer.ended:
        return 0
    return max(1, min(repetitions, int(ENOUGH / peer.first)))


def core(problem: Problem) -> object:
    """Work out the cases and the threshold."""
    answer = solve(problem)
    return answer.cases, answer.threshold


def printed(problem: Problem) -> str:
    """Work out the answer and print it."""
    return str(solve(problem))


def numbers(problem: Problem) -> object:
    """Work out the set of real and of whole numbers, and print it."""
    answer = solve(problem)
    return answer.real, answer.integers, str(answer)


def outcome(rows: Sequence[Row]) -> Outcome:
    """Return medians and worst ratios, and the rows behind them."""
    ratios = {what: [row.ratios()[what] for row in rows] for what in TARGETS}
    slowest = {what: rows[values.index(max(values))].name for what, values in ratios.items()}
    found = [
        Ratio(
            f"{title}, median of {len(rows)} kinds",
            peer,
            statistics.median(ratios[what]),
            TARGETS[what],
        )
        for what, title, peer in (
            ("core", "symbolic crossover, cases and threshold", "sympy.solve of the equation"),
            ("printed", "symbolic crossover, printed", "sympy.solve of the equation"),
            ("bound", "bound crossover, printed", "sympy.solve of the inequality"),
        )
    ]
    found += [
        Ratio(f"{title}, slowest kind", peer, max(ratios[what]), 1.0, slowest[what])
        for what, title, peer in (
            ("printed", "symbolic crossover, printed", "sympy.solve of the equation"),
            ("bound", "bound crossover, printed", "sympy.solve of the inequality"),
        )
    ]
    spread = statistics.median(row.spread for row in rows)
    return Outcome(tuple(found), (_symbolic(rows), _bound(rows)), spread)


def _symbolic(rows: Sequence[Row]) -> Table:
    return Table(
        "Symbolic crossovers; sympy's roots come without the conditions under which they count",
        ("kind", "core", "printed", "sympy.solve", "core ÷", "printed ÷", "sympy's answer"),
        tuple(
            (
                row.name,
                duration(row.core),
                duration(row.printed),
                row.equation.text,
                as_text(row.ratios()["core"]),
                as_text(row.ratios()["printed"]),
                row.equation.fault or "ok",
            )
            for row in rows
        ),
    )


def _bound(rows: Sequence[Row]) -> Table:
    return Table(
        "Bound crossovers: intervals of real and of whole numbers, printed",
        ("kind", "own", "sympy.solve", "own ÷", "sympy's answer"),
        tuple(
            (
                row.name,
                duration(row.bound),
                row.inequality.text,
                as_text(row.ratios()["bound"]),
                row.inequality.fault or "ok",
            )
            for row in rows
        ),
    )
