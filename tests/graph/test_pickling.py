"""Graphs, and what hangs on them, pickle and copy: also deep ones, and into another process."""

from __future__ import annotations

import base64
import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import symroof as sr
from symroof import ops
from symroof.errors import GraphError
from symroof.graph import Graph, algorithms, load
from symroof.graph.op import Attrs, Cost, OpKind, apply
from symroof.graph.passes.fuse import fuse
from symroof.graph.tensor import TensorSpec

WAYS = (lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy)


def decoder() -> Graph:
    g = Graph("decoder", flop_weights={"exp": 4}, uncosted="symbol")
    x, kv = g.input("x", ("B", "D"), "bf16"), g.cache("kv", (2, "S", "D"), "block(4,128,16)")

    def layer(h: sr.Tensor) -> sr.Tensor:
        ops.fill(kv[1], 0, out=kv[1])
        h = ops.exp(h @ g.weight("w", ("D", "D"), "bf16"), name="act")
        return h + h

    y = g.repeat("layer", "2*L", layer, x)
    ops.custom("scan", inputs=[y], output_shape=("B", "D"))
    g.output(ops.all_reduce(y, group="n"))
    return g


def facts(g: Graph) -> tuple[Any, ...]:
    costs = [q.expr for q in (g.flops, g.bytes, g.link_bytes, g.footprint())]
    blocks = [
        (b.path, [(t.name, t.spec, t.role, t.region) for t in b.tensors], [*map(str, b.ops)])
        for b in g.blocks()
    ]
    return costs, blocks, g.scope, g.traffic, g.about, g.flop_weights, g.uncosted


@pytest.mark.parametrize("way", WAYS)
def test_a_graph_comes_back_equal_and_apart(way: Callable[[Graph], Graph]) -> None:
    for g in (decoder(), fuse(decoder(), ["scan"])):
        made = way(g)
        assert facts(made) == facts(g)
        assert [vars(b).keys() for b in made.blocks()] == [vars(b).keys() for b in g.blocks()]
        size = len(g.ops)
        ops.relu(made.tensor("x"))
        assert len(g.ops) == size == len(made.ops) - 1
        assert made.tensor("layer/act").graph is made


@pytest.mark.parametrize("name", algorithms())
def test_the_algorithms_of_the_library_come_back(name: str) -> None:
    assert facts(pickle.loads(pickle.dumps(load(name)))) == facts(load(name))


@pytest.mark.parametrize("way", WAYS)
def test_parts_come_back_in_a_graph_of_their_own(way: Callable[[Any], Any]) -> None:
    g = decoder()
    tensor, op, body = g.tensor("layer/w"), g.op("scan"), next(b for b in g.blocks() if b.parent)
    for part, name in ((tensor, "w"), (op, "scan"), (body, "layer")):
        made = way(part)
        assert made is not part
        assert made.name == name
    together, graph = way((tensor, g))
    assert together.graph is graph


@pytest.mark.parametrize("way", WAYS)
def test_long_chains_do_not_nest(way: Callable[[Graph], Graph]) -> None:
    g = Graph("chain")
    x = g.input("x", ("B",), "fp32")
    for _ in range(5000):
        x = -x
    assert way(g).flops == g.flops
    assert len(way(x).graph.ops) == 5000


@pytest.mark.parametrize("way", WAYS)
def test_machines_and_answers_come_back(way: Callable[[Any], Any]) -> None:
    chip = sr.chip("h100-sxm")
    roofline = sr.analyze(load("matmul"), chip)
    crossover = roofline.crossover("M")
    for value in (chip, crossover, crossover.at(N=512, K=512), crossover.problem):
        assert way(value) == value
    assert str(way(crossover)) == str(crossover)
    made = way(roofline.at(M=64))
    assert made.time == roofline.at(M=64).time
    assert str(made.verdict(N=4096, K=4096)) == str(roofline.verdict(M=64, N=4096, K=4096))


class _Local(OpKind):
    name = "local"
    count = source = "none"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        return Cost.moving(inputs, outputs)


@pytest.mark.parametrize("way", WAYS)
def test_ops_that_are_not_registered_come_back(way: Callable[[Graph], Graph]) -> None:
    g = Graph("g")
    apply(_Local(), (g.input("x", ("B",), "fp32"),))
    assert way(g).bytes == g.bytes


def test_a_graph_in_the_making_is_refused() -> None:
    g = Graph("g")

    def body(x: sr.Tensor) -> sr.Tensor:
        pickle.dumps(g)
        return x

    with pytest.raises(GraphError, match="while a repeat is being added"):
        g.repeat("r", 2, body, g.input("x", ("B",), "fp32"))


def test_another_process_reads_what_this_one_wrote() -> None:
    roofline = sr.analyze(load("matmul"), "h100-sxm")
    text = base64.b64encode(pickle.dumps((decoder(), roofline, roofline.crossover("M")))).decode()
    code = (
        "import base64, pickle, sys\n"
        "g, r, x = pickle.loads(base64.b64decode(sys.stdin.read()))\n"
        "print(g.flops, g.bytes, r.flops, x, sep='\\n')\n"
        "import symroof\n"
        "assert symroof.load('matmul').flops == r.flops\n"
        "symroof.ops.relu(g.tensor('x'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    g = decoder()
    expected = (g.flops, g.bytes, roofline.flops, roofline.crossover("M"))
    assert done.stdout.splitlines() == [*map(str, expected)]
