"""What a report is about: a roofline without and with numbers, and how its formulas are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sympy import Add, Expr, Pow, nan, zoo

from symroof.errors import InputError, SymroofError, UnknownNameError
from symroof.graph.op import Op
from symroof.reports.claims import ABOUT
from symroof.reports.document import Claim, Derivation, Math, Runs, Step, Text
from symroof.roofline import Roofline
from symroof.roofline.documents import unit_of
from symroof.roofline.ridges import labels, ridges
from symroof.roofline.terms import GROUPS
from symroof.solve import Crossover
from symroof.symbolic import bind, to_float, to_text, total
from symroof.symbolic.forms import Form, Name, Number, Power, Product, replaced
from symroof.symbolic.numerals import number
from symroof.symbolic.readable import readable
from symroof.units import Quantity, human, unit_text
from symroof.units.binding import read_bindings

LONGEST = 9_000
LONGEST_EXACT = 160
DIGITS = 4
ROUND = 9


class Asked:
    """The question of a crossover, in symbols and with numbers.

    Attributes
    ----------
    term : str
        The time term that is to be the largest.
    general, answer : Crossover
        The answer before and after names were bound.
    bound : Roofline
        With all that is bound but the unknown.
    """

    def __init__(self, general: Crossover, answer: Crossover, term: str, bound: Roofline) -> None:
        self.general = general
        self.answer = answer
        self.term = term
        self.bound = bound

    @property
    def name(self) -> str:
        """The unknown."""
        return self.answer.name


@dataclass(frozen=True, slots=True)
class OpFormulas:
    """What equal ops do together, in closed form.

    Attributes
    ----------
    op : Op
        The first of them.
    name, kind : str
        Its name, with the repeats it stands in; its kind.
    ops : int
        How many there are.
    count, flops, bytes, link_bytes, time : Quantity
        How often they run, repeats included; their work; their time, resources overlapping.
    """

    op: Op
    name: str
    kind: str
    ops: int
    count: Quantity
    flops: Quantity
    bytes: Quantity
    link_bytes: Quantity
    time: Quantity


class Subject:
    """A roofline to report on, and everything its formulas need to be shown and checked.

    Parameters
    ----------
    roofline : Roofline
        With what is bound.
    crossover : Crossover, optional
        An answer of ``roofline.crossover``, bound further or not.
    defaults : iterable of str
        Names whose values are defaults of the spec.

    Attributes
    ----------
    general, bound : Roofline
        Without and with numbers.
    asked : Asked or None
        The crossover.
    values : dict of str to str
        What names in formulas are, for the document; sections may add parts of long formulas.
    units : dict of str to str
        Units of those that have one.
    """

    def __init__(
        self,
        roofline: Roofline,
        crossover: Crossover | None = None,
        *,
        defaults: Iterable[str] = (),
    ) -> None:
        self.general = roofline.unbound
        self.bound = roofline
        self.defaults = frozenset(defaults)
        self.asked = None if crossover is None else _asked(roofline, crossover)
        if self.asked is not None:
            extra = {
                k: v for k, v in self.asked.bound.bindings.items() if k not in roofline.bindings
            }
            self.bound = roofline.at(extra)
        self.order = self.general.name_order
        self.values, self.units = self._values()
        self._forms: dict[Expr, Form] = {}
        self._unreadable: set[Expr] = set()
        self._exact: dict[Expr, Expr] = {}
        plain = [name for name in self.general.scope.dimensions if "." not in name]
        keys = {name for name in (*self.values, *self.general.scope.dimensions) if "." in name}
        self.labels = labels(keys, plain)
        self._parts = 0

    @cached_property
    def numbers(self) -> Mapping[str, Expr]:
        """The exact number of each name that has one."""
        scope = self.bound.scope.values
        found: dict[str, Expr] = {name: value for name, value in scope.items() if value.is_number}
        found |= {name: value for name, value in self._bound.items() if value.is_number}
        for key, formula in self.ridges.items():
            value = bind(formula, found)
            if value.is_number:
                found[key] = value
        return found

    @cached_property
    def ops(self) -> tuple[OpFormulas, ...]:
        """The distinct ops in order of appearance."""
        found = []
        for terms in self.general.op_terms:
            work = terms.work
            flops = total((amount, 1) for amount in work.flops.values())
            sent = total((amount, 1) for amount in work.link_bytes.values())
            found.append(
                OpFormulas(
                    work.op,
                    work.op.block.path + work.op.name,
                    work.op.kind.name,
                    work.ops,
                    Quantity.of(work.count, ""),
                    Quantity.of(work.count * flops, "FLOP"),
                    Quantity.of(work.count * work.bytes, "byte"),
                    Quantity.of(work.count * sent, "byte"),
                    Quantity.of(work.count * terms.longest, "s"),
                )
            )
        return tuple(found)

    @cached_property
    def _bound(self) -> dict[str, Expr]:
        given = dict(self.bound.bindings)
        return read_bindings(self.general.scope, given)[0] if given else {}

    @cached_property
    def ridges(self) -> dict[str, Expr]:
        """Ridges as formulas of rates: peak ÷ bandwidth."""
        return ridges(self.general.rates)[1]

    def _values(self) -> tuple[dict[str, str], dict[str, str]]:
        scope = self.general.scope
        formulas = {**self._bound, **scope.values, **self.ridges}
        values = {name: to_text(value) for name, value in formulas.items()}
        units = {name: unit_text(scope.dimensions.get(name, ())) for name in values}
        units |= {name: unit_of(name) for name in values if "." in name}
        return values, {name: unit for name, unit in units.items() if unit}

    # --- formulas -------------------------------------------------------------------------------

    def form(self, expr: Expr) -> Form:
        """Return an expression as people write it."""
        found = self._forms.get(expr)
        if found is None:
            try:
                found = readable(expr, order=self.order)
            except InputError:  # too large to expand
                self._unreadable.add(expr)
                found = Name("a long formula")
            self._forms[expr] = found
        return found

    def math(self, expr: Expr) -> Math:
        """Return an expression as a run."""
        return Math(self.form(expr))

    def with_numbers(self, form: Form) -> Form:
        """Return a form with the numbers that names have put in."""
        numbers = {
            name: _number_form(Fraction(int(value.p), int(value.q)))
            for name, value in self.numbers.items()
            if value.is_Rational
        }
        return replaced(form, numbers)

    def number(self, expr: Expr) -> Expr:
        """Return a formula with all numbers put in."""
        found = self._exact.get(expr)
        if found is None:
            found = self._exact[expr] = bind(expr, self.numbers)
        return found

    # --- claims ---------------------------------------------------------------------------------

    def claim(
        self,
        key: str,
        formula: Quantity,
        *,
        by: str = "",
        at: Mapping[str, Expr] | None = None,
        shown: str = "",
        digits: int = DIGITS,
    ) -> Claim | None:
        """Return the claim that a formula has the number it has; None while names are free.

        Parameters
        ----------
        key : str
            Where it stands.
        formula : Quantity
            The closed form, nothing bound.
        by : str
            The formula to state instead, in terms of other claims: ``work.flops/work.bytes``.
        at : mapping of str to Expr, optional
            Names that have another value here.
        shown : str
            ``%`` for a percentage; otherwise the number is shown as `human` does.
        digits : int
            Significant digits that are shown.
        """
        # A name that cancels out at the numbers still stands in the formula.
        if any(
            s.name not in self.numbers and s.name not in (at or ())
            for s in formula.expr.free_symbols
        ):
            return None
        try:
            exact = bind(formula.expr, {**self.numbers, **at}) if at else self.number(formula.expr)
            written = exact_text(exact)
        except SymroofError:
            return None
        if not exact.is_number or exact in (zoo, nan) or not written:
            return None
        quantity = Quantity.of(exact, formula.unit)
        text = f"{number(exact * 100, 3)} %" if shown == "%" else human(quantity, digits)
        here = {name: to_text(value) for name, value in (at or {}).items()}
        stated = by or self.text(formula.expr)
        return Claim(key, stated, written, formula.unit, text, here)

    def cell(self, key: str, formula: Quantity | None, **how: object) -> Runs:
        """Return a table cell: the claim, else the formula, else a dash."""
        if formula is None:
            return (Text("–"),)
        if formula.expr == 0 or (not formula.unit and formula.expr.is_Integer):
            return (self.math(formula.expr),)
        found = self.claim(key, formula, **how)  # type: ignore[arg-type]
        return (self.math(formula.expr),) if found is None else (found,)

    def truth(self, key: str, left: str, relation: str, right: str) -> Claim:
        """Return the claim that two formulas compare so; it shows nothing."""
        return Claim(key, f"{left} {relation} {right}", "true", "", "")

    def text(self, expr: Expr) -> str:
        """Return a formula as text; a long one in parts that get names of their own."""
        text = self.form(expr).plain()
        if len(text) <= LONGEST and expr not in self._unreadable:
            return text
        return self.plain(expr)

    def plain(self, expr: Expr) -> str:
        """Return a formula as text that only the check reads; otherwise as `text`."""
        text = to_text(expr)
        return text if len(text) <= LONGEST else self._in_parts(expr)

    def _in_parts(self, expr: Expr) -> str:
        """Return a sum, product or power of named parts."""
        if isinstance(expr, Pow):
            return f"{self._part(expr.base)}**({self.text(expr.exp)})"
        if not isinstance(expr, Add):
            return "*".join(self._part(factor) for factor in expr.args)
        names: list[str] = []
        chunk: list[Expr] = []
        size = 0
        for term in expr.args:
            length = len(to_text(term)) + 3
            if chunk and size + length > LONGEST:
                names.append(self._part(Add(*chunk)))
                chunk, size = [], 0
            chunk.append(term)
            size += length
        names.append(self._part(Add(*chunk)))
        return " + ".join(names)

    def define(self, key: str, formula: Quantity) -> None:
        """Give a formula a name that claims can state, where it has no number of its own."""
        if key not in self.values:
            self.values[key] = self.text(formula.expr)
            if formula.unit:
                self.units[key] = formula.unit

    def _part(self, expr: Expr) -> str:
        if expr.is_Atom:
            return to_text(expr) if not expr.is_negative else f"({to_text(expr)})"
        self._parts += 1
        name = f"part_{self._parts}"
        while name in self.general.scope.dimensions:
            name += "_"
        self.values[name] = self.text(expr)
        return name

    # --- derivations ----------------------------------------------------------------------------

    def derivation(
        self,
        key: str,
        name: str,
        left: str,
        formula: Quantity,
        definition: Form | None = None,
        *,
        digits: int = DIGITS,
    ) -> Derivation:
        """Return a quantity from its definition to its number."""
        closed = self.form(formula.expr)
        steps = []
        if definition is not None:
            steps.append(Step("definition", definition))
        if definition != closed:
            steps.append(Step("closed form", closed))
        value = self.claim(key, formula, digits=digits)
        if value is None:
            self.define(key, formula)
        names = {symbol.name for symbol in formula.expr.free_symbols}
        if value is not None and names:
            steps.append(Step("with numbers", self.with_numbers(closed)))
        elif any(name in self.numbers for name in names):
            steps.append(Step("with what is set", self.with_numbers(closed)))
        return Derivation(name, Name(left), tuple(steps), formula.unit, value)


def _number_form(value: Fraction) -> Form:
    """Return a number; a long round one as 989·10¹²."""
    zeros = 0
    if value.denominator == 1 and value:
        while value.numerator % 10 ** (zeros + 3) == 0:
            zeros += 3
    if zeros < ROUND:
        return Number(value)
    tens = Power(Number(Fraction(10)), Number(Fraction(zeros)))
    rest = value / 10**zeros
    return tens if rest == 1 else Product((Number(rest), tens))


def exact_text(exact: Expr) -> str:
    """Return an exact number as text, or its first 30 digits where it is too long to read.

    Nothing where it has thousands of digits, which no formula may have.

    Examples
    --------
    >>> from sympy import Integer, Rational
    >>> exact_text(Rational(1, 3)), exact_text(Integer(10) ** 300 + 1)[:10]
    ('1/3', '~1.0000000')
    """
    try:
        text = to_text(exact)
    except InputError:
        return ""
    if len(text) <= LONGEST_EXACT:
        return text
    if exact.is_Rational:
        return ABOUT + str(exact.evalf(30)).lower().replace("e+", "e")
    return ABOUT + repr(to_float(exact))


def _asked(roofline: Roofline, crossover: Crossover) -> Asked:
    """Find out which term the crossover is about, and bind the roofline as it is bound."""
    name = crossover.name
    extra = {key: value for values in crossover.bindings for key, value in values.items()}
    general = roofline.unbound
    kept = {key: value for key, value in roofline.bindings.items() if key != name}
    base = with_units(general, kept)
    for term in dict.fromkeys(GROUPS.values()):
        for start in (base, general):
            try:
                found = start.crossover(name, term)
            except UnknownNameError:
                continue
            same_rates = dict(found.problem.known) == dict(
                (crossover.asked or crossover.problem).known
            )
            if found.problem == (crossover.asked or crossover.problem) and same_rates:
                bound = with_units(start, extra)
                rest = {key: v for key, v in kept.items() if key not in bound.bindings}
                bound = with_units(bound, rest)
                return Asked(
                    bound.unbound.crossover(name, term), bound.crossover(name, term), term, bound
                )
    raise InputError(
        f"the crossover in {name} is not one of this roofline; ask r.crossover({name!r})"
    )


def with_units(roofline: Roofline, values: Mapping[str, object]) -> Roofline:
    """Bind exact values in base units: a name that is an amount takes its unit.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm")
    >>> with_units(r, {"m": sr.symbols("m") * 0 + 4, "bw.hbm": sr.symbols("m") * 0 + 10**12})
    <Roofline einsum on h100-sxm, m=4, bw.hbm=1000000000000 byte/s>
    """
    given: dict[str, object] = {}
    for name, value in values.items():
        unit = unit_of(name) if "." in name else unit_text(roofline.scope.dimensions.get(name, ()))
        given[name] = Quantity(value, unit) if unit and isinstance(value, Expr | int) else value
    return roofline.at(given)
