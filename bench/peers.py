"""What sympy answers to the same questions, and whether that is right."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Eq, Expr, Rational, log, solve
from sympy.core.relational import Relational

import symroof.solve as own
from bench.timing import OverTimeError, forget, seconds, time_limit
from symroof.solve import Problem
from symroof.symbolic import log2

LIMIT = 10.0
SAMPLES = 4


@dataclass(frozen=True)
class Peer:
    """How sympy is asked, what it said at the first go, and how long that took.

    Attributes
    ----------
    ask : callable
        Asks again.
    first : float
        Seconds of the first call; the limit where it did not end.
    ended : bool
        Whether it answered within the limit.
    fault : str
        What is wrong with the answer; empty where nothing is.
    """

    ask: Callable[[], object]
    first: float
    ended: bool
    fault: str


def equation(problem: Problem, limit: float = LIMIT) -> Peer:
    """Ask for the roots of left = right, for each right side in turn."""
    left, *rights = (plain(side) for side in problem.sides)
    unknown = problem.unknown
    return _asked(
        lambda: [solve(Eq(left, right), unknown) for right in rights],
        lambda answer: fault_of_roots(problem, answer),
        limit,
    )


def inequality(problem: Problem, limit: float = LIMIT) -> Peer:
    """Ask where left ≥ every right."""
    left, *rights = (plain(side) for side in problem.sides)

    def ask() -> Any:
        relations = [left >= right for right in rights]
        return solve(relations[0] if len(relations) == 1 else relations, problem.unknown)

    return _asked(
        ask,
        lambda answer: fault_of_set(problem, answer),
        limit,
    )


def plain(side: Expr) -> Expr:
    """Return an expression in sympy's own functions."""
    return side.replace(log2, lambda x: log(x) / log(2))


def _asked(ask: Callable[[], Any], check: Callable[[Any], str], limit: float) -> Peer:
    kept: list[Any] = []
    forget()
    try:
        with time_limit(limit):
            taken = seconds(lambda: kept.append(ask()))
    except OverTimeError:
        return Peer(ask, limit, False, f"no answer in {limit:g} s")
    except Exception as error:
        fault = f"{type(error).__name__}: {' '.join(str(error).split())[:40]}…"
        return Peer(_silenced(ask), seconds(_silenced(ask), cold=True), True, fault)
    try:
        with time_limit(limit):
            fault = check(kept[0])
    except OverTimeError:
        fault = "answer could not be checked"
    return Peer(ask, taken, True, fault)


def _silenced(ask: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        try:
            ask()
        except Exception:
            return

    return run


def fault_of_roots(problem: Problem, answer: list[Any]) -> str:
    """Compare roots with the ends of the true set at a few bindings."""
    roots = [root for found in answer for root in found]
    compared = 0
    for numbers in _bindings(problem):
        bound, values = problem.bound(numbers)
        known = {**values, **problem.known}
        region = own.solve(bound).real
        if region is None:
            continue
        ends = [end for run in region.intervals for end in (run.lower, run.upper) if end]
        given = [_at(root, known) for root in roots]
        for end in ends:
            compared += 1
            if not any(root is not None and _close(root, end) for root in given):
                return "no root" if not roots else f"misses the root {str(end)[:24]}"
    return "" if compared or roots else "no root, true: never"


def _bindings(problem: Problem) -> list[dict[str, int]]:
    """Return a few bindings of what is free, the same every time."""
    draw = random.Random(20)
    return [{name: 2 ** draw.randint(6, 14) for name in problem.free} for _ in range(SAMPLES)]


def _at(root: Any, known: dict[str, Expr]) -> float | None:
    try:
        value = complex(root.xreplace({s: known[s.name] for s in root.free_symbols}))
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    return value.real if abs(value.imag) <= 1e-9 * abs(value) else None


def _close(one: float, other: Expr) -> bool:
    return abs(one - float(other)) <= 1e-6 * abs(float(other))


def fault_of_set(problem: Problem, answer: Any) -> str:
    """Compare a set with the sides themselves at points around its true ends."""
    exact = own.solve(problem)
    ends = [end for run in (exact.intervals or ()) for end in run if end is not None]
    if exact.threshold_value is not None and not ends:
        ends = [round(exact.threshold_value)]
    points = {Rational(p) for end in ends for p in (end - 1, end, end + 1)} | {Rational(3, 2)}
    for point in sorted(p for p in points if p > 0):
        at = {problem.unknown: point}
        left, *rights = (side.xreplace(at) for side in problem.sides)
        true = all(bool(left >= right) for right in rights)
        try:
            said = _truth(answer, problem.unknown, point)
        except TypeError:
            return f"not decidable: {str(answer)[:50]}"
        if said is not true:
            return f"wrong at {problem.unknown} = {point}"
    return ""


def _truth(answer: Any, unknown: Expr, point: Expr) -> bool:
    if isinstance(answer, list):  # an empty one is what it says where nothing fits
        return bool(answer) and all(_truth(part, unknown, point) for part in answer)
    if isinstance(answer, bool):
        return answer
    said = answer.subs(unknown, point)
    if isinstance(said, Relational):
        raise TypeError(str(said))
    return bool(said)
