"""Sensitivities: by how much time and threshold move when a number moves by one percent."""

from __future__ import annotations

from functools import cached_property

from sympy import Expr, Integer, Max, Min, ceiling, floor

from symroof.reports.document import Column, Math, Paragraph, Runs, Section, Table, Text
from symroof.reports.sections.crossover import has_threshold
from symroof.reports.sections.wording import words
from symroof.reports.subject import Subject
from symroof.symbolic import bind, symbol, total
from symroof.symbolic.forms import Name
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.units import Quantity
from symroof.units.compare import same

MOST = 12
MOST_EXTREMES = 8
ABOUT = (
    "The elasticity of a quantity in a symbol is its relative change per relative change of that"
    " symbol: with 0.5, one percent more of the symbol makes half a percent more of the quantity."
)


def sensitivity(subject: Subject) -> Section | None:
    """Return the section on sensitivities; None without numbers."""
    found = [
        _Ratio(subject, f"t_{name}", f"of t_{name}", _active(term.expr, subject))
        for name, term in subject.general.groups.items()
        if term.expr != 0
    ]
    asked = subject.asked
    if asked is not None and has_threshold(subject, asked):
        threshold = _active(bind(asked.general.threshold, subject.ridges), subject)
        title = f"of the threshold of {asked.name}"
        found.append(_Ratio(subject, "threshold", title, threshold))
    ratios = [ratio for ratio in found if ratio.known]
    names = [*subject.order, *sorted(key for key in subject.labels if not key.startswith("ridge."))]
    rows: list[tuple[Runs, ...]] = []
    for name in names:
        if len(rows) < MOST and any(symbol(name) in ratio.free for ratio in ratios):
            rows.append(((Math(Name(name)),), *(ratio.elasticity(name) for ratio in ratios)))
    if not rows:
        return None
    columns = (Column("symbol"), *(Column(ratio.title, right=True) for ratio in ratios))
    table = Table(columns, tuple(rows), "Elasticities at these numbers")
    return Section("sensitivity", "Sensitivities", (Paragraph((Text(ABOUT),)), table))


def _active(expr: Expr, subject: Subject) -> Expr:
    """Put for each Max and Min the argument that counts at the numbers, where one alone does."""
    for _ in range(MOST_EXTREMES):
        found = next(iter(sorted(expr.atoms(Max, Min), key=str)), None)
        if found is None:
            return expr
        whole = subject.number(found)
        taken = [arg for arg in found.args if same(subject.number(arg), whole)]
        if len(taken) != 1 or whole.free_symbols:
            return expr
        expr = expr.xreplace({found: taken[0]})
    return expr


class _Ratio:
    """A quantity as a quotient of polynomials, of which elasticities are read off.

    That of a quotient is that of its numerator less that of its denominator; that of a sum of
    powers is their mean power, weighted by the terms.
    """

    def __init__(self, subject: Subject, name: str, title: str, expr: Expr) -> None:
        self.subject = subject
        self.name = name
        self.title = title
        self.free: frozenset[Expr] = expr.free_symbols
        self.smooth = not expr.has(ceiling, floor, Max, Min)
        self.known = all(symbol.name in subject.numbers for symbol in self.free)
        parts = fraction(expr) if self.known and self.smooth else ()
        sides = zip(parts, ("over", "under"), (1, -1), strict=False)
        self.sides = [_Side(subject, f"{name}.{side}", part, sign) for part, side, sign in sides]

    def elasticity(self, name: str) -> Runs:
        """Return slope × symbol ÷ quantity as a cell."""
        unknown = symbol(name)
        if unknown not in self.free:
            return words("0")
        if not self.smooth or any(side.hides(unknown) for side in self.sides):
            return words("–")  # no slope that is written down
        whole = Integer(0)
        stated = ""
        for side in self.sides:
            amount, text = side.elasticity(unknown)
            if text != "0":
                whole += side.sign * amount
                minus = side.sign < 0
                joint = " - " if minus else " + "
                stated += f"{joint}{text}" if stated else ("-" if minus else "") + text
        key = f"elasticity.{self.name}.{name.replace(':', '_')}"
        claim = self.subject.claim(key, Quantity.of(whole, ""), by=stated or "0", digits=3)
        return words("–") if claim is None else (claim,)


class _Side:
    """A numerator or a denominator."""

    def __init__(self, subject: Subject, key: str, part: Polynomial, sign: int) -> None:
        self.subject = subject
        self.key = key
        self.part = part
        self.sign = sign

    @cached_property
    def expr(self) -> Expr:
        """The whole side."""
        return self.part.expr()

    def hides(self, unknown: Expr) -> bool:
        """Return whether the symbol stands inside of something that is no power of it."""
        return any(gen != unknown and unknown in gen.free_symbols for gen in self.part.gens)

    def elasticity(self, unknown: Expr) -> tuple[Expr, str]:
        """Return the mean power of a symbol, as a number and as text."""
        powers = self.part.coefficients(unknown)
        if len(powers) == 1:
            (power,) = powers
            return Integer(power), str(power)
        grown = total(
            (power * unknown**power * coefficient.expr(), 1)
            for power, coefficient in powers.items()
        )
        self.subject.define(self.key, Quantity.of(self.expr, ""))
        amount = self.subject.number(grown) / self.subject.number(self.expr)
        return amount, f"({self.subject.plain(grown)})/{self.key}"
