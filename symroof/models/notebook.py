"""A model in notebooks: its parameters by part, and the cache of a token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.markup import Html, escape, or_none, shortened, table
from symroof.symbolic import adopt
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human
from symroof.units.notebook import quantity_html

if TYPE_CHECKING:
    from symroof.models.model import Model


@or_none
def model_html(model: Model) -> Html:
    """Return a model as an HTML table: parameters by part with their shares, bytes of the cache.

    Examples
    --------
    >>> import symroof as sr
    >>> text = model_html(sr.model("llama-3-8b"))
    >>> "8,030,261,248" in text, "131.07 kB" in text
    (True, True)
    """
    whole = adopt(model.params)
    amounts = {**model.params_by_part, "all": model.params, "active": model.active_params}
    rows = []
    for name, amount in amounts.items():
        count = adopt(amount)
        share = count / whole
        percent = f"{100 * float(share):.1f} %" if share.is_number else ""
        text = escape(number(count)) if count.is_number else quantity_html(Quantity.of(count, ""))
        rows.append([escape(name), text, escape(percent)])
    cache = model.kv_bytes_per_token("bf16")
    kept = escape(human(cache, 5)) if cache.expr.is_number else quantity_html(cache)
    rows.append([escape("cache of a token, bf16"), kept, escape("")])
    return table(
        ("", "parameters", "share"), rows, frozenset({1, 2}), escape(shortened(model.name))
    )
