"""The display tree of a formula, and its two text renderings.

The nodes know nothing of how they are built (`readable`) and little of how they look: a renderer
is a function over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from symroof.symbolic.printer import split_whole

NO_LABELS: Mapping[str, str] = {}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Form:
    """A node of the display tree: `Number`, `Name`, `Sum`, `Product`, `Quotient`, and so on.

    Examples
    --------
    >>> form = Quotient(Name("M"), Sum((Name("N"),), (Name("ridge"),)))
    >>> form.plain()
    'M/(N - ridge)'
    >>> form.unicode({"ridge": "I"})
    'M/(N − I)'
    """

    __slots__ = ()

    def plain(self) -> str:
        """Return ASCII text in the grammar of `parse`; a quadratic's a, b, c are written out."""
        return PlainText(NO_LABELS).text(self, 0)

    def unicode(self, labels: Mapping[str, str] = NO_LABELS) -> str:
        """Return text for people; `labels` says how a name is shown (``ridge.fp16``: I)."""
        return _Unicode(labels).text(self, 0)

    def __str__(self) -> str:
        return self.plain()


@dataclass(frozen=True, slots=True)
class Number(Form):
    """An exact number, 0 or more."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name(Form):
    """A symbol, by its name."""

    name: str


INFINITY = Name("∞")


@dataclass(frozen=True, slots=True)
class Sum(Form):
    """The terms of `plus` less those of `minus`; the plus terms are written first."""

    plus: tuple[Form, ...]
    minus: tuple[Form, ...] = ()


@dataclass(frozen=True, slots=True)
class Product(Form):
    """Two or more factors."""

    factors: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Quotient(Form):
    """One form over another."""

    over: Form
    under: Form


@dataclass(frozen=True, slots=True)
class Power(Form):
    """A base to an exponent."""

    base: Form
    exponent: Form


@dataclass(frozen=True, slots=True)
class Call(Form):
    """A function of the grammar (ceil, floor, min, max, log2, sqrt) and its arguments."""

    function: str
    args: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Named(Form):
    """A body that uses short names for longer forms: a root in terms of a, b and c.

    Examples
    --------
    >>> form = Named(Call("sqrt", (Name("a"),)), (("a", Sum((Name("M"), Name("N")))),))
    >>> form.plain(), form.unicode()
    ('sqrt(M + N)', '√a, where a = M + N')
    """

    body: Form
    names: tuple[tuple[str, Form], ...]

    def inline(self) -> Form:
        """Return the body with the forms put in for their names."""
        return replaced(self.body, dict(self.names))


class Relation(Enum):
    """How two sides compare."""

    GREATER = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    EQUAL = "="
    UNEQUAL = "!="

    def mirrored(self) -> Relation:
        """Return the relation that says the same with the sides swapped.

        Examples
        --------
        >>> Relation.AT_LEAST.mirrored()
        <Relation.AT_MOST: '<='>
        """
        return Relation(self.value.translate(str.maketrans("<>", "><")))


@dataclass(frozen=True, slots=True)
class Comparison(Form):
    """Two sides and the relation between them.

    Examples
    --------
    >>> Comparison(Name("M"), Relation.AT_LEAST, Name("I")).unicode()
    'M ≥ I'
    """

    left: Form
    relation: Relation
    right: Form


def replaced(form: Form, values: Mapping[str, Form]) -> Form:
    """Return `form` with forms put for some names; minus signs are carried out of products.

    Examples
    --------
    >>> minus_n = Sum((), (Name("N"),))
    >>> replaced(Sum((Name("M"),), (Product((Name("K"), Name("a"))),)), {"a": minus_n}).plain()
    'M + K*N'
    """
    match form:
        case Name(name):
            return values.get(name, form)
        case Sum(plus, minus):
            return _sum(_each(plus, values), _each(minus, values))
        case Product(factors):
            return _product(_each(factors, values))
        case Quotient(over, under):
            return Quotient(replaced(over, values), replaced(under, values))
        case Power(base, exponent):
            return _power(replaced(base, values), replaced(exponent, values))
        case Call(function, args):
            return Call(function, _each(args, values))
        case Comparison(left, relation, right):
            return Comparison(replaced(left, values), relation, replaced(right, values))
        case Named():
            return replaced(form.inline(), values)
        case _:
            return form


def _each(forms: tuple[Form, ...], values: Mapping[str, Form]) -> tuple[Form, ...]:
    return tuple(replaced(form, values) for form in forms)


def _sum(plus: tuple[Form, ...], minus: tuple[Form, ...]) -> Form:
    sides: tuple[list[Form], list[Form]] = ([], [])
    for at, terms in enumerate((plus, minus)):
        for term in terms:
            if isinstance(term, Sum):
                sides[at].extend(term.plus)
                sides[1 - at].extend(term.minus)
            else:
                sides[at].append(term)
    if len(sides[0]) == 1 and not sides[1]:
        return sides[0][0]
    return Sum(tuple(sides[0]), tuple(sides[1]))


def _product(factors: tuple[Form, ...]) -> Form:
    odd = False
    found: list[Form] = []
    for factor in factors:
        inner = _negated(factor)
        odd ^= inner is not None
        factor = factor if inner is None else inner
        found.extend(factor.factors if isinstance(factor, Product) else (factor,))
    return Sum((), (Product(tuple(found)),)) if odd else Product(tuple(found))


def _power(base: Form, exponent: Form) -> Form:
    inner = _negated(base)
    if inner is not None and isinstance(exponent, Number) and exponent.value.denominator == 1:
        power = Power(inner, exponent)
        return Sum((), (power,)) if exponent.value % 2 else power
    return Power(base, exponent)


def _negated(form: Form) -> Form | None:
    """Return x of a form −x, else None."""
    if isinstance(form, Sum) and not form.plus and len(form.minus) == 1:
        return form.minus[0]
    return None


# How tightly a node binds; a node inside a tighter one takes parentheses.
SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4


class PlainText:
    """Text in the grammar of `parse`; other renderings are its subclasses."""

    times = "*"
    minus = "-"
    relations: Mapping[Relation, str] = {relation: relation.value for relation in Relation}

    def __init__(self, labels: Mapping[str, str]) -> None:
        self.labels = labels

    def text(self, form: Form, tight: int) -> str:
        """Return the text of a form inside something that binds as tightly as `tight`."""
        written, own = self.written(form)
        return f"({written})" if own < tight else written

    def written(self, form: Form) -> tuple[str, int]:
        """Return the text of a form, and how tightly it binds."""
        match form:
            case Name(name):
                return self.labels.get(name, name), ATOM
            case Number(value):
                return self.number(value)
            case Product(factors):
                return self.times.join([self.text(f, POWER) for f in factors]), PRODUCT
            case Sum(plus, minus):
                return self.sum(plus, minus), SUM
            case Quotient(over, under):
                return self.quotient(over, under), PRODUCT
            case Power(base, exponent):
                return self.power(base, exponent)
            case Call(function, args):
                return self.call(function, args)
            case Comparison(left, relation, right):
                sign = self.relations[relation]
                return f"{self.text(left, 0)} {sign} {self.text(right, 0)}", 0
            case Named():
                return self.named(form)
            case _:
                raise TypeError(f"no text for {type(form).__name__}")

    def number(self, value: Fraction) -> tuple[str, int]:
        """Return an exact number, and how tightly it binds."""
        above, below = value.as_integer_ratio()
        text, tight = self.whole(above)
        if below == 1:
            return text, tight
        under, inner = self.whole(below)
        return f"{text}/({under})" if inner == PRODUCT else f"{text}/{under}", PRODUCT

    def whole(self, value: int) -> tuple[str, int]:
        """Return an integer, in full unless it is long and round."""
        head, zeros = split_whole(value)
        if not zeros:
            return head, ATOM if value >= 0 else PRODUCT
        tens, tight = self.power(Number(Fraction(10)), Number(Fraction(zeros)))
        if head == "1":
            return tens, tight
        return (f"-{tens}" if head == "-1" else head + self.times + tens), PRODUCT

    def sum(self, plus: tuple[Form, ...], minus: tuple[Form, ...]) -> str:
        """Return the plus terms, then the minus terms."""
        # a first term -x needs no parentheses
        bare = bool(plus) and _negated(plus[0]) is not None
        head = " + ".join(
            [self.text(term, PRODUCT if at or not bare else SUM) for at, term in enumerate(plus)]
        )
        tail = f" {self.minus} ".join([self.text(term, PRODUCT) for term in minus])
        if not minus:
            return head or "0"
        return f"{head} {self.minus} {tail}" if plus else f"{self.minus}{tail}"

    def quotient(self, over: Form, under: Form) -> str:
        """Return one form over another."""
        return f"{self.text(over, PRODUCT)}/{self.text(under, POWER)}"

    def power(self, base: Form, exponent: Form) -> tuple[str, int]:
        """Return a base to an exponent, and how tightly it binds."""
        return f"{self.text(base, ATOM)}**{self.text(exponent, ATOM)}", POWER

    def call(self, function: str, args: tuple[Form, ...]) -> tuple[str, int]:
        """Return a function of its arguments, and how tightly it binds."""
        return f"{function}({', '.join([self.text(arg, 0) for arg in args])})", ATOM

    def named(self, form: Named) -> tuple[str, int]:
        """Return a body with its names, and how tightly it binds."""
        return self.written(form.inline())


class _Unicode(PlainText):
    """Text for people."""

    times = "·"
    minus = "−"
    relations: Mapping[Relation, str] = {
        **PlainText.relations,
        Relation.AT_LEAST: "≥",
        Relation.AT_MOST: "≤",
        Relation.UNEQUAL: "≠",
    }
    brackets: Mapping[str, tuple[str, str]] = {"ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}

    def quotient(self, over: Form, under: Form) -> str:
        above, tight = self.written(over)
        if tight < PRODUCT:
            above = f"({above})"
        below, inner = self.written(under)
        if inner >= POWER:
            return f"{above}/{below}"
        return f"{above} / ({below})" if tight < POWER else f"{above}/({below})"

    def power(self, base: Form, exponent: Form) -> tuple[str, int]:
        raised = self.text(base, ATOM)
        if isinstance(exponent, Number) and exponent.value.denominator == 1:
            return raised + str(exponent.value).translate(SUPERSCRIPTS), POWER
        return f"{raised}^{self.text(exponent, ATOM)}", POWER

    def call(self, function: str, args: tuple[Form, ...]) -> tuple[str, int]:
        if function in self.brackets:
            left, right = self.brackets[function]
            return left + ", ".join([self.text(arg, 0) for arg in args]) + right, ATOM
        if function == "sqrt":
            return "√" + self.text(args[0], ATOM), POWER
        written = ", ".join([self.text(arg, 0) for arg in args])
        return f"{'log₂' if function == 'log2' else function}({written})", ATOM

    def named(self, form: Named) -> tuple[str, int]:
        meanings = ", ".join(f"{name} = {self.text(value, 0)}" for name, value in form.names)
        return f"{self.text(form.body, 0)}, where {meanings}", 0
