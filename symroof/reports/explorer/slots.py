"""What can be moved on the page: symbols and rates, each with a number to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Rational

from symroof.errors import InputError
from symroof.reports.existence import needed
from symroof.reports.explorer.variants import Variant, freed, variants
from symroof.reports.keys import inside_role, meaning
from symroof.roofline import Roofline
from symroof.roofline.documents import unit_of
from symroof.roofline.ridges import labels, ridges
from symroof.symbolic import bind, symbol, to_text
from symroof.units import unit_text
from symroof.units.binding import read_bindings

COMMON = 1024
"""What a dim starts from where nobody says more: a size at which most algorithms are near a tie."""

COMMON_RATES = {"FLOP/s": 10**15, "byte/s": 10**12}
HALF = Rational(1, 2)

KINDS = ("peak", "bw", "cap", "link", "latency", "ceiling", "launch")
"""In which order the numbers of the machine stand."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A name that has a value on the page.

    Attributes
    ----------
    name, label, meaning : str
        The name, how it is shown, and what it stands for.
    kind : str
        ``count`` (a whole number from 1), ``number``, ``rate``, or ``fraction`` (up to 1).
    unit : str
        Base unit; empty for plain numbers.
    start : Expr
        The exact number it has at first.
    """

    name: str
    label: str
    meaning: str
    kind: str
    unit: str
    start: Expr


class Slots:
    """The names of a roofline that can be moved, rates last.

    Parameters
    ----------
    roofline : Roofline
        Bound names start from their values. Names bound to formulas are not moved themselves.

    Attributes
    ----------
    general : Roofline
        With nothing bound but what is bound to a formula.
    derived : mapping of str to Expr
        Those formulas.
    scope : Scope
        The names that are left.

    Examples
    --------
    >>> import symroof as sr
    >>> slots = Slots(sr.analyze(sr.load("matmul"), "h100-sxm").at(N=512, K="2*M"))
    >>> [(slot.name, str(slot.start)) for slot in slots.all[:2]], dict(slots.derived)
    ([('M', '1024'), ('N', '512')], {'K': 2*M})
    >>> "K" in slots.places
    False
    """

    def __init__(self, roofline: Roofline) -> None:
        roofline, tiles = freed(roofline)
        free = roofline.unbound
        bound = read_bindings(free.scope, roofline.bindings)[0] if roofline.bindings else {}
        self.derived: Mapping[str, Expr] = {n: v for n, v in bound.items() if v.free_symbols}
        self.given = {name: value for name, value in bound.items() if name not in self.derived}
        self.given |= tiles
        self.general = free.at(self.derived)
        self.scope = read_bindings(free.scope, self.derived)[1] if self.derived else free.scope
        self.order = self.general.name_order

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """The roofline with bytes charged as it says, then in the other ways there are."""
        return variants(self.general)

    @cached_property
    def known(self) -> Mapping[str, Expr]:
        """The values of the numbers of the machine, those of all variants."""
        found: dict[str, Expr] = {}
        for variant in self.variants:
            found |= variant.general.rates.scope.values
        return found

    @cached_property
    def rates(self) -> tuple[str, ...]:
        """The keys of the machine's numbers: compute, memory, links, ceilings, launches."""
        keys = {key for variant in self.variants for key in self.keys_of(variant)}
        return tuple(sorted(keys, key=lambda key: (KINDS.index(key.split(".")[0]), key)))

    def keys_of(self, variant: Variant) -> frozenset[str]:
        """Return the keys that the times of a variant need, of those that have numbers."""
        general = variant.general
        used = {s.name for rate in general.rates.by_resource.values() for s in rate.free_symbols}
        used |= general.inside.scope.values.keys()
        return frozenset(key for key in used if "." in key and key in self.known)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All other names, those of the graph in its own order."""
        known = {name for name in self.scope.dimensions if name not in self.rates}
        known -= {name for name in known if "." in name}
        first = [name for name in self.order if name in known]
        return (*first, *sorted(known.difference(first)))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each name in the array of values."""
        return {name: at for at, name in enumerate((*self.names, *self.rates))}

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """How rates and ridges are shown."""
        return labels((*self.rates, *self.ridges), self.names)

    @cached_property
    def ridges(self) -> Mapping[str, Expr]:
        """Ridges by key, as peak ÷ rate."""
        return ridges(self.widest.rates)[1]

    @cached_property
    def widest(self) -> Roofline:
        """The variant with the most rates."""
        return max((v.general for v in self.variants), key=lambda r: len(r.rates.by_resource))

    def meaning(self, key: str) -> str:
        """Return what a rate stands for; where there is one memory it needs no name."""
        alone = sum(other.startswith("bw.") for other in self.rates) == 1
        return "memory bandwidth" if key.startswith("bw.") and alone else meaning(self.widest, key)

    @cached_property
    def all(self) -> tuple[Slot, ...]:
        """The slots, in the order of their places."""
        starts = self._starts()
        meanings = self.general.graph.about.meanings
        scope = self.scope
        found = []
        for name in self.names:
            unit = unit_text(scope.dimensions[name])
            kind = "count" if name in scope.counts else "rate" if unit else "number"
            kind = "fraction" if self._is_local(name) else kind
            what = meanings.get(name) or inside_role(self.general, name)
            found.append(Slot(name, name, what, kind, unit, starts[name]))
        for key in self.rates:
            unit = unit_of(key)
            what, kind = self.meaning(key), "rate" if unit else "fraction"
            found.append(Slot(key, self.labels[key], what, kind, unit, self.known[key]))
        return tuple(found)

    def _is_local(self, name: str) -> bool:
        return any(name == local.name for local in self.general.inside.local.free_symbols)

    def _starts(self) -> dict[str, Expr]:
        """Return a number for each name: what is bound, the default, or a common size."""
        scope = self.scope
        defaults = self.general.graph.about.defaults
        starts: dict[str, Expr] = {}
        loose = set()
        for name in self.names:
            known = self.given.get(name, defaults.get(name))
            if known is None:
                loose.add(name)
                unit = unit_text(scope.dimensions[name])
                usual = COMMON if name in scope.counts else COMMON_RATES.get(unit, 1)
                known = HALF if self._is_local(name) else Integer(usual)
            starts[name] = known
        return self._in_domain(starts, loose)

    def _in_domain(self, starts: dict[str, Expr], loose: set[str]) -> dict[str, Expr]:
        """Move what nobody has set so that what must hold between names does."""
        pairs = [(who, self._put(low), self._put(high)) for who, low, high in needed(self.general)]
        for _, low, high in pairs:
            if bind(low - high, starts).is_positive:
                if low.is_Symbol and low.name in loose:
                    starts[low.name] = bind(high, starts)
                elif high.is_Symbol and high.name in loose:
                    starts[high.name] = bind(low, starts)
        for who, low, high in pairs:
            if bind(low - high, starts).is_positive:
                must = f"{to_text(low)} <= {to_text(high)}"
                at = ", ".join(
                    f"{s.name}={starts[s.name]}" for s in sorted((high - low).free_symbols, key=str)
                )
                raise InputError(f"{who} needs {must}; not so at {at}, so set these names")
        return starts

    def _put(self, expr: Expr) -> Expr:
        return expr.xreplace({symbol(name): value for name, value in self.derived.items()})
