"""An answer about serving as plain data: every amount with its unit, formulas as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sympy import S

from symroof.errors import SymroofError
from symroof.symbolic.printer import to_text
from symroof.units import Quantity, dtype

if TYPE_CHECKING:
    from symroof.serving.answers import ContextLimit
    from symroof.serving.serving import Serving
    from symroof.serving.setup import Setup

SCHEMA_VERSION = 1
BATCHES = (1, 8, 64, 256)
TOKENS = (256, 512, 1024, 2048)


def serving_data(serving: Serving, batches: Iterable[object] | None = None) -> dict[str, Any]:
    """Return an answer as plain data.

    Parameters
    ----------
    serving : Serving
    batches : iterable of number, optional
        Batches to give all terms for; by default a few, and the largest that fits.

    Returns
    -------
    dict
        ``schema_version``, ``model``, ``machine``, ``chips``, ``parallel``, ``memory_mode``,
        ``dtypes``, ``batch`` (its name), ``context``, ``fits``, ``shortfall``, ``fewest_chips``,
        ``fewest_chips_parallel``, ``params``, ``active_params``, ``kv_bytes_per_token``,
        ``weights_bytes``, ``terms`` (in the batch), ``batches`` (all numbers of each),
        ``crossover``, ``crossovers``, ``context_limit``, ``max_batch``, ``max_tokens``,
        ``throughput``, ``optimal_throughput``, ``ttft``, ``assumptions``, ``left_out``.

    Examples
    --------
    >>> import symroof as sr
    >>> found = serving_data(sr.serve("llama-3-8b", "h100-sxm", context=1024), [64])
    >>> found["fits"], found["max_batch"], found["batches"][0]["bound"]
    (True, 476, 'memory')
    """
    setup = serving.setup
    model = setup.model
    wanted = usual_batches(serving) if batches is None else tuple(batches)
    open_ = bool(serving.asked.unknown)
    fewest = serving.capacity.fewest if serving.fits is False else None
    return {
        "schema_version": SCHEMA_VERSION,
        "model": model.name,
        "machine": setup.machine.name,
        "chips": setup.chips,
        "parallel": _cut(setup),
        "memory_mode": str(serving.memory),
        "dtypes": {
            "activations": dtype(setup.dtype).name,
            "weights": setup.stored.name,
            "kv": setup.cached.name,
        },
        "batch": serving.batch,
        "context": serving.context.to_dict(),
        "fits": serving.fits,
        "shortfall": _or_none(serving.shortfall),
        "fewest_chips": None if fewest is None else fewest.chips,
        "fewest_chips_parallel": None if fewest is None else _cut(fewest),
        "params": _count(model.params),
        "active_params": _count(model.active_params),
        "kv_bytes_per_token": model.kv_bytes_per_token(setup.cached).to_dict(),
        "weights_bytes": serving.capacity.total_weights.to_dict(),
        "terms": {n: term.to_dict() for n, term in serving.terms.quantities.items()},
        "batches": [] if open_ else [serving.at(batch).to_dict() for batch in wanted],
        "crossover": {"unknown": serving.batch, **serving.crossover().to_dict()},
        "crossovers": [
            {
                "term": pair.term,
                "over": pair.over,
                "unknown": pair.answer.name,
                "batch_cancels": pair.batch_cancels,
                **pair.answer.to_dict(),
            }
            for pair in serving.pairs
        ],
        "context_limit": _limit(serving.context_limit),
        "max_batch": None if open_ else serving.max_batch,
        "max_tokens": None if open_ else serving.max_tokens,
        "throughput": serving.throughput.to_dict(),
        "optimal_throughput": serving.optimal_throughput.to_dict(),
        "ttft": _or_none(serving.ttft),
        "assumptions": list(serving.assumptions),
        "left_out": list(serving.left_out),
    }


def usual_batches(serving: Serving) -> tuple[int, ...]:
    """Return a few batches within what fits, and the largest that does, all of equal parts.

    One of them is below the batch that turns compute-bound.
    """
    if serving.asked.unknown:
        return ()
    parts = serving.parts
    given = BATCHES if serving.workload is None else (*_before_turn(serving), *TOKENS)
    usual = tuple(dict.fromkeys(-(-size // parts) * parts for size in given))
    most = serving.max_tokens
    if most is None:
        return usual
    most -= most % parts
    return tuple(sorted({*(n for n in usual if n <= most), most} - {0})) or usual[:1]


def _before_turn(serving: Serving) -> tuple[int, ...]:
    """Return the power of two below the batch that turns, where the usual ones begin at it."""
    first = serving.crossover().first
    if first is None or not 1 < first <= TOKENS[0]:
        return ()
    return (2 ** ((first - 1).bit_length() - 1),)


def _limit(limit: ContextLimit) -> dict[str, Any]:
    try:
        value: float | None = limit.value
    except SymroofError:  # lengths are left open
        value = None
    finite = value is not None and value != float("inf")
    return {
        "expr": None if limit.expr is S.Infinity else to_text(limit.expr),
        "value": value if finite else None,
        "unit": "token",
        "limited": finite if value is not None else None,
        "sentence": str(limit),
        "means": limit.means,
    }


def _cut(setup: Setup) -> dict[str, int]:
    return {name: size for name, size in asdict(setup.parallel).items() if name != "cp"}


def _or_none(quantity: Quantity | None) -> dict[str, Any] | None:
    return None if quantity is None else quantity.to_dict()


def _count(count: Any) -> int | str:
    return count if isinstance(count, int) else to_text(count)
