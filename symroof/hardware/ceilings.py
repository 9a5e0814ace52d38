"""Ceilings under a roof: what a kernel reaches without SIMD, on one thread, with odd strides."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Expr, Integer

from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError, brief
from symroof.hardware.fields import CeilingFields
from symroof.hardware.memory import MemoryLevel
from symroof.hardware.peaks import Peak, split_key
from symroof.hardware.rates import BYTE_PER_SECOND, CONFIDENCES, FLOP_PER_SECOND, Rate, read_rate
from symroof.lines import DESCRIPTION, TITLE, line
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.symbolic.symbols import MAX_NAME, symbol
from symroof.tables import read_table

ONE = Integer(1)
PEAK, BANDWIDTH = "peak", "bw"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A bound under a roof that holds as long as something is not done.

    Williams, Waterman and Patterson, "Roofline: an insightful visual performance model" (2009).

    Attributes
    ----------
    name : str
        ``no simd``, ``one thread``, ``uncoalesced``, ...
    on : str
        The roof: ``peak`` or ``bw`` (every one of that kind), ``peak.bf16``, ``bw.hbm``.
    fraction : Expr
        What of the roof is left, above 0 and at most 1. Several factors on one roof multiply.
    rate : Rate or None
        The rate it was given as; such a ceiling is a cap, and does not multiply with others.
    reason : str
        Why: what has to be done to lift it.
    source, confidence, note : str
        Where the number is from.
    """

    name: str
    on: str
    fraction: Expr
    rate: Rate | None = None
    reason: str = ""
    source: str = "given"
    confidence: str = "given"
    note: str = ""

    @property
    def key(self) -> str:
        """Its key in formulas: of a fraction, or of a rate under a peak or a bandwidth.

        Examples
        --------
        >>> Ceiling("no simd", "peak", Integer(1) / 8).key
        'ceiling.no_simd'
        >>> Ceiling("stream", "bw.ddr", Integer(1) / 2, Rate("20 GB/s")).key
        'ceiling.bw.stream'
        """
        letters = unicodedata.normalize("NFKC", self.name)
        plain = (c if c.isalnum() and f"_{c}".isidentifier() else "_" for c in letters)
        kind = "" if self.rate is None else f"{self.on.partition('.')[0]}."
        return f"ceiling.{kind}{''.join(plain)}"

    @property
    def symbol(self) -> Expr:
        """Its symbol in formulas."""
        return symbol(self.key)

    @property
    def value(self) -> Expr:
        """What its symbol stands for: a fraction, or a rate in base units."""
        return self.fraction if self.rate is None else self.rate.value.expr

    @property
    def is_on_compute(self) -> bool:
        """Whether it is a ceiling of compute, and not of memory."""
        return self.on.partition(".")[0] == PEAK

    def is_under(self, *roofs: str) -> bool:
        """Return whether it lies under a roof, which may have several keys.

        Examples
        --------
        >>> half = Ceiling("one way", "bw", Integer(1) / 2)
        >>> half.is_under("bw.hbm"), half.is_under("peak.bf16", "peak.bf16:fp32:tensor")
        (True, False)
        """
        return self.on in roofs or self.on in {roof.partition(".")[0] for roof in roofs}

    @property
    def text(self) -> str:
        """What it leaves, for display."""
        return self.rate.text if self.rate is not None else to_text(self.fraction)

    def to_fields(self) -> dict[str, object]:
        """Return what a file says of it."""
        fields: dict[str, object] = {"on": self.on}
        if self.rate is not None:
            fields["rate"] = self.rate.text
        else:
            fields["factor"] = to_text(self.fraction)
        said = {"reason": self.reason, "note": self.note}
        if (self.source, self.confidence) != ("given", "given"):
            said |= {"source": self.source, "confidence": self.confidence}
        return fields | {key: value for key, value in said.items() if value}


def read_ceilings(
    given: Mapping[str, object], peaks: Iterable[Peak], memory: Iterable[MemoryLevel], where: str
) -> tuple[Ceiling, ...]:
    """Return the ceilings of a mapping of tables by name.

    Parameters
    ----------
    given : mapping of str to mapping
        ``on``, and ``factor`` or ``rate``; ``reason``, ``source``, ``confidence``, ``note``.
    peaks, memory
        The roofs of the chip.
    where : str
        The place, for messages.

    Raises
    ------
    InputError
        If a ceiling is above its roof, lies under no roof, or says its height twice or not at all.
    UnitError
        If a rate is in another unit than its roof.

    Examples
    --------
    >>> from symroof.hardware.memory import read_memory
    >>> hbm = read_memory({"hbm": "2 TB/s"}, None, None, "chip")
    >>> read_ceilings({"stream": {"on": "bw", "rate": "1.8 TB/s"}}, [], hbm, "chip")[0].fraction
    9/10
    >>> read_ceilings({"stream": {"on": "bw", "rate": "2.1 TB/s"}}, [], hbm, "chip")
    Traceback (most recent call last):
    symroof.errors.InputError: chip.stream: the ceiling, 2.1 TB/s, is above its roof, bw.hbm 2 TB/s
    """
    peaks, memory = tuple(peaks), tuple(memory)
    found: dict[str, Ceiling] = {}
    for name, table in given.items():
        ceiling = _read(name, table, peaks, memory, f"{where}.{brief(name)}")
        if len(ceiling.key) > MAX_NAME:
            message = f"a name of {len(name)} letters is too long for the key of a formula"
            raise InputError(message, where=f"{where}.{brief(name)}")
        if ceiling.key in found:
            other = found[ceiling.key].name
            raise InputError(f"the key {ceiling.key} is that of {other!r} too", where=where)
        found[ceiling.key] = ceiling
    return tuple(found.values())


