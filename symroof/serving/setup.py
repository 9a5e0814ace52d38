"""A model on a machine: how it is cut over chips, its precisions, the rooflines of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.graph import Graph
from symroof.hardware import Chip, System
from symroof.hardware import machine as find_machine
from symroof.models import Model, ModelConfig, Parallel
from symroof.models.precision import Precision
from symroof.roofline import Roofline, analyze
from symroof.symbolic.exact import shown
from symroof.units import DType

TRAFFIC = "weights+kv"
MOST_KEPT = 32


@dataclass(frozen=True, eq=False)
class Setup:
    """A model on a machine.

    Attributes
    ----------
    model : Model
    machine : Chip or System
        A chip for one, else the system.
    parallel : Parallel
        How the model is cut.
    dtype : str or DType
        Of activations.
    weights, kv : str, DType or None
        Of weights and of the KV cache; as `dtype` when None.
    absorbed : bool
        For latent attention, whether keys and values stay compressed.
    """

    model: Model
    machine: Chip | System
    parallel: Parallel
    dtype: str | DType = "bf16"
    weights: str | DType | None = None
    kv: str | DType | None = None
    absorbed: bool = True
    _graphs: dict[str, Graph] = field(default_factory=dict, init=False, repr=False)
    _rooflines: dict[str, Roofline] = field(default_factory=dict, init=False, repr=False)
    _others: dict[Parallel, Setup] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        model: Model,
        machine: str | Chip | System,
        cut: Mapping[str, int],
        **precision: Any,
    ) -> Setup:
        """Return the set-up of a model on a machine that is given by name or as an object.

        One that was made before, of an equal config, comes with the graphs that it has.

        Parameters
        ----------
        model : Model
        machine : str, Chip or System
        cut : mapping of str to int
            Sizes of tp, dp, ep, pp; when empty the model is cut over all chips by tensors.
        **precision
            As the attributes.
        """
        if isinstance(machine, str) and machine.lower().endswith(".toml"):  # a file may change
            machine = find_machine(machine)
        same = _model(model.config)
        return _setup(same, machine, tuple(sorted(cut.items())), tuple(precision.items()))

    @classmethod
    def _read(
        cls, model: Model, machine: str | Chip | System, cut: Mapping[str, int], **precision: Any
    ) -> Setup:
        found = machine if isinstance(machine, Chip | System) else find_machine(machine)
        there = found.count if isinstance(found, System) else Integer(1)
        if not cut:
            if not there.is_Integer:
                raise InputError(
                    f"{found.name} has {shown(there)} chips; a number is expected, or how the "
                    "model is cut, as in tp=8",
                    where="machine",
                )
            cut = {"tp": int(there)}
        parallel = Parallel(**cut)
        chips = parallel.chips
        if isinstance(found, Chip):
            if chips > 1:
                found = many(found, chips)
        elif chips != there:
            raise InputError(
                f"{_text(parallel)} is {chips} chips, and {found.name} has {shown(there)}; dp makes"
                " copies",
                where="parallel",
            )
        elif chips == 1:
            found = found.chip
        return cls(model, found, parallel, **precision)

    @property
    def chip(self) -> Chip:
        """One of the chips."""
        return self.machine.chip if isinstance(self.machine, System) else self.machine

    @property
    def chips(self) -> int:
        """How many chips the model is on."""
        return int(self.parallel.chips)

    def on(self, **cut: int) -> Setup:
        """Return the same model on as many of the chips as another cut needs; made once."""
        parallel = Parallel(**cut)
        if parallel not in self._others:
            chips = int(parallel.chips)
            machine = self.chip if chips == 1 else many(self.chip, chips)
            made = replace(self, machine=machine, parallel=parallel)
            if parallel == self.parallel:  # graphs are those of any machine
                made._graphs.update(self._graphs)
            self._others[parallel] = made
        return self._others[parallel]

    def graph(self, phase: str) -> Graph:
        """Return the graph of one chip in a phase; made once."""
        if phase not in self._graphs:
            self._graphs[phase] = self.model.graph(
                phase,
                dtype=self.dtype,
                weights=self.weights,
                kv=self.kv,
                parallel=self.parallel,
                absorbed=self.absorbed,
                traffic=TRAFFIC,
            )
        return self._graphs[phase]

    def roofline(self, phase: str) -> Roofline:
        """Return the roofline of a phase on the machine; made once."""
        if phase not in self._rooflines:
            self._rooflines[phase] = analyze(self.graph(phase), self.machine)
        return self._rooflines[phase]

    def said(self, phase: str) -> tuple[str, ...]:
        """Return what a phase of the model takes for granted or leaves out, in sentences."""
        return self.model.said(
            phase,
            dtype=self.dtype,
            weights=self.weights,
            kv=self.kv,
            parallel=self.parallel,
            absorbed=self.absorbed,
        )

    @property
    def precision(self) -> Precision:
        """What tensors are stored in: as asked, as the config says, or as activations."""
        return self.model.precision(self.dtype, self.weights, self.kv)[0]

    @property
    def stored(self) -> DType:
        """What weights are stored in."""
        return self.precision.weights

    @property
    def cached(self) -> DType:
        """What the KV cache is stored in."""
        return self.precision.cache

    @property
    def stages(self) -> Expr:
        """Pipeline stages."""
        return Integer(self.parallel.pp)


def many(chip: Chip, count: int) -> System:
    """Return so many of a chip, called as the catalogue calls them.

    Examples
    --------
    >>> many(find_machine("h100-sxm"), 8).title
    '8 NVIDIA H100 SXM5 80 GB'
    """
    return System(chip, count=count, title=f"{count} {chip.title or chip.name}")


@lru_cache(maxsize=MOST_KEPT)
def _model(config: ModelConfig) -> Model:
    return Model(config)


@lru_cache(maxsize=MOST_KEPT)
def _setup(
    model: Model,
    machine: str | Chip | System,
    cut: tuple[tuple[str, int], ...],
    precision: tuple[tuple[str, Any], ...],
) -> Setup:
    return Setup._read(model, machine, dict(cut), **dict(precision))


def _text(parallel: Parallel) -> str:
    sizes = asdict(parallel).items()
    return " x ".join(f"{name}={size}" for name, size in sizes if size != 1) or "tp=1"
