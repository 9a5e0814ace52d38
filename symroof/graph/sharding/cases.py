"""The words of a plan: which case an axis is in, and what else could be done."""

from __future__ import annotations

from collections.abc import Sequence

from symroof.graph.indices import Indices
from symroof.graph.sharding.choose import Choice, Problem, Without
from symroof.graph.sharding.moves import Means, Move
from symroof.graph.sharding.plan import VERBS, Sent
from symroof.symbolic.exact import shown

MOST_TEXT = 160


def case_of(
    axis: str, problem: Problem, choice: Choice, names: Sequence[str], sent: Sequence[Sent]
) -> str:
    """Return which case an axis is in an op, and what is done about it, as one line."""
    place = dict(choice.placing).get(axis, Without.COPIES)
    done = [str(one) for one in sent if one.move.axis == axis]
    pending = axis in choice.results[0].unreduced and not any(
        one.move.axis == axis and one.move.means in (Means.ALL_REDUCE, Means.REDUCE_SCATTER)
        for one in sent[len(sent) - len(choice.finish.moves) :]
    )
    if pending:
        done.append("each chip is left with a partial sum")
    said = _stands(axis, problem, choice, names)
    if place is Without.COPIES:
        done.append("every chip along it does the same")
    elif not done:
        done.append("nothing is sent")
    return f"{axis}: {said}; {'; '.join(done)}"


def described(choice: Choice, names: Sequence[str], unit: str) -> str:
    """Return a choice that was not made, by what it moves and how long that takes."""
    parts = []
    for fetch, name in zip(choice.fetches, names, strict=True):
        parts += [f"{_verb(move)} of {name}" for move in fetch.route.moves]
    parts += [f"{_verb(move)} of the result" for move in choice.finish.moves]
    told = list(dict.fromkeys(parts))
    return f"{', '.join(told) or 'nothing'}: {shown(choice.time, MOST_TEXT)} {unit}"


def _verb(move: Move) -> str:
    if move.means is Means.TAKE_SHARD:
        return f"own shard over {move.axis}"
    return f"{VERBS[move.means]} over {move.axis}"


def _stands(axis: str, problem: Problem, choice: Choice, names: Sequence[str]) -> str:
    indices, place = problem.indices, dict(choice.placing).get(axis, Without.COPIES)
    found: list[tuple[str, str | None, str]] = []
    partial: list[str] = []
    for row, operand, fetch, name in zip(
        indices.inputs, problem.operands, choice.fetches, names, strict=True
    ):
        layout = operand.layouts[fetch.source]
        where = layout.place(axis)
        if where is not None:
            dim = shown(operand.spec.shape[where[0]])
            found.append((f"{dim} of {name}", row[where[0]], dim))
        if axis in layout.unreduced and name not in partial:
            partial.append(name)
    if place is Without.PARTIAL:
        return f"{' and '.join(partial)}: partial sums pass through"
    told = [f"{name} is a partial sum" for name in partial]
    kinds = list(dict.fromkeys(index for _, index, _ in found))
    if len(kinds) == 1:
        told.append(_alike(kinds[0], [who for who, _, _ in found], problem))
    elif kinds:
        all_of = " and ".join(f"{_kind(index, indices)} {who}" for who, index, _ in found)
        clash = all(_kind(index, indices) == "kept" for index in kinds)
        told.append(f"{all_of} lie on one axis" + (", which cannot stay so" if clash else ""))
    if not told:
        wanted = problem.wanted or problem.kept
        at = None if wanted is None else wanted.place(axis)
        dim = "" if at is None else f" on {shown(problem.results[0].shape[at[0]])}"
        told.append(f"the result is wanted{dim}")
    return ", ".join(dict.fromkeys(told))


def _alike(index: str | None, who: list[str], problem: Problem) -> str:
    indices = problem.indices
    having = sum(index in row for row in indices.inputs)
    kind = _kind(index, indices)
    listed = " and ".join(dict.fromkeys(who))
    if kind == "whole":
        return f"{listed} has to be whole"
    if kind == "summed":
        alike = len(who) == having
        return f"summed {listed}" + (", sharded alike" if alike and having > 1 else " only") * (
            having > 1
        )
    return f"kept {listed}"


def _kind(index: str | None, indices: Indices) -> str:
    if index is None or index in indices.whole:
        return "whole"
    return "summed" if index in indices.summed else "kept"
