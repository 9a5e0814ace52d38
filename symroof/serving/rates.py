"""Rates of serving and training: utilisation, tokens per second, times, and how many chips.

Rates of hardware are of all chips together unless an argument is named ``per_chip``.
"""

from __future__ import annotations

from sympy import Expr

from symroof.serving.inputs import amount, number, share
from symroof.symbolic.build import ceil_of
from symroof.units import Quantity

FORWARD, TRAINING = 2, 6
"""FLOPs per parameter and token: a multiply and an add; twice as much again backward."""


def forward_flops(params: object, tokens: object) -> Quantity:
    """Return the FLOPs of the products of a forward pass: 2 per parameter and token.

    Examples
    --------
    >>> print(forward_flops("P", "T"))
    2*P*T FLOP
    """
    return _flops(FORWARD, params, tokens)


def training_flops(params: object, tokens: object) -> Quantity:
    """Return the FLOPs of the products of training: 6 per parameter and token.

    Parameters
    ----------
    params : number, symbol or text
        Parameters that each token is multiplied with.
    tokens : number, symbol or text
        Tokens trained on.

    Examples
    --------
    >>> print(training_flops(70 * 10**9, 15 * 10**12))
    6300000000000000000000000 FLOP
    """
    return _flops(TRAINING, params, tokens)


def time_at(
    flops: Quantity | str, chips: object, per_chip: Quantity | str, mfu: object = 1
) -> Quantity:
    """Return how long FLOPs take on chips at a share of their peak.

    Parameters
    ----------
    flops : Quantity or str
        FLOP.
    chips : number, symbol or text
        How many.
    per_chip : Quantity or str
        FLOP/s of a chip at its peak.
    mfu : number
        Model FLOPs utilisation, from above 0 to 1.

    Examples
    --------
    >>> days = time_at("6.3e24 FLOP", 8960, "459 TFLOP/s", mfu=0.4)
    >>> round(days.to("day"), 2)
    44.32
    """
    rate = amount(per_chip, "FLOP/s", "per_chip") * _plain(number(chips, "chips", strictly=True))
    return amount(flops, "FLOP", "flops") / (rate * _plain(share(mfu, "mfu")))


def training_time(
    params: object, tokens: object, chips: object, per_chip: Quantity | str, mfu: object = 1
) -> Quantity:
    """Return how long it takes to train a model on tokens; see `time_at`.

    Examples
    --------
    >>> time = training_time(70 * 10**9, 15 * 10**12, 4096, "990 TFLOP/s", mfu=0.45)
    >>> round(time.to("day"), 2)
    39.96
    """
    return time_at(training_flops(params, tokens), chips, per_chip, mfu)


def prefill_time(
    params: object, tokens: object, chips: object, per_chip: Quantity | str, mfu: object = 1
) -> Quantity:
    """Return how long the products of prompts take; see `time_at`.

    Examples
    --------
    >>> time = prefill_time(70 * 10**9, 8192, 16, "197 TFLOP/s", mfu=0.4)
    >>> round(time.to("s"), 3)
    0.91
    """
    return time_at(forward_flops(params, tokens), chips, per_chip, mfu)


def mfu(flops: Quantity | str, time: Quantity | str, compute: Quantity | str) -> Quantity:
    """Return the model FLOPs utilisation: FLOPs that are needed, over what peaks allow in a time.

    Parameters
    ----------
    flops : Quantity or str
        FLOP that the model needs; nothing that is computed twice.
    time : Quantity or str
        How long it took. For chip-hours, give the peak of one chip.
    compute : Quantity or str
        FLOP/s of all chips at their peak.

    Examples
    --------
    >>> float(mfu("45 TFLOP", "100 ms", "1 PFLOP/s").value)
    0.45
    """
    return amount(flops, "FLOP", "flops", zero=True) / (
        amount(time, "s", "time") * amount(compute, "FLOP/s", "compute")
    )


