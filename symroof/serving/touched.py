"""Memory mode "touched": the terms of an iteration, read off the graph of the model."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr, Integer, Pow, cancel

from symroof.graph import Role
from symroof.graph.origins import Origins
from symroof.roofline import Roofline
from symroof.roofline.rows import op_terms
from symroof.roofline.terms import MAIN
from symroof.serving.setup import Setup
from symroof.serving.terms import NAMES, Terms
from symroof.symbolic import bind, symbol, total
from symroof.units import Scope

WEIGHTS, CACHES, ATTENTION, SENT = "weights", "caches", "attention", "activations"
BATCH, TOKENS, CONTEXT = "B", "B_dense", "S"


def decode_terms(setup: Setup, given: Mapping[str, object]) -> Terms:
    """Return the terms of an iteration of B sequences that decode at context S."""
    return _terms(setup, setup.roofline("decode"), {BATCH: symbol(BATCH)}, given, (BATCH, CONTEXT))


def mixed_terms(setup: Setup, given: Mapping[str, object]) -> Terms:
    """Return the terms of an iteration of B decodes at context S and one chunk of T tokens."""
    return _terms(
        setup, setup.roofline("mixed"), {BATCH: symbol(BATCH)}, given, (BATCH, CONTEXT, "T")
    )


def prefill_terms(setup: Setup, given: Mapping[str, object]) -> Terms:
    """Return the terms of an iteration that reads B prompts of T tokens."""
    return _terms(setup, setup.roofline("prefill"), {BATCH: symbol(BATCH)}, given, (BATCH, "T"))


def steady_terms(
    setup: Setup, values: Mapping[str, Expr], names: tuple[str, ...], given: Mapping[str, object]
) -> Terms:
    """Return the terms of an iteration of B_dense tokens in the steady state of a workload.

    Parameters
    ----------
    setup : Setup
    values : mapping of str to Expr
        B sequences that decode, their mean context S, R prompts of P tokens, by B_dense.
    names : tuple of str
        The names in them.
    given : mapping of str to object
        Numbers for these names.
    """
    return _terms(setup, setup.roofline("steady"), values, given, names)


def _terms(
    setup: Setup,
    roofline: Roofline,
    values: Mapping[str, Expr],
    given: Mapping[str, object],
    names: tuple[str, ...],
) -> Terms:
    """Return the terms of a roofline with the batch put in.

    In a pipeline each stage takes one of as many parts of the batch as there are stages, and an
    iteration of all of them is as many times the time of a stage.
    """
    stages = setup.stages
    inner = {
        name: value / stages if name in (BATCH, "R") else value for name, value in values.items()
    }

    def put(expr: Expr) -> Expr:
        if inner == {BATCH: symbol(BATCH)}:
            return stages * expr
        return stages * _merged(bind(expr, inner))

    return Terms(
        {name: put(roofline.groups[name].expr) for name in NAMES},
        roofline.rates,
        Scope(counts=frozenset(names)).union(roofline.rates.scope),
        names[0],
        given,
        lambda: {key: put(part) for key, part in _parts(roofline).items()},
        lambda: put(roofline.time.per_op.expr),
        names,
    )


def _merged(expr: Expr) -> Expr:
    """Return a formula with exponents such as B·d/(p + d) + B·p/(p + d) as one: B."""
    powers = [power for power in expr.atoms(Pow) if isinstance(power.exp, Add)]
    return expr.xreplace({power: Pow(power.base, cancel(power.exp)) for power in powers})


def _parts(roofline: Roofline) -> dict[tuple[str, str], Expr]:
    """Return what terms are the sum of: weights and caches, products with weights and attention."""
    moved = roofline.graph.bytes_by_role
    rate = roofline.rates.by_resource[MAIN]
    parts: dict[tuple[str, str], Expr] = {}
    for role, name in ((Role.WEIGHT, WEIGHTS), (Role.CACHE, CACHES)):
        parts["memory", name] = moved[role].expr / rate if role in moved else Integer(0)
    origins = Origins(roofline.graph)
    with_weights: list[tuple[Expr, Expr]] = []
    without: list[tuple[Expr, Expr]] = []
    for op in op_terms(roofline.graph, roofline.rates):
        weighted = any(origins.role(tensor) is Role.WEIGHT for tensor in op.work.op.inputs)
        (with_weights if weighted else without).append((op.groups["compute"], op.work.count))
    parts["compute", WEIGHTS], parts["compute", ATTENTION] = total(with_weights), total(without)
    parts["network", SENT] = roofline.groups["network"].expr
    return parts
