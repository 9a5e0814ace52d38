"""Contractions of fused ops in a spec file: sizes, operands, and where they compute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Integer

from symroof.errors import InputError
from symroof.graph.contractions import Contraction
from symroof.graph.spec_fields import ContractionFields, OperandFields, place
from symroof.graph.spec_values import write_value
from symroof.graph.tensor import TensorSpec
from symroof.graph.tile import size_of
from symroof.lines import named
from symroof.tables import read_table

GROUPS = ("batch", "m", "n", "k")
TENSORS = ("left", "right", "out")


def read_contractions(
    tables: Iterable[Mapping[str, Any]], flops: Mapping[str, object]
) -> tuple[Contraction, ...]:
    """Return the contractions of the tables of a fused op, which computes `flops` by dtype.

    Raises
    ------
    InputError
        If a size is below 1 or no whole number, or an op does not compute at the dtype.
    """
    found = []
    for number, table in enumerate(tables):
        with place(f"contractions[{number}]"):
            found.append(_read(read_table(table, ContractionFields), flops))
    return tuple(found)


def write_contractions(found: Iterable[Contraction]) -> list[dict[str, Any]]:
    """Return the tables that `read_contractions` reads."""
    return [_table(each) for each in found]


def _read(fields: ContractionFields, flops: Mapping[str, object]) -> Contraction:
    if fields.flops not in (1, 2):
        raise InputError(f"expected 1 or 2 a point, not {fields.flops}", where="flops")
    if named(fields.dtype, "dtype") not in flops:
        known = ", ".join(flops) or "nothing"
        raise InputError(f"the op computes at {known}, not at {fields.dtype}", where="dtype")
    batch, m, n, k = (size_of(getattr(fields, name), name) for name in GROUPS)
    left, right, out = (_operand(getattr(fields, name), name) for name in TENSORS)
    per_point = Integer(fields.flops)
    return Contraction(batch, m, n, k, left, right, out, per_point, fields.dtype, fields.fed)


def _operand(table: Mapping[str, Any], where: str) -> TensorSpec:
    with place(where):
        fields = read_table(table, OperandFields)
        return TensorSpec.of(fields.shape, fields.dtype)


def _table(each: Contraction) -> dict[str, Any]:
    sizes = {name: write_value(getattr(each, name)) for name in GROUPS}
    table: dict[str, Any] = {name: size for name, size in sizes.items() if size != 1}
    for name in TENSORS:
        spec = getattr(each, name)
        table[name] = {"shape": write_value(spec.shape), "dtype": write_value(spec.dtype)}
    table["dtype"] = each.dtype
    if each.flops_per_point != 2:
        table["flops"] = int(each.flops_per_point)
    if each.fed:
        table["fed"] = True
    return table
