"""The serving model on totals: three terms of an iteration, from numbers of model and machine.

The cost model of NanoFlow (arXiv 2408.12757), in which all GPUs are one machine and an iteration
reads all of their memory once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr, Integer

from symroof.errors import InputError, UnknownNameError
from symroof.roofline.bound import Bound
from symroof.roofline.compare import as_bound, largest
from symroof.roofline.crossing import crossover, region
from symroof.roofline.terms import MAIN, Rates, slowest
from symroof.serving.hardware import COMPUTE, GPU_MEM, MEM_BW, N_GPUS, NET_BW, PER_GPU, Hardware
from symroof.serving.inputs import amount
from symroof.serving.pairs import PAIRS, Pair
from symroof.serving.room import sequences_that_fit
from symroof.serving.size import B_DENSE, HIDDEN, LAYERS, PARAMS, VALUE_BYTES, ModelSize
from symroof.serving.workload import DECODE, PREFILL, Workload
from symroof.solve import Crossover
from symroof.symbolic import max_of, symbol, total
from symroof.symbolic.numerals import number
from symroof.units import Quantity, Scope, human, union

NAMES = ("compute", "memory", "network")
ORDER = (B_DENSE, N_GPUS, PREFILL, DECODE, PARAMS, HIDDEN, LAYERS, VALUE_BYTES)
ZERO = Integer(0)


@dataclass(frozen=True, eq=False)
class ServingModel:
    """A model served by GPUs, in memory mode ``full``.

    Formulas are in B_dense, the tokens of an iteration: those of prompts and those decoded. What
    is known of model, hardware and workload is put in when a number is asked for; ``at`` of any
    answer puts in other values.

    Parameters
    ----------
    hardware : Hardware
        The GPUs.
    size : ModelSize
        Parameters, layers, widths and bytes of the model.
    workload : Workload, optional
        Lengths of prompts and answers; p and d stay symbols without.

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
    >>> llama = ModelSize(params=70 * 10**9, hidden=8192, layers=80, group_size=8)
    >>> model = ServingModel(a100s, llama, Workload(512, 1024))
    >>> print(model.t_mem, "=", model.t_mem.to("ms"), "ms")
    GPU_mem/MemBW s = 40.0 ms
    >>> print(model.t_net)
    4*B_dense*D_model*L*S_type*(N_gpus - 1)/NetBW s
    >>> round(model.t_net.at(B_dense=2048).to("ms"), 3), str(model.bound(2048))
    (31.317, 'compute')
    >>> print(model.pair("network", "compute").answer.first)
    27
    """

    hardware: Hardware
    size: ModelSize
    workload: Workload = field(default_factory=lambda: Workload(PREFILL, DECODE))

    # --- terms ----------------------------------------------------------------------------------

    @cached_property
    def scope(self) -> Scope:
        """The names in formulas, with their units and values."""
        known = union(self.hardware.scope, union(self.size.scope, self.workload.scope))
        return union(known, Scope(counts=frozenset({B_DENSE})))

    @cached_property
    def groups(self) -> dict[str, Expr]:
        """The three terms in seconds, as formulas in totals: compute, memory, network."""
        batch, many = symbol(B_DENSE), symbol(N_GPUS)
        layer = 4 * batch * symbol(HIDDEN) * symbol(VALUE_BYTES) * (many - 1)
        return {
            "compute": 2 * batch * symbol(PARAMS) / symbol(COMPUTE),
            "memory": symbol(GPU_MEM) / symbol(MEM_BW),
            "network": layer * symbol(LAYERS) / symbol(NET_BW) if self.hardware.has_link else ZERO,
        }

    @property
    def rates(self) -> Rates:
        """The rates in the terms, as rooflines keep them."""
        by_resource = {("flop", COMPUTE): symbol(COMPUTE), MAIN: symbol(MEM_BW)}
        if self.hardware.has_link:
            by_resource["link", NET_BW] = symbol(NET_BW)
        return Rates(by_resource, self.scope)

    @property
    def t_compute(self) -> Quantity:
        """Time of the products: 2·B_dense·P_model/compute."""
        return self._quantity(self.groups["compute"], "s")

    @property
    def t_mem(self) -> Quantity:
        """Time to read all of memory once: GPU_mem/MemBW."""
        return self._quantity(self.groups["memory"], "s")

    @property
    def t_net(self) -> Quantity:
        """Time of four all-gathers a layer: 4·(N_gpus − 1)·B_dense·D_model·S_type·L/NetBW.

        An all-gather has each of B_dense·D_model values cross N_gpus − 1 links, and an all-reduce
        is two of them. One GPU sends nothing.
        """
        return self._quantity(self.groups["network"], "s")

    @property
    def terms(self) -> dict[str, Quantity]:
        """The three terms by name."""
        return {name: self._quantity(self.groups[name], "s") for name in NAMES}

    @property
    def time(self) -> Quantity:
        """Time of an iteration in which everything overlaps: the largest term."""
        return self._quantity(slowest(self.groups.values()), "s")

    @property
    def serial_time(self) -> Quantity:
        """Time of an iteration in which nothing overlaps: the sum of the terms."""
        return self._quantity(total((term, 1) for term in self.groups.values()), "s")

    def largest(self, batch: object) -> tuple[str, ...]:
        """Return the names of the largest terms at a batch of so many tokens; several in a tie."""
        return largest({name: term.at({B_DENSE: batch}) for name, term in self.terms.items()})

    def bound(self, batch: object = None) -> Bound:
        """Return what bounds a batch of so many tokens; of the largest that fits when None."""
        return as_bound(self.largest(self.max_tokens.value if batch is None else batch))

    # --- crossovers -----------------------------------------------------------------------------

    def crossover(
        self, unknown: str = B_DENSE, *, term: str = "compute", over: str | None = None
    ) -> Crossover:
        """Return for which values of a name `term` is at least `over`, or all other terms.

        Asked for the number of GPUs, or for what one of them has, sums are written out as N_gpus
        times that; what both sides have in common, such as the batch, is left out.

        Raises
        ------
        UnknownNameError
            If there is no such term or name.
        InputError
            If a term is compared with itself; if a total is asked for, which is N_gpus times what
            one GPU has.
        """
        _check_terms(term, *([] if over is None else [over]))
        if term == over:
            raise InputError(f"{term} is compared with itself", where="over")
        if not isinstance(unknown, str):
            raise InputError(
                f"expected the name of a symbol, not {type(unknown).__name__}", where="unknown"
            )
        if unknown in self.hardware.given:
            raise InputError(f"{unknown} is a sum over GPUs; ask for {unknown}{PER_GPU} or N_gpus")
        others = [name for name in NAMES if name != term] if over is None else [over]
        groups = {name: self.groups[name] for name in (term, *others)}
        if unknown == N_GPUS or unknown.endswith(PER_GPU):
            groups = {name: group.xreplace(self.hardware.by_gpu) for name, group in groups.items()}
        if unknown != B_DENSE and self.batch_cancels(*groups):
            groups = {name: group / symbol(B_DENSE) for name, group in groups.items()}
        return crossover(
            groups,
            self.rates,
            self.scope,
            unknown=unknown,
            term=term,
            bindings={},
            order=ORDER,
        )

    def batch_cancels(self, *terms: str) -> bool:
        """Return whether these terms are all proportional to the batch."""
        return all(self.groups[name].has(symbol(B_DENSE)) for name in terms)

    def pair(self, term: str, over: str) -> Pair:
        """Return when one term is at least another: from a batch on, or for a number of GPUs.

        The number of GPUs where the batch cancels, so that no batch changes the answer.

        Examples
        --------
        >>> one = Hardware(
        ...     "N_gpus",
        ...     gpu_mem_per_gpu="80 GB",
        ...     mem_bw_per_gpu="2 TB/s",
        ...     compute_per_gpu="312 TFLOP/s",
        ...     net_bw_per_gpu="300 GB/s",
        ...     bidirectional=False,
        ... )
        >>> model = ServingModel(one, ModelSize(params="70e9", hidden=8192, layers=80))
        >>> print(model.pair("network", "compute"))
        network ≥ compute: no batch changes this; N_gpus ≥ (2·D_model·L·S_type·compute_per_gpu +\
 NetBW_per_gpu·P_model) / (2·D_model·L·S_type·compute_per_gpu) = 26.6758 → N_gpus ≥ 27
        """
        _check_terms(term, over)
        cancels = self.batch_cancels(term, over)
        unknown = N_GPUS if cancels else B_DENSE
        return Pair(term, over, self.crossover(unknown, term=term, over=over), cancels)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pairwise crossover, each in closed form."""
        found = PAIRS if self.hardware.has_link else PAIRS[:1]
        return tuple(self.pair(*names) for names in found)

    # --- throughput -----------------------------------------------------------------------------

    @property
    def throughput(self) -> Quantity:
        """Tokens per second of all GPUs, of prompts and decoded: B_dense over the time."""
        return self._quantity(symbol(B_DENSE) / slowest(self.groups.values()), "token/s")

    @property
    def optimal_throughput(self) -> Quantity:
        """Tokens per second of all GPUs while compute-bound: compute/(2·P_model)."""
        return self._quantity(symbol(COMPUTE) / (2 * symbol(PARAMS)), "token/s")

    @property
    def optimal_throughput_per_gpu(self) -> Quantity:
        """Tokens per second of one GPU while compute-bound."""
        return self._per_gpu(self.optimal_throughput)

    @property
    def throughput_limit(self) -> Quantity:
        """Tokens per second that no batch exceeds: the optimum, or less where the network binds."""
        a_token = [self.groups[name] / symbol(B_DENSE) for name in ("compute", "network")]
        return self._quantity(1 / max_of(*a_token), "token/s")

    @property
    def throughput_per_gpu(self) -> Quantity:
        """Tokens per second of one GPU."""
        return self.throughput / self._quantity(symbol(N_GPUS), "")

    @property
    def decode_throughput(self) -> Quantity:
        """Decoded tokens per second of all GPUs: d/(p + d) of the throughput."""
        return self.workload.decode_share * self.throughput

    @property
    def per_request_throughput(self) -> Quantity:
        """Requests per second of all GPUs: the throughput over p + d."""
        lengths = symbol(PREFILL) + symbol(DECODE)
        return self.throughput / self._quantity(lengths, "token")

    # --- latency --------------------------------------------------------------------------------

    @property
    def tpot(self) -> Quantity:
        """Time per output token: an iteration, which makes one for each request that decodes."""
        return self.time

    @property
    def ttft(self) -> Quantity:
        """Time to the first token, without waiting: p tokens at B_dense·p/(p + d) an iteration.

        Prompts are taken one after the other, each by all that iterations have room for.
        """
        iterations = (symbol(PREFILL) + symbol(DECODE)) / symbol(B_DENSE)
        return self._quantity(max_of(Integer(1), iterations), "") * self.time

    def within(self, latency: Quantity | str) -> Crossover:
        """Return for which batches an iteration takes no longer than a time."""
        return region(amount(latency, "s", "latency"), self.time, B_DENSE)

    # --- memory ---------------------------------------------------------------------------------

    @property
    def weights(self) -> Quantity:
        """Bytes of all weights."""
        return self._quantity(self.size.weights, "byte")

    @property
    def kv_bytes_per_token(self) -> Quantity:
        """Bytes that a token keeps in the cache, all layers."""
        return self._quantity(self.size.kv_per_token, "byte")

    @property
    def mean_context(self) -> Quantity:
        """Tokens in the context of a request that decodes, on average."""
        return self._quantity(self.workload.mean_context_of(symbol(PREFILL), symbol(DECODE)), "")

    @property
    def max_sequences(self) -> Quantity:
        """Requests in flight for whose caches there is room, not rounded."""
        return (self.hardware.gpu_mem - self.weights) / self._a_cache

    @property
    def max_tokens(self) -> Quantity:
        """The B_dense of as many requests in flight: (p + d)/d tokens for each, not rounded."""
        return self.max_sequences / self.workload.decode_share

    @property
    def max_batch(self) -> Quantity:
        """Whole requests in flight for whose caches there is room; 0 where weights do not fit."""
        return sequences_that_fit(self.hardware.gpu_mem, self.weights, self._a_cache)

    @property
    def fits(self) -> bool:
        """Whether there is room for the weights and the cache of one request."""
        return self.weights + self._a_cache <= self.hardware.gpu_mem

    @property
    def shortfall(self) -> Quantity | None:
        """Bytes that all GPUs lack for weights and one cache; None where nothing is lacking."""
        if self.fits:
            return None
        return (self.weights + self._a_cache - self.hardware.gpu_mem).resolved()

    @property
    def fewest_gpus(self) -> int:
        """The fewest GPUs with room for the weights and the cache of one request."""
        needed = (self.weights + self._a_cache) / self.hardware.gpu_mem_per_gpu
        return int(-(-needed.value // 1))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What an answer should say beside it."""
        return (
            "memory: full; all of GPU memory is read once per iteration, which is right only at "
            "the largest batch that fits",
            "GPU_mem, MemBW, NetBW and compute are sums over the GPUs; links count one direction",
            "compute, memory and network overlap; four all-gathers a layer over all GPUs",
            "FLOPs are 2 per parameter and token: those of attention are not counted",
            *self.hardware.assumptions,
            *self.workload.assumptions,
        )

    def __str__(self) -> str:
        known = {name: term.resolved() for name, term in self.terms.items()}
        parts = ", ".join(f"{name} {human(term)}" for name, term in known.items())
        room = self.max_batch.resolved().expr
        fit = f"; {number(room)} requests fit" if room.is_number else ""
        return f"{self.hardware}: {parts}{fit}"

    # --- helpers --------------------------------------------------------------------------------

    @property
    def _a_cache(self) -> Quantity:
        """Bytes of the cache of one request that decodes, on average."""
        return self.kv_bytes_per_token * self.mean_context

    def _per_gpu(self, quantity: Quantity) -> Quantity:
        expr = quantity.expr.xreplace(self.hardware.by_gpu) / symbol(N_GPUS)
        return self._quantity(expr, quantity.unit)

    def _quantity(self, expr: Expr, unit: str) -> Quantity:
        return Quantity.of(expr, unit, self.scope)


def _check_terms(*names: str) -> None:
    for name in names:
        if name not in NAMES:
            raise UnknownNameError("time term", str(name), NAMES)
