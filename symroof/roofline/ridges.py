"""Rates as people read them: bandwidths through the ridge, and short labels for all keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, Symbol

from symroof.errors import InputError
from symroof.roofline.terms import MAIN, Rates
from symroof.symbolic import bind, symbol
from symroof.units import Quantity, Scope
from symroof.units.binding import read_bindings, resolve_name

LABELS = {
    "peak": ("π", "P", "peak"),
    "bw": ("β", "W", "bw"),
    "link": ("λ", "W_link", "link"),
    "latency": ("τ", "t_hop", "latency"),
    "cap": ("Z", "Z_cap", "cap"),
    "ceiling": ("η", "eta", "ceiling"),
    "cap on a rate": ("ρ", "rho", "ceiling"),
    "launch": ("t_0", "t_launch", "launch"),
}
RIDGE_LABELS = ("I", "I*", "ridge")


def ridges(rates: Rates) -> tuple[dict[Expr, Expr], dict[str, Expr]]:
    """Return bandwidths as peak ÷ ridge, and the values of those ridges.

    With one compute dtype every comparison of its term with another depends on the ratio of two
    rates only, the critical intensity (ridge point). With several dtypes nothing is replaced.

    Returns
    -------
    tuple of dict
        Rate symbol -> expression in ``peak.<dtype>`` and ``ridge.<dtype>``; key of a ridge ->
        peak ÷ rate, where both are known.
    """
    peaks = [(name, rate) for (kind, name), rate in rates.by_resource.items() if kind == "flop"]
    if len(peaks) != 1 or not _is_key(peaks[0][1]):
        return {}, {}
    dtype, peak = peaks[0]
    replaced: dict[Expr, Expr] = {}
    values: dict[str, Expr] = {}
    known = rates.scope.values
    for (kind, name), rate in rates.by_resource.items():
        if kind in ("flop", "hop", "launch") or not _is_key(rate):
            continue
        key = f"ridge.{dtype}"
        if (kind, name) != MAIN:
            key += f".bw.{name}" if kind == "byte" else f".{name}"
        replaced[rate] = peak / symbol(key)
        if peak.name in known and rate.name in known:
            values[key] = peak / rate
    return replaced, values


def without_ridges(given: Mapping[str, object], rates: Rates, scope: Scope) -> dict[str, object]:
    """Return bindings with a bandwidth, peak ÷ ridge, in the place of each ridge.

    Parameters
    ----------
    given : mapping of str to object
        Values by name.
    rates : Rates
        The rates of the machine.
    scope : Scope
        The names that may be bound, ridges aside.
    """
    replaced, values = ridges(rates)
    names = scope.with_names(values)
    found: dict[str, object] = {}
    for name, value in given.items():
        key = resolve_name(names, name)
        if not key.startswith("ridge."):
            found[name] = value
            continue
        ridge = read_bindings(names, {key: value})[0][key]
        rate = next(rate for rate in replaced if symbol(key) in replaced[rate].free_symbols)
        if any(resolve_name(names, other) == rate.name for other in given):
            raise InputError(f"{name} sets {rate.name}, which is given too; leave one of them out")
        bandwidth = bind(replaced[rate], {key: ridge, **rates.scope.values})
        found[rate.name] = Quantity(bandwidth, "byte/s")
    return found


def labels(keys: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Return a short label for each rate key; no label is that of a name already `taken`.

    Examples
    --------
    >>> labels(["ridge.fp16"], ["M", "N"])
    {'ridge.fp16': 'I'}
    >>> labels(["ridge.fp16"], ["I"])
    {'ridge.fp16': 'I*'}
    """
    used = set(taken)
    kinds: dict[tuple[str, ...], list[str]] = {}
    found = {}
    for key in sorted(keys):
        kind, _, rest = key.partition(".")
        if kind == "ridge" and ".bw." in rest:
            level = rest.partition(".bw.")[2]
            options: tuple[str, ...] = (f"I_{level}", f"ridge_{level}")
        elif kind == "ridge" and "." in rest:
            options = ("I_link", "I_net", "ridge_link")
        else:
            kind = "cap on a rate" if kind == "ceiling" and "." in rest else kind
            options = RIDGE_LABELS if kind == "ridge" else LABELS.get(kind, (key,))
        kinds.setdefault(options, []).append(key)
    for options, group in kinds.items():
        for key in group:
            tail = "" if len(group) == 1 else "_" + key.split(".")[-1]
            label = next((o + tail for o in options if o + tail not in used), key)
            used.add(label)
            found[key] = label
    return found


def meaning(key: str) -> str:
    """Return what a rate key stands for, in words.

    Examples
    --------
    >>> meaning("ridge.fp16"), meaning("bw.hbm")
    ('ridge point, fp16 peak ÷ memory bandwidth', 'hbm bandwidth')
    """
    kind, _, rest = key.partition(".")
    if kind == "ridge":
        dtype, _, over = rest.partition(".")
        if over.startswith("bw."):
            over = f"{over[3:]} bandwidth"
        else:
            over = f"{over} bandwidth, one direction" if over else "memory bandwidth"
        return f"ridge point, {dtype} peak ÷ {over}"
    if kind == "peak":
        return f"{rest} peak, dense"
    if kind == "bw":
        level, _, remote = rest.partition(".")
        return f"{remote} {level} bandwidth".lstrip()
    if kind == "latency":
        return f"{rest} latency of a hop"
    if kind == "cap":
        return f"{rest} capacity"
    if kind == "ceiling":
        under, dot, name = rest.partition(".")
        if dot:
            return f"ceiling {_words(name)}, under the {'peak' if under == 'peak' else 'bandwidth'}"
        return f"ceiling {_words(rest)}, a fraction of its roof"
    if kind == "launch":
        return "launch of a kernel"
    return f"{rest} bandwidth, one direction"


def _words(name: str) -> str:
    return " ".join(name.replace("_", " ").split())


def _is_key(rate: Expr) -> bool:
    return isinstance(rate, Symbol) and "." in rate.name
