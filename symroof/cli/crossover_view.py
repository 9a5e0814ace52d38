"""The answer to a crossover, as text for people."""

from __future__ import annotations

from symroof.cli.notes import assumptions, headline
from symroof.cli.question import Question
from symroof.cli.style import Style
from symroof.cli.text import Block, Lines, Sentence
from symroof.cli.verdicts import numbers, statement, unit_of
from symroof.errors import SymroofError
from symroof.roofline import RuleOfThumb
from symroof.solve import Crossover, Kind
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human


def crossover_view(
    question: Question, general: Crossover, answer: Crossover, term: str, *, explain: bool
) -> tuple[str, list[Block]]:
    """Return a title and blocks: work, time terms, the verdict, the rule of thumb, conventions.

    Parameters
    ----------
    question : Question
        What was asked.
    general, answer : Crossover
        The answer before and after names were bound.
    term : str
        The time term that is to be the largest.
    explain : bool
        Show formula → numbers → result for each line.
    """
    rates = {**general.problem.known, **question.general.rates.scope.values}
    style = Style(question, rates, general.name)
    blocks: list[Block] = [Lines(_work(question, style, general))]
    if explain:
        blocks.append(Lines([*style.steps(), *_threshold_steps(style, general, answer)]))
    blocks.append(Lines(_verdict(question, style, general, answer, term), strong=True))
    remarks = [
        _thumb_text(question.roofline.rule_of_thumb(answer, term), answer, style),
        _limit_text(question, style, answer),
    ]
    blocks.append(Sentence(" ".join(text for text in remarks if text)))
    blocks.append(Sentence(assumptions(question), dim=True))
    return headline(question), [block for block in blocks if block.filled]


def _work(question: Question, style: Style, general: Crossover) -> list[tuple[str, str]]:
    roofline = question.general
    rows = [
        ("FLOPs", style.formula(roofline.flops.expr)),
        ("bytes", f"{style.formula(roofline.bytes.expr)}   ({roofline.traffic})"),
    ]
    if roofline.link_bytes.expr != 0:
        rows.append(("link bytes", style.formula(roofline.link_bytes.expr)))
    if roofline.intensity is not None:
        rows.append(("intensity", f"{style.formula(roofline.intensity.expr)}   FLOP/byte"))
    rows.append(("ridge point", style.ridge()))
    for name, time in roofline.groups.items():
        nothing = "0   (nothing is sent)" if name == "network" else "0"
        formula = style.memory() if name == "memory" else style.formula(time.expr)
        rows.append((f"t_{name}", formula if time.expr != 0 else nothing))
        if name == "memory":
            rows.extend((label, style.formula(here.expr)) for label, here, _ in style.levels())
    sides = (*(time.expr for time in roofline.groups.values()), *general.problem.sides)
    rows.extend(style.where(sides))
    return rows


def _verdict(
    question: Question, style: Style, general: Crossover, answer: Crossover, term: str
) -> list[tuple[str, str]]:
    if general.kind is Kind.UNSOLVED and not answer.free:
        return [
            *_bindings(question),
            (f"{term}-bound", numbers(answer, style.labels)),
            *_how(answer),
            ("no closed form", _reason(general)),
        ]
    rows = _by_case(statement(general, f"{term}-bound", style.labels))
    if general.kind is Kind.UNSOLVED:
        needs = f"{', '.join(answer.free)} to have numbers"
        rows = [(f"{term}-bound", f"no closed form: {_reason(general)}; set {needs}")]
    rows.extend(_bindings(question))
    if not answer.free:
        rows.append(("", numbers(answer, style.labels)))
        rows.extend(_how(answer))
    elif question.roofline.bindings and answer.kind is not Kind.UNSOLVED:
        rows.extend(_by_case([("", str(answer.sentence(style.labels)))]))
    return rows


def _by_case(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return rows with a line for each case of a statement that has several."""
    found = []
    for label, text in rows:
        first, *others = text.split("; ")
        found.append((label, first))
        for case in others:
            word, _, rest = case.partition(" ")
            found.append((word, rest) if word == "else" else ("or", case))
    return found


def _reason(general: Crossover) -> str:
    """Return why there is no closed form."""
    reason = general.note.removeprefix("not solved: ").partition(": bind ")[0]
    return f"{general.name} is inside ⌈…⌉" if " is inside ceil(" in reason else reason


def _how(answer: Crossover) -> list[tuple[str, str]]:
    """Return how the numbers were found, where they are no closed forms."""
    return [("", answer.note)] if answer.note and answer.kind is not Kind.UNSOLVED else []


def _threshold_steps(style: Style, general: Crossover, answer: Crossover) -> list[tuple[str, str]]:
    """Return the threshold as formula → numbers put in → result, where there is one."""
    if answer.free or answer.kind is not Kind.AT or answer.threshold is None:
        return []
    known = answer.threshold_bound
    if general.threshold is None or known is None:
        return []
    steps = [style.formula(general.threshold), style.formula(answer.threshold)]
    unit = unit_of(answer)
    steps.append(human(Quantity(known, unit), 6) if unit else number(known))
    return [("threshold", "  →  ".join(dict.fromkeys(steps)))]


def _bindings(question: Question) -> list[tuple[str, str]]:
    return [
        (label, ", ".join(f"{name} = {value}" for name, value in names.items()))
        for label, names in (("at", question.numbers), ("by default", question.defaults))
        if names
    ]


def _thumb_text(thumb: RuleOfThumb | None, answer: Crossover, style: Style) -> str:
    if thumb is None:
        return ""
    rule = f"The rule of thumb {answer.name} ≥ {style.formula(thumb.expr)}"
    if not thumb.applies:
        says = " " if thumb.integer is None else f" says {number(thumb.integer)} and "
        return f"{rule}{says}does not apply: no {answer.name} makes this compute-bound."
    if thumb.integer is None:
        return f"{rule} is its limit for large dims."
    if thumb.error is None:
        return f"{rule} says {number(thumb.integer)}."
    if thumb.error == 0:
        return f"{rule} says {number(thumb.integer)}, which is right here."
    side = "few" if thumb.error > 0 else "many"
    return f"{rule} says {number(thumb.integer)}: {number(abs(thumb.error))} too {side}."


def _limit_text(question: Question, style: Style, answer: Crossover) -> str:
    general = question.general
    falling = answer.relation in ("<=", "<")
    if not answer.problem.integer or general.intensity is None or falling:
        return ""
    try:
        limit = general.limit(answer.name)
        bound = question.roofline.limit(answer.name).resolved().expr
    except SymroofError:  # not every formula has one that is known
        return ""
    text = f"As {answer.name} → ∞ the intensity tends to {style.formula(limit.expr)}"
    if limit.expr.free_symbols and not bound.free_symbols:
        text += f" = {number(bound)}"
    return f"{text} FLOP/byte." if limit.expr.is_finite is not False else f"{text}."
