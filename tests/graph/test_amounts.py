"""Amounts, dims and counts: never negative for all values, and no names of other things."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symroof as sr
from symroof import ops
from symroof.errors import InputError, SymroofError
from symroof.graph import Graph
from symroof.graph.amounts import amount
from symroof.graph.spec_read import read_graph

NEVER = ["-B", "1 - 2*B", "floor(B/2) - B", "B - ceil(2*B)", "-1/B", "-3*B*log2(B + 1)"]
SOMETIMES = ["B - 1000", "B - 5", "p - 1", "B - ceil(B/2)", "B*(n - 1)/n"]
NAMES = ["peak", "bw", "link", "ridge", "peak.bf16", "bw.hbm", "link.link", "ridge.bf16.link"]
WORDS = ["inf", "nan", "NaN", "Infinity", "None", "none", "True", "false"]


def leaf(shape: Any = ("B", "p")) -> sr.Tensor:
    return Graph("g").input("x", shape, "fp16")


USES: list[Callable[[str], object]] = [
    lambda text: leaf((text, 4)),
    lambda text: leaf(text),
    lambda text: ops.custom(inputs=leaf(), output_shape=(text,), flops=0),
    lambda text: ops.custom(inputs=leaf(), output_shape=1, flops=f"B*{text}"),
    lambda text: ops.custom(inputs=leaf(), output_shape=1, flops=0, bytes=text),
    lambda text: ops.custom(inputs=leaf(), output_shape=1, flops=0, link_bytes=text),
    lambda text: ops.all_reduce(leaf(), group=text),
    lambda text: ops.relu(leaf(), flop_weight=text),
    lambda text: Graph("g", flop_weights={"exp": text}),
    lambda text: Graph("g").repeat("r", text, lambda: ()),
    lambda text: ops.fill(leaf(), text),
    lambda text: leaf() * sr.symbols("B") * 2 if text == "" else leaf()[text],
    lambda text: ops.add(leaf(), text),
    lambda text: sr.DType.block(text, 32, 8),
    lambda text: read_graph(
        f"schema_version = 1\nname = 'g'\ndtype = 'fp16'\n[tensors.x]\nshape = ['{text}']"
    ),
]


@pytest.mark.parametrize("name", [*NAMES, *WORDS])
def test_names_of_rates_and_words_are_no_symbols(name: str) -> None:
    for use in USES:
        with pytest.raises(SymroofError, match=f"'{name}' is ") as caught:
            use(name)
        assert len(str(caught.value)) < 120


@pytest.mark.parametrize("name", ["oo", "BW", "Peak", "links", "E", "infinite"])
def test_other_names_are(name: str) -> None:
    for use in USES:
        use(name)
    assert leaf((name, 4)).shape[0] == sr.symbols(name)


@pytest.mark.parametrize("text", NEVER)
def test_costs_that_are_never_positive_are_refused(text: str) -> None:
    for what in ("flops", "bytes", "link_bytes"):
        with pytest.raises(InputError, match=f"custom {what}: a cost is 0 or more"):
            ops.custom(inputs=leaf(), output_shape=1, **{"flops": 0, what: text})


@pytest.mark.parametrize("text", SOMETIMES)
def test_costs_that_may_be_positive_are_not(text: str) -> None:
    assert ops.custom(inputs=leaf(("B",)), output_shape=1, flops=text).shape == (1,)


def test_a_name_that_is_no_count_may_be_small() -> None:
    # 1 - 2*p is positive for p = 1/4, but never for a count
    assert amount("1 - 2*p", "flops") == 1 - 2 * sr.symbols("p")
    with pytest.raises(InputError, match="0 or more"):
        amount("1 - 2*p", "flops", counts=frozenset({"p"}))


@pytest.mark.parametrize("text", ["floor(n/2) - n", "1/(2*n)", "-n", "0", "1/2", "n/(n + 1)"])
def test_counts_below_one_are_refused(text: str) -> None:
    for use in (USES[0], USES[6], USES[9]):
        with pytest.raises(SymroofError, match="1 or more"):
            use(text)


@pytest.mark.parametrize("text", ["N/8", "n/2", "n - 1", "ceil(n/2)", "2*n"])
def test_counts_that_may_be_one_are_kept(text: str) -> None:
    for use in (USES[0], USES[6], USES[9]):
        use(text)
    (size, _), at = leaf((text, 4)).shape, {"N": 80, "n": 10}
    assert sr.Quantity(size, "").at(**{s.name: at[s.name] for s in size.free_symbols}).value == {
        "N/8": 10, "n/2": 5, "n - 1": 9, "ceil(n/2)": 5, "2*n": 20
    }[text]  # fmt: skip
