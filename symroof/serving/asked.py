"""What is asked of a model on a machine: its load, the memory mode, a price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from sympy import Expr, Integer

from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.serving.inputs import number
from symroof.serving.names import check_length
from symroof.serving.setup import Setup
from symroof.serving.touched import BATCH, CONTEXT, TOKENS
from symroof.serving.workload import DECODE, PREFILL, Workload
from symroof.symbolic import symbol
from symroof.units import Quantity, Scope


class OpenError(UnboundError):
    """Numbers were asked of lengths, or of sizes of a model, that are left open."""

    def __init__(self, what: str, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        Exception.__init__(
            self,
            f"{what} depends on {', '.join(self.names)}; give serve numbers, as in context=1024",
        )


class Memory(StrEnum):
    """What of the memory an iteration is taken to stream.

    Examples
    --------
    >>> Memory("touched") == "touched"
    True
    """

    FULL = "full"
    TOUCHED = "touched"


@dataclass(frozen=True, eq=False)
class Asked:
    """A question: a set-up and its load.

    Attributes
    ----------
    setup : Setup
    memory : Memory
    workload : Workload or None
        Lengths of prompts and answers; None where a context is given.
    length : Expr or None
        Tokens in the context of a sequence; None where it is left open.
    price : Quantity or None
        Of one chip, in USD/s.
    symbolic : bool
        Whether numbers stay out of the formulas.
    """

    setup: Setup
    memory: Memory
    workload: Workload | None
    length: Expr | None
    price: Quantity | None
    symbolic: bool = False

    @property
    def given(self) -> Mapping[str, Expr]:
        """Numbers and formulas for the names of lengths."""
        if self.symbolic:
            return {}
        if self.workload is None:
            named = {CONTEXT: self.length}
        else:
            named = {PREFILL: self.workload.prefill, DECODE: self.workload.decode}
        return {n: v for n, v in named.items() if v is not None and v != symbol(n)}

    @property
    def names(self) -> tuple[str, ...]:
        """The batch, and the names of lengths."""
        if self.workload is not None:
            return TOKENS, PREFILL, DECODE
        return (TOKENS if self.memory is Memory.FULL else BATCH), CONTEXT

    @property
    def mean_context(self) -> Expr:
        """Tokens in the context of a sequence that decodes, in the names of lengths."""
        return symbol(CONTEXT) if self.workload is None else self.workload.in_names.mean_context

    @cached_property
    def context(self) -> Quantity:
        """Tokens in the context of a sequence that decodes, on average."""
        made = Quantity.of(self.mean_context, "", Scope(counts=frozenset(self.names[1:])))
        return made.at(self.given) if self.given else made

    @property
    def steady(self) -> Mapping[str, Expr]:
        """Of B_dense tokens an iteration: B sequences that decode at S, R prompts of P tokens."""
        tokens, p, d = (symbol(name) for name in (TOKENS, PREFILL, DECODE))
        return {
            "B": tokens * d / (p + d),
            "R": tokens / (p + d),
            "S": self.mean_context,
            "P": p,
        }

    @property
    def open(self) -> bool:
        """Whether the context is not a number."""
        return not self.context.expr.is_number

    @property
    def unknown(self) -> tuple[str, ...]:
        """The names in the context and in the sizes of the model that have no number."""
        lengths = {name.name for name in self.context.expr.free_symbols}
        return tuple(sorted(lengths | self.setup.model.config.symbols))

    @property
    def new_share(self) -> Expr:
        """Of the tokens of an iteration those that are decoded, d/(p + d), with lengths put in."""
        if self.workload is None:
            return Integer(1)
        return (self.workload.in_names if self.symbolic else self.workload).decode_share

    @property
    def tokens_per_request(self) -> Quantity:
        """Tokens of a request, prompt and answer, with lengths put in."""
        scope = Scope(counts=frozenset(self.names[1:]))
        made = Quantity.of(symbol(PREFILL) + symbol(DECODE), "token", scope)
        return made.at(self.given) if self.given else made

    def in_symbols(self) -> Asked:
        """Return the same with no lengths put in."""
        return replace(self, symbolic=True)

    @property
    def prompt(self) -> Expr | None:
        """Tokens of a prompt: of the workload, or as many as the context; None where it is open."""
        if self.workload is not None:
            return self.workload.prefill
        return self.length


def read_memory(memory: str) -> Memory:
    """Return the memory mode of a name.

    Examples
    --------
    >>> read_memory("full")
    <Memory.FULL: 'full'>
    """
    try:
        return Memory(memory)
    except ValueError:
        raise UnknownNameError("memory mode", str(memory), [m.value for m in Memory]) from None


def read_load(
    prefill: object,
    decode: object,
    context: object,
    workload: Workload | None,
    memory: Memory = Memory.TOUCHED,
) -> tuple[Workload | None, Expr | None]:
    """Return the workload, or the length of the context, of whichever was given.

    Raises
    ------
    InputError
        If both are given, or half of one, or a length is not positive, or named by what means
        something else.
    """
    if workload is not None and not isinstance(workload, Workload):
        raise InputError(
            f"expected a Workload, as of mix('sharegpt') or Workload.from_trace('trace.csv'), not"
            f" {type(workload).__name__}",
            where="workload",
        )
    lengths = {"prefill": prefill, "decode": decode}
    named = [name for name, value in lengths.items() if value is not None]
    if workload is not None and named:
        raise InputError(f"a workload says it, so leave {named[0]} out", where=named[0])
    if context is not None and (named or workload is not None):
        raise InputError(
            "give either a context, or prompts and answers (prefill and decode)", where="context"
        )
    if len(named) == 1:
        other = "decode" if named == ["prefill"] else "prefill"
        raise InputError(f"{named[0]} is given without {other}", where=other)
    if workload is None and named:
        workload = Workload(tokens(prefill, "prefill", memory), tokens(decode, "decode", memory))
    if workload is not None:
        for name in lengths:
            tokens(getattr(workload, name), name, memory)
    return workload, None if context is None else tokens(context, "context", memory)


def tokens(length: object, where: str, memory: Memory = Memory.TOUCHED) -> Expr:
    """Return a number of tokens, a name or a formula; 1 or more.

    Examples
    --------
    >>> tokens(512, "prefill"), tokens("2*p", "prefill")
    (512, 2*p)
    """
    found = number(length, where, least=1)
    names = sorted(name.name for name in found.free_symbols)
    check_length(names, where, full=memory is Memory.FULL)
    return found
