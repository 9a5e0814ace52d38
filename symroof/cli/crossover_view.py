"""The answer to a crossover, as text for people."""

from __future__ import annotations

from symroof.cli.notes import assumptions, headline
from symroof.cli.question import Question
from symroof.cli.style import Style
from symroof.cli.text import Block, Lines, Sentence
from symroof.roofline import RuleOfThumb
from symroof.solve import Crossover, Kind
from symroof.symbolic import symbol, to_text
from symroof.symbolic.numerals import number
from symroof.units import human


def crossover_view(
    question: Question, general: Crossover, answer: Crossover, bound: str, *, explain: bool
) -> tuple[str, list[Block]]:
    """Return a title and blocks: work, ridge, terms, the verdict, the rule of thumb, assumptions.

    Parameters
    ----------
    question : Question
        What was asked.
    general, answer : Crossover
        The answer before and after names were bound.
    bound : str
        The term that is to be the largest.
    explain : bool
        Show the numbers put into each formula.
    """
    style = Style(question, {**question.general.rates.scope.values, **general.problem.values})
    blocks: list[Block] = [
        Lines(_work(question, style)),
        Lines(_verdict(question, style, general, answer, bound)),
    ]
    thumb = question.thumb(answer, bound)
    if thumb is not None:
        blocks.append(Sentence(_thumb_text(thumb, answer, style)))
    if explain:
        blocks.append(Lines(_steps(question, style, answer)))
    blocks.append(Sentence(assumptions(question)))
    return headline(question), blocks


def _work(question: Question, style: Style) -> list[tuple[str, str]]:
    roofline = question.general
    rows = [
        ("FLOPs", style.formula(roofline.flops.expr)),
        ("bytes", f"{style.formula(roofline.bytes.expr)}   ({roofline.traffic})"),
    ]
    if roofline.intensity is not None:
        rows.append(("intensity", f"{style.formula(roofline.intensity.expr)} FLOP/byte"))
    terms = [(name, time.expr) for name, time in roofline.groups.items()]
    rows += [
        (f"t_{name}", style.formula(time) if time != 0 else "0, nothing is sent")
        for name, time in terms
    ]
    return rows


def _verdict(
    question: Question, style: Style, general: Crossover, answer: Crossover, bound: str
) -> list[tuple[str, str]]:
    words = general.sentence(style.labels)
    rows = [(f"{bound}-bound", f"if and only if  {words.statement}")]
    if general.kind in (Kind.ALWAYS, Kind.NEVER, Kind.UNSOLVED):
        rows = [(f"{bound}-bound", words.statement)]
    if words.given:
        rows.append(("given", f"{words.given}, else {words.otherwise}"))
    reading = general.harmonic
    if reading is not None:
        rows.append(("that is", reading.reading.unicode(style.labels)))
    if not answer.free:
        bindings = ", ".join(f"{name} = {value}" for name, value in question.given.items())
        rows.append(("here", numbers(answer) + (f"   ({bindings})" if bindings else "")))
    return rows


def numbers(answer: Crossover) -> str:
    """Return the numbers of a bound answer: threshold, exact and rounded, whole numbers."""
    name = answer.name
    if answer.kind in (Kind.ALWAYS, Kind.NEVER):
        return str(answer.kind.value)
    return str(answer.sentence({}))


def _thumb_text(thumb: RuleOfThumb, answer: Crossover, style: Style) -> str:
    rule = f"{answer.name} ≥ {style.formula(thumb.expr)}"
    if not thumb.applies:
        says = "" if thumb.integer is None else f" says {thumb.integer}, but"
        return f"The rule of thumb {rule}{says or ' '} does not apply: no {answer.name} will do."
    if thumb.integer is None or thumb.error is None:
        return f"The rule of thumb is {rule}."
    if thumb.error == 0:
        return f"The rule of thumb {rule} says {thumb.integer}, which is right here."
    side = "few" if thumb.error > 0 else "many"
    return f"The rule of thumb {rule} says {thumb.integer}: {abs(thumb.error)} too {side}."


def _steps(question: Question, style: Style, answer: Crossover) -> list[tuple[str, str]]:
    return []
