from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import InputError
from symroof.graph import Graph, load

from .graph_facts import facts
from .graphs import ALL


@pytest.mark.parametrize("name", ALL)
def test_what_is_saved_loads_back_equal(name, tmp_path):
    graph = ALL[name]()
    path = tmp_path / "saved.toml"
    graph.save(path)
    assert facts(load(path)) == facts(graph)


@pytest.mark.parametrize("name", ALL)
def test_same_graph_same_bytes(name, tmp_path):
    first, second, third = (tmp_path / f"{n}.toml" for n in range(3))
    ALL[name]().save(first)
    ALL[name]().save(second)
    load(first).save(third)
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()


def test_a_tensor_carried_out_twice_keeps_its_places(tmp_path):
    g = Graph("g")
    x, y, z = (g.input(name, 4, "fp32") for name in "xyz")

    def body(a, b, c):
        m = ops.relu(b, name="m")
        return m, m, ops.exp(c, name="e")

    g.repeat("r", "L", body, (x, y, z))
    g.save(tmp_path / "g.toml")
    again = load(tmp_path / "g.toml").op("r").body
    assert [tensor.producer.name for tensor in again.carried] == ["m", "m", "e"]


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    g = Graph("g")
    x = g.input("x", ("B",), "fp32")
    for _ in range(20_000):
        x = -x
    with pytest.raises(InputError, match="more than 20,000 tables"):
        g.save(tmp_path / "g.toml")
    assert not any(tmp_path.iterdir())
