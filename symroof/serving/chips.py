"""From how many chips on the network takes as long as compute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Rational, expand

from symroof.errors import SymroofError
from symroof.graph.work import ratio
from symroof.hardware import System
from symroof.models import Attention
from symroof.serving.hardware import N_GPUS
from symroof.serving.terms import Terms
from symroof.serving.touched import decode_terms, steady_terms
from symroof.solve import Crossover
from symroof.symbolic import symbol
from symroof.units import Scope

if TYPE_CHECKING:
    from symroof.serving.asked import Asked
    from symroof.serving.setup import Setup


def network_over_compute(asked: Asked) -> Crossover | None:
    """Return from how many chips, cut by tensors, the network takes as long as compute.

    Of N chips each computes a + b/N, as some matrices are on all of them, and sends (N − 1)/N of
    what its all-reduces sum, as on a ring or through a switch. The amounts come from graphs of the
    model as it is cut, or cut in few. Both grow with the batch alike, so that no batch changes the
    answer.

    Returns
    -------
    Crossover or None
        In N_gpus; None where the chip has no link, chips are joined by networks at several levels,
        or the model cannot be cut in many.

    Examples
    --------
    >>> import symroof as sr
    >>> s = sr.serve("deepseek-v3", "8xh200-sxm", context=1024, weights="fp8")
    >>> s.network_bound_from.first
    18
    """
    machine = asked.setup.machine
    if not asked.setup.chip.links or (isinstance(machine, System) and len(machine.levels) > 1):
        return None
    try:
        found = _from_cuts(asked, 1)
    except SymroofError:
        return None
    few = _most_kv_heads(asked.setup)
    known = replace(asked, symbolic=False)
    if few < 2 or known.open:
        return found
    try:
        first = _from_cuts(known, 1).first
        return found if first is None or first <= few else _from_cuts(asked, few)
    except SymroofError:  # sizes of the model are open, or heads do not divide so
        return found


def _from_cuts(asked: Asked, few: int) -> Crossover:
    """Return the answer with the work of a chip from two cuts, over a few chips and twice those."""
    setup = asked.setup
    here = setup.chips > 1 and setup.parallel.tp == setup.chips
    chips = setup.chips if here else 2
    many = _terms(asked, setup if here else setup.on(tp=2))
    work = [_of_a_token(_terms(asked, setup.on(tp=n)), "compute") for n in (few, 2 * few)]
    sent = _of_a_token(many, "network") * Rational(chips, chips - 1)
    number = symbol(N_GPUS)
    everywhere, spread = 2 * work[1] - work[0], 2 * few * (work[0] - work[1])
    groups = {
        "compute": expand(everywhere + spread / number),
        "memory": Integer(0),
        "network": sent * (number - 1) / number,
    }
    scope = many.scope.union(Scope(counts=frozenset({N_GPUS})))
    made = Terms(groups, many.rates, scope, many.batch, many.given, order=(N_GPUS, *many.order))
    return made.crossover(N_GPUS, "network", "compute")


def _of_a_token(terms: Terms, name: str) -> Expr:
    return ratio(terms.groups[name], symbol(terms.batch))


def _most_kv_heads(setup: Setup) -> int:
    """Return how many chips share heads of keys and values before each has a copy of some."""
    mixers = [layer.mixer for layer, _ in setup.model.config.decoder.layers]
    heads = [m.kv_heads for m in mixers if isinstance(m, Attention)]
    return max((int(n) for n in heads if n.is_Integer), default=0)


def _terms(asked: Asked, setup: Setup) -> Terms:
    if asked.workload is None:
        return decode_terms(setup, asked.given)
    return steady_terms(setup, asked.steady, asked.names, asked.given)
