"""Check a report that was written: recompute every number from the formulas that stand in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symroof.errors import InputError
from symroof.reports.claims import Fault, check, read_statement, read_value
from symroof.reports.digests import altered, altered_lines, read_digest
from symroof.reports.document import Claim
from symroof.reports.plots.check import check_lines

DECORATION = "`> *"


@dataclass(frozen=True, slots=True)
class Verification:
    """What came out of a check.

    Attributes
    ----------
    claims : int
        How many numbers and truths were recomputed.
    faults : list of Fault
        Those that do not hold, and sections that were altered.
    """

    claims: int
    faults: list[Fault]


def verify(text: str, format: str) -> Verification:  # noqa: A002
    r"""Recompute every number of a report from what is written in it.

    Parameters
    ----------
    text : str
        The content of a report.
    format : str
        ``json``, ``md`` or ``txt``: the formats that carry exact expressions.

    Raises
    ------
    InputError
        If it is no report, or of a format without exact expressions.

    Examples
    --------
    >>> verify("value m = 4\n  twice = 2*m = 9", "txt").faults[-1].found
    '8 comes out'
    """
    if format == "json":
        return _verify_json(text)
    if format not in ("md", "txt"):
        raise InputError(f"{format} carries no exact expressions; verify json, md or txt")
    whole = text.splitlines()
    lines = [line.strip().strip(DECORATION) for line in whole]
    values = dict(value for line in lines if (value := read_value(line)))
    claims = [claim for line in lines if (claim := read_statement(line))]
    if not claims and not any(read_digest(line) for line in whole):
        raise InputError("no exact expressions found; is it a report of symroof?")
    return Verification(len(claims), altered_lines(whole) + check(claims, values))


def _verify_json(text: str) -> Verification:
    try:
        report = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}") from None
    if not isinstance(report, dict) or report.get("kind") != "report":
        raise InputError("not a report of symroof (its kind is not 'report')")
    values = report.get("values")
    if not isinstance(values, dict) or not all(isinstance(v, str) for v in values.values()):
        raise InputError("the values of the report are not text")
    claims = [_claim(found) for found in _objects(report, "claim")]
    faults = check(claims, values)
    for mark in _objects(report, "line"):
        faults.extend(check_lines(mark, values))
    return Verification(len(claims), altered(report) + faults)


def _claim(found: Mapping[str, Any]) -> Claim:
    """Return a claim of plain data, whose parts all are text."""
    at = found.get("at")
    names = ("id", "expr", "exact", "unit", "shown")
    texts = [text for text in map(found.get, names) if isinstance(text, str)]
    if len(texts) < len(names) or not isinstance(at, dict) or not all(map(_is_text, at.values())):
        raise InputError(f"a claim is not whole: {str(found)[:80]}")
    key, expr, exact, unit, shown = texts
    return Claim(key, expr, exact, unit, shown, at)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _objects(tree: object, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a type, in the order in which they stand."""
    stack = [tree]
    while stack:
        found = stack.pop()
        if isinstance(found, dict):
            if found.get("type") == kind:
                yield found
            stack.extend(reversed(list(found.values())))
        elif isinstance(found, list):
            stack.extend(reversed(found))
