"""How one answer writes its formulas: labels of rates, order of names, numbers put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr

from symroof.cli.question import Question
from symroof.roofline.documents import unit_of
from symroof.roofline.inside_kinds import Numa, Residency
from symroof.roofline.ridges import labels, meaning
from symroof.roofline.terms import MAIN, REMOTE
from symroof.symbolic import to_text
from symroof.symbolic.readable import readable
from symroof.units import Quantity, human


class Style:
    """Labels and order for the formulas of one question.

    Parameters
    ----------
    question : Question
        Names the graph and the rates.
    rates : mapping of str to Expr
        Rate keys that occur, with their known values; keys of ridges first.
    unknown : str, optional
        What a crossover asks for, which may be a rate as well.
    """

    def __init__(
        self, question: Question, rates: Mapping[str, Expr], unknown: str | None = None
    ) -> None:
        self.question = question
        scope = question.general.scope
        names = [name for name in scope.dimensions if "." not in name]
        self.order = question.general.name_order
        self.rates = dict(rates)
        keys = {*rates, *(name for name in (*scope.dimensions, unknown or "") if "." in name)}
        self.labels = labels(keys, names)

    def formula(self, expr: Expr) -> str:
        """Return an expression as people write it."""
        return readable(expr, order=self.order).unicode(self.labels)

    def ridge(self) -> str:
        """Return the critical intensity: its label, formula and number."""
        critical = self.question.general.critical_intensity
        known = critical.resolved()
        key = next(
            (key for key in self.rates if key.startswith("ridge.") and key.count(".") == 1), None
        )
        text = self.formula(critical.expr)
        if key is not None:
            text = f"{self.labels[key]} = {text}"
        if known.expr.is_number:
            exact = to_text(known.expr)
            shown = f"{exact} = " if "/" in exact and len(exact) <= 24 else ""
            return f"{text} = {shown}{human(known, 6)}"
        return f"{text}   FLOP/byte"

    def levels(self) -> list[tuple[str, Quantity, Quantity]]:
        """Return the time at each level of memory, its formula and its value; none where one is."""
        general, bound = self.question.general.levels, self.question.roofline.levels
        if len(general) < 2:
            return []
        return [
            (f"  t_{row.name}", row.time, here.time)
            for row, here in zip(general, bound, strict=True)
        ]

    def memory(self) -> str:
        """Return the memory time: by those of its levels where there are several."""
        general = self.question.general
        names = {row.resource: f"t_{row.name}" for row in general.levels}
        if len(names) < 2:
            return self.formula(general.t_memory.expr)
        if general.inside.numa is Numa.SERIAL and MAIN in names and REMOTE in names:
            both = f"{names.pop(MAIN)} + {names.pop(REMOTE)}"
            return f"max({', '.join([*names.values(), both])})" if names else both
        return f"max({', '.join(names.values())})"

    def where(self, exprs: Iterable[Expr]) -> list[tuple[str, str]]:
        """Return what each rate label in `exprs` stands for, with its number."""
        used = {symbol.name for expr in exprs for symbol in expr.free_symbols}
        used = {key for key in used if not key.startswith("ridge.") or key.count(".") > 1}
        rows = []
        for key in sorted(used & self.labels.keys()):
            value = (
                f" = {human(Quantity(self.rates[key], unit_of(key)), 5)}"
                if key in self.rates
                else ""
            )
            rows.append((self.labels[key], meaning(key) + value))
        if self.question.general.inside.residency is Residency.CACHED and used:
            rows.append(("⌈min(2, …)⌉", "1 for an op whose bytes the level holds, else 2"))
        return rows

    def steps(self) -> list[tuple[str, str]]:
        """Return each amount as formula → numbers put in → result."""
        general, bound = self.question.general, self.question.roofline
        lines = [
            ("FLOPs", general.flops, bound.flops),
            ("bytes", general.bytes, bound.bytes),
            ("intensity", general.intensity, bound.intensity),
        ]
        for name in general.groups:
            lines.append((f"t_{name}", general.groups[name], bound.groups[name]))
            lines.extend(self.levels() if name == "memory" else [])
        rows = []
        for name, formula, value in lines:
            if formula is None or value is None or formula.expr == 0:
                continue
            put_in = self.formula(formula.expr)
            known = value.resolved()
            if name == "t_memory" and self.levels():
                steps = [self.memory()]
            else:
                steps = [put_in, self.formula(value.expr)]
            if known.expr.is_number:
                steps.append(human(known, 6))
            rows.append((name, "  →  ".join(dict.fromkeys(steps))))
        return rows
