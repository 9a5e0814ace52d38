"""Rates of an iteration: tokens and requests a second, of one batch or in formulas."""

from __future__ import annotations

from dataclasses import dataclass

from symroof.serving.asked import Asked
from symroof.units import Quantity


@dataclass(frozen=True, slots=True)
class Rates:
    """What an iteration of some tokens, that takes a time, is in rates.

    Attributes
    ----------
    asked : Asked
    tokens, time : Quantity
        Of an iteration of all chips; numbers, or formulas in the batch.

    Examples
    --------
    >>> import symroof as sr
    >>> asked = sr.serve("llama-3-8b", "8xh100-sxm", prefill=512, decode=256).asked
    >>> rates = Rates(asked, sr.Quantity("768 token"), sr.Quantity("10 ms"))
    >>> print(rates.throughput, "|", rates.per_gpu, "|", rates.decoding, "|", rates.requests)
    76800 token/s | 9600 token/s | 25600 token/s | 100 1/s
    """

    asked: Asked
    tokens: Quantity
    time: Quantity

    @property
    def throughput(self) -> Quantity:
        """Tokens a second of all chips, prompts included."""
        return self.tokens / self.time

    @property
    def per_gpu(self) -> Quantity:
        """Tokens a second of one chip."""
        return self.throughput / self.asked.setup.chips

    @property
    def decoding(self) -> Quantity:
        """New tokens a second of all chips."""
        return self.tokens * Quantity(self.asked.new_share, "") / self.time

    @property
    def requests(self) -> Quantity | None:
        """Requests a second; None without lengths of prompts and answers."""
        if self.asked.workload is None:
            return None
        return self.throughput / self.asked.tokens_per_request
