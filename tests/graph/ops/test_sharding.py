from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import InputError, ShapeError
from symroof.graph import Graph


def test_a_shard_is_a_view():
    g = Graph("g")
    x = g.input("x", ("B", 4096), "bf16")
    y = ops.take_shard(x, group="n", axis=-1, link="X")
    assert [str(size) for size in y.shape] == ["B", "4096/n"]
    assert y.storage is x
    assert y.region.box[1] == (0, y.shape[1])
    assert (g.bytes.value, g.link_bytes.value, g.flops.value) == (0, 0, 0)
    assert dict(y.producer.attrs)["link"] == "X"


def test_who_reads_it_reads_its_part():
    g = Graph("g")
    x = g.input("x", (8, 64), "fp32")
    ops.relu(ops.take_shard(x, group=4))
    assert g.bytes.value == 2 * (2 * 64 * 4)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"group": 0}, InputError, "take_shard group: expected a whole number of 1 or more, not 0"),
        ({"group": 5}, ShapeError, "64 does not split into 5 equal parts"),
        ({"group": 4, "axis": 2}, ShapeError, "no axis 2 among 1"),
        ({"group": 4, "link": 3}, InputError, "a link is named by text, not 3"),
    ],
)
def test_what_is_no_shard_is_one_clear_error(keywords, error, message):
    with pytest.raises(error) as caught:
        ops.take_shard(Graph("g").input("x", 64, "fp32"), **keywords)
    assert message in str(caught.value)
