"""Reports, word for word; `make golden` rewrites them after a wanted change."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

import symroof as sr
from symroof.reports.verify import verify

FOLDER = Path(__file__).parent / "reports"
EXAMPLES = Path(__file__).parents[2] / "examples"
FORMATS = ("txt", "md", "json")

# What is reported: the algorithm, what is set, and the symbol that is asked for.
CASES: dict[str, tuple[str, dict[str, int], str]] = {
    "matmul": ("mn,nk->mk", {"m": 64, "n": 4096, "k": 4096}, "m"),
    "gated_mlp": (str(EXAMPLES / "gated_mlp.toml"), {}, "B"),
    "attention_decode": ("attention-decode", {}, "B"),
    "transformer_layer": ("transformer-layer", {}, "B"),
    "tensor_parallel_mlp": ("tensor-parallel-mlp", {"B": 4096}, "B"),
}


@cache
def report_of(name: str) -> sr.Report:
    spec, given, unknown = CASES[name]
    graph = sr.load(spec)
    defaults = {key: value for key, value in graph.about.defaults.items() if key not in given}
    r = sr.analyze(graph, "h100-sxm").at({**given, **defaults})
    return sr.report(r, unknown, defaults=defaults)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", CASES)
def test_report_is_as_before(name: str, form: str) -> None:
    text = str(report_of(name).render(form))
    path = FOLDER / f"{name}.{form}"
    if os.environ.get("SYMROOF_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*")), ids=lambda path: path.name)
def test_stored_reports_hold(path: Path) -> None:
    found = verify(path.read_text(encoding="utf-8"), path.suffix.removeprefix("."))
    assert found.faults == []


def test_the_same_input_gives_the_same_bytes() -> None:
    report_of.cache_clear()
    first = report_of("gated_mlp").render("json")
    report_of.cache_clear()
    assert report_of("gated_mlp").render("json") == first
