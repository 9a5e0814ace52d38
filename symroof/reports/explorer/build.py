"""The page, put together: closed forms as MathML, compiled formulas, and data, in one file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from sympy import Expr, Integer, Rational

from symroof.errors import InputError
from symroof.markup import escape
from symroof.reports.existence import needed
from symroof.reports.explorer.code import Code
from symroof.reports.explorer.machines import machines
from symroof.reports.explorer.questions import questions
from symroof.reports.explorer.slots import Slots
from symroof.reports.explorer.variants import Variant
from symroof.reports.explorer.words import Words
from symroof.roofline import Roofline
from symroof.symbolic import symbol
from symroof.symbolic.exact import shown
from symroof.units import Quantity
from symroof.units.binding import resolve_name

_ASIDE = re.compile(r"^[ ]*//[^\n]*\n|^[ ]+", re.M)
LEAST, MOST = Rational(1, 10**60), Integer(10**60)

SCRIPTS = (
    "exact.js",
    "enclosures.js",
    "values.js",
    "numbers.js",
    "formulas.js",
    "answers.js",
    "draw.js",
    "map.js",
    "controls.js",
    "page.js",
)


def build(roofline: Roofline, unknown: str | None = None) -> str:
    """Return the page of a roofline.

    Parameters
    ----------
    roofline : Roofline
        What is bound is where the sliders start.
    unknown : str, optional
        The name the crossover is asked for at first.

    Examples
    --------
    >>> import symroof as sr
    >>> page = build(sr.analyze(sr.load("matmul"), "h100-sxm"))
    >>> page.startswith("<!DOCTYPE html>"), len(page) < 200_000
    (True, True)
    """
    slots = Slots(roofline)
    if not slots.names:
        raise InputError(f"{roofline.graph.name!r} has no symbols to move")
    code = Code(slots.places)
    words = Words(slots)
    data, cases = _data(slots, code, words, unknown)
    script = "\n".join(
        [
            '(() => { "use strict";',
            'const DATA = JSON.parse(document.getElementById("data").textContent);',
            _read("exact.js"),
            code.text(),
            *map(_read, SCRIPTS[1:]),
            "})();",
        ]
    )
    style = _read("page.css")
    about = roofline.graph.about
    parts = {
        "title": escape(f"{about.title or roofline.graph.name}"),
        "description": escape(about.description),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "terms": words.terms(),
        "derived": words.derived(),
        "where": words.where(),
        "cases": cases,
        "assumes": escape(words.assumes()),
    }
    return re.sub(r"\[\[([a-z-]+)\]\]", lambda found: str(parts[found[1]]), _read("page.html"))


def _data(
    slots: Slots, code: Code, words: Words, unknown: str | None
) -> tuple[dict[str, Any], str]:
    """Return the data of the page, and the cases of its crossovers as HTML."""
    general = slots.general
    found, left_out = machines(slots)
    asked = [questions(slots, code, variant) for variant in slots.variants]
    cases = [
        words.cases(at, variant, (answer for answer, _ in asked[at]))
        for at, variant in enumerate(slots.variants)
    ]
    first = slots.places[_asked_for(slots, unknown)]
    data = {
        "slots": [
            {
                "name": slot.name,
                "label": slot.label,
                "meaning": slot.meaning,
                "kind": slot.kind,
                "unit": slot.unit,
                "machine": slot.name in slots.rates,
                "start": _exact(slot.start, slot.name),
            }
            for slot in slots.all
        ],
        "sets": [
            _set(slots, code, variant, [part for _, part in asked[at]])
            for at, variant in enumerate(slots.variants)
        ],
        "flops": code.number(general.flops.expr),
        "bytes": code.number(general.bytes.expr),
        "sent": None if general.link_bytes.expr == 0 else code.number(general.link_bytes.expr),
        "ridge": _optional(code, general.critical_intensity),
        "peak": _optional(code, general.peak),
        "domain": [
            {"low": code.number(low), "high": code.number(high), "text": words.at_most(low, high)}
            for low, high in _domain(slots)
        ],
        "machines": [
            {
                "title": machine.title,
                "vendor": machine.vendor,
                "sets": machine.sets,
                "rates": [
                    None if rate is None else _exact(rate, key)
                    for key, rate in zip(slots.rates, machine.rates, strict=True)
                ],
            }
            for machine in found
        ],
        "leftOut": [
            [{"name": out.name, "reason": out.reason} for out in outs] for outs in left_out
        ],
        "unknown": first,
        "map": [first, *(at for at in range(len(slots.places)) if at != first)][:2],
    }
    return data, "".join(cases)


def _set(slots: Slots, code: Code, variant: Variant, asked: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the terms and crossovers of a variant; levels where bytes are at several."""
    general = variant.general
    keys = slots.keys_of(variant)
    levels = general.levels if len(general.levels) > 1 else ()
    return {
        "name": variant.name,
        "words": variant.words,
        "unused": [slots.places[key] for key in slots.rates if key not in keys],
        "terms": [
            {"name": name, "formula": code.number(time.expr)}
            for name, time in general.groups.items()
            if time.expr != 0
        ],
        "levels": [
            {
                "name": row.name,
                "bytes": code.number(row.bytes.expr),
                "bandwidth": _optional(code, row.bandwidth),
            }
            for row in levels
        ],
        "questions": asked,
    }


def _asked_for(slots: Slots, unknown: str | None) -> str:
    """Return the name that is asked for at first: the first of the graph, if none is named."""
    if unknown is not None:
        name = resolve_name(slots.scope, unknown)
        if name not in slots.places:
            raise InputError(
                f"{name} is no slider on the page; there are {', '.join(slots.places)}"
            )
        return name
    return slots.names[0]


def _domain(slots: Slots) -> list[tuple[Expr, Expr]]:
    derived = {symbol(name): value for name, value in slots.derived.items()}
    pairs = (
        (low.xreplace(derived), high.xreplace(derived)) for _, low, high in needed(slots.general)
    )
    return [(low, high) for low, high in pairs if (high - low).free_symbols]


def _optional(code: Code, quantity: Quantity) -> int | None:
    """Return the number of a formula; None where the machine of the page has no rate for it."""
    names = {found.name for found in quantity.expr.free_symbols}
    return code.number(quantity.expr) if names <= code.places.keys() else None


def _exact(value: Expr, name: str) -> str:
    if not value.is_Rational or not LEAST <= value <= MOST:
        raise InputError(f"{name}={shown(value)} is no fraction between 10**-60 and 10**60")
    return str(value.p) if value.q == 1 else f"{value.p}/{value.q}"


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _read(name: str) -> str:
    """Return a part of the page; scripts without indents and lines that are comments."""
    text = files(__package__).joinpath(name).read_text("utf-8").strip("\n")
    return _ASIDE.sub("", text) if name.endswith(".js") else text
