"""Fused ops in a spec file: what a pass made, with the traffic of its boundary port by port."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sympy import Expr

from symroof.errors import GraphError, InputError, ShapeError
from symroof.graph.amounts import amount
from symroof.graph.block import Block
from symroof.graph.contractions import KEPT
from symroof.graph.op import Cost, Op, Signature
from symroof.graph.passes.rebuild import FUSED, fused_attrs
from symroof.graph.spec_contractions import read_contractions, write_contractions
from symroof.graph.spec_fields import FusedFields, FusedOutputFields, place
from symroof.graph.spec_parts import PartFields, read_part
from symroof.graph.spec_values import write_value, write_values
from symroof.graph.storage import View
from symroof.graph.tensor import NamedTensor, Tensor, TensorSpec
from symroof.lines import named
from symroof.symbolic.parser import parse
from symroof.symbolic.printer import to_text
from symroof.symbolic.symbols import symbol
from symroof.tables import read_table

UNKNOWN = ("flops", "bytes", "link_bytes")


def add_fused(
    block: Block,
    fields: FusedFields,
    outputs: Mapping[str, FusedOutputFields],
    default: str | None,
    find: Callable[[str], Tensor],
) -> None:
    """Add the fused op of a table to `block`.

    Parameters
    ----------
    block : Block
        Open for ops.
    fields : FusedFields
        The table.
    outputs : mapping of str to FusedOutputFields
        Its results, by name.
    default : str or None
        Dtype of results that name none.
    find : callable
        Gives the tensor of a name.

    Raises
    ------
    InputError
        If amounts and ports do not match, or an amount is no number of 0 or more.
    """
    inputs = tuple(find(name) for name in fields.inputs)
    for tensor in inputs:
        if tensor.block is not block:
            block.admit(tensor, FUSED.name)
    specs = []
    for name, output in outputs.items():
        with place(f"outputs.{name[:60]}"):
            specs.append(TensorSpec.of(output.shape, output.dtype or needed(default)))
    tables = fields.contractions
    attrs = fused_attrs(
        (named(name, "ops") for name in fields.ops),
        (symbol(name).name for name in fields.counts),
        None if tables is None else read_contractions(tables, fields.flops),
    )
    cost = _cost(fields, len(inputs), len(specs))
    key = (FUSED, attrs, tuple(t.spec for t in inputs), tuple(specs), cost)
    signature = block.signatures.get(key)
    if signature is None:
        signature = Signature(FUSED, attrs, key[2], key[3], cost)
        block.signatures[key] = signature
    op = Op(signature, inputs, len(block.op_list), fields.name)
    made: dict[str, Tensor] = {}
    for spec, (name, output) in zip(specs, outputs.items(), strict=True):
        with place(f"outputs.{name[:60]}"):
            named(name, "the name of a tensor")
            if name in block.leaves or name in block.renamed:
                raise GraphError("two tensors have this name")
            made[name] = _result(block, op, spec, output, lambda ref: made.get(ref) or find(ref))
    op.outputs = tuple(made.values())
    block.claim(op)
    block.renamed.update(made)
    if not signature.count:
        signature.first = op
    signature.count += 1
    block.op_list.append(op)


def write_fused(op: Op, inputs: Iterable[str]) -> dict[str, Any]:
    """Return the table of a fused op without its results.

    Parameters
    ----------
    op : Op
        A fused op.
    inputs : iterable of str
        The names of its operands.
    """
    cost, attrs = op.cost, dict(op.attrs)
    kept = attrs.pop(KEPT, None)
    table: dict[str, Any] = {
        "op": FUSED.name,
        "name": op.name,
        "inputs": list(inputs),
        **write_values(FUSED.name, attrs),
        "reads": [_written(amount) for amount in cost.reads],
        "writes": [_written(amount) for amount in cost.writes],
    }
    if cost.link_bytes != 0:
        table |= {"link_bytes": write_value(cost.link_bytes), "link": cost.link}
    if cost.unknown:
        table["unknown"] = list(cost.unknown)
    if cost.flops:
        table["flops"] = {key: write_value(amount) for key, amount in cost.flops}
    if kept is not None:
        table[KEPT] = write_contractions(kept)
    return table


def read_outputs(fields: FusedFields) -> dict[str, FusedOutputFields]:
    """Return the results of a fused op by name.

    Raises
    ------
    InputError
        If a field is unknown or missing, or a name occurs twice.
    """
    found: dict[str, FusedOutputFields] = {}
    for number, table in enumerate(fields.outputs):
        with place(f"outputs[{number}]"):
            output = read_table(table, FusedOutputFields)
            if output.name in found:
                raise InputError(f"two results are called {output.name!r}")
        found[output.name] = output
    return found


def needed(default: str | None) -> str:
    """Return the dtype of the file.

    Raises
    ------
    InputError
        If it has none.
    """
    if default is None:
        raise InputError("no dtype; give one here, or one for the whole file")
    return default


def _result(
    block: Block,
    op: Op,
    spec: TensorSpec,
    output: FusedOutputFields,
    find: Callable[[str], Tensor],
) -> Tensor:
    """Return a result: its own storage, that of the tensor `out`, or a part of one."""
    if output.out is not None and output.part is not None:
        raise InputError("give out or part, not both")
    view: View | None = None
    if output.part is not None:
        with place("part"):
            part = read_table(output.part, PartFields)
            target = find(part.of)
            view = read_part(part, target)
        if tuple(view.box[axis][1] for axis in view.axes) != spec.shape:
            raise InputError(f"the part does not have the shape {spec.text}")
    elif output.out is not None:
        target = find(output.out)
        if target.spec is not spec:
            raise ShapeError("out", "must have the result's shape", (spec.text, target.spec.text))
        view = target.view or View.whole(target)
    if view is None:
        return NamedTensor(spec, block, op, None, output.name)
    if target.block is not block:
        block.admit(target, FUSED.name)
    made = NamedTensor(spec, block, op, view.storage, output.name)
    made.placed = view
    return made


def _cost(fields: FusedFields, inputs: int, outputs: int) -> Cost:
    for what, amounts, ports in (
        ("reads", fields.reads, inputs),
        ("writes", fields.writes, outputs),
    ):
        if len(amounts) != ports:
            raise InputError(f"{len(amounts)} amounts for {ports} tensors", where=what)
    if not set(fields.unknown) <= set(UNKNOWN):
        raise InputError(f"expected some of {', '.join(UNKNOWN)}", where="unknown")
    for key in fields.flops:
        named(key, "flops")
    named(fields.link, "link")
    return Cost(
        flops=tuple((key, _amount(f"flops.{key}", n)) for key, n in fields.flops.items()),
        reads=tuple(_amount("reads", n) for n in fields.reads),
        writes=tuple(_amount("writes", n) for n in fields.writes),
        link_bytes=_amount("link_bytes", fields.link_bytes),
        link=fields.link,
        unknown=tuple(fields.unknown),
    )


def _written(amount: Expr) -> Any:
    # As the file is read again: a smallest of smallest as one.
    return write_value(parse(to_text(amount)))


def _amount(where: str, value: int | str) -> Expr:
    return amount(value, where, "an amount")
