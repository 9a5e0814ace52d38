"""What tokens cost, where chips have a price."""

from __future__ import annotations

from symroof.serving.inputs import amount, number
from symroof.units import Quantity

MILLION = 10**6


def cost_per_million_tokens(
    price_per_chip: Quantity | str, chips: object, throughput: Quantity | str
) -> Quantity:
    """Return what a million tokens cost.

    Parameters
    ----------
    price_per_chip : Quantity or str
        Of one chip for a time, as in ``"2 USD/h"``.
    chips : number, symbol or text
        How many.
    throughput : Quantity or str
        token/s of all of them. With that of decoded tokens, prompts are paid by answers.

    Returns
    -------
    Quantity
        USD.

    Examples
    --------
    >>> print(cost_per_million_tokens("1.80 USD/h", 8, "1000 token/s"))
    4 USD
    """
    price = amount(price_per_chip, "USD/s", "price_per_chip", zero=True)
    many = Quantity.of(number(chips, "chips", strictly=True), "")
    rate = amount(throughput, "token/s", "throughput")
    return price * many * Quantity(MILLION, "token") / rate
