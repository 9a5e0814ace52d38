"""symroof: a symbolic roofline engine.

Describe an algorithm as a graph of ops with symbolic FLOPs and bytes, name a machine, and get
closed forms, each with the condition under which it holds.

>>> import symroof as sr
>>> M, N, K = sr.symbols("M N K")
>>> g = sr.Graph("matmul")
>>> c = g.input("A", (M, N), "fp16") @ g.weight("W", (N, K), "fp16")
>>> r = sr.analyze(g, "h100-sxm")
>>> r.crossover("M").at(N=4096, K=4096).first
345
"""

from __future__ import annotations

# Type checkers know the name; `typing` itself takes longer to load than all else here.
TYPE_CHECKING = False

__version__ = "0.1.0"

# Name -> module that defines it. Nothing heavy is imported until a name is used.
_HOMES = {
    "SymroofError": "errors",
    "symbols": "symbolic",
    "Quantity": "units",
    "DType": "units",
    "dtype": "units",
    "human": "units",
    "Graph": "graph",
    "Mesh": "graph",
    "Role": "graph",
    "Tensor": "graph",
    "Tile": "graph.tile",
    "Tiling": "tiles",
    "tiling": "tiles",
    "load": "graph",
    "Chip": "hardware",
    "chip": "hardware",
    "chips": "hardware",
    "System": "hardware",
    "system": "hardware",
    "systems": "hardware",
    "Ring": "network",
    "Line": "network",
    "Switch": "network",
    "FullyConnected": "network",
    "Torus": "network",
    "Tree": "network",
    "Crossover": "solve",
    "Kind": "solve",
    "Bound": "roofline",
    "Roofline": "roofline",
    "analyze": "roofline",
    "region": "roofline",
    "Report": "reports.report",
    "report": "reports.report",
    "Explorer": "reports.explorer",
    "explore": "reports.explorer",
    "Model": "models",
    "Parallel": "models",
    "model": "models",
    "compile": "sweeps",
    "compare": "measurements",
    "calibrate": "measurements",
    "measure": "probes",
    "validate": "probes",
    "serve": "serving.serve",
    "Serving": "serving.serving",
}
_MODULES = ("ops", "passes", "plot", "errors")

if TYPE_CHECKING:
    from typing import Any

    from symroof import ops as ops
    from symroof import plot as plot
    from symroof.errors import SymroofError as SymroofError
    from symroof.graph import Graph as Graph
    from symroof.graph import Mesh as Mesh
    from symroof.graph import Role as Role
    from symroof.graph import Tensor as Tensor
    from symroof.graph import load as load
    from symroof.graph import passes as passes
    from symroof.graph.tile import Tile as Tile
    from symroof.hardware import Chip as Chip
    from symroof.hardware import System as System
    from symroof.hardware import chip as chip
    from symroof.hardware import chips as chips
    from symroof.hardware import system as system
    from symroof.hardware import systems as systems
    from symroof.measurements import calibrate as calibrate
    from symroof.measurements import compare as compare
    from symroof.models import Model as Model
    from symroof.models import Parallel as Parallel
    from symroof.models.model import model as model
    from symroof.network import FullyConnected as FullyConnected
    from symroof.network import Line as Line
    from symroof.network import Ring as Ring
    from symroof.network import Switch as Switch
    from symroof.network import Torus as Torus
    from symroof.network import Tree as Tree
    from symroof.probes import measure as measure
    from symroof.probes import validate as validate
    from symroof.reports.explorer import Explorer as Explorer
    from symroof.reports.explorer import explore as explore
    from symroof.reports.report import Report as Report
    from symroof.reports.report import report as report
    from symroof.roofline import Bound as Bound
    from symroof.roofline import Roofline as Roofline
    from symroof.roofline import analyze as analyze
    from symroof.roofline import region as region
    from symroof.serving.serve import serve as serve
    from symroof.serving.serving import Serving as Serving
    from symroof.solve import Crossover as Crossover
    from symroof.solve import Kind as Kind
    from symroof.sweeps import compile as compile  # noqa: A004
    from symroof.symbolic import symbols as symbols
    from symroof.tiles import Tiling as Tiling
    from symroof.tiles import tiling as tiling
    from symroof.units import DType as DType
    from symroof.units import Quantity as Quantity
    from symroof.units import dtype as dtype
    from symroof.units import human as human

__all__ = ["__version__", *sorted(_HOMES), "ops", "passes", "plot"]


def __getattr__(name: str) -> Any:
    from importlib import import_module  # here, for `import symroof` to load nothing

    if name in _HOMES:
        value = getattr(import_module(f"symroof.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"symroof.{'graph.passes' if name == 'passes' else name}")
    else:
        raise AttributeError(f"module 'symroof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({"__version__", *_HOMES, *_MODULES})
