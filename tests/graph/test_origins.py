from __future__ import annotations

import pytest

from symroof import ops
from symroof.graph import Graph, Mesh, Role, Tensor
from symroof.graph.origins import Origins
from symroof.graph.passes import shard


def test_leaves_have_their_role_and_what_ops_make_is_an_activation():
    g = Graph("g")
    x, w, k = g.input("x", 4, "fp32"), g.weight("w", 4, "fp32"), g.cache("k", 4, "fp32")
    y = x * w
    g.output(y)
    roles = [Origins(g).role(tensor) for tensor in (x, w, k, y)]
    assert roles == [Role.INPUT, Role.WEIGHT, Role.CACHE, Role.ACTIVATION]


def test_views_and_writes_in_place_are_the_memory_they_look_at():
    g = Graph("g")
    k = g.cache("k", (8, "S"), "fp32")
    part = ops.mul(ops.reshape(k[2:4], "2*S"), 2)
    over = ops.copy(part, out=ops.reshape(k[2:4], "2*S"))
    origins = Origins(g)
    assert (origins.storage(over), origins.role(over)) == (k, Role.CACHE)
    assert origins.role(part) is Role.ACTIVATION
    assert origins.place(over) == origins.place(ops.reshape(k[2:4], "2*S"))
    assert origins.place(over) != origins.place(k[2:5])
    assert origins.place(k) == (k, ())


@pytest.mark.parametrize("in_place", [True, False])
def test_what_a_repeat_carries_is_the_memory_it_hands_on(in_place):
    g = Graph("g")
    h = g.cache("h", ("B", 4), "fp32")
    seen: list[Tensor] = []

    def inner(a):
        seen.append(a)
        return ops.add(a, 1, out=a) if in_place else a + 1

    def outer(a):
        seen.append(a)
        return g.repeat("inner", "M", inner, a)

    seen.append(g.repeat("outer", "N", outer, h))
    origins = Origins(g)
    for tensor in seen:
        assert origins.role(tensor) is (Role.CACHE if in_place else Role.ACTIVATION)
        assert (origins.storage(tensor) is h) == in_place


def test_carries_that_change_places_are_activations():
    g = Graph("g")
    a, b = g.cache("a", 4, "fp32"), g.weight("b", 4, "fp32")
    x, y = g.repeat("swap", "N", lambda a, b: (b, a), (a, b))
    origins = Origins(g)
    assert {origins.role(x), origins.role(y)} == {Role.ACTIVATION}


def test_a_part_that_is_carried_keeps_its_place():
    g = Graph("g")
    h = g.cache("h", (4, "B"), "fp32")
    out = g.repeat("r", "N", lambda a: ops.mul(a, 2, out=a), h[1])
    origins = Origins(g)
    assert origins.place(out) == origins.place(h[1])
    assert origins.place(out[:2])[0] is h


def test_what_is_gathered_from_other_chips_keeps_its_role():
    g = Graph("g")
    x = g.input("x", ("B", 8), "bf16")
    y = x @ g.weight("w", (8, 8), "bf16", sharding=("X", ""))
    local = shard(g, Mesh(X=4), outputs={y.name: ("", "")}, prefer="weights")
    origins = Origins(local)
    gathered = local.op(y.name).inputs[1]
    if gathered.producer is not None:
        assert origins.role(gathered) is Role.WEIGHT
    whole = ops.all_gather(local.tensor("w"), group=4)
    assert Origins(local).role(ops.transpose(whole)) is Role.WEIGHT
    assert Origins(local).role(ops.all_reduce(x_of(local), group=4)) is Role.ACTIVATION


def x_of(g: Graph) -> Tensor:
    return ops.relu(g.tensor("x"))
