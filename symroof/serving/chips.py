"""From how many chips on the network takes as long as compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Integer, Rational

from symroof.errors import SymroofError
from symroof.graph.work import ratio
from symroof.serving.terms import Terms
from symroof.serving.touched import decode_terms, steady_terms
from symroof.solve import Crossover
from symroof.symbolic import symbol
from symroof.units import Scope

if TYPE_CHECKING:
    from symroof.serving.asked import Asked
    from symroof.serving.setup import Setup

N_GPUS = "N_gpus"


def network_over_compute(asked: Asked) -> Crossover | None:
    """Return from how many chips, cut by tensors, the network takes as long as compute.

    Each chip does 1/N of the products, and sends (N − 1)/N of what its all-reduces sum, as on a
    ring or through a switch; how much that is comes from the graph of the model as it is cut, or
    cut in many. Both grow with the batch alike, so that no batch changes the answer.

    Returns
    -------
    Crossover or None
        In N_gpus; None where the chip has no link, or the model cannot be cut in many.
    """
    if not asked.setup.chip.links:
        return None
    setup = asked.setup
    by_tensors = setup.chips > 1 and setup.parallel.tp == setup.chips
    chips = setup.chips if by_tensors else 2
    try:
        one = _terms(asked, setup.on(tp=1))
        many = _terms(asked, setup if by_tensors else setup.on(tp=2))
    except SymroofError:
        return None
    number = symbol(N_GPUS)
    batch = symbol(many.batch)
    sent = ratio(many.groups["network"], batch) * Rational(chips, chips - 1)
    groups = {
        "compute": ratio(one.groups["compute"], batch) / number,
        "memory": Integer(0),
        "network": sent * (number - 1) / number,
    }
    scope = many.scope.union(Scope(counts=frozenset({N_GPUS})))
    made = Terms(groups, many.rates, scope, many.batch, many.given, order=(N_GPUS, *many.order))
    return made.crossover(N_GPUS, "network", "compute")


def _terms(asked: Asked, setup: Setup) -> Terms:
    if asked.workload is None:
        return decode_terms(setup, asked.given)
    return steady_terms(setup, asked.steady, asked.names, asked.given)
