"""Analyses are pure: asked again, or in between others, they say the same bit for bit."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import symroof as sr
from symroof import ops, passes

# --- B17: hidden counters -----------------------------------------------------------------------


def normalised(weight: Any = 5) -> sr.Graph:
    g = sr.Graph("norm", flop_weights={"layernorm": weight})
    ops.layernorm(g.input("x", (1, 256), "fp32"))
    return g


def decoder() -> sr.Graph:
    g = sr.Graph("decoder")

    def layer(x: Any) -> Any:
        h = ops.layernorm(x)
        return x + ops.gelu(h @ g.weight("up", (256, "F"), "fp32")) @ g.weight(
            "down", ("F", 256), "fp32"
        )

    g.repeat("layer", "L", layer, g.input("x", ("B", 256), "fp32"))
    return g


def everything(g: sr.Graph) -> str:
    """All that can be asked of a graph and its roofline, as text."""
    r = sr.analyze(g, "h100-sxm")
    asked = {
        "work": [q.to_dict() for q in (g.flops, g.bytes, g.link_bytes, g.intensity)],
        "by dtype": {key: q.to_dict() for key, q in g.flops_by_dtype.items()},
        "terms": {name: q.to_dict() for name, q in r.groups.items()},
        "time": [q.to_dict() for q in (r.time.overlapped, r.time.per_op, r.time.serial)],
        "ops": [(row.name, str(row.count), str(row.flops), str(row.time)) for row in r.ops()],
    }
    return json.dumps(asked)


def test_b17_three_analyses_and_another_model_in_between(answer: Any) -> None:
    g, other = normalised(), decoder()
    first, first_other = everything(g), everything(other)
    for _ in range(3):
        assert g.flops.value == answer["flops_each_time"]
        assert everything(g) == first
        assert everything(other) == first_other
        assert normalised().flops.value == answer["flops_each_time"]
        assert everything(normalised()) == first
        assert everything(decoder()) == first_other


@given(st.lists(st.sampled_from([1, 5, 7, "c"]), min_size=1, max_size=6))
def test_b17_weights_of_one_graph_never_reach_another(weights: list[Any]) -> None:
    graphs = [(weight, normalised(weight)) for weight in weights]
    for weight, g in [*graphs, *graphs[::-1]]:
        assert g.flops == sr.Quantity(f"256*{weight}", "FLOP")
    plain = sr.Graph("plain")
    ops.layernorm(plain.input("x", (1, 256), "fp32"))
    assert plain.flops.value == 5 * 256


def test_b17_graphs_built_by_turns_are_those_built_apart() -> None:
    apart = everything(decoder())
    turns = [sr.Graph(f"decoder{i}") for i in range(2)]
    x = [g.input("x", ("B", 256), "fp32") for g in turns]
    w = [g.weight("w", (256, "F"), "fp32") for g in turns]
    for i in range(3):
        x = [ops.layernorm(t) for t in x]
        made = [t @ v for t, v in zip(x, w, strict=True)]
        assert made[0].name == made[1].name
        assert turns[0].flops == turns[1].flops
        assert len(turns[0].ops) == 2 * (i + 1)
    assert everything(decoder()) == apart


def test_b17_questions_and_passes_leave_a_graph_as_it_was(h100: sr.Chip) -> None:
    g = decoder()
    before = everything(g)
    r = sr.analyze(g, "h100-sxm")
    bound = r.at(B=8, F=1024, L=2)
    bound.verdict()
    r.crossover("B").at(F=1024, L=2)
    passes.fuse_elementwise(g)
    sr.compile(g.flops, ["B", "F", "L"])(8, 1024, 2)
    g.flops.at(B=3)
    assert everything(g) == before
    assert r.flops == g.flops
    assert bound.flops.value == g.flops.at(B=8, F=1024, L=2).value


def test_b17_answers_follow_the_graph_as_it_grows() -> None:
    """A total that was asked for is not kept after another op was added."""
    g = sr.Graph("growing")
    x = g.input("x", ("B", 4), "fp32")
    for n in range(1, 4):
        x = -x
        assert g.flops == sr.Quantity(f"4*B*{n}", "FLOP")
        assert g.bytes == sr.Quantity(f"32*B*{n}", "byte")
