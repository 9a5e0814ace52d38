r"""An answer in notebooks: its sentence as LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sympy import Expr

from symroof.markup import or_none
from symroof.solve.kinds import Kind
from symroof.symbolic.forms import NO_LABELS, Comparison, Form, Named, Relation
from symroof.symbolic.latex import latex, name_latex
from symroof.symbolic.numerals import number
from symroof.units.notebook import amount_latex

if TYPE_CHECKING:
    from symroof.solve.conditions import Condition
    from symroof.solve.crossover import Crossover
    from symroof.solve.ranges import SymbolicRegion

DIGITS = 6
MOST = 6  # pieces, runs of whole numbers, cases
LONGEST = 6000

APPROX = r"\approx"
ABOVE, BELOW = {True: r"\ge", False: ">"}, {True: r"\le", False: "<"}

Ends: TypeAlias = tuple[Expr | int | None, Expr | int | None, bool, bool]
"""Lower and upper end (None for none), and whether each belongs."""


@or_none
def crossover_latex(answer: Crossover, labels: Mapping[str, str] = NO_LABELS) -> str | None:
    r"""Return an answer as LaTeX with dollars; None where its text says more.

    Parameters
    ----------
    answer : Crossover
        Any answer; once everything is bound, the numbers follow the closed form.
    labels : mapping of str to str
        How rates are shown.

    Examples
    --------
    >>> from symroof.solve import Problem, solve
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> x = solve(Problem(M * N, (M + 5 * N,), M))
    >>> print(crossover_latex(x))
    $\displaystyle M \ge \frac{5\,N}{N - 1} \quad\text{given }N > 1\text{, else never}$
    >>> print(crossover_latex(x.at(N=6)))
    $\displaystyle M \ge 6$
    """
    text = _Answer(answer, labels).text()
    return None if text is None or len(text) > LONGEST else rf"$\displaystyle {text}$"


class _Answer:
    """The parts of one answer as LaTeX."""

    def __init__(self, answer: Crossover, labels: Mapping[str, str]) -> None:
        self.answer = answer
        self.labels = labels
        self.name = name_latex(labels.get(answer.name, answer.name))

    def text(self) -> str | None:
        answer = self.answer
        if answer.kind in (Kind.ALWAYS, Kind.NEVER) and not (answer.free and len(answer.cases) > 1):
            return _words(answer.kind.value)
        if answer.kind is Kind.UNSOLVED:
            return None
        if not answer.free:
            return self.numbers()
        if answer.settled is not None:
            cases = self.cases()
            settled = _words(f"{answer.settled.value} at the known rates")
            return settled if cases is None else rf"{settled}\text{{: }}{cases}"
        if answer.kind is Kind.CASES:
            return self.cases()
        region, condition = answer.region, answer.condition
        if region is None or condition is None:
            return None
        if condition.is_true:
            return self.region(region)
        given = self.condition(condition)
        return rf"{self.region(region)} \quad{_words('given ')}{given}{_words(', else never')}"

    def region(self, region: SymbolicRegion) -> str:
        if region.is_all or region.is_empty:
            return _words("always" if region.is_all else "never")
        answer = self.answer
        names: dict[str, Form] = {}
        found = [
            self.chain([_without_names(form, names) for form in forms])
            for forms in region.forms(answer.name, answer.leads, answer.order)
        ]
        text = _words(" or ").join(found)
        if not names:
            return text
        meanings = ", ".join(
            f"{name_latex(name)} = {latex(form, self.labels)}" for name, form in names.items()
        )
        return rf"{text}, \quad{_words('where ')}{meanings}"

    def chain(self, sides: Sequence[Comparison]) -> str:
        """Return comparisons that all hold; two ends around the unknown in one line."""
        if len(sides) == 2 and sides[0].relation in (Relation.AT_LEAST, Relation.GREATER):
            low, high = sides
            start = latex(Comparison(low.right, low.relation.mirrored(), low.left), self.labels)
            tail = latex(high, self.labels).removeprefix(latex(high.left, self.labels))
            return start + tail
        return _words(" and ").join(latex(form, self.labels) for form in sides)

    def condition(self, condition: Condition) -> str:
        forms = condition.forms(self.answer.leads, self.answer.order)
        return _words(" and ").join(latex(form, self.labels) for form in forms)

    def cases(self) -> str | None:
        cases = [case for case in self.answer.cases if not case.region.is_empty]
        if len(cases) > MOST:
            return None
        rows = [
            rf"\displaystyle {self.region(case.region)} & "
            rf"{_words('if ')}{self.condition(case.condition)}"
            for case in cases
        ]
        if len(cases) < len(self.answer.cases):
            rows.append(rf"{_words('never')} & {_words('otherwise')}")
        return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}"

    def numbers(self) -> str | None:
        """Return the closed form, the numbers, the whole numbers: each where it says more."""
        answer = self.answer
        whole = None if answer.intervals is None else self.whole_numbers()
        if answer.kind is Kind.INTERVALS and whole is not None:
            return whole
        if answer.real is None:
            return None
        text = self.runs(
            [(i.lower, i.upper, i.lower_closed, i.upper_closed) for i in answer.real.intervals]
        )
        result, low = text, answer.threshold_bound
        if answer.kind is Kind.AT and answer.problem.known and answer.region and low is not None:
            closed = self.region(answer.region)
            if closed != text and answer.region.threshold != low:
                result = rf"{closed} {'=' if low.is_Integer else APPROX} {_written(low)}"
        return result if whole in (None, text) else rf"{result} \;\rightarrow\; {whole}"

    def whole_numbers(self) -> str:
        runs = self.answer.intervals or ()
        total = self.answer.intervals_total or 0
        if not runs:
            return _words("no whole number")
        ends = [(None if low == 1 and high else low, high, True, True) for low, high in runs]
        return self.runs(ends, more=total > len(runs))

    def runs(self, ends: Sequence[Ends], *, more: bool = False) -> str:
        """Return intervals as comparisons of the unknown with numbers."""
        found = []
        for low, high, low_closed, high_closed in ends[:MOST]:
            if low is not None and low == high:
                found.append(f"{self.name} = {_written(low)}")
            elif high is None:
                found.append(f"{self.name} {ABOVE[low_closed]} {_written(low)}")
            else:
                start = "" if low is None else f"{_written(low)} {BELOW[low_closed]} "
                found.append(f"{start}{self.name} {BELOW[high_closed]} {_written(high)}")
        if more or len(ends) > MOST:
            found.append(r"\ldots")
        return _words(" or ").join(found)


def _without_names(form: Comparison, names: dict[str, Form]) -> Comparison:
    """Take the named parts of a comparison out into `names`; write them out where names clash."""
    if not isinstance(form.right, Named):
        return form
    own = dict(form.right.names)
    if all(names.get(key, part) == part for key, part in own.items()):
        names |= own
        return Comparison(form.left, form.relation, form.right.body)
    return Comparison(form.left, form.relation, form.right.inline())


def _written(end: Expr | int | None) -> str:
    """Return a number with six digits, or as many as stand before its point."""
    if end is None:
        return r"\infty"
    text = number(end, DIGITS)
    before = sum(letter.isdigit() for letter in text.partition(".")[0])
    return amount_latex(number(end, before) if before > DIGITS and "e" not in text else text)


def _words(text: str) -> str:
    return rf"\text{{{text}}}"
