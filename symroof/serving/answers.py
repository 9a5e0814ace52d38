"""Questions about an iteration that have a closed form each: limits, rules of thumb, chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Integer, S

from symroof.errors import UnboundError
from symroof.roofline.crossing import region
from symroof.serving.terms import Terms
from symroof.serving.touched import CACHES, CONTEXT, WEIGHTS
from symroof.solve import Crossover, Kind, limit
from symroof.symbolic import symbol
from symroof.symbolic.numerals import number
from symroof.units import Scope

BITS = "bits"


@dataclass(frozen=True, slots=True)
class ContextLimit:
    """The context beyond which no batch is compute-bound.

    Attributes
    ----------
    crossover : Crossover
        For which contexts a batch large enough is compute-bound.
    means : str
        What the limit is of, and what it counts.
    largest : bool
        Whether it is of the largest batch that fits, not of any batch.
    """

    crossover: Crossover
    means: str
    largest: bool = False

    @property
    def expr(self) -> Expr:
        """The limit in closed form, rates as symbols; infinite where there is none."""
        if self.crossover.kind is Kind.ALWAYS:
            return S.Infinity
        if self.crossover.kind is Kind.NEVER:
            return Integer(0)
        found = self.crossover
        end = found.threshold_upper if found.relation == "between" else found.threshold
        return S.Infinity if end is None or found.relation in (">=", ">") else end

    @property
    def value(self) -> float:
        """The limit: infinite where none is reached, 0 where no context is compute-bound."""
        found = self.crossover
        if found.kind in (Kind.ALWAYS, Kind.NEVER):
            return float("inf") if found.kind is Kind.ALWAYS else 0.0
        between = found.relation == "between"
        end = found.threshold_upper_value if between else found.threshold_value
        return float("inf") if end is None or found.relation in (">=", ">") else end

    @property
    def first(self) -> int | None:
        """The first whole number of tokens with a compute-bound batch; None without one."""
        return self.crossover.first

    @property
    def last(self) -> int | None:
        """The last whole number of tokens with a compute-bound batch; None without a limit."""
        return None if self.value == float("inf") else self.crossover.last or 0

    def __str__(self) -> str:
        one, no = "a batch large enough is", "no batch is"
        if self.largest:
            one, no = "the largest batch that fits is", "the largest batch that fits is not"
        try:
            value = self.value
        except UnboundError:
            return f"{one} compute-bound for {self.crossover}"
        if self.crossover.kind is Kind.INTERVALS:
            return f"{one} compute-bound for {self.crossover}"
        start = self.first or 1
        if value == float("inf"):
            at = "at any context" if start == 1 else f"from a context of {number(start)} tokens on"
            return f"{one} compute-bound {at}"
        if not self.last:
            return f"{no} compute-bound at any context"
        below = "" if start == 1 else f", nor below one of {number(start)}"
        return f"{no} compute-bound beyond a context of {number(self.last)} tokens{below}"


@dataclass(frozen=True, slots=True)
class RuleOfThumb:
    """The batch that turns compute-bound when only weights are counted, beside the true one.

    Attributes
    ----------
    rule : Crossover
        Weights read against the products with them.
    truth : Crossover
        Everything counted.
    """

    rule: Crossover
    truth: Crossover

    @property
    def batch(self) -> float | None:
        """What the rule says; None where it says never."""
        return self.rule.threshold_value

    def __str__(self) -> str:
        said = "never" if self.batch is None else f"from {number_of(self.batch)} on"
        return f"weights alone: compute-bound {said}; with everything counted: {self.truth}"


def context_limit(terms: Terms) -> ContextLimit:
    """Return the context beyond which no batch of decodes is compute-bound.

    Of all terms what each further sequence adds at a large batch is compared: with weights spread
    over more and more sequences that is all there is.

    Examples
    --------
    >>> import symroof as sr
    >>> print(sr.serve("llama-3-8b", "h100-sxm").context_limit)
    no batch is compute-bound beyond a context of 393 tokens
    """
    batch = symbol(terms.batch)
    grown = replace(
        terms,
        groups={
            name: limit(term / batch, batch) if term.has(batch) else Integer(0)
            for name, term in terms.groups.items()
        },
        batch=CONTEXT,
        given={name: value for name, value in terms.given.items() if name != CONTEXT},
        split=None,
        per_op=None,
    )
    counted = (
        "products with weights and attention; weights once, without the embedding table; each"
        " cached token once; no activations"
    )
    if grown.groups["network"] != 0:
        counted += "; what chips send"
    return ContextLimit(grown.crossover(CONTEXT, "compute", None), counted)


def rule_of_thumb(terms: Terms, truth: Crossover) -> RuleOfThumb | None:
    """Return the weights-only batch beside the true one; None where no weights are read.

    Examples
    --------
    >>> import symroof as sr
    >>> print(sr.serve("llama-3-8b", "h100-sxm", context=256).rule_of_thumb)
    weights alone: compute-bound from 295.2 on; with everything counted: B ≥\
 1832257·ridge.bf16 / (256·(7221 − 16·ridge.bf16)) = 846.071 → B ≥ 847
    """
    groups = {name: terms.parts.get((name, WEIGHTS), Integer(0)) for name in ("compute", "memory")}
    if 0 in groups.values():
        return None
    plain = replace(terms, groups={**groups, "network": Integer(0)}, split=None, per_op=None)
    return RuleOfThumb(plain.crossover(terms.batch, "compute", "memory"), truth)


def caches_exceed_weights(terms: Terms, batch: object, unknown: str = CONTEXT) -> Crossover:
    """Return the contexts at which the caches of a batch are as many bytes as the weights read."""
    given = {name: value for name, value in terms.given.items() if name != unknown}
    free = replace(terms, given=given)
    caches, weights = (free.quantity(free.parts["memory", p], "s") for p in (CACHES, WEIGHTS))
    return region(free.put(caches, batch), free.put(weights, batch), unknown)


def bits_per_weight(terms: Terms, batch: object, bits: Expr) -> Crossover:
    """Return with how many bits for each weight a batch is compute-bound or balanced.

    Parameters
    ----------
    terms : Terms
    batch : number
    bits : Expr
        The bits each weight that is read has now. The compute dtype stays what it is.
    """
    weights = terms.parts["memory", WEIGHTS]
    scaled = weights * symbol(BITS) / bits + (terms.groups["memory"] - weights)
    scope = terms.scope.union(Scope().with_names([BITS]))
    free = replace(terms, scope=scope)
    compute, memory = (free.quantity(e, "s") for e in (terms.groups["compute"], scaled))
    return region(free.put(compute, batch), free.put(memory, batch), BITS)


def number_of(value: float) -> str:
    """Return a number in three or four digits."""
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"
