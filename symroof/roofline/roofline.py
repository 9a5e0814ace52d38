"""The roofline: time terms, intensity, bounds, verdict and crossovers in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from types import MappingProxyType
from typing import NoReturn

from sympy import Expr, Integer

from symroof.errors import UnboundError
from symroof.graph import Graph
from symroof.graph.liveness import Footprint, footprint
from symroof.graph.work import link_bytes
from symroof.hardware import Chip, System
from symroof.roofline import crossing, inside_words
from symroof.roofline.bindings import Bindings, names_with
from symroof.roofline.bound import Bound
from symroof.roofline.capacity import capacity_of, fits, fitting
from symroof.roofline.compare import as_bound, largest
from symroof.roofline.conditions import (
    Condition,
    check_conditions,
    check_splits,
    conditions_of,
    negative_time,
    surely_negative,
)
from symroof.roofline.hops import hops
from symroof.roofline.inside import PLAIN, Inside
from symroof.roofline.inside_kinds import Numa
from symroof.roofline.intensity import limit_of, wanted_intensity, without_intensity
from symroof.roofline.least import least_time
from symroof.roofline.level_rows import LevelRow, level_rows
from symroof.roofline.lifting import Lifting, binding_ceiling, lifted, liftings
from symroof.roofline.placed import Placed
from symroof.roofline.ridges import without_ridges
from symroof.roofline.rows import OpRow, OpTerms, op_row, op_terms, total_work
from symroof.roofline.terms import (
    MAIN,
    NOTHING,
    RATE_UNITS,
    REMOTE,
    WORK_UNITS,
    Rates,
    Resource,
    grouped,
    rates_of,
    slowest,
    time_terms,
    work_by_resource,
)
from symroof.roofline.thumb import RuleOfThumb, is_quoted, rule_of_thumb
from symroof.roofline.time_bounds import TimeBounds
from symroof.solve import Crossover, Minimum
from symroof.symbolic import bind, total
from symroof.units import Quantity, Scope, min_of, ratio, unit_text
from symroof.units.scope import rate_dimension


class Roofline:
    """An algorithm on a machine. Made by :func:`analyze`; immutable.

    Every quantity is a closed form with its unit; after ``r.at(M=64)`` it has that number in it.

    Attributes
    ----------
    graph : Graph
        The algorithm.
    chip : Chip
        The machine; of a system one chip, with a link for each axis of the mesh.
    bindings : mapping of str to object
        What ``at`` has bound so far, as it was given.
    values : mapping of str to object
        The same, with what was bound later put into formulas that were bound before.
    placed : Placed or None
        Where the axes lie on the levels of a system; None on a chip.
    inside : Inside
        How the inside of the chip is modelled: residency, ceilings, levels, NUMA, launches, tiles.
    """

    def __init__(
        self,
        graph: Graph,
        chip: Chip,
        bindings: Mapping[str, object] | None = None,
        overrides: Mapping[str, Expr] | None = None,
        placed: Placed | None = None,
        values: Mapping[str, object] | None = None,
        inside: Inside = PLAIN,
    ) -> None:
        bound = Bindings(
            MappingProxyType(dict(bindings or {})),
            MappingProxyType(dict(bindings or {} if values is None else values)),
            MappingProxyType(dict(overrides or {})),
        )
        # Cached properties write to __dict__ as well; nothing else may.
        self.__dict__.update(
            graph=graph,
            chip=chip,
            bindings=bound.given,
            placed=placed,
            inside=inside,
            values=bound.values,
            _bindings=bound,
        )

    graph: Graph
    chip: Chip
    bindings: Mapping[str, object]
    placed: Placed | None
    inside: Inside
    values: Mapping[str, object]
    _bindings: Bindings

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a Roofline does not change; cannot set {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Roofline):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash((id(self._source), self.chip.name))

    def __reduce__(self) -> tuple[type[Roofline], tuple[object, ...]]:
        given = dict(self.bindings), dict(self._bindings.rates)
        more = self.placed, dict(self.values), self.inside
        return Roofline, (self.graph, self.chip, *given, *more)

    def _repr_html_(self) -> str | None:
        from symroof.roofline.notebook import roofline_html  # for notebooks alone

        return roofline_html(self)

    def __repr__(self) -> str:
        given = {**self.bindings, **self.overridden_rates}
        bound = "".join(f", {name}={value}" for name, value in given.items())
        return f"<Roofline {self.graph.name} on {self.chip.name}{bound}>"

    def at(self, values: Mapping[str, object] | None = None, /, **named: object) -> Roofline:
        """Return the roofline with numbers or formulas for some names.

        Rates of the chip may be overridden: ``r.at(bw="3 TB/s")``. A ridge given keeps the peak
        and sets the bandwidth that makes it so.

        Examples
        --------
        >>> import symroof as sr
        >>> n = sr.symbols("n")
        >>> g = sr.Graph("dot")
        >>> y = sr.ops.dot(g.input("x", (n,), "fp16"), g.input("y", (n,), "fp16"))
        >>> str(sr.analyze(g, "h100-sxm").at(n=2).intensity)
        '3/10 FLOP/byte'
        """
        names = self.names
        wanted = without_ridges({**(values or {}), **named}, self.rates, names)
        if not wanted:
            return self
        known = self.rates.scope.values
        made = self._with(self._bindings.extended(wanted, self.scope, names, known))
        given = {**made.bindings, **made.overridden_rates}
        check_conditions(made.conditions, made._quantity, given)
        counts = [name for name in made.bindings if name in self.scope.counts]
        check_splits(self.graph, self.placed, lambda e: made._quantity(e, "").expr, counts)
        return made

    @property
    def unbound(self) -> Roofline:
        """The same roofline with nothing bound; rates that were given other values keep these.

        Examples
        --------
        >>> import symroof as sr
        >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=64, bw="3 TB/s")
        >>> r.unbound
        <Roofline einsum on h100-sxm, bw.hbm=3000000000000 byte/s>
        """
        return self._with(Bindings({}, {}, self._bindings.rates))

    @property
    def system(self) -> System | None:
        """The system; None on a chip."""
        return None if self.placed is None else self.placed.system

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted of links and of the inside of the chip, a line each."""
        links = self.chip.assumptions if self.placed is None else self.placed.assumptions
        return (*links, *self.said)

    @property
    def said(self) -> tuple[str, ...]:
        """What was chosen of the inside of the chip, a line each."""
        return tuple(inside_words.said(self.inside, self.overridden_rates))

    # --- work -----------------------------------------------------------------------------------

    @cached_property
    def work(self) -> Mapping[Resource, Expr]:
        """Amount of work on each resource: FLOPs by dtype, bytes by level, bytes by link."""
        if not self.inside.is_plain:
            work = total_work(self.graph, self.inside, latency=self._has_latency)
            formulas = {k: v for k, v in self._bindings.rates.items() if not v.is_number}
            return {key: bind(amount, formulas) for key, amount in work.items()}
        flops = {key: q.expr for key, q in self.graph.flops_by_dtype.items()}
        waits = hops(self.graph) if self._has_latency else NOTHING
        moved = {MAIN: self.graph.bytes.expr}
        return work_by_resource(flops, moved, link_bytes(self.graph), waits)

    @cached_property
    def flops(self) -> Quantity:
        """FLOPs of the whole graph (a multiply-add is 2)."""
        return self._bound(self.graph.flops)

    @cached_property
    def bytes(self) -> Quantity:
        """Bytes the ops move, under ``traffic``; where main memory is counted by tiles, by them."""
        if not self.inside.counts_main:
            return self._bound(self.graph.bytes)
        return self.amount(MAIN) + self.amount(REMOTE)

    @cached_property
    def link_bytes(self) -> Quantity:
        """Bytes each chip sends over its links, one direction."""
        return self._bound(self.graph.link_bytes)

    @property
    def traffic(self) -> str:
        """The traffic counted: ``unfused``, or ``fused`` with what is fused."""
        return self.graph.traffic

    @cached_property
    def rates(self) -> Rates:
        """The rates of the machine that the graph needs, as they stand in formulas."""
        return self._rates.overridden(self._bindings.rates)

    @cached_property
    def _rates(self) -> Rates:
        """The rates before any of them was given another value."""
        inside = self.inside
        if inside.is_plain:
            needed = list(self.work)
        else:
            needed = list(total_work(self.graph, inside, latency=self._has_latency))
        return rates_of(self.chip, dict.fromkeys([*needed, MAIN]), inside.lowered, inside.scope)

    def amount(self, resource: Resource) -> Quantity:
        """Return the work on a resource, such as the bytes of ``("link", "X")``; 0 without any."""
        return self._quantity(self.work.get(resource, Integer(0)), WORK_UNITS[resource[0]])

    def rate(self, resource: Resource) -> Quantity:
        """Return the rate of a resource, such as ``("flop", "fp16")`` or ``("byte", "main")``."""
        return self._bound(self._rate(resource))

    @cached_property
    def scope(self) -> Scope:
        """The names that may be bound or asked for, and what is known of the rates."""
        scope = self.graph.scope.union(self.rates.scope).union(self.inside.names)
        return scope if self.placed is None else scope.union(Scope(counts=self.placed.counts))

    @cached_property
    def formulas(self) -> Mapping[str, Expr]:
        """The names that are bound to formulas, and these, without rates.

        Examples
        --------
        >>> import symroof as sr
        >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m="8*P/n")
        >>> r.formulas["m"], r.at(P=64).formulas["m"], r.at(P=64).at(n=2).flops.expr
        (8*P/n, 512/n, 1024*k)
        """
        return MappingProxyType(self._bindings.formulas(self.scope))

    @cached_property
    def names(self) -> Scope:
        """The scope, with the names that what is bound to formulas brought in."""
        return names_with(self.scope, self.formulas)

    @cached_property
    def overridden_rates(self) -> Mapping[str, Quantity]:
        """The rates that ``at`` has given other values than the chip's."""
        return {
            name: Quantity(value, unit_text(rate_dimension(name)))
            for name, value in self._bindings.rates.items()
        }

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """What must hold between names: who needs it, what is at most, what is at least."""
        rates = self._bindings.rates
        formulas = {key: value for key, value in rates.items() if not value.is_number}
        inside = self.inside.conditions
        bound = [(who, bind(low, formulas), bind(high, formulas)) for who, low, high in inside]
        return (*conditions_of(self.graph, self.placed), *bound)

    @cached_property
    def domain(self) -> tuple[tuple[Expr, Expr], ...]:
        """Pairs of which the first is at most the second, wherever the roofline means something.

        These are the conditions, and that counts that are bound to formulas stay 1 or more.
        """
        formulas = [f for name, f in self.formulas.items() if name in self.scope.counts]
        counts = [(Integer(1), f) for f in formulas]
        return (*((low, high) for _, low, high in self.conditions), *counts)

    @cached_property
    def name_order(self) -> tuple[str, ...]:
        """The names of the graph in the order in which its tensors bring them in."""
        found: dict[str, None] = {}
        for block in self.graph.blocks():
            for leaf in block.leaves.values():
                for dim in leaf.shape:
                    for name in sorted(s.name for s in dim.free_symbols):
                        found.setdefault(name)
        return tuple(found)

    # --- time terms -----------------------------------------------------------------------------

    @cached_property
    def terms(self) -> Mapping[Resource, Quantity]:
        """Time of each resource that has work."""
        return MappingProxyType({key: self._seconds(time) for key, time in self._terms.items()})

    @cached_property
    def groups(self) -> Mapping[str, Quantity]:
        """The time terms by name: compute, memory, network; launch where it is counted."""
        groups = {name: self._seconds(time) for name, time in self._groups.items()}
        for name, time in groups.items():
            if surely_negative(time.resolved().expr):
                raise negative_time(name, self.graph, self._op_terms, self._quantity, self.bindings)
        return MappingProxyType(groups)

    @property
    def t_compute(self) -> Quantity:
        """Time at peak compute: Σ FLOPs ÷ peak over the dtypes."""
        return self.groups["compute"]

    @property
    def t_memory(self) -> Quantity:
        """Time to move the bytes; of several levels of memory the slowest takes the time."""
        return self.groups["memory"]

    @property
    def t_network(self) -> Quantity:
        """Time on the links; phases on several links add, pipelined levels take the slowest."""
        return self.groups["network"]

    @cached_property
    def time(self) -> TimeBounds:
        """Bounds on the time, all three together."""
        per_op = total((op.longest, op.work.count) for op in self._op_terms)
        return TimeBounds(
            overlapped=self._overlapped,
            per_op=self._seconds(per_op),
            serial=self._seconds(total((time, 1) for time in self._terms.values())),
        )

    @property
    def exposed(self) -> Quantity:
        """Time when compute and memory overlap and the network and launches overlap nothing.

        Between ``time.overlapped``, where communication hides behind compute, and ``time.serial``.

        Examples
        --------
        >>> import symroof as sr
        >>> g = sr.Graph("sum")
        >>> y = sr.ops.all_reduce(-g.input("x", 10**9, "bf16"), group=8)
        >>> r = sr.analyze(g, "8xh100-sxm")
        >>> r.exposed == r.t_memory + r.t_network
        True
        """
        groups = self._groups
        inner = slowest([groups["compute"], groups["memory"]])
        return self._seconds(inner + groups["network"] + groups.get("launch", Integer(0)))

    # --- intensity ------------------------------------------------------------------------------

    @property
    def intensity(self) -> Quantity | None:
        """Arithmetic intensity, FLOPs per byte: infinite without bytes, None without both."""
        if self.inside.counts_main:
            return ratio(self.flops, self.bytes)
        found = self.graph.intensity
        return None if found is None else self._bound(found)

    @property
    def link_intensity(self) -> Quantity | None:
        """FLOPs per byte sent over links; None where nothing is sent."""
        if self.link_bytes.expr == 0:
            return None
        return self._bound(self.graph.flops / self.graph.link_bytes)

    @cached_property
    def peak(self) -> Quantity:
        """FLOP/s at peak: of the one compute dtype, or the mean over the FLOPs of several."""
        return self._bound(self._peak)

    @cached_property
    def bandwidth(self) -> Quantity:
        """Bandwidth of the main memory."""
        return self._bound(self._rate(MAIN))

    @cached_property
    def critical_intensity(self) -> Quantity:
        """Critical intensity (ridge point): where compute and memory take equally long.

        With several compute dtypes it is (FLOPs ÷ t_compute) ÷ bandwidth.
        """
        return self._bound(self._peak / self._rate(MAIN))

    @cached_property
    def critical_link_intensity(self) -> Quantity | None:
        """FLOPs per link byte where compute and network take equally long; None without links."""
        network = self._groups["network"]
        if self.link_bytes.expr == 0:
            return None
        speed = self.graph.link_bytes / Quantity.of(network, "s", self.scope)
        return self._bound(self._peak / speed)

    def attainable(self, intensity: object = None, **bindings: object) -> Quantity:
        """Return the attainable performance, min(peak, intensity × bandwidth).

        It is that of main memory alone; `performance` is that of all that is counted.

        Parameters
        ----------
        intensity : Quantity or str, optional
            Such as ``"100 FLOP/byte"``; that of the graph by default.

        Examples
        --------
        >>> import symroof as sr
        >>> n = sr.symbols("n")
        >>> g = sr.Graph("dot")
        >>> y = sr.ops.dot(g.input("x", (n,), "fp16"), g.input("y", (n,), "fp16"))
        >>> sr.analyze(g, "h100-sxm").attainable("100 FLOP/byte").resolved().to("TFLOP/s")
        335.0
        """
        if bindings:
            return self.at(bindings).attainable(intensity)
        wanted = wanted_intensity(self.graph, intensity)
        return self._bound(min_of(self._peak, wanted * self._rate(MAIN)))

    def limit(self, name: str) -> Quantity:
        """Return the intensity as the symbol `name` grows without bound.

        Examples
        --------
        >>> import symroof as sr
        >>> M, N, K = sr.symbols("M N K")
        >>> g = sr.Graph("matmul")
        >>> y = g.input("x", (M, N), "fp16") @ g.weight("w", (N, K), "fp16")
        >>> str(sr.analyze(g, "h100-sxm").limit("M"))
        'K*N/(K + N) FLOP/byte'
        """
        intensity = self.intensity
        if intensity is None:
            raise without_intensity(self.graph)
        return limit_of(intensity, name)

    # --- verdict --------------------------------------------------------------------------------

    def largest_terms(self, **bindings: object) -> tuple[str, ...]:
        """Return the names of the largest time terms: one, several in a tie, none without work.

        Raises
        ------
        UnboundError
            If the answer depends on symbols that are still free.
        """
        here = self.at(bindings)
        try:
            return largest(here.groups)
        except UnboundError as error:
            raise UnboundError(
                f"the verdict on {self.graph.name!r} (crossover answers for a symbol); it",
                error.names,
            ) from None

    def verdict(self, **bindings: object) -> Bound:
        """Return what bounds the algorithm, exactly.

        Free symbols are fine where the signs of the terms' differences prove the answer.

        Raises
        ------
        UnboundError
            If the answer depends on symbols that are still free: ask `crossover` instead.
        """
        return as_bound(self.largest_terms(**bindings))

    def utilisation(self, **bindings: object) -> dict[str, Quantity]:
        """Return the fraction of each resource in use when the run takes the overlapped bound.

        Without work all are zero.
        """
        here = self.at(bindings)
        whole = here._overlapped
        return {
            name: ratio(time, whole) or Quantity.of(Integer(0), "", here.scope)
            for name, time in here.groups.items()
        }

    @property
    def performance(self) -> Quantity | None:
        """FLOPs ÷ the overlapped bound, which no run beats; None without work."""
        time = self._overlapped
        return None if time.expr == 0 else self.flops / time

    def ops(self, **bindings: object) -> list[OpRow]:
        """Return a row per distinct op: its work, terms, intensity, bound and share of the time."""
        return list(self.at(bindings)._rows)

    def dominant(self, **bindings: object) -> OpRow | None:
        """Return the row of the ops that take most of the per-op time; None without work.

        Raises
        ------
        UnboundError
            If that depends on symbols that are still free.
        """
        rows = self.ops(**bindings)
        for row in rows:
            if row.share is None:
                raise UnboundError(
                    "the dominant op", (s.name for s in row.time.resolved().expr.free_symbols)
                )
        return max(rows, key=lambda row: row.share or 0.0, default=None)

    @property
    def op_terms(self) -> tuple[OpTerms, ...]:
        """The time terms of one of each distinct op in closed form, before anything is bound.

        Examples
        --------
        >>> import symroof as sr
        >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", launch="5 us")
        >>> sorted(r.op_terms[0].groups)
        ['compute', 'launch', 'memory', 'network']
        """
        return tuple(self._op_terms)

    # --- crossover ------------------------------------------------------------------------------

    def crossover(self, unknown: str, term: str = "compute") -> Crossover:
        """For which values of `unknown` is `term` the largest time term?

        Parameters
        ----------
        unknown : str
            Any symbol of the graph or the machine: a batch, a sequence length, a group size, a
            rate (``bw``, ``peak``, ``link``, ``ridge``).
        term : str
            ``compute``, ``memory`` or ``network``.

        Returns
        -------
        Crossover
            The answer with its conditions. The set is closed: ties belong to it.

        Examples
        --------
        >>> import symroof as sr
        >>> M, N, K = sr.symbols("M N K")
        >>> g = sr.Graph("matmul")
        >>> y = g.input("x", (M, N), "fp16") @ g.weight("w", (N, K), "fp16")
        >>> sr.analyze(g, "h100-sxm").crossover("M").at(N=512, K=512).kind.name
        'NEVER'
        """
        groups, scope, bindings = self._groups, self.scope, self.bindings
        inside = {s.name for formula in self.formulas.values() for s in formula.free_symbols}
        if unknown in inside - scope.dimensions.keys():  # it stands in what a symbol is bound to
            groups = {name: bind(time, self.formulas) for name, time in groups.items()}
            scope = self.names
            bindings = {n: value for n, value in bindings.items() if n not in self.formulas}
        return crossing.crossover(
            groups,
            self.rates,
            scope,
            unknown=unknown,
            term=term,
            bindings=bindings,
            order=self.name_order,
            domain=self.domain,
        )

    def rule_of_thumb(self, answer: Crossover, term: str = "compute") -> RuleOfThumb | None:
        """Return the rule of thumb beside an answer of `crossover`, with the error it makes.

        It is the limit of the threshold as all other dims grow; for a batch without such a limit,
        the ridge that people quote. None where nobody has a rule.

        Examples
        --------
        >>> import symroof as sr
        >>> M, N, K = sr.symbols("M N K")
        >>> g = sr.Graph("matmul")
        >>> y = g.input("x", (M, N), "fp16") @ g.weight("w", (N, K), "fp16")
        >>> r = sr.analyze(g, "h100-sxm")
        >>> rule = r.rule_of_thumb(r.crossover("M").at(N=4096, K=4096))
        >>> rule.integer, rule.error
        (296, 49)
        """
        if term != "compute":
            return None
        dtypes = [name for kind, name in self.work if kind == "flop"]
        quoted = len(dtypes) == 1 and is_quoted(self.graph, answer.name)
        return rule_of_thumb(answer, f"ridge.{dtypes[0]}" if quoted else None)

    def minimise(
        self,
        unknown: str,
        time: str = "overlapped",
        *,
        low: object = None,
        high: object = None,
        divides: object = None,
    ) -> Minimum:
        """At which value of `unknown` is the time least?

        Parameters
        ----------
        unknown : str
            Any symbol of the graph: the size of an axis, a batch, a tile.
        time : str
            ``overlapped``, ``per_op`` or ``serial`` as in `time`; ``exposed``; or one of the terms,
            ``compute``, ``memory``, ``network``.
        low, high : number, symbol or text
            The ends of what is looked at, both included; by default from 1 to where an axis fits,
            and for a fraction from 0 to 1.
        divides : number, symbol or text, optional
            What it has to divide, such as the number of chips.

        Returns
        -------
        Minimum
            The answer with its conditions, and the neighbours that are whole numbers.

        Examples
        --------
        >>> import symroof as sr
        >>> g = sr.Graph("two axes")
        >>> _ = sr.ops.all_gather(g.input("w", ("D*F/N",), "bf16"), group="X", link="X")
        >>> _ = sr.ops.all_gather(g.input("x", ("B*D/N",), "bf16"), group="N/X", link="Y")
        >>> chip = sr.Chip("c", peak={"bf16": "1 PFLOP/s"}, memory={"hbm": "3 TB/s"},
        ...                link={"X": "2 GB/s", "Y": "1 GB/s"})
        >>> best = sr.analyze(g, chip).minimise("X", "network")
        >>> best.at(N=64, B=1000, D=4096, F=8192).whole.intervals
        ((4, 4),)
        """
        return least_time(self, unknown, time, low=low, high=high, divides=divides)

    # --- ceilings and levels --------------------------------------------------------------------

    @cached_property
    def liftings(self) -> tuple[Lifting, ...]:
        """What lifting each ceiling that was applied would gain, one at a time, in closed form."""
        return liftings(self)

    def binding_ceiling(self, **bindings: object) -> Lifting | None:
        """Return the ceiling whose lifting gains most; None where none gains anything.

        Raises
        ------
        UnboundError
            If that depends on symbols that are still free.
        """
        return binding_ceiling(self.at(bindings))

    def lifted(self, name: str) -> Roofline:
        """Return the roofline less one of its ceilings."""
        return lifted(self, name)

    @cached_property
    def levels(self) -> tuple[LevelRow, ...]:
        """The levels of memory that bytes are charged to, from the innermost outwards."""
        return level_rows(self)

    def with_inside(self, inside: Inside) -> Roofline:
        """Return the roofline with the inside of the chip modelled in another way."""
        given, rates = self._bindings.given, self._bindings.rates
        values = self._bindings.values
        return Roofline(self.graph, self.chip, given, rates, self.placed, values, inside)

    # --- capacity -------------------------------------------------------------------------------

    @cached_property
    def footprint(self) -> Footprint:
        """Bytes of the main memory that weights, caches, inputs and live activations take."""
        taken = footprint(self._source)
        return Footprint(*(self._bound(getattr(taken, part.name)) for part in fields(taken)))

    @cached_property
    def capacity(self) -> Quantity | None:
        """Capacity of the main memory; None where the chip does not say."""
        return capacity_of(self.chip)

    def fits(self, **bindings: object) -> bool | None:
        """Return whether the footprint fits the main memory; None where nobody can say.

        That is so where the chip has no capacity, or symbols decide.
        """
        return fits(self.at(bindings))

    def fitting(self, unknown: str) -> Crossover:
        """For which values of `unknown` does the footprint fit? The largest is what one asks for.

        Raises
        ------
        InputError
            If the chip does not say its capacity.

        Examples
        --------
        >>> import symroof as sr
        >>> g = sr.Graph("square")
        >>> x = g.input("x", ("N", "N"), "bf16") @ g.weight("w", ("N", "N"), "bf16")
        >>> r = sr.analyze(g, "h100-sxm")
        >>> r.fitting("N").intervals  # 3 matrices of 2 bytes in 80 GB
        ((1, 115470),)
        """
        return fitting(self, unknown)

    # --- inside ---------------------------------------------------------------------------------

    @property
    def _key(self) -> tuple[object, ...]:
        options = None
        if self.placed is not None:
            options = self.placed.places, self.placed.pipelined, self.placed.latency
        given = dict(self.bindings), dict(self._bindings.rates), dict(self.values)
        return id(self._source), self.chip, *given, options, self.inside

    @property
    def _source(self) -> Graph:
        return self.graph if self.placed is None else self.placed.source

    @property
    def _has_latency(self) -> bool:
        return self.placed is not None and self.placed.latency

    @property
    def _pipelined(self) -> Mapping[str, str] | None:
        """The level of each link, where levels are pipelined."""
        return self.placed.levels if self.placed is not None and self.placed.pipelined else None

    def _with(self, bindings: Bindings) -> Roofline:
        given, overrides, values = bindings.given, bindings.rates, bindings.values
        return Roofline(self.graph, self.chip, given, overrides, self.placed, values, self.inside)

    @cached_property
    def _terms(self) -> dict[Resource, Expr]:
        return time_terms(self.work, self.rates)

    @cached_property
    def _groups(self) -> dict[str, Expr]:
        serial = self.inside.numa is Numa.SERIAL
        return grouped(self._terms, self._pipelined, serial=serial)

    @cached_property
    def _overlapped(self) -> Quantity:
        return self._seconds(slowest(self._groups.values()))

    @cached_property
    def _rows(self) -> tuple[OpRow, ...]:
        whole = self.time.per_op.resolved()
        return tuple(op_row(op, whole, self._quantity) for op in self._op_terms)

    @cached_property
    def _op_terms(self) -> list[OpTerms]:
        return op_terms(self.graph, self.rates, inside=self.inside, latency=self._has_latency)

    @cached_property
    def _peak(self) -> Quantity:
        keys = [resource for resource in self.work if resource[0] == "flop"]
        if not keys:
            return self._rate(("flop", self.chip.default_dtype))
        if len(keys) == 1:
            return self._rate(keys[0])
        return self.graph.flops / Quantity.of(self._groups["compute"], "s", self.scope)

    def _rate(self, resource: Resource) -> Quantity:
        rates = self.rates
        if resource not in rates.by_resource:
            rates = rates_of(self.chip, [resource], self.inside.lowered)
        unit = RATE_UNITS[resource[0]]
        return Quantity.of(rates.by_resource[resource], unit, rates.scope)

    def _seconds(self, time: Expr) -> Quantity:
        return self._quantity(time, "s")

    def _quantity(self, expr: Expr, unit: str) -> Quantity:
        return self._bound(Quantity.of(expr, unit, self.scope))

    def _bound(self, quantity: Quantity) -> Quantity:
        return self._bindings.put_into(quantity)
