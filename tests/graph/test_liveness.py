from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import InputError
from symroof.graph import Graph, footprint, load
from symroof.graph.passes import fuse


def peak(graph: Graph, **at: int) -> int:
    return int(footprint(graph).activations_peak.at(**at).value)


def vector(graph: Graph, name: str = "x"):
    return graph.input(name, "n", "fp32")


def test_a_chain_holds_two_at_a_time():
    g = Graph("g")
    x = vector(g)
    for _ in range(5):
        x = ops.relu(x)
    assert str(footprint(g).activations_peak) == "8*n byte"


def test_what_is_read_later_stays():
    g = Graph("g")
    first = ops.relu(vector(g))
    x = ops.neg(first)
    x = ops.neg(x)
    ops.add(x, first)
    # neg and its operand and first: three of 4n.
    assert str(footprint(g).activations_peak) == "12*n byte"


def test_outputs_and_what_nothing_reads_stay_to_the_end():
    g = Graph("g")
    x = vector(g)
    first = ops.relu(x)
    g.output(first)
    ops.exp(x)
    ops.neg(ops.neg(first))
    # relu, exp, and both neg at the last step.
    assert str(footprint(g).activations_peak) == "16*n byte"


def test_in_place_takes_nothing_new():
    g = Graph("g")
    x = ops.relu(vector(g))
    for _ in range(5):
        x = ops.neg(x, out=x)
    assert str(footprint(g).activations_peak) == "4*n byte"


def test_a_view_keeps_its_storage():
    g = Graph("g")
    x = ops.relu(g.input("x", ("n", 8), "fp32"))
    row = x[0]
    y = ops.relu(g.input("y", "n", "fp64"))
    ops.sum(y)
    ops.neg(row)
    # x 32n, y 8n, its sum 8: while the sum is made; then x, the sum and a row of 8 floats.
    assert str(footprint(g).activations_peak) == "max(32*n + 40, 40*n + 8) byte"


def test_weights_caches_and_inputs_are_there_all_the_time():
    g = Graph("g")
    x, w = g.input("x", ("B", "D"), "bf16"), g.weight("w", ("D", "F"), "int4")
    cache = g.cache("c", ("B", "S", "F"), "fp8")
    h = x @ w
    ops.cache_append(cache, ops.reshape(ops.cast(h, "fp8"), ("B", 1, "F")))
    taken = footprint(g)
    assert str(taken.weights) == "D*F/2 byte"
    assert str(taken.caches) == "B*F*S byte"
    assert str(taken.inputs) == "2*B*D byte"
    assert str(taken.activations_peak) == "3*B*F byte"
    assert str(taken.total) == "(B*F*S + 2*B*D + 3*B*F + D*F/2) byte"


def test_each_iteration_has_weights_of_its_own_and_frees_what_it_made():
    g = Graph("g")
    shared = g.weight("s", ("D", "D"), "bf16")

    def layer(x):
        h = (x @ g.weight("w", ("D", "F"), "bf16")) @ g.weight("v", ("F", "D"), "bf16")
        return h @ shared

    g.repeat("layer", "L", layer, g.input("x", ("B", "D"), "bf16"))
    taken = footprint(g)
    assert str(taken.weights) == "(4*D*F*L + 2*D**2) byte"
    # What is carried, 2BD, is alive while x @ w is made; then the two products beside each other.
    assert str(taken.activations_peak) in (
        "max(2*B*D + 2*B*F, 4*B*D) byte",
        "max(4*B*D, 2*B*D + 2*B*F) byte",
    )


def test_a_count_of_one_carries_nothing_made():
    def graph(count):
        g = Graph("g")
        g.repeat("r", count, lambda x: ops.relu(x), vector(g))
        return g

    # Once: only the result. Twice: what the first iteration made, and the result.
    assert str(footprint(graph(1)).activations_peak) == "4*n byte"
    assert str(footprint(graph(2)).activations_peak) == "8*n byte"
    assert str(footprint(graph("L")).activations_peak) == "8*n byte"


def test_what_is_carried_past_an_iteration_waits_for_the_next_but_one():
    g = Graph("g")
    x, y = vector(g), vector(g, "y")
    g.repeat("r", "L", lambda a, b: (b, ops.add(a, b)), (x, y))
    assert str(footprint(g).activations_peak) == "12*n byte"


def test_fused_ops_hold_only_what_leaves_them():
    g = Graph("g")
    x = vector(g)
    ops.neg(ops.exp(ops.relu(x)), name="last")
    assert str(footprint(fuse(g, g.ops)).activations_peak) == "4*n byte"


def test_the_peak_is_a_maximum_where_dims_decide():
    g = load("mlp")
    found = footprint(g).activations_peak
    # gate, up and act together; or the hidden layer and the result.
    for d, f in ((1, 1), (100, 7), (28, 14), (29, 14), (4096, 14336)):
        assert int(found.at(B=3, D=d, F=f).value) == 2 * 3 * max(3 * f, f + d)


def test_llama_3_8b_on_one_chip():
    taken = footprint(load("llama-3-8b-decode"))
    # 32 layers of 218,112,000 weights (norms included) in 2 bytes; 32 x 4096 B of cache a token.
    assert int(taken.weights.value) == 32 * (218_103_808 + 2 * 4096) * 2
    assert int(taken.caches.at(B=1, S=1).value) == 131_072
    # While the hidden layer is made: gate, up, act and the residual; 3 * 14336 + 4096 in 2 bytes.
    assert int(taken.activations_peak.at(B=1, S=1).value) == 2 * (3 * 14336 + 4096)


def test_an_empty_graph_takes_nothing():
    assert int(footprint(Graph("g")).total.value) == 0


def test_repeats_in_repeats_without_end_are_refused():
    g = Graph("g")

    def nest(x, depth):
        if not depth:
            return ops.relu(x)
        return g.repeat(f"r{depth}", 9, lambda y: nest(y, depth - 1), x)

    nest(vector(g), 20)
    with pytest.raises(InputError, match="more than 2000000 steps"):
        footprint(g)


def test_a_tensor_carried_out_twice_stands_in_its_places():
    g = Graph("g")
    x, y, z = (vector(g, name) for name in "xyz")

    def body(a, b, c):
        m = ops.relu(b)
        return m, m, ops.exp(c)

    u, v, w = g.repeat("r", "L", body, (x, y, z))
    ops.fma(ops.exp(ops.neg(w)), u, v)
    # u and v are one tensor, which waits beside what is made of w: never more than three.
    assert str(footprint(g).activations_peak) == "12*n byte"
