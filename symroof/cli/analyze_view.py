"""The analysis of an algorithm on a machine, as text for people."""

from __future__ import annotations

from collections.abc import Callable

from symroof.cli.notes import assumptions, counts_tiles, headline
from symroof.cli.question import Question
from symroof.cli.style import Style
from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.errors import UnboundError
from symroof.roofline import Bound, OpRow
from symroof.symbolic import to_text
from symroof.units import Quantity, human

MOST_ROWS = 40


def analyze_view(
    question: Question, *, explain: bool, tick: Callable[[str], None]
) -> tuple[str, list[Block]]:
    """Return a title and blocks: work, time terms and bounds, the verdict, the ops, conventions.

    Parameters
    ----------
    question : Question
        What was asked.
    explain : bool
        Show formula → numbers → result for each line.
    tick : callable
        Is told each phase as it begins.
    """
    roofline = question.roofline
    style = Style(question, question.general.rates.scope.values)
    tick("work")
    work = _work(question, style)
    tick("times")
    times = _times(question, style)
    if explain:
        steps = style.steps()
        shown = {name for name, _ in steps}
        work = steps + [row for row in work if row[0] not in shown]
        times = [row for row in times if row[0] not in shown]
    blocks: list[Block] = [Lines(_symbols(question)), Lines(work), Lines(times)]
    blocks.append(_levels(question))
    blocks.append(Lines(_ceilings(question)))
    tick("verdict and memory")
    verdict = [("verdict", _verdict(question)), *_binding(question), *_memory(question)]
    blocks.append(Lines(verdict, strong=True))
    tick("ops")
    rows = roofline.ops()
    if len(rows) > 1 or any(row.share is not None for row in rows):
        blocks.append(_table(rows, style))
    if len(rows) > MOST_ROWS:
        left_out = len(rows) - MOST_ROWS
        blocks.append(Sentence(f"{left_out:,} more rows are in --format json.", dim=True))
    blocks.append(Sentence(assumptions(question, ceilings=False), dim=True))
    return headline(question), [block for block in blocks if block.filled]


def _symbols(question: Question) -> list[tuple[str, str]]:
    """Return the meanings of names with their values, and what else is set on one line."""
    meanings, set_here = question.graph.about.meanings, question.numbers
    rows = []
    for name, meaning in meanings.items():
        value = set_here.get(name, question.defaults.get(name))
        default = ", by default" if name in question.defaults else ""
        label = name if value is None else f"{name} = {value}"
        rows.append((label, f"{meaning}{default}"))
    others = [f"{name} = {value}" for name, value in set_here.items() if name not in meanings]
    return [*rows, ("at", ", ".join(others))] if others else rows


def _work(question: Question, style: Style) -> list[tuple[str, str]]:
    general, bound = question.general, question.roofline
    pairs = [
        ("FLOPs", general.flops, bound.flops),
        ("bytes", general.bytes, bound.bytes),
        ("link bytes", general.link_bytes, bound.link_bytes),
        ("intensity", general.intensity, bound.intensity),
        ("link intensity", general.link_intensity, bound.link_intensity),
    ]
    rows = [
        (name, _formula_and_number(style, formula, value))
        for name, formula, value in pairs
        if formula is not None and value is not None and (name != "link bytes" or formula.expr != 0)
    ]
    rows.append(("ridge point", style.ridge()))
    critical = bound.critical_link_intensity
    if critical is not None:
        rows.append(("critical link intensity", human(critical.resolved(), 6)))
    return rows


def _formula_and_number(style: Style, formula: Quantity, value: Quantity) -> str:
    return _with_number(style.formula(formula.expr), value)


def _with_number(text: str, value: Quantity) -> str:
    known = value.resolved()
    if not known.expr.is_number:
        return f"{text}   {value.unit}" if "/" in value.unit else text
    number = human(known, 5)
    return number if text == number.split(" ")[0] else f"{text} = {number}"


def _times(question: Question, style: Style) -> list[tuple[str, str]]:
    general, bound = question.general, question.roofline
    rows = []
    for name, term in general.groups.items():
        if name == "memory" and style.levels():
            rows.append(("t_memory", _with_number(style.memory(), bound.t_memory)))
        elif term.expr != 0:
            rows.append((f"t_{name}", _formula_and_number(style, term, bound.groups[name])))
        else:
            rows.append((f"t_{name}", "0   (nothing is sent)" if name == "network" else "0"))
        if name == "network" and bound.placed is not None:
            rows.extend(_network(question, style))
        if name == "memory":
            rows.extend(
                (label, _formula_and_number(style, formula, time))
                for label, formula, time in style.levels()
            )
    time = bound.time
    bounds = [("overlapped", time.overlapped), ("per op", time.per_op), ("serial", time.serial)]
    if all(value.resolved().expr.is_number for _, value in bounds):
        text = "  ≤  ".join(f"{human(value.resolved(), 5)} {name}" for name, value in bounds)
        rows.append(("time", text))
        if bound.performance is not None and bound.flops.expr != 0:
            rows.append(("performance", f"at most {human(bound.performance.resolved(), 4)}"))
        used = ", ".join(
            f"{name} {value.resolved().to('') * 100:.1f} %"
            for name, value in bound.utilisation().items()
            if value.expr != 0
        )
        if used:
            rows.append(("in use", f"{used} when everything overlaps"))
    rows.extend(style.where([term.expr for term in general.groups.values()]))
    return rows


