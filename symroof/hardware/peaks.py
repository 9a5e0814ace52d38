"""Compute peaks, keyed by input dtype, accumulate dtype and engine; a default for each input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symroof.errors import InputError, SymroofError, UnknownNameError, near_match
from symroof.hardware.rates import FLOP_PER_SECOND, Rate, read_rate
from symroof.units.dtype import DType
from symroof.units.dtype import dtype as find_dtype

ENGINES = ("tensor", "matrix", "vector", "scalar")


@dataclass(frozen=True, slots=True)
class Peak:
    """A dense (or sparse) peak of one engine at one pair of dtypes.

    Attributes
    ----------
    dtype : str
        Key of the input dtype: ``bf16``, ``fp8`` for both kinds of fp8.
    accumulate : str or None
        Key of the dtype of the sums; None where the peak was given for the input dtype alone.
    engine : str or None
        One of `ENGINES`, or None likewise.
    rate : Rate
        FLOP/s; an integer operation counts as one FLOP.
    """

    dtype: str
    accumulate: str | None
    engine: str | None
    rate: Rate

    @property
    def key(self) -> str:
        """The key in full: ``bf16:fp32:tensor``, or ``bf16`` where no more was given."""
        return f"{self.dtype}:{self.accumulate}:{self.engine}" if self.accumulate else self.dtype


def read_peaks(given: Mapping[str, object], where: str) -> tuple[Peak, ...]:
    """Return the peaks of a mapping such as ``{"bf16:fp32:tensor": "989 TFLOP/s"}``.

    Raises
    ------
    InputError
        If a key is not one, or comes twice.
    UnitError
        If a value is not a rate in FLOP/s.

    Examples
    --------
    >>> [peak.key for peak in read_peaks({"BF16": "989 TFLOP/s"}, "peak")]
    ['bf16']
    """
    peaks: dict[str, Peak] = {}
    for text, value in given.items():
        place = f"{where}.{text}"
        dtype, accumulate, engine = split_key(text, place)
        peak = Peak(dtype, accumulate, engine, read_rate(value, FLOP_PER_SECOND, place))
        if peak.key in peaks:
            raise InputError(f"the peak {peak.key} is given twice", where=place)
        peaks[peak.key] = peak
    return tuple(peaks.values())


def split_key(text: str, where: str) -> tuple[str, str | None, str | None]:
    """Return the parts of a peak key; the last two are None in a short one.

    Examples
    --------
    >>> split_key("fp8_e4m3:fp32:tensor", "peak"), split_key("bf16", "peak")
    (('fp8', 'fp32', 'tensor'), ('bf16', None, None))
    """
    parts = text.split(":") if isinstance(text, str) else []
    if len(parts) not in (1, 3):
        raise InputError(
            f"{str(text)[:60]!r} is not the key of a peak; write bf16, or bf16:fp32:tensor in full",
            where=where,
        )
    dtype = dtype_key(parts[0], where)
    if len(parts) == 1:
        return dtype, None, None
    engine = parts[2].strip().lower()
    if engine not in ENGINES:
        near = near_match(engine, ENGINES)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(ENGINES)}"
        raise InputError(f"unknown engine {parts[2][:60]!r}; {hint}", where=where)
    return dtype, dtype_key(parts[1], where), engine


def dtype_key(name: str | DType, where: str) -> str:
    """Return the key of the peak a dtype computes at.

    Examples
    --------
    >>> dtype_key("float16", "peak"), dtype_key("fp8_e5m2", "peak")
    ('fp16', 'fp8')
    """
    try:
        found = find_dtype(name.strip() if isinstance(name, str) else name)
    except SymroofError as error:
        raise InputError(str(error), where=where) from None
    if found.is_block:
        raise InputError(
            f"{found.name} has no peak of its own; its elements compute as {found.key}", where=where
        )
    return found.key


def read_defaults(
    given: Mapping[str, str], peaks: Iterable[Peak], where: str
) -> tuple[tuple[str, str], ...]:
    """Return, for each input dtype, the key of the peak it means when nothing more is said.

    It is the one stated in `given`; else the peak with the short key; else the only one.

    Raises
    ------
    InputError
        If a dtype has several peaks and no stated default, or the default is none of them.

    Examples
    --------
    >>> peaks = read_peaks({"fp32:fp32:vector": "67 TFLOP/s"}, "peak")
    >>> read_defaults({}, peaks, "default_peak")
    (('fp32', 'fp32:fp32:vector'),)
    """
    keys: dict[str, list[str]] = {}
    for peak in peaks:
        keys.setdefault(peak.dtype, []).append(peak.key)
    stated: dict[str, str] = {}
    for name, text in given.items():
        place = f"{where}.{name}"
        dtype = dtype_key(name, place)
        parts = split_key(text, place)
        key = ":".join(part for part in parts if part)
        if parts[0] != dtype or key not in keys.get(dtype, ()):
            there = ", ".join(keys.get(dtype, ())) or "none"
            raise InputError(
                f"{text[:60]!r} is not a peak for {dtype}; there: {there}", where=place
            )
        stated[dtype] = key
    for dtype, found in keys.items():
        if dtype in stated:
            continue
        if len(found) > 1 and dtype not in found:
            raise InputError(
                f"{dtype} has several peaks ({', '.join(found)}); say which is the default",
                where=f"{where}.{dtype}",
            )
        stated[dtype] = dtype if dtype in found else found[0]
    return tuple((dtype, stated[dtype]) for dtype in keys)


def select_peak(
    peaks: Iterable[Peak],
    defaults: Mapping[str, str],
    dtype: str | DType,
    accumulate: str | DType | None,
    engine: str | None,
    chip: str,
) -> Peak:
    """Return the peak for a dtype (or a key in full), narrowed by accumulate dtype and engine.

    Raises
    ------
    UnknownNameError
        If there is none; lists the keys there are.
    """
    asked = dtype if isinstance(dtype, str) else dtype.name
    if isinstance(dtype, str) and ":" in dtype:
        dtype, accumulate, engine = split_key(dtype, chip)
    key = dtype_key(dtype, chip)
    wanted = None if accumulate is None else dtype_key(accumulate, chip)
    peaks = tuple(peaks)
    found = [
        peak
        for peak in peaks
        if peak.dtype == key and wanted in (None, peak.accumulate) and engine in (None, peak.engine)
    ]
    for peak in found:
        if peak.key == defaults[key]:
            return peak
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"several peaks of {chip} fit {asked}: {', '.join(peak.key for peak in found)}; "
            "name the accumulate dtype and the engine"
        )
    detail = "".join(
        f" {name}={value}" for name, value in (("accumulate", wanted), ("engine", engine)) if value
    )
    raise UnknownNameError(
        f"peak of {chip}",
        asked + detail,
        defaults,
        hint=f"it has {', '.join(peak.key for peak in peaks)}",
        same_digits=True,
    )