def mbu(needed: Quantity | str, time: Quantity | str, bandwidth: Quantity | str) -> Quantity:
    """Return the memory bandwidth utilisation: bytes that are needed, over what fits in a time.

    Parameters
    ----------
    needed : Quantity or str
        byte that a step has to read: weights once, and the caches of the batch.
    time : Quantity or str
        How long the step took.
    bandwidth : Quantity or str
        byte/s of all chips.

    Examples
    --------
    >>> float(mbu("16 GB", "10 ms", "3.2 TB/s").value)
    0.5
    """
    return amount(needed, "byte", "needed", zero=True) / (
        amount(time, "s", "time") * amount(bandwidth, "byte/s", "bandwidth")
    )


def tokens_per_second(batch: object, step: Quantity | str) -> Quantity:
    """Return the throughput of decode: one token for each sequence of a batch in a step.

    Examples
    --------
    >>> print(tokens_per_second(32, "20 ms"))
    1600 token/s
    """
    return _tokens(number(batch, "batch")) / amount(step, "s", "step")


def per_chip(throughput: Quantity | str, chips: object) -> Quantity:
    """Return the share of one chip in a throughput.

    Examples
    --------
    >>> print(per_chip("1600 token/s", 8))
    200 token/s
    """
    many = _plain(number(chips, "chips", strictly=True))
    return amount(throughput, "token/s", "throughput") / many


def per_user(step: Quantity | str) -> Quantity:
    """Return the tokens per second that a user sees: one in a step.

    Examples
    --------
    >>> print(per_user("20 ms"))
    50 token/s
    """
    return tokens_per_second(1, step)


def chips_for(
    rate: Quantity | str, tokens_per_request: object, throughput_per_chip: Quantity | str
) -> Quantity:
    """Return how many chips a rate of requests needs.

    Parameters
    ----------
    rate : Quantity or str
        Requests per second, as in ``"100 1/s"`` or ``"100 Hz"``.
    tokens_per_request : number, symbol or text
        Prompt and answer together, as the throughput counts them.
    throughput_per_chip : Quantity or str
        token/s of a chip.

    Returns
    -------
    Quantity
        A whole number, or a formula.

    Examples
    --------
    >>> chips_for("100 Hz", 1536, "1857 token/s").value
    83
    """
    wanted = amount(rate, "1/s", "rate", zero=True)
    length = _tokens(number(tokens_per_request, "tokens_per_request", strictly=True))
    found = wanted * length / amount(throughput_per_chip, "token/s", "throughput_per_chip")
    return Quantity.of(ceil_of(found.expr), "", found.scope)


def prefill_servers(
    prefill: Quantity | str, step: Quantity | str, batch: object, decode: object
) -> Quantity:
    """Return how many servers that take prompts keep one server that decodes busy.

    A server that decodes finishes `batch` requests every `decode` steps; each needs the time of a
    prompt.

    Parameters
    ----------
    prefill, step : Quantity or str
        Time of a prompt, and of a decode step.
    batch, decode : number, symbol or text
        Sequences that decode at a time, and new tokens of each.

    Examples
    --------
    >>> float(prefill_servers("1 s", "20 ms", 32, 800).value)
    2.0
    """
    busy = amount(prefill, "s", "prefill") * _plain(number(batch, "batch", strictly=True))
    cycle = amount(step, "s", "step") * _plain(number(decode, "decode", strictly=True))
    return busy / cycle


def kv_tokens_freed(batch: object, prefill: object, decode: object) -> Quantity:
    """Return how many tokens of cache a step frees, on average: batch·(p + d)/d.

    Of a batch of requests at all stages of their answers, one in `decode` ends in a step.

    Examples
    --------
    >>> print(kv_tokens_freed(32, 8192, 4096))
    96 token
    """
    p, d = number(prefill, "prefill"), number(decode, "decode", strictly=True)
    return _tokens(number(batch, "batch") * (p + d) / d)


def _flops(each: int, params: object, tokens: object) -> Quantity:
    found = number(params, "params", strictly=True) * number(tokens, "tokens")
    return Quantity.of(each * found, "FLOP")


def _plain(found: Expr) -> Quantity:
    return Quantity.of(found, "")


def _tokens(found: Expr) -> Quantity:
    return Quantity.of(found, "token")
