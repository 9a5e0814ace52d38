"""Serving: a model on a machine under a load, in one of two memory modes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NoReturn

from sympy import Expr

from symroof.errors import InputError, UnboundError
from symroof.graph.work import ratio
from symroof.roofline import Bound, Roofline, region
from symroof.serving import answers
from symroof.serving.answers import ContextLimit, RuleOfThumb
from symroof.serving.asked import Asked, Memory, OpenError
from symroof.serving.assumptions import assumptions, left_out
from symroof.serving.capacity import Capacity
from symroof.serving.chips import network_over_compute
from symroof.serving.costs import cost_per_million_tokens
from symroof.serving.data import serving_data
from symroof.serving.elasticity import Elasticity, Help, elasticities, helps
from symroof.serving.full import (
    PER_CHIP,
    full_chunk,
    full_context_limit,
    full_terms,
    hardware_of,
    size_of,
)
from symroof.serving.hardware import N_GPUS
from symroof.serving.inputs import amount, number
from symroof.serving.pairs import PAIRS, Pair
from symroof.serving.rates import Rates
from symroof.serving.setup import Setup
from symroof.serving.step import Step, step_of
from symroof.serving.terms import IterationTime, Terms
from symroof.serving.touched import (
    BATCH,
    TOKENS,
    decode_terms,
    mixed_terms,
    prefill_terms,
    steady_terms,
)
from symroof.serving.workload import Workload
from symroof.solve import Crossover, Kind
from symroof.symbolic import symbol
from symroof.symbolic.exact import shown
from symroof.units import Quantity


class Serving:
    """A model on a machine under a load. Made by :func:`serve`; immutable.

    The batch is a symbol in every formula: B sequences that decode at context S, or, for a
    workload of p prompt tokens and d new ones, B_dense tokens of an iteration, of which
    d/(p + d) are decoded. Everything is of all chips unless a name says per GPU.

    Attributes
    ----------
    asked : Asked
        What was asked for.
    setup : Setup
        The model, the machine, how the model is cut, its precisions.

    Examples
    --------
    >>> import symroof as sr
    >>> s = sr.serve("llama-2-70b", "8xa100-sxm-80gb", context=1024)
    >>> print(s.crossover(over="memory"))
    B ≥ 1048641·ridge.bf16 / (160·(6681 − 16·ridge.bf16)) = 236.931 → B ≥ 237
    >>> step = s.at(256)
    >>> step.bound.value, round(step.tpot.to("ms"), 1), round(step.throughput.to("token/s"))
    ('compute', 14.4, 17814)
    >>> s.max_batch, s.network_bound_from.first
    (1496, 28)
    """

    asked: Asked
    setup: Setup

    def __init__(self, asked: Asked) -> None:
        # Cached properties write to __dict__ as well; nothing else may.
        self.__dict__.update(asked=asked, setup=asked.setup)

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a Serving does not change; cannot set {name}")

    def __repr__(self) -> str:
        load = f"context {self.context}"
        if self.workload is not None:
            load = f"{self.workload.prefill} + {self.workload.decode} tokens"
        machine = self.setup.machine.name
        return f"<Serving {self.setup.model.name} on {machine}, {load}, memory {self.memory}>"

    def _repr_html_(self) -> str | None:
        from symroof.serving.notebook import serving_html  # for notebooks alone

        return serving_html(self)

    # --- what was asked -------------------------------------------------------------------------

    @property
    def memory(self) -> Memory:
        """``touched`` (what an iteration reads) or ``full`` (all of memory, once)."""
        return self.asked.memory

    @property
    def workload(self) -> Workload | None:
        """The lengths of prompts and answers; None where a context was given."""
        return self.asked.workload

    @property
    def context(self) -> Quantity:
        """Tokens in the context of a sequence that decodes, on average."""
        return self.asked.context

    @property
    def batch(self) -> str:
        """The name of the batch in formulas: ``B`` (sequences) or ``B_dense`` (tokens)."""
        return self.asked.names[0]

    @property
    def chips(self) -> int:
        """How many chips the model is on."""
        return self.setup.chips

    @property
    def parts(self) -> int:
        """Equal parts that the sequences of a batch are cut into: copies times stages.

        1 where the batch is one of tokens, which are those of the parts on average.
        """
        cut = self.setup.parallel
        return 1 if self.batch == TOKENS else int(cut.replicas * cut.pp)

    @cached_property
    def symbolic(self) -> Serving:
        """The same with no lengths put in: S, or p and d, are symbols."""
        return Serving(self.asked.in_symbols())

    @property
    def roofline(self) -> Roofline:
        """The roofline of an iteration, of one chip and in symbols, whatever the memory mode."""
        return self.setup.roofline("decode" if self.workload is None else "steady")

    # --- the three terms ------------------------------------------------------------------------

    @cached_property
    def terms(self) -> Terms:
        """The three terms as functions of the batch."""
        if self.memory is Memory.FULL:
            return full_terms(hardware_of(self.setup), size_of(self.setup))
        return self._touched

    @property
    def t_mem(self) -> Quantity:
        """Time on memory, in the batch."""
        return self.terms.quantities["memory"]

    @property
    def t_compute(self) -> Quantity:
        """Time at peak compute, in the batch."""
        return self.terms.quantities["compute"]

    @property
    def t_net(self) -> Quantity:
        """Time on the links, in the batch; 0 on one chip."""
        return self.terms.quantities["network"]

    def time(self, batch: object = None) -> IterationTime:
        """Return how long an iteration takes, by what overlaps; in symbols without a batch."""
        return self.terms.time if batch is None else self.terms.time_at(self._batch(batch))

    def bound(self, batch: object) -> Bound:
        """Return the largest term of a batch."""
        return self.terms.bound(self._batch(batch))

    def crossover(
        self, unknown: str | None = None, *, term: str = "compute", over: str | None = None
    ) -> Crossover:
        """For which values of a name is one term at least another, or all others?

        Parameters
        ----------
        unknown : str, optional
            The batch by default; a length, a rate.
        term : str
            ``compute``, ``memory`` or ``network``.
        over : str, optional
            The term it is compared with; all others by default.
        """
        name = self.batch if unknown is None else unknown
        if self.memory is Memory.FULL and isinstance(name, str):
            name = PER_CHIP.get(name, name)
        return self.terms.crossover(name, term, over)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Of every two terms, when the first is at least the second.

        From which batch on or, where both grow with the batch alike, from how many chips on; that
        is not asked of another cut than by tensors.
        """
        found = []
        by_tensors = self.memory is Memory.FULL or self.setup.parallel.tp == self.chips
        for term, over in PAIRS if self.t_net.expr != 0 else PAIRS[:1]:
            cancels = self.terms.batch_cancels(term, over)
            chips = self.network_bound_from if cancels and by_tensors else None
            answer = self.crossover(term=term, over=over) if chips is None else chips
            found.append(Pair(term, over, answer, cancels))
        return tuple(found)

    # --- limits and rules -----------------------------------------------------------------------

    @cached_property
    def context_limit(self) -> ContextLimit:
        """The context beyond which no batch of decodes is compute-bound.

        In memory mode full it is that beyond which the largest batch that fits is not.
        """
        if self.memory is Memory.FULL:
            return full_context_limit(self.terms, self.asked, self.capacity)
        return answers.context_limit(self._decoding)

    @cached_property
    def rule_of_thumb(self) -> RuleOfThumb | None:
        """The batch when only weights are counted, beside the true one; None without weights."""
        return answers.rule_of_thumb(self._touched, self.crossover(over="memory"))

    def kv_exceeds_weights(self, batch: object) -> Crossover:
        """Return the contexts at which a batch of B sequences reads more of caches than weights."""
        return answers.caches_exceed_weights(self._decoding, self._batch(batch))

    def prefill_chunk(self, batch: int = 0) -> Crossover:
        """Return for which chunks of T prompt tokens an iteration is compute-bound.

        Parameters
        ----------
        batch : int
            Sequences that decode at the context beside the chunk; 0 for a chunk alone.
        """
        beside = number(batch, "batch")
        if self.memory is Memory.FULL:
            return full_chunk(self.terms, beside)
        if beside == 0:
            return self._prefill({}).crossover("T", "compute", None)
        given = {**self._decoding.given, BATCH: self._batch(beside)}
        return mixed_terms(self.setup, given).crossover("T", "compute", None)

    @cached_property
    def network_bound_from(self) -> Crossover | None:
        """From how many chips on the network takes as long as compute, whatever the batch.

        None where the chip has no link.
        """
        if self.memory is Memory.TOUCHED:
            return network_over_compute(self.asked)
        if self.terms.groups["network"] == 0:
            return None
        return self.terms.crossover(N_GPUS, "network", "compute")

    def bits_per_weight(self, batch: object) -> Crossover:
        """Return with how many bits per weight a batch is compute-bound or balanced.

        Raises
        ------
        InputError
            In memory mode full, where all of memory is streamed whatever the bits.
        """
        if self.memory is Memory.FULL:
            raise InputError(
                "all of memory is streamed, whatever the bits; ask in memory mode touched",
                where="memory",
            )
        now = self.capacity.bits_per_weight
        return answers.bits_per_weight(self._touched, self._batch(batch), now)

    def elasticities(self, batch: object) -> tuple[Elasticity, ...]:
        """Return ∂ln t/∂ln x of the time of an iteration for every input x."""
        return elasticities(self.terms, self._batch(batch), self.asked.names)

    def helps(self, batch: object) -> tuple[Help, ...]:
        """Return what a factor of two in each input gains, the best first."""
        return helps(self.terms, self._batch(batch), self.max_tokens)

    # --- memory ---------------------------------------------------------------------------------

    @cached_property
    def capacity(self) -> Capacity:
        """The memory of a chip, and what is kept there."""
        return Capacity(self.setup, {} if self.asked.symbolic else {"S": self.context.expr})

    @property
    def fits(self) -> bool | None:
        """Whether weights and one sequence fit; None where the chip does not say its memory."""
        return self.capacity.fits

    @property
    def shortfall(self) -> Quantity | None:
        """Bytes that each chip lacks for that; None where nothing is lacking."""
        return self.capacity.shortfall

    @property
    def fewest_chips(self) -> int | None:
        """The fewest chips that hold weights and one sequence; None where none are found.

        ``capacity.fewest`` says how the model is cut over them.
        """
        found = self.capacity.fewest
        return None if found is None else found.chips

    @cached_property
    def max_batch(self) -> int | None:
        """The most sequences that fit; None where there is no limit, or none is known."""
        try:
            return self.capacity.sequences
        except UnboundError as error:
            raise OpenError("the largest batch", error.names) from None

    @cached_property
    def max_tokens(self) -> int | None:
        """The largest batch that fits in its own unit: sequences, or tokens of an iteration."""
        most = self.max_batch
        if most is None or self.workload is None:
            return most
        share = self.asked.new_share
        return int(most / share // 1) if share.is_number else None

    def has_room(self, batch: object) -> bool | None:
        """Return whether a batch fits; None where nobody can say."""
        size = number(batch, "batch", least=1)
        if self.capacity.memory is None or not size.is_number or self.asked.unknown:
            return None
        most = self.max_tokens
        return most is None or bool(size <= most)

    # --- rates ----------------------------------------------------------------------------------

    @cached_property
    def throughput(self) -> Quantity:
        """Tokens a second of all chips, prompts included, in the batch."""
        return self._rates.throughput

    @property
    def throughput_per_gpu(self) -> Quantity:
        """Tokens a second of one chip, in the batch."""
        return self._rates.per_gpu

    @cached_property
    def optimal_throughput(self) -> Quantity:
        """Tokens a second of all chips that no batch exceeds: at peak compute."""
        terms = self.terms
        return terms.quantity(ratio(symbol(terms.batch), terms.groups["compute"]), "token/s")

    @property
    def optimal_throughput_per_gpu(self) -> Quantity:
        """Tokens a second of one chip that no batch exceeds."""
        return self.optimal_throughput / self.chips

    @property
    def decode_throughput(self) -> Quantity:
        """New tokens a second of all chips: d/(p + d) of the throughput."""
        return self._rates.decoding

    @property
    def per_request_throughput(self) -> Quantity | None:
        """Requests a second: throughput/(p + d); None without lengths of prompts and answers."""
        return self._rates.requests

    def mfu(self, batch: object, time: Quantity | str | None = None) -> float:
        """Return the model FLOPs utilisation: FLOPs over what peak compute does in a time.

        Parameters
        ----------
        batch : number
        time : Quantity or str, optional
            A measured iteration; by default the model's, where everything overlaps.
        """
        return self._utilisation("compute", batch, time)

    def mbu(self, batch: object, time: Quantity | str | None = None) -> float:
        """Return the bandwidth utilisation: bytes moved over what memory moves in a time."""
        return self._utilisation("memory", batch, time)

    def cost_per_million_tokens(
        self, batch: object, price: Quantity | str | None = None
    ) -> Quantity | None:
        """Return dollars for a million new tokens; None without a price.

        Parameters
        ----------
        batch : number
        price : Quantity or str, optional
            Of one chip, as in ``"2 USD/h"``.
        """
        one = self.asked.price if price is None else price
        if one is None:
            return None
        rate = self.terms.put(self.decode_throughput, self._batch(batch))
        return cost_per_million_tokens(one, self.chips, rate.resolved())

    # --- latency --------------------------------------------------------------------------------

    @cached_property
    def ttft(self) -> Quantity | None:
        """Time to the first token of a prompt that is alone; None where its length is open."""
        prompt = self.asked.prompt
        if prompt is None or self.asked.symbolic:
            return None
        if self.memory is Memory.FULL:
            return self.terms.put(self.terms.time.overlapped, prompt)
        return self._prefill({"T": prompt}).overlapped

    def tpot(self, batch: object) -> Quantity:
        """Return the time between two tokens of a sequence: that of an iteration."""
        return self.time(batch).overlapped

    def largest_batch(self, tpot: Quantity | str) -> int | None:
        """Return the largest batch that fits and takes no longer than a time; 0 where none does.

        Parameters
        ----------
        tpot : Quantity or str
            Such as ``"50 ms"``.
        """
        budget = amount(tpot, "s", "tpot")
        found = region(budget, self.terms.time.overlapped, self.batch)
        if found.kind is Kind.ALWAYS:
            return self.max_tokens
        last = found.last or 0
        most = last if self.max_tokens is None else min(last, self.max_tokens)
        return most - most % self.parts

    def chips_for(self, requests_per_second: object, tpot: Quantity | str | None = None) -> int:
        """Return how many chips serve a rate of requests, in copies of this set-up.

        Parameters
        ----------
        requests_per_second : number
        tpot : Quantity or str, optional
            A time between tokens to keep to.

        Raises
        ------
        InputError
            If the lengths of requests are not known, or no batch fits or is fast enough.
        """
        rate = self.per_request_throughput
        if rate is None:
            raise InputError("a rate of requests needs prefill and decode", where="chips_for")
        batch = self.max_tokens if tpot is None else self.largest_batch(tpot)
        if batch is None:
            why = "every batch fits"
            if self.capacity.memory is None:
                why = f"{self.setup.chip.name} does not say how much memory it has"
            raise InputError(f"no batch is the largest, as {why}", where="chips_for")
        if not batch:
            what = "fits" if not self.max_tokens else f"takes {tpot} or less"
            raise InputError(f"no batch {what}", where="chips_for")
        wanted = number(requests_per_second, "requests_per_second", strictly=True)
        if not wanted.is_number:
            raise InputError(f"expected a number, not {shown(wanted)}", where="requests_per_second")
        copies = -(-wanted // self.terms.put(rate, batch).value)
        return int(copies) * self.chips

    # --- everything at once ---------------------------------------------------------------------

    def at(self, batch: object) -> Step:
        """Return one iteration of a batch, in numbers."""
        return step_of(self, self._batch(batch))

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for granted, in sentences."""
        return assumptions(self)

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """What is not modelled, of the model and of serving."""
        return left_out(self)

    def to_dict(self, batches: Iterable[object] | None = None) -> dict[str, Any]:
        """Return the answer as plain data; every amount with its unit."""
        return serving_data(self, batches)

    # --- inside ---------------------------------------------------------------------------------

    @cached_property
    def _touched(self) -> Terms:
        asked = self.asked
        if self.workload is None:
            return self._decoding
        return steady_terms(self.setup, asked.steady, asked.names, asked.given)

    @cached_property
    def _decoding(self) -> Terms:
        """Touched terms of decoding alone, at the mean context."""
        if self.asked.symbolic or self.context.expr == symbol("S"):
            return decode_terms(self.setup, {})
        return decode_terms(self.setup, {"S": self.context.expr})

    def _prefill(self, given: Mapping[str, object]) -> Terms:
        # Of copies of a model each reads a prompt, which goes through one stage after the other.
        cut = self.setup.parallel
        return prefill_terms(self.setup, {BATCH: cut.replicas * cut.pp, **given})

    @property
    def _rates(self) -> Rates:
        tokens = self.terms.quantity(symbol(self.batch), "token")
        return Rates(self.asked, tokens, self.terms.time.overlapped)

    def _utilisation(self, term: str, batch: object, time: Quantity | str | None) -> float:
        size = self._batch(batch)
        taken = self.time(size).overlapped if time is None else amount(time, "s", "time")
        return (self.terms.at(size)[term] / taken).to("")

    def _batch(self, batch: object) -> Expr:
        found, parts = number(batch, "batch", least=1), self.parts
        if found.is_Integer and found % parts:
            raise InputError(
                f"a batch of {shown(found)} does not divide into {parts} equal parts, for copies"
                f" and stages; {shown(found + parts - found % parts)} does",
                where="batch",
            )
        return found
