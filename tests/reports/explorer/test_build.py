"""The file: one page, no network, no code of others, the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.reports.explorer import explore

SPECS = ("matmul", "mlp", "attention-decode", "moe", "tensor-parallel-mlp", "transformer-layer")


@pytest.mark.parametrize("spec", SPECS)
def test_one_file_without_network_under_200_kb(spec: str) -> None:
    page = explore(sr.analyze(sr.load(spec), "h100-sxm")).html
    assert len(page.encode()) < 200_000
    addresses = set(re.findall(r"https?://[^\"' >]+", page))
    assert addresses <= {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"}
    assert "[[" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_the_policy_names_the_one_script_and_the_one_style() -> None:
    page = explore(sr.analyze(sr.load("matmul"), "h100-sxm")).html
    script = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    assert (len(script), len(style)) == (1, 1)
    for content in (*script, *style):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page
    assert "unsafe" not in page


def test_data_cannot_end_its_script() -> None:
    graph = sr.Graph("</script><script>alert(1)</script><!--")
    graph.output(graph.input("a", ("B",), "fp16") * 2)
    page = explore(sr.analyze(graph, "h100-sxm")).html
    assert page.count("<script") == page.count("</script>") == 2
    assert json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])["slots"][0]["name"] == "B"


def test_the_same_bytes_in_every_process() -> None:
    code = (
        "import symroof as sr, zlib;"
        "print(zlib.crc32(sr.explore(sr.analyze(sr.load('moe'), 'h100-sxm')).html.encode()))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(sr.__file__).parents[1])},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_the_closed_form_is_on_the_page_as_maths() -> None:
    page = explore(sr.analyze(sr.load("mn,nk->mk"), "h100-sxm")).html
    terms = re.findall(r'<ul class="terms".*?</ul>', page, flags=re.DOTALL)[0]
    shown = re.findall(r"<li (?![^>]*hidden).*?</li>", terms, flags=re.DOTALL)
    assert [row.count("<math") for row in shown] == [1, 1]
    assert "<mfrac>" in terms


def test_the_first_crossover_is_the_one_that_is_asked_for() -> None:
    roofline = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm")
    for name, place in (("k", 2), ("bw", 4)):
        data = re.findall(r'id="data">(.*?)</script>', explore(roofline, name).html)[0]
        assert json.loads(data)["unknown"] == place


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    roofline = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm")
    with pytest.raises(UnknownNameError, match="'q'"):
        explore(roofline, "q")
    with pytest.raises(InputError, match="expected a Roofline, got str"):
        explore("matmul")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"10\*\*60"):
        explore(roofline.at(n=10**61))
    graph = sr.Graph("fixed")
    graph.output(graph.input("a", (8,), "fp16") * 2)
    with pytest.raises(InputError, match="no symbols to move"):
        explore(sr.analyze(graph, "h100-sxm"))
    with pytest.raises(InputError, match=r"\.html"):
        explore(roofline).save(tmp_path / "page.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        explore(roofline).save(tmp_path / "missing" / "page.html")
    assert list(tmp_path.iterdir()) == []
