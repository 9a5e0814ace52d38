"""The answer first: the crossover with its condition, the verdict, the ceiling that binds."""

from __future__ import annotations

from symroof.errors import UnboundError
from symroof.reports.document import Block, Note, Run, Section, Text, Tone
from symroof.reports.sections.ceilings import ceiling_runs
from symroof.reports.sections.crossover import number_runs
from symroof.reports.sections.verdict import verdict_runs
from symroof.reports.sections.wording import statement_runs
from symroof.reports.subject import Subject


def answer(subject: Subject) -> Section:
    """Return the section that says in a few lines what the report finds."""
    blocks: list[Block] = []
    asked = subject.asked
    if asked is not None:
        runs: list[Run] = [*_capital(statement_runs(asked.general, asked.term)), Text(".")]
        numbers = number_runs(subject, "answer")
        if numbers:
            runs.extend((Text(" "), *numbers))
        blocks.append(Note(Tone.ANSWER, tuple(runs)))
    try:
        subject.bound.largest_terms()
    except UnboundError as error:
        names = ", ".join(error.names)
        if asked is None:
            blocks.append(Note(Tone.ANSWER, (Text(f"What bounds it depends on {names}."),)))
    else:
        blocks.append(Note(Tone.ANSWER, verdict_runs(subject, "answer")))
    lifted = ceiling_runs(subject, "answer")
    if lifted:
        blocks.append(Note(Tone.ANSWER, lifted))
    return Section("answer", "Answer", tuple(blocks))


def _capital(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    first = runs[0]
    if isinstance(first, Text):
        return (Text(first.text[:1].upper() + first.text[1:], first.face), *runs[1:])
    return runs