def _network(question: Question, style: Style) -> list[tuple[str, str]]:
    """Return a line for each link, and for the hops over it: the part it has in the network."""
    general, bound = question.general, question.roofline
    rows = []
    for key, term in general.terms.items():
        kind, link = key
        if kind in ("link", "hop"):
            label = f"  over {link}" if kind == "link" else f"  hops, {link}"
            rows.append((label, _formula_and_number(style, term, bound.terms[key])))
    return rows if len(rows) > 1 else []


def _levels(question: Question) -> Grid:
    """Return bytes, intensity and ridge point of each level of memory, where there are several."""
    rows = question.roofline.levels
    known = all(row.time.resolved().expr.is_number for row in rows)
    header = ["level", "bandwidth", "bytes", "time", "intensity", "ridge point"]
    cells = [
        [
            row.name,
            human(row.bandwidth.resolved(), 4),
            human(row.bytes.resolved()),
            human(row.time.resolved(), 5),
            "–" if row.intensity is None else human(row.intensity.resolved()).split(" ")[0],
            human(row.ridge.resolved(), 4).split(" ")[0],
        ]
        for row in rows
    ]
    return Grid(header, cells if known and len(rows) > 1 else [], frozenset(range(1, 6)), (1, 2))


def _ceilings(question: Question) -> list[tuple[str, str]]:
    """Return a line for each ceiling that was applied: what it leaves, what lifting it gains."""
    values = question.general.rates.scope.values
    rows = []
    for found in question.roofline.liftings:
        each, gain = found.ceiling, found.gain.resolved()
        unit = "" if each.rate is None else each.rate.value.unit
        text = human(Quantity(values[each.key], unit), 4) if unit else to_text(values[each.key])
        said = f"{text} on {each.on}" + (f" ({each.reason})" if each.reason else "")
        if not gain.expr.is_number:
            rows.append((each.name, f"{said}; what lifting it gains depends on what is free"))
        elif gain.expr == 1:
            rows.append((each.name, f"{said}; lifting it alone gains nothing"))
        else:
            rows.append((each.name, f"{said}; lifting it: {human(gain, 4)} times faster"))
    return rows


def _binding(question: Question) -> list[tuple[str, str]]:
    """Return the ceiling that binds, where one was applied and that is known."""
    bound = question.roofline
    try:
        found = bound.binding_ceiling()
    except UnboundError:
        return []
    if found is not None:
        return [("binding ceiling", found.ceiling.name)]
    count = len(bound.inside.ceilings)
    none = "none" if count == 1 else "none: lifting any one alone gains nothing"
    return [("binding ceiling", none)] if count else []


def _verdict(question: Question) -> str:
    try:
        verdict = question.roofline.verdict()
    except UnboundError as error:
        names = ", ".join(error.names)
        return f"depends on {names}; set them, or ask: symroof crossover ... --for {error.names[0]}"
    if verdict is Bound.NO_WORK:
        return "no work: nothing is computed, moved or sent"
    if verdict is Bound.BALANCED:
        return f"balanced: {' and '.join(question.roofline.largest_terms())} take equally long"
    text = f"{verdict}-bound"
    if verdict is Bound.COMPUTE and not counts_tiles(question.roofline.inside):
        return f"{text} (a best case: real traffic is no less than what is counted)"
    return text


def _memory(question: Question) -> list[tuple[str, str]]:
    """Return whether it fits, where that is known."""
    roofline = question.roofline
    fits, taken = roofline.fits(), roofline.footprint.total.resolved()
    if fits is None or roofline.capacity is None or taken.expr == 0:
        return []
    text = f"{human(taken)} of {human(roofline.capacity.resolved())}"
    return [("memory", text if fits else f"does not fit: {text}")]


def _name(row: OpRow) -> str:
    return row.name if row.ops == 1 else f"{row.name} +{row.ops - 1}"


def _table(rows: list[OpRow], style: Style) -> Grid:
    shown = sorted(rows, key=lambda row: -(row.share or 0))[:MOST_ROWS]
    numbers = all(row.share is not None for row in rows)
    if numbers:
        header = ["op", "times", "FLOPs", "bytes", "intensity", "time", "share", "bound"]
        cells = [
            [
                _name(row),
                human(row.count),
                human(row.flops.resolved()),
                human(row.bytes.resolved()),
                "–" if row.intensity is None else human(row.intensity.resolved()).split(" ")[0],
                human(row.time.resolved()),
                f"{(row.share or 0) * 100:.1f} %",
                "–" if row.bound is None else str(row.bound),
            ]
            for row in shown
        ]
        if any(row.link_bytes.expr != 0 for row in rows):
            header.insert(4, "sent")
            for cell, row in zip(cells, shown, strict=True):
                cell.insert(4, human(row.link_bytes.resolved()))
        right = frozenset(range(1, len(header) - 1))
        grid = Grid(header, cells, right, optional=(1, 2, 3))
    else:
        header = ["op", "times", "FLOPs", "bytes", "bound"]
        cells = [
            [
                _name(row),
                style.formula(row.count.expr),
                style.formula(row.flops.expr),
                style.formula(row.bytes.expr),
                "depends" if row.bound is None else str(row.bound),
            ]
            for row in shown
        ]
        grid = Grid(header, cells)
    return grid
