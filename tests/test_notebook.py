"""The example notebook runs from top to bottom, and shows formulas and tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

NOTEBOOK = Path(__file__).parents[1] / "examples" / "notebook.ipynb"


def test_nothing_of_a_run_is_stored():
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 10
    for cell in code:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
    assert set(stored["metadata"]) == {"kernelspec", "language_info"}
    assert stored["metadata"]["kernelspec"]["name"] == "python3"
    assert not any("/home/" in line or "\\" in line for cell in code for line in cell["source"])


@pytest.mark.filterwarnings("default")  # those of Jupyter's own packages are not ours
def test_it_runs(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    class ThisPython(KernelSpecManager):
        """Kernels run in the interpreter of the test, whatever else is installed."""

        def get_kernel_spec(self, _):
            command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            return KernelSpec(argv=command, display_name="Python 3", language="python")

    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(
        notebook,
        km=AsyncKernelManager(kernel_spec_manager=ThisPython()),
        timeout=300,
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
    )
    ran = client.execute(cleanup_kc=True)  # a manager given is not closed unasked

    cells = [cell for cell in ran.cells if cell.cell_type == "code"]
    shown = {
        "".join(cell.source).splitlines()[-1]: output["data"]
        for cell in cells
        for output in cell.outputs
        if output["output_type"] in ("execute_result", "display_data")
    }
    assert all(output["output_type"] != "error" for cell in cells for output in cell.outputs)
    assert shown["x"]["text/latex"] == (
        r"$\displaystyle M \ge \frac{\mathrm{ridge}_{\mathrm{fp16}} \cdot N\,K}"
        r"{N\,K - \mathrm{ridge}_{\mathrm{fp16}} \cdot (N + K)} \quad\text{given }"
        r"N\,K > \mathrm{ridge}_{\mathrm{fp16}} \cdot (N + K)\text{, else never}$"
    )
    assert r"M \ge 345$" in shown["x.at(N=4096, K=4096)"]["text/latex"]
    assert shown["x.at(N=512, K=512)"]["text/latex"] == r"$\displaystyle \text{never}$"
    assert shown["rule.integer, rule.error, y.verify()"]["text/plain"].startswith("(296, 49, (")
    assert "memory-bound" in shown["r.at(M=64, N=4096, K=4096)"]["text/html"]
    assert "<svg" in shown["sr.plot.roofline(r.at(B=64))"]["text/html"]
    assert "<math" in shown['sr.report(r.at(B=64), r.crossover("B"))']["text/html"]
    for name in ("g", "mlp", "r"):
        ElementTree.fromstring(f"<div>{shown[name]['text/html']}</div>")
