"""What a model on a machine does under a load, as a card for people and as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr

from symroof.cli.serve_question import Question
from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.cli.verdicts import FIXED, numbers, statement
from symroof.errors import UnboundError
from symroof.reports.served import Served
from symroof.roofline.ridges import meaning
from symroof.serving.serving import Serving
from symroof.serving.step import Step
from symroof.solve import Crossover, Kind
from symroof.symbolic import adopt
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

MOST_HELPS = 3
SYMBOLS = {"compute": "t_compute", "memory": "t_mem", "network": "t_net"}
LONGEST = 400
"""Of a closed form in characters; longer ones are in the report."""


def serve_document(question: Question) -> dict[str, Any]:
    """Return the answer as plain data."""
    serving = question.serving
    document = serving.to_dict(question.batches)
    if question.unknown != serving.batch:
        answer = question.answer
        document["crossover"] = {"unknown": answer.name, "at": question.at, **answer.to_dict()}
    if question.tpot is not None:
        document["largest_batch"] = question.largest_batch
    if question.rate is not None:
        document["chips_for"] = question.chips
    return document


def serve_view(question: Question) -> tuple[str, list[Block]]:
    """Return the card: does it fit, the bound, throughput, crossovers, what would help."""
    serving = question.serving
    served = Served(serving)
    steps = [serving.at(batch) for batch in question.batches]
    verdict, shown = _verdict(question, served)
    network, sides = _network(serving, served)
    times, formulas = _times(serving, served)
    blocks: list[Block] = [
        Lines(_memory(question), strong=True),
        _table(serving, steps),
        Lines([*times, *_where(served, [*formulas, *shown, *sides])]),
        Lines([*verdict, *_limits(question), *network, *_targets(question)], strong=True),
        Lines(_helps(question)),
        Sentence(f"Not modelled: {'; '.join(serving.left_out)}.", dim=True),
        Sentence(" ".join(serving.assumptions), dim=True),
    ]
    return _title(serving), [block for block in blocks if block.filled]


def _title(serving: Serving) -> str:
    setup = serving.setup
    machine = setup.machine.title or setup.machine.name
    load = f"decoding at context {number(serving.context.expr)}"
    lengths = serving.workload
    if lengths is not None:
        load = f"{number(lengths.prefill)} prompt + {number(lengths.decode)} new tokens"
        load += f" on average ({lengths.name})" if lengths.name else ""
    return f"{setup.model.name} on {machine}, {load}, memory {serving.memory}"


# --- memory and times --------------------------------------------------------------------------


def _memory(question: Question) -> list[tuple[str, str]]:
    serving = question.serving
    rows = _fits(serving)
    beyond = [batch for batch in question.batches if serving.has_room(batch) is False]
    if beyond and serving.fits:
        sizes = ", ".join(f"{batch:,}" for batch in beyond)
        rows.append(("does not fit", f"{serving.batch} = {sizes}"))
    return rows


def _fits(serving: Serving) -> list[tuple[str, str]]:
    capacity = serving.capacity
    weights = human(capacity.weights.resolved(), 4)
    each = " per chip" if serving.chips > 1 else ""
    if serving.fits is None:
        return [("fits", f"nobody says the memory of {serving.setup.chip.name}")]
    if serving.fits and capacity.memory is not None:
        text = f"yes: weights {weights} of {human(capacity.memory.resolved(), 4)}{each}"
        most, tokens = serving.max_batch, serving.max_tokens
        if most is not None:
            text += f"; at most {most:,} sequences"
            text += "" if serving.workload is None else f", {serving.batch} = {tokens:,}"
        return [("fits", text)]
    if serving.shortfall is None:
        return []
    text = f"no: {human(serving.shortfall.resolved(), 4)}{each} too much"
    if serving.fewest_chips is not None:
        text += f"; it takes {serving.fewest_chips} chips or more"
    return [("fits", text)]


def _table(serving: Serving, steps: list[Step]) -> Grid:
    per_gpu = serving.chips > 1
    header = [serving.batch, "compute", "memory"]
    header += ["network"] if per_gpu else []
    header += ["bound", "TPOT", "tokens/s"] + (["per chip"] if per_gpu else [])
    header += ["per user", "MFU", "MBU"]
    priced = any(step.cost_per_million_tokens is not None for step in steps)
    header += ["USD/M new"] if priced else []
    rows = []
    for step in steps:
        terms = {name: human(term.resolved(), 3) for name, term in step.terms.items()}
        row = [f"{int(str(step.batch)):,}", terms["compute"], terms["memory"]]
        row += [terms["network"]] if per_gpu else []
        row += [str(step.bound), human(step.tpot.resolved(), 3), _rate(step.throughput)]
        row += [_rate(step.throughput_per_gpu)] if per_gpu else []
        row.append(_rate(step.tokens_per_second_per_user))
        row += [f"{100 * step.mfu:.1f} %", f"{100 * step.mbu:.1f} %"]
        if priced and step.cost_per_million_tokens is not None:
            row.append(f"{step.cost_per_million_tokens.to('USD'):.3g}")
        rows.append(row)
    words = header.index("bound")
    right = frozenset(place for place in range(len(header)) if place != words)
    optional = ["MBU", "MFU", *(["per chip"] if priced and per_gpu else [])]
    return Grid(header, rows, right, optional=tuple(map(header.index, optional)))


def _rate(rate: Quantity) -> str:
    value = rate.resolved().to("token/s")
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _times(serving: Serving, served: Served) -> tuple[list[tuple[str, str]], list[Expr]]:
    """Return the time terms as lines in the batch, or else as formulas; and those formulas."""
    rows, formulas = [], []
    for term, name in SYMBOLS.items():
        expr = serving.terms.groups[term]
        if expr == 0:
            continue
        text = serving.terms.text(term)
        if not text:
            here = serving.terms.quantities[term].expr
            formulas.append(here)
            text = served.form(here).unicode(served.labels)
        rows.append((name, text))
    return rows, formulas


def _where(served: Served, sides: Iterable[Expr]) -> list[tuple[str, str]]:
    """Return what the names in formulas stand for, with their numbers."""
    used = {symbol.name for side in sides for symbol in side.free_symbols}
    rows = []
    for name in served.names:
        if name not in used or name == served.serving.batch:
            continue
        value = served.value(name)
        said = "" if value is None else f" = {human(served.resolved(value), 5)}"
        text = served.meaning(name) or meaning(name)
        rows.append((served.labels.get(name, name), f"{text}{said}"))
    return rows


# --- answers -------------------------------------------------------------------------------------


def _verdict(question: Question, served: Served) -> tuple[list[tuple[str, str]], list[Expr]]:
    """Return when the model is compute-bound, in general and here; and the sides of formulas."""
    general, answer = served.general.crossover(question.unknown), question.answer
    label, labels = "compute-bound", served.labels
    if general.kind in FIXED:
        return [(label, str(general.kind.value))], []
    if not general.free:
        return [(label, f"if and only if {_short(general, served)}")], list(general.problem.sides)
    here = numbers(answer, labels)
    set_here = ("at", _set_here(question, served, general.name))
    if general.kind is Kind.UNSOLVED or len(str(general)) >= LONGEST:
        rows = [(label, here if answer.kind in FIXED else f"for {here}")]
        return [set_here, *rows] if question.at else rows, []
    rows = statement(general, label, labels)
    return [*rows, set_here, ("", here)], list(general.problem.sides)


def _set_here(question: Question, served: Served, unknown: str) -> str:
    """Return the lengths, and the batch where something else is solved for."""
    known = {**served.known, **{name: adopt(size) for name, size in question.at.items()}}
    names = [name for name in served.serving.asked.names if name in known and name != unknown]
    return ", ".join(f"{name} = {number(known[name])}" for name in names)


def _limits(question: Question) -> list[tuple[str, str]]:
    serving = question.serving
    if question.unknown != serving.batch:
        return []
    rows = [("context limit", str(serving.context_limit))]
    thumb = serving.rule_of_thumb
    if thumb is not None and thumb.batch is not None:
        batch = number(adopt(str(round(thumb.batch, 1))))
        rows.append(("rule of thumb", f"weights alone say {serving.batch} ≥ {batch}"))
    return rows


def _network(serving: Serving, served: Served) -> tuple[list[tuple[str, str]], list[Expr]]:
    """Return from how many chips the network takes as long as compute; and the sides of it."""
    answer = serving.network_bound_from if serving.chips > 1 else None
    if answer is None:
        return [], []
    label = "network over compute"
    if serving.setup.parallel.tp != serving.chips:
        return [(label, f"{numbers(answer, served.labels)}, cut by tensors alone")], []
    return [(label, _short(answer, served))], list(answer.problem.sides)


def _short(answer: Crossover, served: Served) -> str:
    """Return an answer with numbers on one line."""
    if answer.kind in FIXED:
        return str(answer.kind.value)
    return str(answer.sentence(served.labels))


def _targets(question: Question) -> list[tuple[str, str]]:
    serving = question.serving
    rows = []
    if serving.ttft is not None:
        prompt = serving.asked.prompt
        taken = human(serving.ttft.resolved(), 3)
        length = "" if prompt is None else f" of {number(prompt)} tokens"
        rows.append(("first token", f"{taken} for a prompt{length} alone"))
    if question.tpot is not None:
        most = question.largest_batch
        text = f"{serving.batch} = {most:,}" if most else "no batch"
        rows.append((f"largest within {question.tpot_text}", text))
    if question.rate is not None:
        chips = question.chips
        text = "no batch fits or is fast enough"
        if chips is not None:
            text = "1 chip" if chips == 1 else f"{chips:,} chips"
        unit = "request/s" if question.rate == 1 else "requests/s"
        rows.append((f"{number(question.rate)} {unit}", text))
    return rows


def _helps(question: Question) -> list[tuple[str, str]]:
    serving = question.serving
    if not question.batches:
        return []
    batch = question.batches[-1]
    try:
        found = serving.helps(batch)[:MOST_HELPS]
    except UnboundError:
        return []
    return [
        (f"at {serving.batch} = {batch:,}" if place == 0 else "", str(one))
        for place, one in enumerate(found)
    ]
