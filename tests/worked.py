"""Published worked problems in files, and the functions that solve them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Problem = dict[str, Any]
Solver = Callable[[Problem], Any]


def problems_of(file: str) -> dict[str, Problem]:
    """Return the problems of a data file by their ids."""
    text = (Path(__file__).parent / "data" / file).read_text(encoding="utf-8")
    return {problem["id"]: problem for problem in json.loads(text)}


class Solvers(dict[str, Solver]):
    """Which function solves which problem."""

    def solves(self, *problems: str) -> Callable[[Any], Any]:
        """Say which problems a function solves."""

        def kept(solver: Any) -> Any:
            for problem in problems:
                assert problem not in self, f"{problem} is solved twice"
                self[problem] = solver
            return solver

        return kept
