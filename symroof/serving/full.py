"""Memory mode "full": the terms of an iteration from totals, all of memory streamed once.

The cost model of NanoFlow (arXiv 2408.12757), in which all GPUs are one machine and an iteration
reads all of their memory once.
"""

from __future__ import annotations

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.roofline.crossing import region
from symroof.roofline.terms import MAIN, Rates
from symroof.serving.answers import ContextLimit
from symroof.serving.asked import Asked
from symroof.serving.capacity import Capacity
from symroof.serving.hardware import COMPUTE, GPU_MEM, MEM_BW, N_GPUS, NET_BW, PER_GPU, Hardware
from symroof.serving.setup import Setup
from symroof.serving.size import HIDDEN, LAYERS, PARAMS, VALUE_BYTES, ModelSize
from symroof.serving.terms import Terms
from symroof.serving.touched import BATCH, CONTEXT, TOKENS, WEIGHTS
from symroof.solve import Crossover
from symroof.symbolic import adopt, bind, max_of, symbol
from symroof.units import Quantity, Scope, union

CHUNK = "T"
PER_CHIP = {"bw": MEM_BW + PER_GPU, "peak": COMPUTE + PER_GPU, "link": NET_BW + PER_GPU}
"""What rates of a chip are called here, by their names elsewhere."""
ORDER = (TOKENS, N_GPUS, PARAMS, HIDDEN, LAYERS, VALUE_BYTES)


def hardware_of(setup: Setup) -> Hardware:
    """Return the chips of a set-up, with the peak of the products with weights."""
    return Hardware.of(setup.machine, setup.precision.products)


def size_of(setup: Setup) -> ModelSize:
    """Return the numbers of a model; P_model is all that a token meets, of experts the active."""
    config = setup.model.config
    return ModelSize(
        params=setup.model.active_params,
        hidden=config.hidden,
        layers=config.decoder.depth,
        dtype=setup.dtype,
    )


def full_terms(hardware: Hardware, size: ModelSize) -> Terms:
    """Return the terms of an iteration of B_dense tokens, those of prompts and those decoded.

    t_compute = 2·B_dense·P_model/compute, t_mem = GPU_mem/MemBW and, for four all-gathers a layer,
    each of whose values crosses N_gpus − 1 links, t_net =
    4·(N_gpus − 1)·B_dense·D_model·S_type·L/NetBW. An all-reduce is two of these.

    Parameters
    ----------
    hardware : Hardware
    size : ModelSize

    Examples
    --------
    >>> a100s = Hardware(
    ...     8,
    ...     gpu_mem_per_gpu="80 GB",
    ...     mem_bw_per_gpu="2 TB/s",
    ...     compute_per_gpu="312 TFLOP/s",
    ...     net_bw_per_gpu="300 GB/s",
    ...     bidirectional=False,
    ... )
    >>> terms = full_terms(a100s, ModelSize(params=70 * 10**9, hidden=8192, layers=80))
    >>> memory, network = terms.quantities["memory"], terms.quantities["network"]
    >>> print(memory, "=", memory.to("ms"), "ms")
    GPU_mem/MemBW s = 40.0 ms
    >>> print(network)
    4*B_dense*D_model*L*S_type*(N_gpus - 1)/NetBW s
    >>> round(network.at(B_dense=2048).to("ms"), 3), str(terms.bound(2048))
    (31.317, 'compute')
    >>> terms.crossover("N_gpus", "network", "compute").first
    27
    """
    batch, many = symbol(TOKENS), symbol(N_GPUS)
    sent = 4 * batch * symbol(HIDDEN) * symbol(VALUE_BYTES) * (many - 1) * symbol(LAYERS)
    groups: dict[str, Expr] = {
        "compute": 2 * batch * symbol(PARAMS) / symbol(COMPUTE),
        "memory": symbol(GPU_MEM) / symbol(MEM_BW),
        "network": sent / symbol(NET_BW) if hardware.has_link else Integer(0),
    }
    by_resource = {("flop", COMPUTE): symbol(COMPUTE), MAIN: symbol(MEM_BW)}
    if hardware.has_link:
        by_resource["link", NET_BW] = symbol(NET_BW)
    scope = union(union(hardware.scope, size.scope), Scope(counts=frozenset({TOKENS})))
    return Terms(
        groups,
        Rates(by_resource, scope),
        scope,
        TOKENS,
        split=lambda: {("compute", WEIGHTS): groups["compute"]},
        order=ORDER,
        sums=hardware.sums,
    )


def full_context_limit(terms: Terms, asked: Asked, capacity: Capacity) -> ContextLimit:
    """Return the context beyond which the largest batch that fits is not compute-bound."""
    if capacity.memory is None:
        raise InputError(f"{asked.setup.chip.name} does not say how much memory it has")
    turning = terms.crossover(TOKENS, "compute", "memory").threshold_bound
    free = Capacity(capacity.setup, {})
    least = Integer(capacity.setup.parallel.replicas)
    filled = free.weights + free.caches.at({BATCH: max_of(least, turning * asked.new_share)})
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
