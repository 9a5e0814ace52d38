"""Checking reports that were written: any altered digit is found and named."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

import symroof as sr
from symroof.errors import InputError
from symroof.reports.verify import verify


@pytest.fixture(scope="module")
def report() -> sr.Report:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(m=64, n=4096, k=4096)
    return sr.report(r, "m")


@pytest.fixture(scope="module")
def text(report: sr.Report) -> str:
    return str(report.render("json"))


@pytest.mark.parametrize("form", ["json", "md", "txt"])
def test_a_report_holds(report: sr.Report, form: str) -> None:
    found = verify(str(report.render(form)), form)
    assert found.faults == []
    assert found.claims > 20


def test_any_digit_of_a_json_report_counts(text: str) -> None:
    digits = [match.start() for match in re.finditer(r"\d", text)]
    draw = Random(7)
    for at in [*draw.sample(digits, 120), digits[0], digits[-1]]:
        other = draw.choice([digit for digit in "123456789" if digit != text[at]])
        altered = text[:at] + other + text[at + 1 :]
        faults = verify(altered, "json").faults
        assert faults, text[max(0, at - 60) : at + 20]
        assert all(fault.id for fault in faults)


def test_a_number_that_does_not_follow_is_named(text: str) -> None:
    report = json.loads(text)
    claim = next(c for c in _claims(report) if c["id"] == "time.memory")
    # 2 bytes of 64*4096 + 4096*4096 + 64*4096 elements through 3.35 TB/s, by hand
    assert claim["exact"] == "33792/3271484375"
    claim["exact"] = "33793/3271484375"
    faults = verify(json.dumps(report), "json").faults
    assert [fault.id for fault in faults][:2] == ["section time", "time.memory"]
    assert "33792/3271484375 comes out" in str(faults[1])


def test_words_that_were_altered_are_named_by_their_section(text: str) -> None:
    report = json.loads(text)
    section = next(s for s in report["sections"] if s["id"] == "conventions")
    section["blocks"][0]["items"][0][0]["text"] = "FLOPs: a multiply-add is 1."
    assert [fault.id for fault in verify(json.dumps(report), "json").faults] == [
        "section conventions"
    ]


@pytest.mark.parametrize(
    ("text", "form", "says"),
    [
        ("", "json", "not JSON"),
        ("[" * 100_000, "json", "not JSON"),
        ("[]", "json", "not a report"),
        ('{"kind": "report"}', "json", "values"),
        ('{"kind": "report", "values": {}, "sections": [{"type": "claim"}]}', "json", "not whole"),
        ("Some text.", "txt", "no exact expressions"),
        ("<html>", "html", "carries no exact expressions"),
    ],
)
def test_what_is_no_report(text: str, form: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        verify(text, form)


@pytest.mark.parametrize("form", ["md", "txt"])
def test_text_and_markdown_are_checked_by_what_stands_in_them(report: sr.Report, form: str) -> None:
    text = str(report.render(form)).replace("= 33792/3271484375 s", "= 33793/3271484375 s")
    assert {fault.id for fault in verify(text, form).faults} >= {"time.memory"}


@pytest.mark.parametrize("form", ["md", "txt"])
@pytest.mark.parametrize(
    ("before", "after", "section"),
    [
        ("so from m = 345 on", "so from m = 346 on", "answer"),
        ("memory-bound", "compute-bound", "answer"),
        ("3.35 TB/s", "3.85 TB/s", "head"),
        ("a multiply-add is 2", "a multiply-add is 1", "conventions"),
        ("value k = 4096", "value k = 4097", "values"),
    ],
)
def test_any_word_of_text_and_markdown_counts(
    report: sr.Report, form: str, before: str, after: str, section: str
) -> None:
    text = str(report.render(form)).replace("$`m`$", "m")
    altered = text.replace(before, after, 1)
    assert altered != text
    ids = {fault.id for fault in verify(altered, form).faults}
    assert f"section {section}" in ids


@pytest.mark.parametrize("form", ["md", "txt"])
def test_lines_that_are_gone_are_missed(report: sr.Report, form: str) -> None:
    lines = str(report.render(form)).splitlines()
    at = next(i for i, line in enumerate(lines) if "answer.from" in line)
    assert verify("\n".join(lines[:at] + lines[at + 1 :]), form).faults
    assert verify("\n".join(line for line in lines if "digest" not in line), form).faults
    spaced = "\r\n".join(line + "  " for line in lines)
    assert verify(spaced, form).faults == []


def _claims(tree: object) -> list[dict[str, str]]:
    if isinstance(tree, dict):
        own = [tree] if tree.get("type") == "claim" else []
        return own + [claim for value in tree.values() for claim in _claims(value)]
    if isinstance(tree, list):
        return [claim for value in tree for claim in _claims(value)]
    return []


@pytest.mark.parametrize(
    "claim",
    [
        {"shown": "1e999999999"},
        {"shown": "9" * 100_000},
        {"exact": "9" * 100_000},
        {"expr": "9**9**9**9"},
        {"expr": "(" * 5000 + "m" + ")" * 5000},
        {"expr": "+".join(["m"] * 500_000)},
        {"expr": "a" * 10_000_000},
        {"expr": "x.claim + 1"},
        {"expr": "floor(log2(2**4000 - 1))"},
        {"at": {"m": "m + 1"}},
    ],
    ids=lambda claim: next(iter(claim)),
)
def test_bombs_are_answered_at_once(claim: dict[str, object]) -> None:
    whole = {"type": "claim", "id": "x.claim", "expr": "m", "exact": "1", "unit": "", "at": {}}
    whole |= {"shown": "1"} | claim
    report = {"kind": "report", "values": {"m": "2"}, "sections": [{"id": "a", "x": whole}]}
    faults = verify(json.dumps(report), "json").faults
    assert "x.claim" in {fault.id for fault in faults}
    assert all("\n" not in str(fault) and len(str(fault)) < 1000 for fault in faults)


@pytest.mark.parametrize("sections", [1, None, "x", [1], [[[]]], {"a": 1}])
def test_any_shape_of_sections_is_read(sections: object) -> None:
    report = {"kind": "report", "values": {}, "sections": sections, "digests": {"head": 1}}
    assert verify(json.dumps(report), "json").faults
