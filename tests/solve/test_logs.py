from __future__ import annotations

from symroof.solve.logs import with_plain_logs
from symroof.symbolic import log2, parse, symbol

U = symbol("u")


def test_products_become_sums() -> None:
    assert with_plain_logs(log2(16 * U**3), U) == 4 + 3 * log2(U)
    assert with_plain_logs(log2(symbol("k") / U), U) == log2(symbol("k")) - log2(U)
    assert with_plain_logs(parse("log2(sqrt(u))"), U) == log2(U) / 2


def test_sums_and_other_names_stay() -> None:
    for text in ("log2(u + 1)", "log2(4*k)", "log2(u)", "u + k"):
        assert with_plain_logs(parse(text), U) == parse(text)
