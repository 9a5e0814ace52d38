from __future__ import annotations

import pytest

from symroof.solve import Kind
from symroof.solve.ends import End
from symroof.solve.ranges import ALL, NEVER, Bound, SymbolicRegion
from symroof.symbolic import parse

LOWER, UPPER = Bound(End(parse("a")), lower=True), Bound(End(parse("b")), lower=False)


@pytest.mark.parametrize(
    ("region", "kind"),
    [
        (ALL, Kind.ALWAYS),
        (NEVER, Kind.NEVER),
        (SymbolicRegion(((LOWER,),)), Kind.AT),
        (SymbolicRegion(((UPPER,),)), Kind.AT),
        (SymbolicRegion(((LOWER, UPPER),)), Kind.BETWEEN),
        (SymbolicRegion(((UPPER,), (LOWER,))), Kind.OUTSIDE),
        (SymbolicRegion(((LOWER, UPPER), (LOWER,), (UPPER,))), Kind.INTERVALS),
    ],
)
def test_kind_of_a_set(region: SymbolicRegion, kind: Kind) -> None:
    assert Kind.of(region) is kind


def test_values_are_the_words_of_the_json() -> None:
    assert [kind.value for kind in Kind] == [
        "always",
        "never",
        "at",
        "between",
        "outside",
        "intervals",
        "cases",
        "unsolved",
    ]
