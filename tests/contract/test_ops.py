"""What holds for every registered op, found by running the example of its docstring."""

from __future__ import annotations

import doctest
import inspect
import sys
from functools import cache

import pytest

from symroof.graph import Attrs, Cost, Graph, Op, TensorSpec, functions, kinds
from symroof.symbolic import bind, value

PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43)


class _Quiet(doctest.DocTestRunner):
    def report_start(self, out, test, example):
        pass


@cache
def examples(name: str) -> tuple[Op, ...]:
    """Run the example of an op and return the ops of its kind that it added."""
    function = functions()[name]
    module = sys.modules[function.__module__]
    (test,) = doctest.DocTestFinder(recurse=False).find(
        function, name, module=module, globs=dict(vars(module))
    )
    outcome = _Quiet(verbose=False).run(test, clear_globs=False)
    assert outcome.failed == 0
    graphs = [found for found in test.globs.values() if isinstance(found, Graph)]
    return tuple(
        op
        for graph in graphs
        for block in graph.blocks()
        for op in block.op_list
        if op.kind.name == name
    )


def numbers(op: Op) -> dict[str, int]:
    """Return a number for every symbol of an op: large for dims, small for what divides them."""
    names = sorted(
        {
            symbol.name
            for spec in (*op.signature.inputs, *op.signature.outputs)
            for symbol in spec.bytes.free_symbols
        }
        | {s.name for part in amounts(op.cost) for s in part.free_symbols}
    )
    point = {name: 2 * 3 * 4 * prime for name, prime in zip(names, PRIMES, strict=False)}
    divisors = {s.name for e in op.kind.counted(Attrs(op.attrs)) for s in e.free_symbols}
    return point | dict.fromkeys(divisors & set(names), 4)


def amounts(cost: Cost):
    return [*(n for _, n in cost.flops), *cost.reads, *cost.writes, cost.link_bytes]


def bound(item, point):
    if isinstance(item, tuple):
        return tuple(bound(part, point) for part in item)
    return bind(item, point) if hasattr(item, "free_symbols") else item


@pytest.fixture(params=sorted(kinds()))
def name(request):
    return request.param


def test_it_has_a_function_with_a_docstring(name):
    doc = inspect.getdoc(functions()[name])
    assert doc
    assert len(doc.splitlines()[0]) <= 100
    for part in ("Source:", "Examples\n", ">>> "):
        assert part in doc
    assert any(word in doc for word in ("FLOPs", "Counts", "sends"))


def test_it_can_be_explained(name):
    kind = kinds()[name]
    assert kind.name == name
    for text in (kind.count, kind.source):
        assert text
        assert text == text.strip()
        assert "\n" not in text
    assert all(weight >= 0 for weight in kind.weights.values())
    assert "symroof" not in kind.count


def test_its_function_names_its_op_and_takes_keywords(name):
    parameters = inspect.signature(functions()[name]).parameters
    assert "name" in parameters
    assert parameters["name"].default is None


def test_its_example_runs_and_uses_it(name):
    assert examples(name)


def test_costs_are_never_negative(name):
    for op in examples(name):
        point = numbers(op)
        for amount in amounts(op.cost):
            assert value(bind(amount, point)) >= 0, (op, amount)


def test_ports_have_their_bytes(name):
    for op in examples(name):
        assert len(op.cost.reads) == len(op.inputs)
        assert len(op.cost.writes) == len(op.outputs)
        if op.kind.view:
            assert set(amounts(op.cost)) <= {0}


def test_symbols_and_numbers_agree(name):
    for op in examples(name):
        point = numbers(op)
        specs = [
            tuple(TensorSpec.of(bound(spec.shape, point), spec.dtype) for spec in side)
            for side in (op.signature.inputs, op.signature.outputs)
        ]
        attrs = Attrs(
            ((key, bound(item, point)) for key, item in op.attrs),
            op.block.graph.weights_of(op.kind),
        )
        assert op.kind.infer(specs[0], attrs) == specs[1]
        if op.kind.view or len({t.storage for t in op.inputs}) < len(op.inputs):
            continue
        found = op.kind.cost(specs[0], specs[1], attrs)
        assert found is not None
        for at_numbers, in_symbols in zip(amounts(found), amounts(op.cost), strict=True):
            assert value(at_numbers) == value(bind(in_symbols, point)), op


def test_every_symbol_of_its_cost_can_be_bound(name):
    for op in examples(name):
        names = {s.name for amount in amounts(op.cost) for s in amount.free_symbols}
        assert names <= set(op.block.graph.scope.dimensions)
