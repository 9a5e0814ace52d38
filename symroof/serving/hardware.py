"""The GPUs of the serving model: each number is of one GPU, the sums over all are made here."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sympy import Expr

from symroof.errors import InputError
from symroof.hardware import Chip, System
from symroof.hardware import machine as find_machine
from symroof.hardware.memory import one_direction
from symroof.hardware.rates import BYTE, BYTE_PER_SECOND, FLOP_PER_SECOND, read_rate
from symroof.serving.inputs import count
from symroof.symbolic import symbol
from symroof.symbolic.exact import shown
from symroof.units import EMPTY, Dimension, Quantity, Scope, human, union

N_GPUS, GPU_MEM, MEM_BW, NET_BW, COMPUTE = "N_gpus", "GPU_mem", "MemBW", "NetBW", "compute"
"""Names in formulas: the number of GPUs, and what all of them have together."""
TOTALS: dict[str, Dimension] = {
    GPU_MEM: BYTE,
    MEM_BW: BYTE_PER_SECOND,
    NET_BW: BYTE_PER_SECOND,
    COMPUTE: FLOP_PER_SECOND,
}
PER_GPU = "_per_gpu"


@dataclass(frozen=True, slots=True, init=False)
class Hardware:
    """GPUs of one kind, joined by links.

    Everything given is of one GPU. In formulas ``GPU_mem``, ``MemBW``, ``NetBW`` and ``compute``
    are sums over all GPUs, N_gpus times ``GPU_mem_per_gpu`` and so on: another number of GPUs
    moves them all.

    Parameters
    ----------
    n_gpus : int, symbol or text
        How many GPUs.
    gpu_mem_per_gpu : Quantity or str
        byte of memory of one GPU.
    mem_bw_per_gpu : Quantity or str
        byte/s between one GPU and its memory.
    compute_per_gpu : Quantity or str
        FLOP/s of one GPU: its dense peak, or a rate measured for matrix products.
    net_bw_per_gpu : Quantity or str, optional
        byte/s of the links of one GPU. Needed for more than one GPU.
    bidirectional : bool, optional
        Whether `net_bw_per_gpu` is of both directions added, as data sheets print it; it is then
        halved, since the model counts one direction. It has to be said where a link is given,
        unless the text of it says so: ``"600 GB/s bidirectional"``.
    name : str
        What it is called.

    Raises
    ------
    InputError
        If the number of GPUs is not a whole number from 1, a rate is not positive, several GPUs
        have no link, or it is not said whether the link is of one direction.
    UnitError
        If a number has no unit, or another one.

    Examples
    --------
    >>> a100s = Hardware(
    ...     8,
    ...     gpu_mem_per_gpu="80 GB",
    ...     mem_bw_per_gpu="2 TB/s",
    ...     compute_per_gpu="312 TFLOP/s",
    ...     net_bw_per_gpu="600 GB/s",
    ...     bidirectional=True,
    ... )
    >>> a100s.net_bw, a100s.net_bw.to("TB/s"), a100s.net_bw.at(N_gpus=16).to("TB/s")
    (Quantity('NetBW', 'byte/s'), 2.4, 4.8)
    """

    name: str
    n_gpus: Expr
    gpu_mem_per_gpu: Quantity
    mem_bw_per_gpu: Quantity
    compute_per_gpu: Quantity
    net_bw_per_gpu: Quantity | None
    assumptions: tuple[str, ...]

    def __init__(
        self,
        n_gpus: object,
        *,
        gpu_mem_per_gpu: Quantity | str,
        mem_bw_per_gpu: Quantity | str,
        compute_per_gpu: Quantity | str,
        net_bw_per_gpu: Quantity | str | None = None,
        bidirectional: bool | None = None,
        name: str = "",
        assumptions: tuple[str, ...] = (),
    ) -> None:
        many = count(n_gpus, "n_gpus")
        put = object.__setattr__
        put(self, "name", name)
        put(self, "n_gpus", many)
        for where, given, dimension in (
            ("gpu_mem_per_gpu", gpu_mem_per_gpu, BYTE),
            ("mem_bw_per_gpu", mem_bw_per_gpu, BYTE_PER_SECOND),
            ("compute_per_gpu", compute_per_gpu, FLOP_PER_SECOND),
        ):
            put(self, where, read_rate(given, dimension, where).value)
        link, halved = _link(net_bw_per_gpu, bidirectional)
        if link is None and many != 1:
            raise InputError(
                f"{shown(many)} GPUs need a link, as in net_bw_per_gpu='300 GB/s', "
                "bidirectional=False",
                where="net_bw_per_gpu",
            )
        put(self, "net_bw_per_gpu", link)
        put(self, "assumptions", (*assumptions, *halved))

    @classmethod
    def of(
        cls,
        machine: str | os.PathLike[str] | Chip | System,
        dtype: str = "bf16",
        *,
        level: str | None = None,
    ) -> Hardware:
        """Return the GPUs of a machine.

        Parameters
        ----------
        machine : str, PathLike, Chip or System
            A name of the catalogue or a file: a chip (one GPU) or a system.
        dtype : str
            Of the products, for the peak.
        level : str, optional
            The network of a system that links count in; by default the one into which a chip can
            send the least.

        Raises
        ------
        InputError
            If the chip does not say how much memory it has.

        Examples
        --------
        >>> eight = Hardware.of("8xa100-sxm-80gb", "bf16")
        >>> eight.n_gpus, eight.mem_bw.to("TB/s"), eight.net_bw.to("TB/s")
        (8, 16.312, 2.4)
        """
        found = machine if isinstance(machine, Chip | System) else find_machine(machine)
        one = found.chip if isinstance(found, System) else found
        if one.memory_level().capacity is None:
            raise InputError(f"{one.name} does not say how much memory it has", where="machine")
        link, said = _egress(found, level) if isinstance(found, System) else (None, ())
        return cls(
            found.count if isinstance(found, System) else 1,
            gpu_mem_per_gpu=one.capacity().resolved(),
            mem_bw_per_gpu=one.bandwidth().resolved(),
            compute_per_gpu=one.peak(dtype).resolved(),
            net_bw_per_gpu=link,
            bidirectional=None if link is None else False,
            name=found.name,
            assumptions=(*said, *found.assumptions),
        )

    @property
    def has_link(self) -> bool:
        """Whether the GPUs have links."""
        return self.net_bw_per_gpu is not None

    @property
    def given(self) -> dict[str, Quantity]:
        """What one GPU has, by the name of the sum over all GPUs."""
        found = {
            GPU_MEM: self.gpu_mem_per_gpu,
            MEM_BW: self.mem_bw_per_gpu,
            COMPUTE: self.compute_per_gpu,
        }
        return found if self.net_bw_per_gpu is None else found | {NET_BW: self.net_bw_per_gpu}

    @property
    def scope(self) -> Scope:
        """The names in formulas with their units and values; sums are formulas in N_gpus."""
        many = symbol(N_GPUS)
        known: dict[str, Expr] = {} if self.n_gpus == many else {N_GPUS: self.n_gpus}
        units: dict[str, Dimension] = {}
        inner = EMPTY.with_names(sorted(s.name for s in self.n_gpus.free_symbols))
        for name, one in self.given.items():
            own = name + PER_GPU
            known |= {name: many * symbol(own), own: one.expr}
            units |= {name: TOTALS[name], own: TOTALS[name]}
            inner = union(inner, one.scope.without([name, own]))
            if one.expr == symbol(own):
                del known[own]
        return union(Scope(units, frozenset({N_GPUS}), known), inner)

    @property
    def gpu_mem(self) -> Quantity:
        """Memory of all GPUs."""
        return Quantity.of(symbol(GPU_MEM), "byte", self.scope)

    @property
    def mem_bw(self) -> Quantity:
        """Memory bandwidth of all GPUs."""
        return Quantity.of(symbol(MEM_BW), "byte/s", self.scope)

    @property
    def compute(self) -> Quantity:
        """FLOP/s of all GPUs."""
        return Quantity.of(symbol(COMPUTE), "FLOP/s", self.scope)

    @property
    def net_bw(self) -> Quantity | None:
        """What all GPUs can send in one direction; None where they have no links."""
        return Quantity.of(symbol(NET_BW), "byte/s", self.scope) if self.has_link else None

    @property
    def sums(self) -> dict[str, Expr]:
        """Each sum as N_gpus times what one GPU has, to put into formulas."""
        return {name: symbol(N_GPUS) * symbol(name + PER_GPU) for name in self.given}

    def __str__(self) -> str:
        parts = [f"{human(one)} {name}" for name, one in self.given.items()]
        called = self.name or "GPU" + ("" if self.n_gpus == 1 else "s")
        many = "" if self.name else f"{shown(self.n_gpus)} "
        return f"{many}{called}, each with {', '.join(parts)}"


def _link(
    given: Quantity | str | None, bidirectional: bool | None
) -> tuple[Quantity | None, tuple[str, ...]]:
    """Return what a GPU sends in one direction, and what is to be said of a figure halved."""
    where = "net_bw_per_gpu"
    if given is None:
        if bidirectional is not None:
            raise InputError("is said of a link, and none is given", where="bidirectional")
        return None, ()
    if bidirectional not in (None, True, False):
        raise InputError(
            f"expected True or False, not {bidirectional!r:.60}", where="bidirectional"
        )
    rate, both = one_direction(given, where, bidirectional=bool(bidirectional))
    if bidirectional is None and not both:
        raise InputError(
            f"say bidirectional=False if {rate.text} is of one direction, as the model counts, or "
            "bidirectional=True if it is of both together (it is then halved)",
            where=where,
        )
    if bidirectional is False and both:
        raise InputError(
            f"{both} is said to be bidirectional, and bidirectional=False", where=where
        )
    said = (f"{both} of both directions is {rate.text} in one direction",) if both else ()
    return rate.value, said


def _egress(system: System, level: str | None) -> tuple[Quantity | None, tuple[str, ...]]:
    """Return what a chip sends into a level, the slowest one by default, and a word on it."""
    if level is not None:
        return system.level(level).per_chip.value, ()
    if not system.levels:
        return None, ()
    slowest = system.levels[0]
    for other in system.levels[1:]:
        if other.per_chip.value < slowest.per_chip.value:
            slowest = other
    if len(system.levels) == 1:
        return slowest.per_chip.value, ()
    said = f"NetBW is that of {slowest.name}, the slowest of {len(system.levels)} networks"
    return slowest.per_chip.value, (said,)
