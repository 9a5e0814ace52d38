"""A served model as the subject of a report: its names, their values, and claims on them."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from symroof.errors import InputError, SymroofError
from symroof.reports.document import Claim, Runs
from symroof.reports.sections.wording import words
from symroof.reports.subject import exact_text
from symroof.roofline.documents import unit_of
from symroof.roofline.ridges import labels, ridges
from symroof.serving.data import usual_batches
from symroof.serving.serving import Serving
from symroof.symbolic import adopt, bind, to_text
from symroof.symbolic.forms import Form, Name
from symroof.symbolic.readable import readable
from symroof.units import Quantity, human, unit_text

MEANINGS = {
    "S": "tokens in the context of a sequence, the new one included",
    "p": "tokens of a prompt",
    "d": "new tokens of a request",
    "N_gpus": "GPUs",
    "GPU_mem": "memory of all GPUs",
    "MemBW": "memory bandwidth of all GPUs",
    "NetBW": "links of all GPUs, one direction",
    "compute": "dense peak of all GPUs",
    "P_model": "parameters, of experts the active ones",
    "D_model": "hidden size",
    "L": "layers",
    "S_type": "bytes of an element",
    **{
        f"{name}_per_gpu": f"{text} of one GPU"
        for name, text in (
            ("GPU_mem", "memory"),
            ("MemBW", "memory bandwidth"),
            ("NetBW", "links, one direction,"),
            ("compute", "dense peak"),
        )
    },
}
"""What the names in formulas are, rates and the batch aside."""


class Served:
    """A serving answer, and what its formulas need to be shown and checked."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.general = serving.symbolic
        self.terms = self.general.terms
        self.batches = usual_batches(serving)
        scope = self.terms.scope
        known: dict[str, Expr] = {**scope.values, **self.terms.rates.scope.values}
        known |= {name: adopt(value) for name, value in serving.terms.given.items()}
        known |= {name: adopt(value) for name, value in serving.asked.given.items()}
        known |= ridges(self.terms.rates)[1]
        self.known = known
        self.values = {name: to_text(value) for name, value in known.items()}
        units = {n: unit_text(scope.dimensions.get(n, ())) for n in known}
        units |= {n: unit_of(n) for n in known if "." in n}
        self.units = {name: unit for name, unit in units.items() if unit}
        keys = {name for name in (*known, *scope.dimensions) if "." in name}
        self.labels = labels(keys, [n for n in scope.dimensions if "." not in n])

    @property
    def names(self) -> tuple[str, ...]:
        """All names in formulas: the batch, lengths, then those of the machine and the model."""
        return tuple(dict.fromkeys([*self.serving.asked.names, *self.known]))

    def meaning(self, name: str) -> str:
        """Return what a name stands for; nothing for the key of a rate."""
        if name == self.serving.batch:
            tokens = self.serving.workload is not None
            return f"the batch: {'tokens of an iteration' if tokens else 'sequences'}"
        return MEANINGS.get(name, "")

    def value(self, name: str) -> Quantity | None:
        """Return what a name is here, in its unit; None for the batch."""
        known = self.known.get(name)
        return None if known is None else Quantity.of(known, self.units.get(name, ""))

    def resolved(self, quantity: Quantity) -> Quantity:
        """Return a quantity with the numbers of all names put in."""
        return Quantity.of(bind(quantity.expr, self._resolved({})), quantity.unit)

    def form(self, expr: Expr) -> Form:
        """Return an expression as people write it."""
        try:
            return readable(expr, order=self.terms.order)
        except InputError:
            return Name("a long formula")

    def claim(
        self,
        key: str,
        formula: Quantity,
        at: Mapping[str, object] | None = None,
        *,
        by: str = "",
        shown: str = "",
        digits: int = 4,
    ) -> Claim | None:
        """Return the claim that a formula has its number; None where it has none."""
        here = {name: adopt(value) for name, value in (at or {}).items()}
        try:
            exact = bind(formula.expr, {**self._resolved(here), **here})
            written = exact_text(exact)
        except SymroofError:
            return None
        if not exact.is_number or not exact.is_finite or not written:
            return None
        said = shown or human(Quantity.of(exact, formula.unit), digits)
        stated = by or to_text(formula.expr)
        return Claim(
            key, stated, written, formula.unit, said, {n: to_text(v) for n, v in here.items()}
        )

    def cell(self, key: str, formula: Quantity | None, at: Mapping[str, object]) -> Runs:
        """Return a table cell."""
        found = None if formula is None else self.claim(key, formula, at)
        return words("–") if found is None else (found,)

    def _resolved(self, here: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return the numbers of all names, values that are formulas worked out."""
        found = {n: v for n, v in self.known.items() if v.is_number and n not in here}
        for name, value in self.known.items():
            if not value.is_number:
                found[name] = bind(value, {**found, **here})
        return found
