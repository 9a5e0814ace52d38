from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer

import symroof as sr
from symroof.errors import InputError
from symroof.graph import Graph, Role
from symroof.models.assembly.context import Context, Precision, divided, kv_heads
from symroof.models.assembly.groups import ONE, Group, Tokens
from symroof.models.config import Norm
from symroof.models.parallel import Parallel
from symroof.units import dtype

BF16, FP8, INT4 = dtype("bf16"), dtype("fp8"), dtype("int4")


def context(**options: object) -> Context:
    tokens = Tokens((Group(Integer(4), ONE, Integer(16)),))
    return Context(Graph("g"), tokens, Precision(BF16, INT4, FP8), Parallel(tp=2), **options)


def test_weights_know_their_part_and_where_they_lie() -> None:
    ctx = context()
    w = ctx.weight("w", (Integer(8), Integer(16)), ("hidden", "ffn"), "feed-forward")
    assert (w.role, w.dtype, w.sharding) == (Role.WEIGHT, INT4, ((), ("tp",)))
    assert ctx.parts[w] == "feed-forward"
    plain = ctx.weight("n", (Integer(8),), (None,), "norms", plain=True)
    assert (plain.dtype, plain.sharding) == (BF16, None)


def test_parts_that_are_not_quantised() -> None:
    ctx = context(plain_parts=("head",))
    assert ctx.weight("w", (ONE,), (None,), "head").dtype == BF16
    assert ctx.weight("v", (ONE,), (None,), "attention").dtype == INT4


def test_caches_are_in_the_dtype_of_what_they_keep() -> None:
    ctx = context()
    keys = ctx.cache("k", (Integer(4), Integer(2)), ("batch", "kv_heads"), "kv")
    state = ctx.cache("s", (Integer(4), Integer(2)), ("batch", "heads"), "state")
    assert (keys.role, keys.dtype, state.dtype) == (Role.CACHE, FP8, BF16)
    assert ctx.kinds == {keys: "kv", state: "state"}


@pytest.mark.parametrize(
    ("norm", "weights", "kind"),
    [
        (Norm(), 1, "rmsnorm"),
        (Norm("layer", bias=True), 2, "layernorm"),
        (Norm("layer"), 1, "layernorm"),
        (Norm("layer", weight=False), 0, "layernorm"),
    ],
)
def test_norms(norm: Norm, weights: int, kind: str) -> None:
    ctx = context()
    x = ctx.graph.input("x", (4, 8), "bf16")
    made = ctx.norm(x, "h", norm)
    assert made.producer is not None
    assert made.producer.kind.name == kind
    assert len(ctx.parts) == weights
    assert set(ctx.parts.values()) <= {"norms"}


def test_projections_have_biases_on_request() -> None:
    ctx = context()
    x = ctx.graph.input("x", (4, 8), "bf16")
    plain = ctx.project(x, "q", Integer(16), (None, "heads"), "attention")
    biased = ctx.project(x, "v", Integer(16), (None, "heads"), "attention", bias=True)
    assert plain.shape == biased.shape == (4, 16)
    names = {leaf.name: leaf.dtype for leaf in ctx.parts}
    assert names == {"w_q": INT4, "w_v": INT4, "b_v": BF16}


def test_what_divides_over_chips() -> None:
    divided("heads", Integer(32), 8, "tp")
    divided("heads", sr.symbols("H"), 8, "tp")
    divided("heads", Integer(3), 1, "tp")
    with pytest.raises(InputError, match="tp: 8 chips for 4 heads; at most 4"):
        divided("heads", Integer(4), 8, "tp")
    with pytest.raises(InputError, match="ep: 12 experts do not divide over 8 chips"):
        divided("experts", Integer(12), 8, "ep")


@given(kv=st.integers(1, 64), group=st.integers(1, 16), tp=st.integers(1, 64))
def test_each_chip_has_at_least_one_key_value_head(kv: int, group: int, tp: int) -> None:
    heads = kv * group
    if heads % tp:
        return
    each = -(-kv // tp)
    if (heads // tp) % each:
        with pytest.raises(InputError, match="tp"):
            kv_heads(Integer(heads), Integer(kv), Parallel(tp=tp))
        return
    assert kv_heads(Integer(heads), Integer(kv), Parallel(tp=tp)) == tp * max(1, each)


def test_symbolic_heads_stay() -> None:
    H, G = sr.symbols("H G")
    assert kv_heads(H, G, Parallel(tp=8)) == G


def test_sizes_are_rounded_up_to_the_chips() -> None:
    ctx = context()
    assert ctx.padded(Integer(50257), 8) == 50264
    assert ctx.padded(Integer(50257), 1) == 50257
    assert str(ctx.padded(sr.symbols("V"), 8)) == "V"
