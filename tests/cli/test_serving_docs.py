"""docs/serving.md: its numbers are those of the code, its commands and examples run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import symroof as sr
from symroof.cli.main import run

TEXT = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


def test_the_examples_run_and_say_what_is_written() -> None:
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "serving.md", "exec"), names)
    m, s = names["m"], names["s"]
    assert m.params == m.active_params == 8030261248  # "8030261248 twice"
    assert m.kv_bytes_per_token("bf16").value == 131072  # "131072 byte"
    said = "# memory; never; 393"
    assert said in TEXT
    assert said == f"# {s.bound(64)}; {s.crossover()}; {s.context_limit.last}"


def test_context_limits() -> None:
    found = re.search(r"(\d+)\s+tokens for Llama 3 8B.*\((\d+) if all.*?; (\d+) where", TEXT, re.S)
    assert found is not None
    products, whole, fused = map(int, found.groups())
    ridge = 989 / 3.35
    cache, attention = 131072, 524288
    assert products == int(2 * (8030261248 - 525336576 - 266240) / (ridge * cache - attention))
    assert whole == int(2 * 8030261248 / (ridge * cache - attention))
    roofline = sr.analyze(sr.model("llama-3-8b").graph("decode"), "h100-sxm")
    intensity = roofline.limit("B")
    assert intensity.at(S=fused).to("FLOP/byte") > ridge > intensity.at(S=fused + 1).to("FLOP/byte")


@pytest.mark.parametrize(
    "command", [line for line in TEXT.splitlines() if line.startswith("symroof ")]
)
def test_every_command_runs(
    command: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(command)[1:]) == 0
    capsys.readouterr()


def test_the_fields_of_json_are_all_named() -> None:
    served = sr.serve("llama-3-8b", "h100-sxm", context=1024).to_dict([8])
    named = set(re.findall(r"`(\w+)`", TEXT))
    assert set(served) <= named
    assert set(served["batches"][0]) <= named