def find_ceilings(there: Iterable[Ceiling], names: Iterable[str], chip: str) -> tuple[Ceiling, ...]:
    """Return the ceilings of these names, each once.

    Raises
    ------
    UnknownNameError
        If the chip declares no such ceiling; with the nearest one.

    Examples
    --------
    >>> find_ceilings([], ["no simd"], "mine")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown ceiling of mine 'no simd' (it declares none)
    """
    by_name = {ceiling.name: ceiling for ceiling in there}
    for name in names:
        if name not in by_name:
            hint = "" if by_name else "it declares none"
            raise UnknownNameError(f"ceiling of {chip}", str(name), by_name, hint=hint)
    return tuple(by_name[name] for name in dict.fromkeys(names))


def _read(
    name: str, given: object, peaks: tuple[Peak, ...], memory: tuple[MemoryLevel, ...], where: str
) -> Ceiling:
    line(name, where, TITLE)
    if not isinstance(name, str) or not name.strip():
        raise InputError("a ceiling has a name, such as 'no simd'", where=where)
    if not isinstance(given, Mapping):
        raise InputError(
            "expected a table of on, and factor or rate, as in {on = 'peak', factor = '1/8'}",
            where=where,
        )
    fields = read_table(given, CeilingFields, where)
    for text in (fields.reason, fields.source, fields.note):
        line(text, where, DESCRIPTION)
    if fields.confidence not in CONFIDENCES:
        message = f"unknown confidence {fields.confidence[:60]!r}; known: {', '.join(CONFIDENCES)}"
        raise InputError(message, where=where)
    roofs = _roofs(fields.on, peaks, memory, where)
    if (fields.factor is None) == (fields.rate is None):
        raise InputError("give one of factor and rate", where=where)
    said = fields.reason, fields.source, fields.confidence, fields.note
    if fields.factor is not None:
        factor = _factor(fields.factor, f"{where}.factor")
        return Ceiling(name, fields.on, factor, None, *said)
    compute = fields.on.partition(".")[0] == PEAK
    rate = read_rate(fields.rate, FLOP_PER_SECOND if compute else BYTE_PER_SECOND, f"{where}.rate")
    if len(roofs) != 1:
        message = f"a rate lies under one roof, and {fields.on} is any of {', '.join(roofs)}"
        raise InputError(f"{message}; name one, or give a factor", where=where)
    ((key, roof),) = roofs.items()
    fraction = rate.value.expr / roof.value.expr
    if not fraction.is_Rational:
        raise InputError("its roof is not a number; give a factor", where=where)
    if fraction > 1:
        message = f"the ceiling, {rate.text}, is above its roof, {key} {roof.text}"
        raise InputError(message, where=where)
    return Ceiling(name, fields.on, fraction, rate, *said)


def _factor(given: object, where: str) -> Expr:
    try:
        factor = adopt(given, where=where)
    except UnitError:
        raise
    except SymroofError as error:
        raise InputError(str(error)) from None
    if factor.is_number and not (factor.is_Rational and factor > 0):
        raise InputError(f"a factor is above 0 and at most 1, not {shown(factor)}", where=where)
    if factor.is_number and factor > 1:
        message = f"the ceiling, {shown(factor)} of its roof, is above its roof"
        raise InputError(message, where=where)
    if not factor.is_number:
        raise InputError("a factor is a number, as in '1/8'; at() puts symbols there", where=where)
    return factor


def _roofs(
    on: str, peaks: tuple[Peak, ...], memory: tuple[MemoryLevel, ...], where: str
) -> dict[str, Rate]:
    """Return the roofs that a ceiling lies under, by key."""
    place = f"{where}.on"
    kind, dot, rest = on.partition(".")
    if kind == PEAK:
        there = {peak.key: peak.rate for peak in peaks}
        if dot:
            dtype, *_ = split_key(rest, place)
            there = {key: rate for key, rate in there.items() if key == rest or _of(key, dtype)}
    else:
        there = {level.name: level.bandwidth for level in memory if level.bandwidth is not None}
        if dot:
            there = {name: rate for name, rate in there.items() if name == rest}
    if kind not in (PEAK, BANDWIDTH) or not there:
        names = [f"bw.{level.name}" for level in memory]
        names = [*dict.fromkeys(f"peak.{peak.dtype}" for peak in peaks), *names]
        raise UnknownNameError("roof", on, [PEAK, BANDWIDTH, *names], hint=place)
    return {f"{kind}.{name}": rate for name, rate in there.items()}


def _of(key: str, dtype: str) -> bool:
    return key.partition(":")[0] == dtype
