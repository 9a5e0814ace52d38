r"""Formulas too long for a line, in LaTeX: sums and arguments on lines of their own.

A formula is measured roughly, in letters: the pages it is set on have room to spare or scroll.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symroof.symbolic.forms import (
    NO_LABELS,
    Call,
    Comparison,
    Form,
    Name,
    Named,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
)
from symroof.symbolic.latex import latex, upright

SIGNS: Mapping[Relation, str] = {
    Relation.GREATER: ">",
    Relation.AT_LEAST: r"\ge",
    Relation.LESS: "<",
    Relation.AT_MOST: r"\le",
    Relation.EQUAL: "=",
    Relation.UNEQUAL: r"\ne",
}
FUNCTIONS: Mapping[str, tuple[str, str]] = {
    "ceil": (r"\left\lceil ", r"\right\rceil"),
    "floor": (r"\left\lfloor ", r"\right\rfloor"),
    "min": (r"\min\left(", r"\right)"),
    "max": (r"\max\left(", r"\right)"),
    "log2": (r"\log_{2}\left(", r"\right)"),
    "sqrt": (r"\sqrt{", "}"),
}
_CODED = re.compile(r"[^A-Za-z0-9._* \u00c0-\u017f\u0370-\u03ff-]")


def width(form: Form, labels: Mapping[str, str] = NO_LABELS) -> float:
    """Return about how wide a formula is, in letters.

    Examples
    --------
    >>> m, n = Name("m"), Name("n")
    >>> width(Sum((m, n))), width(Quotient(Sum((m, n)), m))
    (5.0, 5.0)
    """
    match form:
        case Name(name):
            text = labels.get(name, name)
            # other characters are written by code point
            codes = len(_CODED.findall(text[:60]))
            return min(1 + 0.75 * (len(text) - 1), 60.0) + 7.0 * codes
        case Number(value):
            return float(max(len(str(part).rstrip("0")) for part in value.as_integer_ratio()))
        case Product(factors):
            return sum(width(f, labels) + 2 * isinstance(f, Sum) for f in factors) + 0.4 * len(
                factors
            )
        case Sum(plus, minus):
            terms = [width(term, labels) for term in (*plus, *minus)]
            return sum(terms) + 3.0 * (len(terms) - 1 + (not plus))
        case Quotient(over, under):
            return max(width(over, labels), width(under, labels))
        case Power(base, exponent):
            return width(base, labels) + 0.7 * width(exponent, labels) + 2 * isinstance(base, Sum)
        case Call(function, args):
            called = 1 if function in ("ceil", "floor", "sqrt") else len(function)
            return called + 1 + sum(width(arg, labels) + 1 for arg in args)
        case Comparison(left, _, right):
            return width(left, labels) + 3 + width(right, labels)
        case Named(body, names):
            return width(body, labels) + 6 + sum(4 + width(value, labels) for _, value in names)
        case _:
            return 1.0


@dataclass(frozen=True, slots=True)
class Breaker:
    r"""Writes formulas as LaTeX, over lines where they are too wide.

    Attributes
    ----------
    labels : mapping of str to str
        How names are shown.
    opening, line, closing : str
        What lines on top of each other stand in: ``aligned`` of amsmath, or the ``array`` that
        `latex2mathml` takes.

    Examples
    --------
    >>> m, n = Name("m"), Name("n")
    >>> print(Breaker().broken(Sum((m, n)), 80))
    m + n
    >>> print(Breaker().broken(Sum((m, n)), 3))
    \begin{aligned} & m \\ & {}+ n \end{aligned}
    """

    labels: Mapping[str, str] = field(default_factory=lambda: NO_LABELS)
    opening: str = r"\begin{aligned} "
    line: str = "& "
    closing: str = r" \end{aligned}"

    def pieces(self, form: Form, widest: float) -> list[str]:
        r"""Return a formula as parts between which a line may break.

        Parameters
        ----------
        form : Form
            The formula.
        widest : float
            How wide a part may be, in letters; sums are split inside of wider ones.

        Examples
        --------
        >>> m, n = Name("m"), Name("n")
        >>> print(*Breaker().pieces(Comparison(m, Relation.AT_LEAST, Sum((m,), (n,))), 80), sep=";")
        m \ge {};m;{}- n
        """
        match form:
            case Comparison(left, relation, right):
                found = self.pieces(left, widest)
                found[-1] += f" {SIGNS[relation]} {{}}"
                return found + self.pieces(right, widest)
            case Named(body, names):
                found = self.pieces(body, widest)
                for at, (name, value) in enumerate(names):
                    found[-1] += ","
                    where = r"\;\text{where }" if at == 0 else r"\;"
                    found.append(f"{where}{self.whole(Name(name))} = {self.broken(value, widest)}")
                return found
            case Sum(plus, minus):
                return self.terms(plus, minus, widest)
            case _:
                return [self.broken(form, widest)]

    def lines(self, form: Form, widest: float) -> list[str]:
        """Return a formula as the lines it takes where each may be so wide.

        Examples
        --------
        >>> m, n = Name("m"), Name("n")
        >>> Breaker().lines(Sum((m, n), (m,)), 8)
        ['m {}+ n', '{}- m']
        """
        if width(form, self.labels) <= widest:
            return [self.whole(form)]
        match form:
            case Sum(plus, minus):
                sizes = [width(term, self.labels) + 3 for term in (*plus, *minus)]
                return _filled(self.terms(plus, minus, widest - 3), sizes, widest)
            case Comparison(left, relation, right):
                room = max(widest - width(left, self.labels) - 3, widest / 2)
                first, *rest = self.lines(right, room)
                return [f"{self.broken(left, widest)} {SIGNS[relation]} {first}", *rest]
            case Named(body, names):
                last = self.pieces(form, widest)[-len(names) :]
                head = self.lines(body, widest)
                return [*head[:-1], f"{head[-1]},", *last]
            case _:
                return [self.broken(form, widest)]

    def whole(self, form: Form) -> str:
        """Return a formula in one line."""
        return latex(form, self.labels)

    def broken(self, form: Form, widest: float) -> str:
        """Return a formula with sums and arguments over lines where it is too wide."""
        if width(form, self.labels) <= widest:
            return self.whole(form)
        match form:
            case Comparison(left, relation, right):
                room = max(widest - width(left, self.labels) - 3, widest / 2)
                return f"{self.broken(left, widest)} {SIGNS[relation]} {self.broken(right, room)}"
            case Sum():
                return self.stacked(self.lines(form, widest))
            case Quotient(over, under):
                return rf"\frac{{{self.broken(over, widest)}}}{{{self.broken(under, widest)}}}"
            case Product(factors):
                return self.product(factors, widest)
            case Call(function, args) if args:
                return self.call(function, args, widest)
            case Named():
                return self.stacked(self.pieces(form, widest))
            case _:
                return self.whole(form)

    def terms(self, plus: Sequence[Form], minus: Sequence[Form], widest: float) -> list[str]:
        """Return the terms of a sum with their signs."""
        found = []
        for at, term in enumerate((*plus, *minus)):
            text = self.broken(term, widest)
            if isinstance(term, Sum):
                text = rf"\left({text}\right)"
            sign = "+" if at < len(plus) else "-"
            before = f"{{}}{sign} " if at else ("" if plus else "-")
            found.append(before + text)
        return found or ["0"]

    def product(self, factors: Sequence[Form], widest: float) -> str:
        """Return a product with its sums in parentheses; they share the room that others leave."""
        sizes = [width(factor, self.labels) for factor in factors]
        parts: list[str] = []
        short: list[Form] = []
        for factor, size in zip(factors, sizes, strict=True):
            room = max(widest - min(sum(sizes) - size, widest / 2) - 2, 4.0)
            if not isinstance(factor, Sum) and size <= room:
                short.append(factor)
                continue
            parts += self.joined(short)
            short = []
            text = self.broken(factor, room)
            parts.append(rf"\left({text}\right)" if isinstance(factor, Sum) else text)
        return r"\,".join([*parts, *self.joined(short)])

    def joined(self, factors: Sequence[Form]) -> list[str]:
        """Return the product of factors in one part; none of none."""
        if len(factors) < 2:
            return [self.whole(factor) for factor in factors]
        return [self.whole(Product(tuple(factors)))]

    def call(self, function: str, args: Sequence[Form], widest: float) -> str:
        """Return a function with its arguments under each other."""
        opening, closing = FUNCTIONS.get(function, (upright(function) + r"\left(", r"\right)"))
        inner = [self.broken(arg, widest - 4) for arg in args]
        return opening + self.stacked([*(f"{text}," for text in inner[:-1]), inner[-1]]) + closing

    def stacked(self, lines: Sequence[str]) -> str:
        """Return lines on top of each other."""
        if len(lines) == 1:
            return lines[0]
        inner = " \\\\ ".join(self.line + text for text in lines)
        return self.opening + inner + self.closing


def _filled(parts: Sequence[str], sizes: Sequence[float], widest: float) -> list[str]:
    """Return parts joined into lines as long as there is room."""
    lines: list[str] = []
    room = 0.0
    for part, size in zip(parts, sizes, strict=True):
        if lines and size <= room:
            lines[-1] += f" {part}"
            room -= size
        else:
            lines.append(part)
            room = widest - size
    return lines
