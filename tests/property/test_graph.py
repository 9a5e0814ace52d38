"""Graphs against brute force: loops, sets of elements, unrolled bodies, all paths."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof import ops
from symroof.errors import GraphError
from symroof.graph import Graph
from symroof.graph.critical_path import critical_path, longest_path
from symroof.graph.order import dependencies, topological_order
from symroof.graph.passes import fuse, fuse_elementwise
from symroof.symbolic import bind, symbols, value

from .random_graphs import graphs

SIZES = {"i": 2, "j": 3, "k": 4, "m": 2}
TERMS = st.text("ijkm", min_size=1, max_size=3)


@given(st.lists(TERMS, min_size=1, max_size=2), st.data())
def test_einsum_counts_what_the_loops_do(terms, data):
    labels = sorted(set("".join(terms)))
    output = "".join(data.draw(st.lists(st.sampled_from(labels), unique=True)))
    g = Graph("g")
    operands = [
        g.input(f"x{i}", tuple(SIZES[label] for label in term), "fp64")
        for i, term in enumerate(terms)
    ]
    ops.einsum(f"{','.join(terms)}->{output}", *operands)
    multiplications = additions = 0
    touched = [set() for _ in terms]
    written = set()
    for point in product(*(range(SIZES[label]) for label in labels)):
        at = dict(zip(labels, point, strict=True))
        for elements, term in zip(touched, terms, strict=True):
            elements.add(tuple(at[label] for label in term))
        place = tuple(at[label] for label in output)
        multiplications += len(terms) - 1
        additions += len(terms) > 1 or place in written
        written.add(place)
    summed = len(output) < len(labels)
    expected = multiplications + (additions if summed else 0)
    assert g.flops.value == expected
    assert g.bytes.value == 8 * (sum(map(len, touched)) + len(written))


SPANS = st.tuples(st.integers(0, 5), st.integers(1, 6)).filter(lambda s: s[0] + s[1] <= 6)


@given(st.lists(st.tuples(SPANS, SPANS, st.booleans()), min_size=1, max_size=5))
def test_parts_of_one_storage_are_read_like_sets_of_elements(parts):
    g = Graph("g")
    x = g.input("x", (6, 6), "fp32")
    views, boxes = [], []
    for (a, n), (b, m), flipped in parts:
        if flipped:
            views.append(ops.transpose(x)[b : b + m, a : a + n])
        else:
            views.append(x[a : a + n, b : b + m])
        boxes.append({(i, j) for i in range(a, a + n) for j in range(b, b + m)})
    for view in views:
        ops.copy(ops.copy(view))
    copies = [op for op in g.ops if op.kind.name == "copy"]
    fused = fuse(g, copies)
    (op,) = (op for op in fused.ops if op.kind.name == "fused")
    read = sum(op.cost.reads) / 4
    outer = [box for box in boxes if not any(box < other for other in boxes)]
    distinct = [box for at, box in enumerate(outer) if box not in outer[:at]]
    union = len(set().union(*boxes))
    assert union <= read <= 36
    assert read == min(36, sum(map(len, distinct)))
    assert sum(op.cost.writes) / 4 == sum(map(len, boxes))


@given(graphs(), st.data())
def test_fusing_keeps_flops_and_never_adds_bytes(graph, data):
    candidates = [
        op for op in graph.ops if not op.kind.view and op.kind.name not in ("repeat", "fused")
    ]
    if not candidates:
        return
    chosen = data.draw(st.lists(st.sampled_from(candidates), min_size=1, max_size=4, unique=True))
    try:
        fused = fuse(graph, chosen)
    except GraphError as error:
        if "leaves the region" not in str(error):
            raise
        return
    point = dict.fromkeys(graph.scope.dimensions, 24)
    assert fused.flops == graph.flops
    assert fused.link_bytes == graph.link_bytes
    assert fused.scope.counts <= graph.scope.counts
    assert value(bind(fused.bytes.expr, point)) <= value(bind(graph.bytes.expr, point))
    if len(chosen) == 1:
        assert fused.bytes == graph.bytes
    whole = topological_order(dependencies(fused))
    assert len(whole) == len(fused.ops)


@given(graphs())
def test_riding_along_keeps_flops_and_never_adds_bytes(graph):
    fused = fuse_elementwise(graph)
    point = dict.fromkeys(graph.scope.dimensions, 24)
    assert (fused.flops.expr - graph.flops.expr).expand() == 0
    assert fused.link_bytes == graph.link_bytes
    assert value(bind(fused.bytes.expr, point)) <= value(bind(graph.bytes.expr, point))
    again = fuse_elementwise(graph)
    assert again.bytes == fused.bytes
    assert [op.name for op in again.ops] == [op.name for op in fused.ops]


@given(graphs())
def test_names_are_unique_and_lead_back(graph):
    for block in graph.blocks():
        assert len({op.name for op in block.ops}) == len(block.ops)
        assert len({t.name for t in block.tensors}) == len(block.tensors)
        for op in block.ops:
            assert graph.op(block.path + op.name) is op
        for tensor in block.tensors:
            assert graph.tensor(block.path + tensor.name) is tensor
            assert (tensor.producer is None) == (tensor.name in block.leaves)
        producers = [t for op in block.ops for t in op.outputs]
        assert len(set(producers)) == len(producers)


@given(st.integers(1, 5), st.lists(st.sampled_from(["weight", "shared", "relu", "square"])))
def test_a_repeat_equals_its_unrolled_body(count, steps):
    def model(unroll):
        g = Graph("g")
        shared = g.weight("shared", ("D", "D"), "bf16")

        def body(x, tag=""):
            for number, step in enumerate(steps):
                if step == "weight":
                    x = x @ g.weight(f"w{tag}_{number}", ("D", "D"), "bf16")
                elif step == "shared":
                    x = x @ shared
                elif step == "relu":
                    x = ops.relu(x)
                else:
                    x = x * x
            return x

        x = g.input("x", ("B", "D"), "bf16")
        if not unroll:
            g.repeat("body", count, body, x)
        for number in range(count if unroll else 0):
            x = body(x, str(number))
        return g

    repeated, unrolled = model(unroll=False), model(unroll=True)
    for what in ("flops", "bytes"):
        difference = getattr(repeated, what).expr - getattr(unrolled, what).expr
        assert difference.expand() == 0
    assert (repeated.footprint().expr - unrolled.footprint().expr).expand() == 0


DAGS = st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=8).map(
    lambda sets: {i: sorted(j for j in before if j < i) for i, before in enumerate(sets)}
)


@given(DAGS, st.permutations(range(8)), st.data())
def test_order_and_longest_path_against_all_paths(needs, shuffle, data):
    shuffled = {i: needs[i] for i in shuffle if i in needs}
    order = topological_order(shuffled)
    assert sorted(order) == sorted(needs)
    place = {node: at for at, node in enumerate(order)}
    assert all(place[j] < place[i] for i in needs for j in needs[i])

    names = symbols("a b c")
    times = {
        i: data.draw(st.sampled_from([*names, 1, 2, 5, names[0] + 1]), label=f"time {i}")
        for i in needs
    }
    at = {"a": data.draw(st.integers(1, 9)), "b": 2, "c": 7}
    numbers = {i: int(value(bind(time + 0 * names[0], at))) for i, time in times.items()}

    def longest(node):
        return numbers[node] + max((longest(other) for other in needs[node]), default=0)

    expected = max(map(longest, needs))
    found = critical_path(shuffled, times, at)
    assert value(bind(found.length, at)) == expected
    assert all(a in needs[b] for a, b in zip(found.nodes, found.nodes[1:], strict=False))
    assert value(bind(longest_path(shuffled, times), at)) == expected


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.lists(st.integers(1, 4), max_size=3))
def test_matmul_counts_what_the_loops_do(left, batch):
    m, k = left[-2:]
    n = 3
    g = Graph("g")
    full = (*left[:-2], m, k)
    other = (*[1 if b % 2 else 2 for b in batch][: len(full) - 2], k, n)
    try:
        made = g.input("x", full, "fp64") @ g.input("y", other, "fp64")
    except ValueError:
        with pytest.raises(ValueError, match="dim"):
            g.tensor("x") @ g.tensor("y")
        return
    multiply_adds = sum(1 for _ in product(*(range(int(d)) for d in made.shape), range(k)))
    assert g.flops.value == 2 * multiply_adds
    assert g.bytes.value == 8 * (prod(full) + prod(other) + prod(map(int, made.shape)))
