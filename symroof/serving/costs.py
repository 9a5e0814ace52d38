"""What tokens and requests cost, where chips have a price."""

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
    tokens = Quantity.of(number(MILLION, "tokens"), "token")
    return _price(price_per_chip, chips) * tokens / amount(throughput, "token/s", "throughput")


def cost_per_request(
    price_per_chip: Quantity | str, chips: object, requests: Quantity | str
) -> Quantity:
    """Return what a request costs.

    Parameters
    ----------
    price_per_chip : Quantity or str
        Of one chip for a time.
    chips : number, symbol or text
        How many.
    requests : Quantity or str
        Requests per second of all of them.

    Examples
    --------
    >>> print(cost_per_request("1.80 USD/h", 8, "2 Hz"))
    1/500 USD
    """
    return _price(price_per_chip, chips) / amount(requests, "1/s", "requests")


def _price(price_per_chip: Quantity | str, chips: object) -> Quantity:
    price = amount(price_per_chip, "USD/s", "price_per_chip", zero=True)
    many = Quantity.of(number(chips, "chips", strictly=True), "")
    return price * many
