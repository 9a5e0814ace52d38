"""Reports, word for word; `make golden` rewrites them after a wanted change."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

import symroof as sr
from symroof.reports.verify import verify

FOLDER = Path(__file__).parent / "reports"
EXAMPLES = Path(__file__).parents[2] / "examples"
CPU = str(Path(__file__).parent / "cpu.toml")
FORMATS = ("txt", "md", "json")


class Case(NamedTuple):
    """What is reported: the algorithm, what is set, the symbol asked for, the machine, choices."""

    spec: str
    given: dict[str, int]
    unknown: str | None
    machine: str = "h100-sxm"
    choices: Mapping[str, object] = MappingProxyType({})


CASES = {
    "matmul": Case("mn,nk->mk", {"m": 64, "n": 4096, "k": 4096}, "m"),
    "gated_mlp": Case(str(EXAMPLES / "gated_mlp.toml"), {}, "B"),
    "attention_decode": Case("attention-decode", {}, "B"),
    "transformer_layer": Case("transformer-layer", {}, "B"),
    "tensor_parallel_mlp": Case("tensor-parallel-mlp", {"B": 4096}, "B"),
    "tensor_parallel_node": Case("tensor-parallel-mlp", {"B": 4096, "n": 8}, "n", "8xh100-sxm"),
    "partial": Case(
        "mn,nk->mk", {"m": 256, "n": 8192, "k": 8192}, None, choices={"residency": "partial"}
    ),
    "ceilings": Case(
        "km,kn->mn",
        {"k": 4096, "m": 64, "n": 4096},
        "m",
        CPU,
        {"ceilings": ["no simd", "no fma", "no prefetch"], "launch": True},
    ),
    "two_nodes": Case(str(EXAMPLES / "all_reduce.toml"), {}, None, "dgx-h100-2"),
}

SERVED: dict[str, tuple[str, str, dict[str, object]]] = {
    "llama_3_8b": ("llama-3-8b", "h100-sxm", {"context": 1024}),
    "llama_2_70b": (
        "llama-2-70b",
        "8xa100-sxm-80gb",
        {"prefill": 512, "decode": 1024, "memory": "full"},
    ),
}


@cache
def report_of(name: str) -> sr.Report:
    if name in SERVED:
        model, chips, load = SERVED[name]
        return sr.report(sr.serve(model, chips, **load))
    spec, given, unknown, machine, choices = CASES[name]
    graph = sr.load(spec)
    defaults = {key: value for key, value in graph.about.defaults.items() if key not in given}
    numbers = {**given, **defaults}
    r = sr.analyze(graph, machine, sizes=numbers, **choices).at(numbers)  # type: ignore[arg-type]
    return sr.report(r, unknown, defaults=defaults)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", [*CASES, *SERVED])
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
