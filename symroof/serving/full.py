"""Memory mode "full": the terms of an iteration from totals, all of memory streamed once."""

from __future__ import annotations

from symroof.errors import InputError
from symroof.models.config import Attention
from symroof.roofline.crossing import region
from symroof.serving.aggregate import ORDER, ServingModel
from symroof.serving.answers import ContextLimit
from symroof.serving.asked import Asked
from symroof.serving.capacity import Capacity
from symroof.serving.hardware import Hardware
from symroof.serving.size import ModelSize
from symroof.serving.terms import Terms
from symroof.serving.touched import BATCH, CONTEXT, TOKENS, WEIGHTS
from symroof.serving.workload import Workload
from symroof.solve import Crossover
from symroof.symbolic import adopt, bind, symbol
from symroof.units import Quantity, Scope, compute_dtype, dtype

CHUNK = "T"


def full_model(asked: Asked, capacity: Capacity) -> ServingModel:
    """Return the model on totals, from the numbers of a config and a machine.

    P_model is the parameters a token is multiplied with, of a mixture the active ones.
    """
    setup = asked.setup
    config = setup.model.config
    mixers = [layer.mixer for layer, _ in config.decoder.layers]
    groups = [m.heads / m.kv_heads for m in mixers if isinstance(m, Attention)]
    kept = setup.model.kv_bytes_per_token(setup.cached)
    size = ModelSize(
        group_size=groups[0] if groups else 1,
        params=setup.model.active_params,
        hidden=config.hidden,
        layers=config.decoder.depth,
        dtype=setup.dtype,
        weights=capacity.total_weights,
        # States alone keep nothing of a token; what fits is read off the graph in any case.
        kv_bytes_per_token=None if kept.expr == 0 else kept,
    )
    key = compute_dtype(dtype(setup.dtype), setup.stored)
    load = asked.workload
    if load is None or asked.symbolic:
        load = Workload("p", "d")
    return ServingModel(Hardware.of(setup.machine, key), size, load)


def full_terms(model: ServingModel) -> Terms:
    """Return the terms of an iteration as functions of its tokens."""
    parts = {("compute", WEIGHTS): model.groups["compute"]}
    return Terms(model.groups, model.rates, model.scope, TOKENS, split=lambda: parts, order=ORDER)


def full_context_limit(model: ServingModel, asked: Asked, capacity: Capacity) -> ContextLimit:
    """Return the context beyond which the largest batch that fits is not compute-bound."""
    if capacity.memory is None:
        raise InputError(f"{asked.setup.chip.name} does not say how much memory it has")
    turning = model.crossover(TOKENS, term="compute", over="memory").threshold_bound
    free = Capacity(capacity.setup, {})
    filled = free.weights + free.caches.at({BATCH: turning * asked.new_share})
    means = "the largest batch that fits; weights and caches are kept, all of memory is streamed"
    # States alone do not grow with the context: the question stands all the same.
    scope = filled.scope.union(Scope(counts=frozenset({CONTEXT})))
    kept = Quantity.of(filled.expr, filled.unit, scope)
    return ContextLimit(region(capacity.memory, kept, CONTEXT), means, largest=True)


def full_chunk(terms: Terms, batch: object) -> Crossover:
    """Return for which chunks of T prompt tokens beside a batch an iteration is compute-bound."""
    tokens = symbol(CHUNK) + adopt(batch, where="batch")
    groups = {name: bind(term, {TOKENS: tokens}) for name, term in terms.groups.items()}
    scope = terms.scope.union(Scope(counts=frozenset({CHUNK})))
    made = Terms(groups, terms.rates, scope, CHUNK, order=(CHUNK, *terms.order))
    return made.crossover(CHUNK, "compute", None)
