"""What the command line prints, word for word; `make golden` rewrites it after a wanted change."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from symroof.cli.main import run

FOLDER = Path(__file__).parent / "cli"
MATMUL = 'crossover "mn,nk->mk" --chip h100-sxm'
COMMANDS = {
    "matmul": f"{MATMUL} --for m --set n=4096 --set k=4096",
    "matmul_never": f"{MATMUL} --for m --set n=512 --set k=512 --explain",
    "matmul_symbolic": "crossover matmul --for M --chip h100-sxm",
    "matmul_json": f"{MATMUL} --for m --set n=4096 --set k=4096 --format json",
    "matmul_bandwidth": f"{MATMUL} --for bw --set m=64 --set n=4096 --set k=4096",
    "analyze_matmul": 'analyze "mn,nk->mk" --chip h100-sxm --set m=64 --set n=4096 --set k=4096',
    "analyze_matmul_json": 'analyze "mn,nk->mk" --chip h100-sxm --set m=64 --format json',
    "mlp": "crossover mlp --for B --chip a100-sxm-80gb",
    "attention_decode": "crossover attention-decode --for B --chip h100-sxm",
    "analyze_layer": "analyze transformer-layer --chip h100-sxm",
    "tensor_parallel": "crossover tensor-parallel-mlp --for B --chip h100-sxm",
    "mixture": "crossover moe --for B --chip h100-sxm",
    "explain_matmul": "explain matmul",
    "explain_mlp": "explain mlp",
    "chip": "chips h100-sxm",
    "chips": "chips",
    "ops": "ops",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_as_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    command = COMMANDS[name]
    code = run(shlex.split(command))
    out, err = capsys.readouterr()
    text = f"$ symroof {command}\n{out}{err}"
    text = "\n".join(line.rstrip() for line in text.splitlines()) + f"\n(exit code {code})\n"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("SYMROOF_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
