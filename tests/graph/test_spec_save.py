from __future__ import annotations

import pytest

from symroof.graph import load

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
