"""How much the time of an iteration moves with each input, and what would help most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Expr, Integer, Max, Min, log

from symroof.graph.work import ratio
from symroof.roofline import Bound
from symroof.roofline.compare import as_bound
from symroof.serving.terms import NAMES, Terms, largest_of
from symroof.serving.touched import CACHES, WEIGHTS
from symroof.symbolic import bind, symbol, to_float, total
from symroof.units import Quantity

Part = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Elasticity:
    """By how many percent the time of an iteration grows for one percent more of an input.

    Attributes
    ----------
    name : str
        The input.
    term : str
        The term that bounds the iteration.
    value : float
        At the batch asked for.
    expr : Expr or None
        In closed form, batch and rates as symbols; None where numbers decide its form (a context
        and a window) or it has none in this grammar (experts that a batch reaches).
    """

    name: str
    term: str
    value: float
    expr: Expr | None


@dataclass(frozen=True, slots=True)
class Help:
    """What one change makes of the rate of tokens.

    Attributes
    ----------
    change : str
        Such as "twice the memory bandwidth".
    input : str
        The input that changes.
    gain : float
        Tokens per second after it, over those before.
    bound : Bound
        The largest term after it.
    """

    change: str
    input: str
    gain: float
    bound: Bound

    def __str__(self) -> str:
        after = "balanced" if self.bound is Bound.BALANCED else f"{self.bound}-bound"
        return f"{self.change}: {self.gain:.2f}x the tokens/s, then {after}"


@dataclass(frozen=True, slots=True)
class _Input:
    """An input that scales parts of terms by a power of itself."""

    name: str
    parts: tuple[Part, ...]
    power: int
    change: str


LABELS = {
    "B": "batch",
    "B_dense": "batch",
    "S": "context",
    "p": "prompt tokens",
    "d": "new tokens",
}
INPUTS = (
    _Input("parameters", (("memory", WEIGHTS), ("compute", WEIGHTS)), 1, "half the parameters"),
    _Input("bits per weight", (("memory", WEIGHTS),), 1, "half the bits per weight"),
    _Input("bits per cached element", (("memory", CACHES),), 1, "half the bits of the KV cache"),
    _Input("memory bandwidth", (("memory", ""),), -1, "twice the memory bandwidth"),
    _Input("peak compute", (("compute", ""),), -1, "twice the peak compute"),
    _Input("link bandwidth", (("network", ""),), -1, "twice the link bandwidth"),
)


def elasticities(terms: Terms, batch: object, symbols: Iterable[str]) -> tuple[Elasticity, ...]:
    """Return ∂ln t/∂ln x of the time of an iteration for every input.

    Only the term that bounds the iteration moves it. In a tie it is the first of those tied, and
    less of an input then helps no further than the others.

    Parameters
    ----------
    terms : Terms
    batch : number
        The batch.
    symbols : iterable of str
        Names in the formulas that are inputs too: the batch, the context.

    Examples
    --------
    >>> import symroof as sr
    >>> s = sr.serve("llama-3-8b", "h100-sxm", context=1024)
    >>> [(e.name, round(e.value, 3)) for e in elasticities(s.terms, 64, ["B"]) if e.value > 0]
    [('parameters', 0.636), ('bits per weight', 0.636), ('bits per cached element', 0.364),\
 ('batch', 0.364)]
    """
    term = next(iter(terms.largest(batch)))
    whole = terms.groups[term]
    found = []
    for what in INPUTS:
        share = what.power * _share(terms, what, term)
        found.append(_made(terms, what.name, term, ratio(share, whole), batch))
    found += [_of_symbol(terms, name, LABELS[name], term, batch) for name in symbols]
    return tuple(found)


def helps(terms: Terms, batch: Expr, room: int | None) -> tuple[Help, ...]:
    """Return what a factor of two in each input gains, the best first, without what gains nothing.

    Parameters
    ----------
    terms : Terms
    batch : int
        The batch, in the unit of the terms.
    room : int or None
        The largest batch that fits; twice the batch is offered within it.

    Examples
    --------
    >>> import symroof as sr
    >>> print(sr.serve("llama-3-8b", "h100-sxm", context=1024).helps(64)[0])
    twice the memory bandwidth: 2.00x the tokens/s, then memory-bound
    """
    before = _numbers(terms, batch)
    slowest = _longest(before)
    found = []
    for what in INPUTS:
        after = dict(before)
        for name in NAMES:
            share = _share(terms, what, name)
            if share != 0:
                after[name] -= _number(terms, share, batch) / 2
        found.append(_help(what.change, what.name, slowest, after, 1))
    twice = 2 * batch
    if room is None or twice <= room:
        after = _numbers(terms, twice)
        found.append(_help("twice the batch", "batch", slowest, after, 2))
    better = [(gain, one) for gain, one in found if gain > 1]
    return tuple(one for _, one in sorted(better, key=lambda pair: -pair[1].gain))


def _help(
    change: str, name: str, before: Quantity, after: Mapping[str, Quantity], tokens: int
) -> tuple[Expr, Help]:
    gain = (tokens * before / _longest(after)).value
    return gain, Help(change, name, to_float(gain), as_bound(largest_of(after)))


def _longest(times: Mapping[str, Quantity]) -> Quantity:
    return times[largest_of(times)[0]]


def _share(terms: Terms, what: _Input, term: str) -> Expr:
    """Return the part of a term that is in proportion to an input, or to one over it."""
    parts = [
        terms.groups[term] if part == "" else terms.parts.get((term, part), Integer(0))
        for name, part in what.parts
        if name == term
    ]
    return total((part, 1) for part in parts)


def _numbers(terms: Terms, batch: object) -> dict[str, Quantity]:
    return {name: _number(terms, terms.groups[name], batch) for name in NAMES}


def _number(terms: Terms, expr: Expr, batch: object) -> Quantity:
    return terms.put(terms.quantity(expr, "s"), batch).resolved()


def _of_symbol(terms: Terms, name: str, label: str, term: str, batch: object) -> Elasticity:
    whole, of = terms.groups[term], symbol(name)
    if not whole.has(of):
        return Elasticity(label, term, 0.0, Integer(0))
    given = {n: terms.quantity(symbol(n), "").expr for n in terms.given}
    numbers = {**given, terms.batch: terms.put(terms.quantity(symbol(terms.batch), ""), batch).expr}
    smooth, chosen = _branch(whole, numbers)
    slope = of * smooth.diff(of)
    if slope.has(log):  # of experts that a batch reaches; formulas have no natural logarithms
        known = {**terms.rates.scope.values, **numbers}
        at = {symbol(n): value for n, value in known.items()}
        return Elasticity(label, term, float((slope / smooth).xreplace(at).evalf(30)), None)
    made = _made(terms, label, term, ratio(slope, smooth), batch)
    return Elasticity(label, term, made.value, None if chosen else made.expr)


def _branch(expr: Expr, numbers: Mapping[str, Expr]) -> tuple[Expr, bool]:
    """Return a formula with the part of each Min and Max that counts, and whether it had any."""
    found = expr
    while nodes := found.atoms(Min, Max):
        chosen: dict[Expr, Expr] = {}
        for node in nodes:
            values = [(to_float(bind(arg, numbers)), i) for i, arg in enumerate(node.args)]
            at = min(values)[1] if isinstance(node, Min) else max(values)[1]
            chosen[node] = node.args[at]
        found = found.xreplace(chosen)
    return found, found is not expr


def _made(terms: Terms, name: str, term: str, expr: Expr, batch: object) -> Elasticity:
    at = terms.put(terms.quantity(expr, ""), batch)
    return Elasticity(name, term, to_float(at.value), expr)
