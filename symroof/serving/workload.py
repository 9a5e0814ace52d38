"""Workloads: how long prompts and answers are, by two numbers, a trace, or a public mix."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
from sympy import Expr, Integer, Rational

from symroof.errors import InputError, UnknownNameError
from symroof.serving.inputs import number
from symroof.serving.trace import Moments, read_trace
from symroof.symbolic import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.numerals import number as numeral
from symroof.tables import check_version, parse, read_table, read_text

PREFILL, DECODE = "p", "d"
FOLDER = Path(__file__).with_name("mixes")
SCHEMA_VERSION = 1
HALF = Rational(1, 2)


@dataclass(frozen=True, slots=True, init=False)
class Workload:
    """Requests with a prompt and an answer each.

    A request in flight has its prompt and half of its answer in the cache, on average over its
    decode steps: ``p + d/2``. Where lengths differ, long answers are in flight for longer, which
    adds (Cov(p, d) + Var(d)/2)/E[d] to that, the `spread`.

    Parameters
    ----------
    prefill : int, float, str or Expr
        Tokens of a prompt, on average; 0 or more. A name or a formula stays symbolic.
    decode : int, float, str or Expr
        New tokens of a request, on average; more than 0.
    spread : number
        Tokens that differences in length add to the mean context; 0 where all requests are alike.
    requests : int, optional
        How many requests the means are of.
    name, source : str
        What the workload is called, and who states it.

    Raises
    ------
    InputError
        If a length is negative or not finite, no tokens are decoded, or there are no requests.

    Examples
    --------
    >>> load = Workload(512, 1024)
    >>> load.mean_context, load.tokens_per_request
    (1024, 1536)
    >>> Workload("p", "d").mean_context
    d/2 + p
    """

    prefill: Expr
    decode: Expr
    spread: Expr
    requests: int | None
    name: str
    source: str
    assumptions: tuple[str, ...]

    def __init__(
        self,
        prefill: object,
        decode: object,
        *,
        spread: object = 0,
        requests: int | None = None,
        name: str = "",
        source: str = "",
        assumptions: tuple[str, ...] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "prefill", number(prefill, "prefill"))
        put(self, "decode", number(decode, "decode", strictly=True))
        put(self, "spread", number(spread, "spread", least=None))
        if requests is not None and (type(requests) is not int or requests < 1):
            raise InputError(
                f"expected a whole number of 1 or more, not {requests!r:.60}", where="requests"
            )
        put(self, "requests", requests)
        put(self, "name", name)
        put(self, "source", source)
        put(self, "assumptions", assumptions)

    @classmethod
    def from_trace(
        cls,
        path: str | os.PathLike[str],
        *,
        prefill: str | None = None,
        decode: str | None = None,
    ) -> Workload:
        r"""Return the workload of a trace: a CSV file with a row for each request.

        Its means are used, and how lengths vary together; not when requests arrive, nor their
        order.

        Parameters
        ----------
        path : str or PathLike
            The file; its first line names the columns.
        prefill, decode : str, optional
            The columns of the lengths; by default as public traces name them (``ContextTokens``
            and ``GeneratedTokens``, ``num_prefill_tokens`` and ``num_decode_tokens``, ...).

        Raises
        ------
        InputError
            If there is no such column, or a row has no whole numbers of tokens there; with the
            number of the row.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "trace.csv"
        ...     _ = path.write_text("ContextTokens,GeneratedTokens\n100,10\n300,30\n")
        ...     load = Workload.from_trace(path)
        >>> load.prefill, load.decode, load.mean_context  # (100*10 + 300*30 + 500)/40
        (200, 20, 525/2)
        """
        moments = read_trace(path, prefill, decode)
        return cls._of(moments, name=Path(path).name, source=str(path))

    @classmethod
    def _of(cls, moments: Moments, *, name: str, source: str) -> Workload:
        return cls(
            moments.prefill,
            moments.decode,
            spread=moments.spread,
            requests=moments.requests,
            name=name,
            source=source,
            assumptions=(
                f"means of {numeral(moments.requests)} requests; their order and arrival times are "
                "not used",
            ),
        )

    @property
    def mean_context(self) -> Expr:
        """Tokens in the context of a request that decodes, on average over all decode steps."""
        return self.prefill + HALF * self.decode + self.spread

    @property
    def tokens_per_request(self) -> Expr:
        """Tokens of a request, prompt and answer."""
        return self.prefill + self.decode

    @property
    def decode_share(self) -> Expr:
        """The share of tokens that are decoded, d/(p + d); the others are of prompts."""
        return self.decode / self.tokens_per_request

    @property
    def in_names(self) -> Workload:
        """The same with the names p and d for its lengths.

        Examples
        --------
        >>> Workload(512, 1024).in_names.mean_context
        d/2 + p
        """
        return Workload(PREFILL, DECODE, spread=self.spread)

    def __str__(self) -> str:
        lengths = f"{_tokens(self.prefill)} of prompt and {_tokens(self.decode)} new"
        return f"{self.name}: {lengths}" if self.name else lengths


class MixFields(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The fields of a file of a mix: means and standard deviations, in tokens."""

    schema_version: int
    name: str
    title: str
    source: str
    prefill: int | float
    decode: int | float
    prefill_std: int | float
    decode_std: int | float
    aliases: list[str] = []


def mixes() -> tuple[str, ...]:
    """Return the names of the public mixes there are.

    Examples
    --------
    >>> mixes()
    ('lmsys-chat', 'sharegpt', 'splitwise')
    """
    return tuple(sorted(_mixes()))


def mix(name: str) -> Workload:
    """Return a public mix of requests.

    Sources state means and standard deviations, but not how prompts and answers vary together:
    they are taken to be independent.

    Parameters
    ----------
    name : str
        Its name or an alias.

    Raises
    ------
    UnknownNameError
        If there is none; with the nearest one.

    Examples
    --------
    >>> load = mix("sharegpt")
    >>> load.prefill, load.decode
    (246, 322)
    """
    found = {alias: load for load, aliases in _mixes().values() for alias in aliases}
    if isinstance(name, str) and _plain(name) in found:
        return found[_plain(name)]
    raise UnknownNameError("mix of requests", str(name), mixes())


@cache
def _mixes() -> dict[str, tuple[Workload, tuple[str, ...]]]:
    return dict(_read(path) for path in sorted(FOLDER.glob("*.toml")))


def _read(path: Path) -> tuple[str, tuple[Workload, tuple[str, ...]]]:
    raw = parse(read_text(path, 20_000, "a mix of requests", str(path)), str(path))
    check_version(raw, SCHEMA_VERSION, str(path))
    fields = read_table(raw, MixFields, str(path))
    decode = adopt(fields.decode)
    load = Workload(
        fields.prefill,
        decode,
        spread=adopt(fields.decode_std) ** Integer(2) / (2 * decode),
        name=fields.name,
        source=fields.source,
        assumptions=("lengths of prompts and answers are independent",),
    )
    return fields.name, (load, tuple(map(_plain, (fields.name, fields.title, *fields.aliases))))


def _plain(name: str) -> str:
    return "".join(c for c in name[:60].lower() if c.isalnum())


def _tokens(length: Expr) -> str:
    text = numeral(length) if length.is_number else shown(length)
    return f"{text} tokens"
