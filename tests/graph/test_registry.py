from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import UnknownNameError
from symroof.graph import functions, kinds, register
from symroof.graph.registry import op


def test_every_op_is_in_symroof_ops_under_its_name():
    assert set(functions()) <= set(vars(ops))
    for name, function in functions().items():
        assert getattr(ops, name) is function
    assert {"einsum", "matmul", "slice", "abs", "pow", "max"} <= set(functions())


def test_names_are_sorted_and_unique():
    assert list(kinds()) == sorted(kinds())
    with pytest.raises(ValueError, match="two ops"):
        register(op("matmul"))


def test_an_unknown_op_offers_the_nearest():
    with pytest.raises(UnknownNameError, match="matmul"):
        op("matmull")
    with pytest.raises(TypeError):
        kinds()["mine"] = op("add")
