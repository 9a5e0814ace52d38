"""How a model is cut over chips: tensors, data, experts, layers, and the context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from symroof.errors import InputError, UnknownNameError
from symroof.graph import Mesh

AXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "heads": ("tp",),
        "kv_heads": ("tp",),
        "ffn": ("tp",),
        "expert_ffn": ("tp",),
        "vocab": ("tp",),
        "table": ("tp",),
        "experts": ("ep",),
        "batch": ("dp", "ep"),
        "sequence": ("cp",),
    }
)
"""On which axes of the mesh a dim lies, by its logical name; on none if it is not listed."""


@dataclass(frozen=True, slots=True)
class Parallel:
    """Numbers of chips that each kind of parallelism cuts a model over.

    Attributes
    ----------
    tp : int
        Tensor parallel: heads, hidden dims of feed-forward networks and of experts, vocabulary.
    dp : int
        Data parallel: sequences, with the weights on every chip.
    ep : int
        Expert parallel: experts, and sequences; tokens travel to their experts and back.
    pp : int
        Pipeline parallel: layers.
    cp : int
        Context parallel: new tokens of a prompt.

    Raises
    ------
    InputError
        If one is no whole number of 1 or more.

    Examples
    --------
    >>> Parallel(tp=8, pp=2).chips
    16
    >>> Parallel(tp=4, ep=2).mesh
    Mesh(tp=4, ep=2)
    """

    tp: int = 1
    dp: int = 1
    ep: int = 1
    pp: int = 1
    cp: int = 1

    def __post_init__(self) -> None:
        for field in fields(self):
            size = getattr(self, field.name)
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise InputError(
                    f"expected a whole number of chips, 1 or more, not {size!r:.60}",
                    where=field.name,
                )

    @classmethod
    def of(cls, given: Parallel | None, cut: Mapping[str, int]) -> Parallel:
        """Return what is given as an object or by its sizes.

        Raises
        ------
        InputError
            If both are given.
        UnknownNameError
            If there is no such kind of parallelism.
        """
        known = [field.name for field in fields(cls)]
        for name in cut:
            if name not in known:
                raise UnknownNameError("option", name, known)
        if given is None:
            return cls(**cut)
        if not isinstance(given, Parallel):
            raise InputError(f"expected a Parallel, not {type(given).__name__}", where="parallel")
        if cut:
            raise InputError(f"give it as an object or by {', '.join(cut)}", where="parallel")
        return given

    @property
    def chips(self) -> int:
        """All chips."""
        return self.tp * self.dp * self.ep * self.pp * self.cp

    @property
    def replicas(self) -> int:
        """Parts that the sequences are cut into."""
        return self.dp * self.ep

    @property
    def mesh(self) -> Mesh | None:
        """The axes of all chips, stages outermost; None for a single one."""
        sizes = {name: getattr(self, name) for name in ("tp", "dp", "ep", "cp", "pp")}
        cut = {name: size for name, size in sizes.items() if size > 1}
        return Mesh(**cut) if cut else None

    @property
    def gradients(self) -> dict[str, int]:
        """The axes over which copies of the weights see other data, with their sizes."""
        return {name: getattr(self, name) for name in ("dp", "ep", "cp") if getattr(self, name) > 1}

    def sharding(
        self, logical: tuple[str | None, ...]
    ) -> tuple[tuple[str, ...] | None, ...] | None:
        """Return on which axes the dims with these logical names lie; None if on none at all.

        Examples
        --------
        >>> Parallel(tp=8).sharding(("hidden", "heads"))
        (None, ('tp',))
        >>> Parallel(tp=8).sharding(("experts",)) is None
        True
        """
        dims = tuple(
            tuple(axis for axis in AXES.get(name or "", ()) if getattr(self, axis) > 1) or None
            for name in logical
        )
        return dims if any(dims) else None
