"""The crossover: cases and conditions, the threshold, the integer answer, the rule of thumb."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, Integer, Rational, ceiling, floor

from symroof.errors import SymroofError
from symroof.reports.document import (
    Block,
    Claim,
    Column,
    Derivation,
    Equation,
    Math,
    Note,
    Paragraph,
    Run,
    Runs,
    Section,
    Step,
    Table,
    Text,
    Tone,
)
from symroof.reports.plots.times import times as times_plot
from symroof.reports.sections.times import figure
from symroof.reports.sections.wording import condition_runs, region_runs, statement_runs, words
from symroof.reports.subject import Asked, Subject, exact_text
from symroof.solve import Condition, Crossover, Kind
from symroof.symbolic import bind, parse, to_text
from symroof.symbolic.forms import Comparison, Name, Relation
from symroof.symbolic.numerals import number
from symroof.symbolic.readable import readable
from symroof.units import DIMENSIONLESS, Quantity, human, unit_text
from symroof.units.compare import same

SIGNS = {">=": "≥", ">": ">", "<=": "≤", "<": "<"}
TRIED = (1, 2**10, 2**20)
MOST_ENDS = 4
MOST_TIMES = 10
THRESHOLD = "crossover.threshold"
UPPER = "crossover.upper"


def crossover(subject: Subject) -> Section | None:
    """Return the section on the crossover; None where none was asked."""
    asked = subject.asked
    if asked is None:
        return None
    blocks: list[Block] = [
        Paragraph(
            (
                Text("For which "),
                Math(Name(asked.name)),
                Text(f" is the {asked.term} time at least every other time term? "),
                *_capital(statement_runs(asked.general, asked.term)),
                Text("."),
            )
        )
    ]
    blocks.extend(_cases(subject, asked))
    blocks.extend(_harmonic(asked.general))
    blocks.extend(_threshold(subject, asked))
    blocks.extend(_numbers(subject))
    blocks.extend(_checked(subject, asked))
    blocks.extend(_thumb(subject, asked))
    if not asked.name.startswith("ridge."):
        caption = f"Time terms against {subject.labels.get(asked.name, asked.name)}"
        blocks.extend(figure(lambda: times_plot(asked.bound, asked.name), caption))
    title = f"Crossover in {asked.name}"
    return Section("crossover", title, tuple(blocks))


def number_runs(subject: Subject, key: str) -> Runs:
    """Return the numbers of the answer as a sentence; nothing while names are free."""
    asked = subject.asked
    if asked is None or asked.answer.free:
        return ()
    answer = asked.answer
    at = ", ".join(f"{name} = {value}" for name, value in asked.bound.bindings.items())
    head = f"At {at}: " if at else "Here: "
    if answer.kind in (Kind.ALWAYS, Kind.NEVER):
        return words(f"{head}{answer.kind.value}.")
    runs: list[Run] = [Text(head)]
    threshold = _threshold_claim(subject, asked, f"{key}.threshold")
    one_end = answer.kind is Kind.AT and threshold is not None
    if one_end and threshold is not None:
        sign = SIGNS.get(answer.relation or "", "≥")
        runs.extend((Math(Name(asked.name)), Text(f" {sign} "), threshold))
        if answer.problem.integer:
            runs.append(Text(", so "))
    if answer.problem.integer:
        runs.extend(_whole(subject, asked, key))
    elif not one_end:
        runs.append(Text(str(answer.sentence(subject.labels))))
    return (*runs, Text("."))


def unit_of(answer: Crossover) -> str:
    """Return the base unit of the unknown."""
    return unit_text(answer.problem.dimensions.get(answer.name, DIMENSIONLESS))


def _cases(subject: Subject, asked: Asked) -> list[Block]:
    """Return all cases; with numbers also which of them applies."""
    general = asked.general
    if len(general.cases) < 2:
        return []
    bound = not asked.answer.free
    rows = []
    for place, case in enumerate(general.cases, 1):
        row: list[Runs] = [
            condition_runs(case.condition, general),
            region_runs(case.region, general),
        ]
        if bound:
            row.append(_applies(subject, asked, case.condition, f"case.{place}"))
        rows.append(tuple(row))
    columns = (Column("if"), Column("then for"), *((Column("here"),) if bound else ()))
    return [Table(columns, tuple(rows), "All cases; one of them applies")]


def _applies(subject: Subject, asked: Asked, condition: Condition, key: str) -> Runs:
    """Return whether a condition holds at the numbers, each of its comparisons as a claim."""
    runs: list[Run] = []
    holds = True
    for place, form in enumerate(condition.forms(asked.general.leads, asked.general.order), 1):
        left, right = form.left.plain(), form.right.plain()
        truth = _compares(subject, left, form.relation, right)
        if truth is None:
            return words("–")
        holds = holds and truth
        expr = f"{left} {form.relation.value} {right}"
        runs.append(Claim(f"{key}.{place}", expr, "true" if truth else "false", "", ""))
    return (Text("applies" if holds else "does not"), *runs)


def _compares(subject: Subject, left: str, relation: Relation, right: str) -> bool | None:
    sides = [bind(parse(side), subject.numbers) for side in (left, right)]
    if any(side.free_symbols for side in sides):
        return None
    gap = sides[0] - sides[1]
    if same(*sides):
        return relation in (Relation.AT_LEAST, Relation.AT_MOST, Relation.EQUAL)
    above = bool(gap.is_positive)
    if relation in (Relation.EQUAL, Relation.UNEQUAL):
        return relation is Relation.UNEQUAL
    return above is (relation in (Relation.AT_LEAST, Relation.GREATER))


def _harmonic(general: Crossover) -> list[Block]:
    found = general.harmonic
    if found is None or general.kind is Kind.UNSOLVED:
        return []
    blocks: list[Block] = [
        Paragraph(words("Read as a sum of reciprocals:")),
        Equation(found.reading),
    ]
    if found.solvable is not None:
        some = (Text("Some "), Math(Name(general.name)), Text(" satisfies it if and only if "))
        blocks.append(Paragraph((*some, Math(found.solvable), Text("."))))
    return blocks


def _threshold_claim(subject: Subject, asked: Asked, key: str) -> Claim | None:
    """Return the claim of the threshold from its closed form; None where there is none."""
    if not has_threshold(subject, asked):
        return None
    threshold = Quantity.of(asked.general.threshold, unit_of(asked.answer))
    return subject.claim(key, threshold, by=THRESHOLD, digits=6)


def has_threshold(subject: Subject, asked: Asked) -> bool:
    """Return whether the closed form gives the end that the numbers have."""
    general, answer = asked.general, asked.answer
    if answer.free or general.threshold is None or answer.threshold_bound is None:
        return False
    if not _is_closed(general.threshold):
        return False
    return same(bind(general.threshold, subject.numbers), answer.threshold_bound)


def _is_closed(expr: Expr) -> bool:
    """Return whether an end has a closed form: some are numbers between proven bounds."""
    try:
        to_text(expr)
    except SymroofError:
        return False
    return True


def _threshold(subject: Subject, asked: Asked) -> list[Block]:
    general = asked.general
    if general.region is None or general.threshold is None:
        return []
    unit = unit_of(general)
    blocks: list[Block] = []
    ends = (
        (THRESHOLD, "threshold", "*", general.threshold),
        (UPPER, "upper end", "**", general.threshold_upper),
    )
    for key, what, mark, expr in ends:
        if expr is None or not _is_closed(expr):
            continue
        steps = [Step("closed form", readable(expr, general.leads, general.order))]
        value = None
        if has_threshold(subject, asked):
            value = subject.claim(key, Quantity.of(expr, unit), digits=6)
        if value is not None and expr.free_symbols:
            steps.append(Step("with numbers", subject.with_numbers(steps[0].form)))
        left = Name(f"{general.name}{mark}")
        blocks.append(Derivation(f"{what} of {general.name}", left, tuple(steps), unit, value))
    return blocks


def _numbers(subject: Subject) -> list[Block]:
    runs = number_runs(subject, "found")
    return [Paragraph(runs)] if runs else []


def _whole(subject: Subject, asked: Asked, key: str) -> list[Run]:
    """Return the whole numbers in the set in words, each end with its claim."""
    answer = asked.answer
    runs, total = answer.intervals or (), answer.intervals_total
    if not runs:
        return [Text("for no whole number "), Math(Name(asked.name))]
    found: list[Run] = []
    for place, (low, high) in enumerate(runs[:8]):
        if place:
            found.append(Text(", "))
        first = _end_claim(subject, asked, f"{key}.from{_nth(place)}", low, lower=True)
        last = (
            None
            if high is None
            else _end_claim(subject, asked, f"{key}.to{_nth(place)}", high, lower=False)
        )
        if last is None and low == 1:
            found.extend((Text("for every "), Math(Name(asked.name)), Text(" from "), first))
        elif last is None:
            found.extend((Text("from "), Math(Name(asked.name)), Text(" = "), first, Text(" on")))
        elif low == high:
            found.extend((Text("for "), Math(Name(asked.name)), Text(" = "), first))
        elif low == 1 and place == 0:
            found.extend((Text("up to "), Math(Name(asked.name)), Text(" = "), last))
        else:
            found.extend((Text("from "), first, Text(" to "), last))
    if total is not None and total > 8:
        found.append(Text(", and so on"))
    return found


def _nth(place: int) -> str:
    return "" if place == 0 else f".{place + 1}"


def _end_claim(subject: Subject, asked: Asked, key: str, end: int, *, lower: bool) -> Claim:
    """Return the claim of a whole number: the threshold rounded, where it has a closed form."""
    general = asked.general
    if has_threshold(subject, asked):
        for name, expr in ((THRESHOLD, general.threshold), (UPPER, general.threshold_upper)):
            if expr is None:
                continue
            value = bind(expr, subject.numbers)
            up, down = int(ceiling(value)), int(floor(value))
            ways = (
                ((f"ceil({name})", up), (f"floor({name}) + 1", down + 1))
                if lower
                else ((f"floor({name})", down), (f"ceil({name}) - 1", up - 1))
            )
            for stated, number_of in ways:
                if number_of == end:
                    return Claim(key, stated, str(end), "", number(end))
    return Claim(key, str(end), str(end), "", number(end))


def _checked(subject: Subject, asked: Asked) -> list[Block]:
    """Return a table that puts values around the ends in, for a reader to check by hand."""
    answer = asked.answer
    if answer.free or answer.kind is Kind.UNSOLVED:
        return []
    name = asked.name
    if name.startswith("ridge."):
        return []
    values = _tried(answer)
    terms = {n: t for n, t in subject.general.groups.items() if t.expr != 0}
    if not values or asked.term not in terms or len(terms) < 2:
        return []
    unit = unit_of(answer)
    rows = []
    for place, value in enumerate(values):
        at = {name: value}
        shown = human(Quantity.of(value, unit), 5) if unit else number(value)
        cells: list[Runs] = [words(shown)]
        sides = {}
        for other, term in terms.items():
            claim = subject.claim(
                f"check.{place + 1}.{other}", term, by=f"time.{other}", at=at, digits=5
            )
            if claim is None:
                return []
            cells.append((claim,))
            sides[other] = bind(term.expr, {**subject.numbers, **at})
        holds = all(
            _at_least(sides[asked.term], side)
            for other, side in sides.items()
            if other != asked.term
        )
        verdict: list[Run] = [Text(f"{asked.term}-bound" if holds else f"not {asked.term}-bound")]
        for other in sides:
            if other != asked.term:
                verdict.append(_comparison(subject, asked, f"check.{place + 1}", other, terms, at))
        cells.append(tuple(verdict))
        rows.append(tuple(cells))
    columns = (
        Column(subject.labels.get(name, name), right=True),
        *(Column(f"t_{other}", right=True) for other in terms),
        Column("so it is"),
    )
    return [Table(columns, tuple(rows), "Checked by substitution, exactly")]


def _comparison(
    subject: Subject,
    asked: Asked,
    key: str,
    other: str,
    terms: Mapping[str, Quantity],
    at: Mapping[str, Expr],
) -> Claim:
    left, right = terms[asked.term].expr, terms[other].expr
    numbers = {**subject.numbers, **at}
    truth = _at_least(bind(left, numbers), bind(right, numbers))
    expr = f"time.{asked.term} >= time.{other}"
    here = {name: to_text(value) for name, value in at.items()}
    return Claim(f"{key}.{asked.term}-{other}", expr, "true" if truth else "false", "", "", here)


def _at_least(left: Expr, right: Expr) -> bool:
    return same(left, right) or bool((left - right).is_positive)


def _tried(answer: Crossover) -> list[Expr]:
    """Return values to put in: around each end, or a few where there is no end."""
    if answer.problem.integer:
        ends = [
            end for run in (answer.intervals or ())[:MOST_ENDS] for end in run if end is not None
        ]
        if answer.kind in (Kind.ALWAYS, Kind.NEVER) or not ends or ends == [1]:
            return [Integer(value) for value in TRIED]
        found: set[int] = set()
        for low, high in (answer.intervals or ())[:MOST_ENDS]:
            found |= {low, low - 1} if low > 1 else {1}
            found |= set() if high is None else {high, high + 1}
        return [Integer(value) for value in sorted(found) if value > 0]
    bound = answer.threshold_bound
    if bound is None or not bound.is_Rational:
        return []
    return [bound * Rational(99, 100), bound, bound * Rational(101, 100)]


def _thumb(subject: Subject, asked: Asked) -> list[Block]:
    thumb = asked.bound.rule_of_thumb(asked.answer, asked.term)
    if thumb is None:
        return []
    name = Math(Name(asked.name))
    runs: list[Run] = [
        Text("The rule of thumb "),
        Math(Comparison(Name(asked.name), Relation.AT_LEAST, subject.form(thumb.expr))),
    ]
    rule = subject.claim("thumb.value", Quantity.of(thumb.expr, ""), digits=6)
    if thumb.integer is None or rule is None:
        runs.append(Text(" is the limit of the threshold for large dims."))
        return [Paragraph(tuple(runs))]
    text = subject.text(thumb.expr)
    says = Claim("thumb.integer", f"ceil({text})", str(thumb.integer), "", number(thumb.integer))
    runs.extend((Text(" = "), rule, Text(" says "), says))
    if not thumb.applies:
        runs.extend(
            (Text(" and does not apply: no "), name, Text(f" makes this {asked.term}-bound."))
        )
        return [Note(Tone.CAUTION, tuple(runs))]
    first = None if asked.answer.free else asked.answer.first
    if thumb.error is None or first is None:
        return [Paragraph((*runs, Text(".")))]
    if thumb.error == 0:
        return [Paragraph((*runs, Text(", which is right here.")))]
    size = abs(thumb.error)
    sides = (f"{first}", f"ceil({text})")
    expr = " - ".join(sides if thumb.error > 0 else reversed(sides))
    error = Claim("thumb.error", expr, str(size), "", number(size))
    side = "few" if thumb.error > 0 else "many"
    if size > MOST_TIMES * first:
        return [Note(Tone.CAUTION, (*runs, Text(": "), error, Text(f" too {side}.")))]
    relative = Rational(size, first)
    percent = Claim(
        "thumb.relative",
        f"({expr})/{first}",
        exact_text(relative),
        "",
        f"{number(relative * 100, 3)} %",
    )
    runs.extend((Text(": "), error, Text(f" too {side}, an error of "), percent, Text(".")))
    return [Note(Tone.CAUTION, tuple(runs))]


def _capital(runs: Iterable[Run]) -> Runs:
    first, *rest = runs
    assert isinstance(first, Text)
    return (Text(first.text[:1].upper() + first.text[1:], first.face), *rest)
