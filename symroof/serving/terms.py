"""The time terms of one iteration as functions of the batch, and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from sympy import Expr, Integer, expand

from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.graph.work import ratio
from symroof.roofline.bound import Bound
from symroof.roofline.compare import as_bound, largest
from symroof.roofline.crossing import crossover
from symroof.roofline.terms import Rates, slowest
from symroof.solve import Crossover
from symroof.symbolic import bind, symbol, total
from symroof.units import Quantity, Scope, human

NAMES = ("compute", "memory", "network")


@dataclass(frozen=True, slots=True)
class IterationTime:
    """Bounds on the time of an iteration: overlapped ≤ per_op ≤ serial, overlapped ≤ exposed.

    Attributes
    ----------
    overlapped : Quantity
        Everything overlaps: the largest of the three terms.
    per_op : Quantity or None
        The resources of one op overlap, ops follow each other; None where the terms are not sums
        over ops.
    exposed : Quantity
        Compute and memory overlap, the network overlaps nothing.
    serial : Quantity
        Nothing overlaps: the sum of the terms.
    """

    overlapped: Quantity
    per_op: Quantity | None
    exposed: Quantity
    serial: Quantity

    def map(self, change: Callable[[Quantity], Quantity]) -> IterationTime:
        """Return the bounds with the same done to each."""
        return IterationTime(**self._each(change))

    def resolved(self) -> IterationTime:
        """Return the bounds with all known rates put in."""
        return self.map(Quantity.resolved)

    def to_dict(self) -> dict[str, Any]:
        """Return the bounds as plain data, each with its unit."""
        return self._each(Quantity.to_dict)

    def _each(self, change: Callable[[Quantity], Any]) -> dict[str, Any]:
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: None if time is None else change(time) for name, time in given.items()}


@dataclass(frozen=True)
class Terms:
    """Time terms of one iteration.

    Attributes
    ----------
    groups : mapping of str to Expr
        Seconds of compute, memory and network.
    rates : Rates
        The rates of the machine in them.
    scope : Scope
        The names that may be bound or asked for.
    batch : str
        The name that stands for the batch.
    given : mapping of str to Expr
        What was asked for already: a context, lengths of prompts and answers.
    split : callable or None
        Makes the parts a term is the sum of, by term and part.
    per_op : callable or None
        Makes the sum of the longest terms of all ops.
    order : tuple of str
        In which order formulas write the names.
    sums : mapping of str to Expr
        Names that stand for formulas: what all chips have together, in what one of them has.
    """

    groups: Mapping[str, Expr]
    rates: Rates
    scope: Scope
    batch: str
    given: Mapping[str, object] = field(default_factory=dict)
    split: Callable[[], Mapping[tuple[str, str], Expr]] | None = None
    per_op: Callable[[], Expr] | None = None
    order: tuple[str, ...] = ()
    sums: Mapping[str, Expr] = field(default_factory=dict)

    def quantity(self, expr: Expr, unit: str) -> Quantity:
        """Return a quantity in the names of the terms, with what is given put in."""
        made = Quantity.of(expr, unit, self.scope)
        return made.at(self.given) if self.given else made

    @cached_property
    def parts(self) -> Mapping[tuple[str, str], Expr]:
        """The parts a term is the sum of, by term and part."""
        return {} if self.split is None else self.split()

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """The three terms."""
        return {name: self.quantity(self.groups[name], "s") for name in NAMES}

    @cached_property
    def known(self) -> Mapping[str, Quantity]:
        """The three terms with all known rates put in."""
        return {name: term.resolved() for name, term in self.quantities.items()}

    @cached_property
    def overlapped(self) -> Quantity:
        """How long an iteration takes if everything overlaps: the longest term."""
        return self.quantity(slowest(self.groups[name] for name in NAMES), "s")

    @cached_property
    def time(self) -> IterationTime:
        """How long an iteration takes, by what overlaps."""
        groups = self.groups
        hidden = slowest([groups["compute"], groups["memory"]])
        return IterationTime(
            self.overlapped,
            None if self.per_op is None else self.quantity(self.per_op(), "s"),
            self.quantity(total([(hidden, 1), (groups["network"], 1)]), "s"),
            self.quantity(total((groups[name], 1) for name in NAMES), "s"),
        )

    @cached_property
    def known_time(self) -> IterationTime:
        """How long an iteration takes, with all known rates put in."""
        return self.time.resolved()

    def time_at(self, batch: object) -> IterationTime:
        """Return how long an iteration of one batch takes."""
        return self.time.map(lambda time: self.put(time, batch))

    def at(self, batch: object) -> dict[str, Quantity]:
        """Return the terms of one batch."""
        return {name: self.put(term, batch) for name, term in self.quantities.items()}

    def put(self, quantity: Quantity, batch: object) -> Quantity:
        """Return a quantity of one batch; as it is for a batch of None."""
        if batch is None or self.batch not in quantity.scope.dimensions:
            return quantity
        return quantity.at({self.batch: batch})

    def line(self, name: str) -> tuple[Quantity, Quantity] | None:
        """Return what a term grows by with the batch and where it starts; None if it is no line."""
        known, batch = self.known[name].expr, symbol(self.batch)
        if known.free_symbols - {batch}:
            return None
        start = bind(known, {self.batch: Integer(0)})
        slope = bind(known, {self.batch: Integer(1)}) - start
        if expand(known - start - slope * batch) != 0:
            return None
        return Quantity.of(slope, "s"), Quantity.of(start, "s")

    def text(self, name: str) -> str:
        """Return a term that is a line in the batch as people write it; nothing for another.

        Examples
        --------
        >>> import symroof as sr
        >>> sr.serve("llama-3-8b", "h100-sxm", context=1024).terms.text("memory")
        '40.06 µs·B + 4.481 ms'
        """
        parts = zip(self.line(name) or (), (f"·{self.batch}", ""), strict=False)
        return " + ".join(f"{human(part, 4)}{by}" for part, by in parts if part.expr != 0)

    def largest(self, batch: object) -> tuple[str, ...]:
        """Return the names of the largest terms of a batch."""
        return largest_of({name: self.put(term, batch) for name, term in self.known.items()})

    def bound(self, batch: object) -> Bound:
        """Return which term is the largest for a batch."""
        return as_bound(self.largest(batch))

    def batch_cancels(self, *names: str) -> bool:
        """Return whether these terms are all proportional to the batch."""
        batch = symbol(self.batch)
        return not any(ratio(self.groups[name], batch).has(batch) for name in names)

    def crossover(self, unknown: str, term: str, over: str | None) -> Crossover:
        """Return for which values of a name `term` is at least `over`, or all other terms.

        Asked for what one chip has, or for how many there are, sums are written out; a batch that
        all sides are in proportion to is left out.

        Raises
        ------
        UnknownNameError
            If there is no such term or name.
        InputError
            If a term is compared with itself, or a sum is asked for.
        """
        for name in (term, *([] if over is None else [over])):
            if name not in NAMES:
                raise UnknownNameError("time term", str(name), NAMES)
        if term == over:
            raise InputError(f"{term} is compared with itself", where="over")
        names = [term, *(n for n in NAMES if n != term)] if over is None else [term, over]
        groups = {name: self.groups[name] for name in names}
        if isinstance(unknown, str):
            groups = self._for(unknown, groups)
        return crossover(
            groups,
            self.rates,
            self.scope,
            unknown=unknown,
            term=term,
            bindings={n: v for n, v in self.given.items() if n != unknown},
            order=self.order,
        )

    def _for(self, unknown: str, groups: dict[str, Expr]) -> dict[str, Expr]:
        """Return terms as they are compared in a name."""
        if unknown in self.sums:
            names = sorted(s.name for s in self.sums[unknown].free_symbols)
            raise InputError(f"{unknown} is a sum over chips; ask for {' or '.join(names)}")
        if any(formula.has(symbol(unknown)) for formula in self.sums.values()):
            inner = {symbol(name): formula for name, formula in self.sums.items()}
            groups = {name: term.xreplace(inner) for name, term in groups.items()}
        if unknown != self.batch and self.batch_cancels(*groups):
            groups = {name: ratio(term, symbol(self.batch)) for name, term in groups.items()}
        return groups


def largest_of(terms: Mapping[str, Quantity]) -> tuple[str, ...]:
    """Return the names of the largest terms of a batch.

    Raises
    ------
    UnboundError
        If that depends on names that are left open.
    """
    try:
        return largest(terms)
    except UnboundError as error:
        raise UnboundError(
            "which term is largest (crossover answers for a name); it", error.names
        ) from None
