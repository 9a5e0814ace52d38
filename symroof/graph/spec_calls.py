"""Tables of ops bound to the signatures of the public functions: which names are tensors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from symroof.errors import InputError, UnknownNameError
from symroof.graph.registry import FUNCTIONS, functions
from symroof.graph.spec_values import read_value
from symroof.graph.tensor import Tensor
from symroof.tables import unknown

RESERVED = ("op", "name", "inputs")
EMPTY = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an op's function, as a table of a spec sees it.

    Attributes
    ----------
    name : str
    annotation : str
        Its annotation, as text.
    operand : bool
        Whether `inputs` may fill it.
    tensor, many : bool
        Whether it takes a tensor by keyword; whether it takes any number of them.
    variadic, required, before : bool
        Whether it is ``*operands``; whether it has no default; whether it stands before the
        ``*operands`` of its function, and so cannot be passed by keyword.
    """

    name: str
    annotation: str
    operand: bool
    tensor: bool
    many: bool
    variadic: bool
    required: bool
    before: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an op's function, with the names of the tensors it takes.

    Attributes
    ----------
    function : callable
        The public function.
    parameters : tuple of Parameter
        Its parameters.
    tensors : mapping of str to tuple of str
        Names of tensors, by parameter.
    values : mapping of str to object
        Everything else, by parameter.
    """

    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    tensors: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Any]

    @property
    def refs(self) -> Iterator[str]:
        """The names of all tensors it takes."""
        for names in self.tensors.values():
            yield from names

    def add(self, find: Callable[[str], Tensor], name: str) -> None:
        """Call the function: `find` gives the tensor of a name, `name` is that of the op."""
        args: list[Any] = []
        keywords: dict[str, Any] = {"name": name}
        for parameter in self.parameters:
            if parameter.name in self.tensors:
                found: Any = [find(ref) for ref in self.tensors[parameter.name]]
                if parameter.variadic:
                    args.extend(found)
                    continue
                value = found if parameter.many else found[0]
            elif parameter.name in self.values:
                value = self.values[parameter.name]
            else:
                continue
            if parameter.before:
                args.append(value)
            else:
                keywords[parameter.name] = value
        self.function(*args, **keywords)


def bind_call(op: str, table: Mapping[str, Any]) -> Call:
    """Return the call that a table of a spec stands for.

    Names in ``inputs`` fill the parameters for tensors in their order; every other key of the
    table is a keyword of the function.

    Parameters
    ----------
    op : str
        Name of the op.
    table : mapping of str to object
        The table, as TOML holds it.

    Raises
    ------
    UnknownNameError
        If there is no such op.
    InputError
        If a keyword is unknown, missing, or of the wrong type, or there are too many inputs.

    Examples
    --------
    >>> call = bind_call("linear", {"inputs": ["x", "w"], "bias": "b", "out_dtype": "fp32"})
    >>> dict(call.tensors), dict(call.values)
    ({'bias': ('b',), 'x': ('x',), 'w': ('w',)}, {'out_dtype': 'fp32'})
    >>> bind_call("all_reduce", {"inputs": "x", "grup": 8})
    Traceback (most recent call last):
    symroof.errors.InputError: all_reduce: unknown keyword 'grup'; did you mean 'group'?
    """
    function = FUNCTIONS.get(op)
    if function is None:
        raise UnknownNameError("op", op, (*functions(), "repeat"))
    parameters = _parameters(function)
    by_name = {parameter.name: parameter for parameter in parameters}
    tensors: dict[str, tuple[str, ...]] = {}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in RESERVED:
            continue
        parameter = by_name.get(key)
        if parameter is None or parameter.variadic:
            raise InputError(str(unknown("keyword", key, keywords(function))), where=op)
        if parameter.tensor:
            tensors[key] = _names(op, key, value, many=parameter.many)
        else:
            try:
                values[key] = read_value(op, key, parameter.annotation, value)
            except InputError as error:
                raise InputError(str(error), where=op) from None
    inputs = _names(op, "inputs", table.get("inputs", ()), many=True)
    if "inputs" in by_name:
        tensors["inputs"] = inputs
    else:
        _fill(op, parameters, inputs, tensors, values)
    for parameter in parameters:
        missing = parameter.required and parameter.name not in {*tensors, *values, "name"}
        if missing and not parameter.variadic:
            what = "input" if parameter.operand else "keyword"
            raise InputError(f"missing {what} {parameter.name!r}", where=op)
    return Call(function, parameters, tensors, values)


def keywords(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the keys that a table of a spec may have for an op's function.

    Examples
    --------
    >>> from symroof.graph.registry import FUNCTIONS, functions
    >>> keywords(functions()["all_reduce"])
    ('op', 'name', 'inputs', 'x', 'group', 'link', 'topology', 'algorithm')
    """
    named = (p.name for p in _parameters(function) if not p.variadic)
    return tuple(dict.fromkeys((*RESERVED, *named)))


def _fill(
    op: str,
    parameters: tuple[Parameter, ...],
    inputs: tuple[str, ...],
    tensors: dict[str, tuple[str, ...]],
    values: Mapping[str, Any],
) -> None:
    operands = [p for p in parameters if p.operand and p.name not in {*tensors, *values}]
    left = inputs
    for parameter in operands:
        if not left:
            return
        taken = len(left) if parameter.many else 1
        tensors[parameter.name], left = left[:taken], left[taken:]
    if left:
        names = ", ".join(parameter.name for parameter in operands) or "none"
        raise InputError(f"{len(inputs)} inputs for {len(operands)} ({names})", where=op)


@lru_cache(maxsize=1024)
def _parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    found = list(inspect.signature(function).parameters.values())
    variadic = [p.kind for p in found].count(inspect.Parameter.VAR_POSITIONAL) > 0
    return tuple(_parameter(parameter, variadic) for parameter in found)


def _parameter(parameter: inspect.Parameter, before: bool) -> Parameter:
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    tensor = re.search(r"\bTensor\b", text) is not None
    positional = parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    variadic = parameter.kind is inspect.Parameter.VAR_POSITIONAL
    required = parameter.default is EMPTY
    # A number may stand in for a tensor, as in `x * 2`: then it is given by keyword.
    either = text == "Any" and required
    return Parameter(
        name=parameter.name,
        annotation=text,
        operand=variadic or (positional and (tensor or either)),
        tensor=tensor,
        many=variadic or (tensor and "[" in text),
        variadic=variadic,
        required=required,
        before=before and positional,
    )


def _names(op: str, key: str, value: Any, *, many: bool) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError("expected names of tensors", where=f"{op}: {key}")
    if not many and len(names) != 1:
        raise InputError(f"expected one tensor, not {len(names)}", where=f"{op}: {key}")
    return tuple(names)
