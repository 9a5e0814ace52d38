"""The report of a model on a machine under a load: terms, crossovers, memory, throughput."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from symroof.errors import InputError
from symroof.reports.document import (
    Block,
    Column,
    Derivation,
    Document,
    Equation,
    Items,
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
from symroof.reports.plots.regimes import regimes
from symroof.reports.plots.throughput import throughput
from symroof.reports.sections.times import figure
from symroof.reports.sections.wording import condition_runs, region_runs, statement_runs, words
from symroof.reports.served import Served
from symroof.serving.serving import Serving
from symroof.solve import Crossover, Kind
from symroof.solve.sentences import SIGNS, run_text
from symroof.symbolic import adopt, to_text
from symroof.symbolic.forms import Name, Quotient
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

SYMBOLS = {"compute": "t_compute", "memory": "t_mem", "network": "t_net"}
NOTHING = {"compute": "nothing is computed", "memory": "nothing is moved"}
DEFINITIONS = {
    "compute": Quotient(Name("FLOPs"), Name("compute")),
    "memory": Quotient(Name("bytes"), Name("MemBW")),
    "network": Quotient(Name("sent"), Name("NetBW")),
}
MOST_HELPS = 5


def serving_document(serving: Serving, title: str = "") -> Document:
    """Return the report of a model on a machine under a load.

    Parameters
    ----------
    serving : Serving
        With numbers for its lengths.
    title : str
        Instead of the model and the machine.

    Raises
    ------
    InputError
        If its lengths, or sizes of the model, are symbols.

    Examples
    --------
    >>> import symroof as sr
    >>> document = serving_document(sr.serve("llama-3-8b", "h100-sxm", context=1024))
    >>> [section.title for section in document.sections][:3]
    ['Answer', 'Model', 'Symbols']
    """
    if serving.asked.open:
        raise InputError("a report needs lengths in numbers: a context, or prefill and decode")
    if serving.asked.unknown:
        names = ", ".join(serving.asked.unknown)
        raise InputError(f"a report needs a model in numbers; it leaves {names} open")
    subject = Served(serving)
    sections = [build(subject) for build in SECTIONS]
    setup = serving.setup
    machine = setup.machine.title or setup.machine.name
    many = f"{serving.chips} chips: " if serving.chips > 1 else ""
    return Document(
        title=title or f"{setup.model.name} on {machine}",
        subtitle=f"{many}{_load(serving)}; memory mode {serving.memory}",
        sections=tuple(section for section in sections if section is not None),
        values=subject.values,
        units=subject.units,
        labels=subject.labels,
    )


def _load(serving: Serving) -> str:
    context = to_text(serving.context.expr)
    if serving.workload is None:
        return f"decoding at a context of {context} tokens"
    p, d = serving.workload.prefill, serving.workload.decode
    return f"{to_text(p)} prompt and {to_text(d)} new tokens, mean context {context}"


# --- sections ------------------------------------------------------------------------------------


def _answer(subject: Served) -> Section:
    serving = subject.serving
    blocks: list[Block] = [Note(_tone(serving), _fits(subject))]
    general = subject.general.crossover()
    here = "Compute-bound here"
    if general.kind is not Kind.UNSOLVED:
        runs = _capital(statement_runs(general, "compute"))
        blocks.append(Note(Tone.ANSWER, (*runs, Text("."))))
        here = "Here"
    blocks.append(Note(Tone.ANSWER, words(f"{here}: {_here(serving.crossover())}.")))
    if serving.workload is None:
        blocks.append(Note(Tone.ANSWER, words(f"{_upper(str(serving.context_limit))}.")))
    network = serving.network_bound_from if serving.chips > 1 else None
    if network is not None:
        text = f"Network against compute, whatever the batch{_cut(serving)}: {_here(network)}."
        blocks.append(Note(Tone.ANSWER, words(text)))
    return Section("answer", "Answer", tuple(blocks))


def _cut(serving: Serving) -> str:
    """Return of which cut the network is compared with compute, where it is another than here."""
    return "" if serving.setup.parallel.tp == serving.chips else ", cut by tensors alone"


def _tone(serving: Serving) -> Tone:
    return Tone.CAUTION if serving.fits is False else Tone.ANSWER


def _fits(subject: Served) -> Runs:
    serving = subject.serving
    if serving.fits is None:
        return words(f"Whether it fits is not known: {serving.setup.chip.name} states no capacity.")
    if serving.fits:
        most = serving.max_batch
        more = "" if most is None else f", with at most {most:,} sequences"
        return words(f"It fits{more}.")
    runs: list[Run] = [Text("It does not fit: ")]
    if serving.shortfall is not None:
        found = subject.claim("fits.shortfall", serving.shortfall)
        runs += [found or Text(human(serving.shortfall, 4)), Text(" too much on each chip")]
    if serving.fewest_chips is not None:
        runs.append(Text(f"; the fewest chips that hold it are {serving.fewest_chips}"))
    return (*runs, Text("."))


def _model(subject: Served) -> Section:
    model = subject.serving.setup.model
    parts = model.params_by_part
    rows: list[tuple[Runs, ...]] = []
    for part, count in parts.items():
        amount = Quantity.of(adopt(count), "")
        rows.append((words(part), subject.cell(f"params.{_key(part)}", amount, {})))
    whole = subject.claim(
        "params.total",
        Quantity.of(adopt(model.params), ""),
        by=_sum(f"params.{_key(p)}" for p in parts),
    )
    rows.append((words("all"), words("–") if whole is None else (whole,)))
    active = Quantity.of(adopt(model.active_params), "")
    rows.append((words("active for a token"), subject.cell("params.active", active, {})))
    columns = (Column("part"), Column("parameters", right=True))
    blocks: list[Block] = [Table(columns, tuple(rows), "Parameters: elements of all weights")]
    config = model.config
    if config.left_out:
        blocks.append(Note(Tone.CAUTION, words(f"Not modelled: {'; '.join(config.left_out)}.")))
    if config.source:
        blocks.append(Paragraph(words(f"Source: {config.source}")))
    return Section("model", "Model", tuple(blocks))


def _times(subject: Served) -> Section:
    blocks: list[Block] = []
    for name, term in subject.terms.quantities.items():
        steps = (
            (Step(NOTHING.get(name, "nothing is sent"), subject.form(term.expr)),)
            if term.expr == 0
            else (
                Step("definition", DEFINITIONS[name]),
                Step("closed form", subject.form(term.expr)),
            )
        )
        blocks.append(Derivation(f"{name} time", Name(SYMBOLS[name]), steps, "s"))
    rows = []
    batch = subject.serving.batch
    names = [n for n, term in subject.terms.quantities.items() if term.expr != 0]
    for size in subject.batches:
        at = {batch: size}
        cells = [subject.cell(f"at.{size}.{n}", subject.terms.quantities[n], at) for n in names]
        step = subject.serving.at(size)
        rows.append(
            (
                words(f"{size:,}"),
                *cells,
                words(str(step.bound)),
                subject.cell(f"at.{size}.throughput", subject.general.throughput, at),
                subject.cell(f"at.{size}.optimal", subject.general.optimal_throughput, at),
            )
        )
    columns = (
        Column(batch, right=True),
        *(Column(SYMBOLS[name], right=True) for name in names),
        Column("bound"),
        Column("throughput", right=True),
        Column("at peak compute", right=True, optional=True),
    )
    if rows:
        blocks.append(Table(columns, tuple(rows), "One iteration, by batch"))
        chart = functools.partial(throughput, subject.serving, subject.batches)
        blocks.extend(figure(chart, "Throughput against batch"))
    return Section("time", "Time terms", tuple(blocks))


def _crossovers(subject: Served) -> Section:
    blocks: list[Block] = []
    for general, pair in zip(subject.general.pairs, subject.serving.pairs, strict=True):
        if subject.terms.groups[pair.term] == 0 or subject.terms.groups[pair.over] == 0:
            continue
        cut = _cut(subject.serving)
        cancels = f"no batch changes this{cut}; " if pair.batch_cancels else ""
        runs = (
            Text(f"{_upper(pair.term)} takes as long as {pair.over} or longer: {cancels}"),
            *_set(general.answer),
            Text(f". Here: {_here(pair.answer)}."),
        )
        blocks.append(Paragraph(runs))
    thumb = subject.serving.rule_of_thumb
    if thumb is not None:
        blocks.append(Note(Tone.NOTE, words(f"Rule of thumb: {thumb}.")))
    limit = subject.general.context_limit if subject.serving.workload is None else None
    if limit is not None and limit.expr.is_finite and limit.expr.free_symbols:
        blocks.append(
            Paragraph(
                words(f"Context limit, S beyond which no batch is compute-bound ({limit.means}):")
            )
        )
        blocks.append(Equation(subject.form(limit.expr)))
    roofline = subject.serving.setup.roofline("decode")
    spot = {"B": subject.batches[-1] if subject.batches else 1, "S": subject.serving.context.expr}
    bound_roofline = roofline.at({n: v for n, v in spot.items() if n in roofline.scope.dimensions})
    if "S" in roofline.scope.dimensions:
        blocks.extend(
            figure(lambda: regimes(bound_roofline, "B", "S"), "Decoding, over batch and context")
        )
    return Section("crossovers", "Crossovers", tuple(blocks))


def _set(answer: Crossover) -> Runs:
    if answer.kind is Kind.UNSOLVED:
        return words("there is no closed form while lengths are symbols")
    if answer.region is None or answer.condition is None:
        return statement_runs(answer, "it")[1:]
    if answer.settled is not None:
        return words(f"{answer.settled.value}, at the known rates")
    if answer.kind in (Kind.ALWAYS, Kind.NEVER):
        return words(answer.kind.value)
    runs = region_runs(answer.region, answer)
    if answer.condition.is_true:
        return runs
    return (
        *runs,
        Text(", given "),
        *condition_runs(answer.condition, answer),
        Text(", else never"),
    )


def _here(answer: Crossover) -> str:
    """Return an answer in numbers, without the closed form before them."""
    if answer.free or answer.kind is not Kind.AT or answer.threshold_bound is None:
        return str(answer)
    text = f"{answer.name} {SIGNS[answer.relation or '>=']} {number(answer.threshold_bound)}"
    runs = [run_text(answer.name, run) for run in answer.intervals or ()]
    whole = " or ".join(runs) or "no whole number"
    return text if whole == text else f"{text}, so {whole}"


def _memory(subject: Served) -> Section:
    serving = subject.serving
    capacity = serving.capacity
    rows = []
    each = " on each chip" if serving.chips > 1 else ""
    amounts = [
        ("weights", f"weights{each}", capacity.weights, {}),
        ("cache", f"cache of a sequence{each}", capacity.caches, {"B": 1}),
        ("room", f"memory{each}", capacity.memory, {}),
    ]
    for key, text, amount, at in amounts:
        if amount is not None:
            rows.append((words(text), subject.cell(f"memory.{key}", amount, at)))
    blocks: list[Block] = [
        Table((Column("what"), Column("bytes", right=True)), tuple(rows), "Main memory")
    ]
    if capacity.holds is not None:
        blocks.append(Paragraph(words(f"Sequences that fit: {capacity.holds}.")))
    return Section("memory", "Memory", tuple(blocks))


def _helps(subject: Served) -> Section | None:
    if not subject.batches:
        return None
    size = subject.batches[min(2, len(subject.batches) - 1)]
    serving = subject.serving
    items = [words(str(one)) for one in serving.helps(size)][:MOST_HELPS]
    rows = [
        (words(one.name), words(one.term), words(f"{one.value:.3f}"))
        for one in serving.elasticities(size)
        if one.value
    ]
    columns = (Column("input"), Column("term"), Column("elasticity of the time", right=True))
    text = (
        f"At {serving.batch} = {size:,}: percent of time for one percent more of each input, and"
        " what a factor of two in it gains."
    )
    blocks: list[Block] = [Paragraph(words(text))]
    if rows:
        blocks.append(Table(columns, tuple(rows), "Sensitivities"))
    if items:
        blocks.append(Items(tuple(items)))
    return Section("helps", "What would help", tuple(blocks))


def _assumptions(subject: Served) -> Section:
    serving = subject.serving
    blocks: list[Block] = [Items(tuple(words(text) for text in serving.assumptions))]
    blocks.append(Paragraph(words(f"Not modelled: {'; '.join(serving.left_out)}.")))
    return Section("assumptions", "Assumptions", tuple(blocks))


def _symbols(subject: Served) -> Section:
    rows = []
    for name in subject.names:
        cell = subject.cell(f"value.{_key(name)}", subject.value(name), {})
        meaning = subject.meaning(name) or _rate(name)
        rows.append(((Math(Name(name)),), words(meaning), cell))
    columns = (Column("symbol"), Column("meaning"), Column("here", right=True))
    return Section("symbols", "Symbols", (Table(columns, tuple(rows)),))


def _rate(name: str) -> str:
    kind, _, rest = name.partition(".")
    said = {
        "peak": "dense peak",
        "bw": "bandwidth",
        "link": "link, one direction",
        "ridge": "ridge",
    }
    return f"{said.get(kind, '')} {rest}".strip() if rest else ""


SECTIONS = (_answer, _model, _symbols, _times, _crossovers, _memory, _helps, _assumptions)


def _key(text: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in text)


def _sum(names: Iterator[str]) -> str:
    return " + ".join(names)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _capital(runs: Runs) -> Runs:
    first = runs[0]
    if isinstance(first, Text):
        return (Text(_upper(first.text), first.face), *runs[1:])
    return runs
