"""Every worked problem on serving is covered by exactly one test."""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]
PROBLEMS = [
    problem["id"]
    for problem in json.loads(
        (TESTS / "data" / "serving_problems.json").read_text(encoding="utf-8")
    )
]


def named(source: str) -> list[str]:
    """The problems that decorators ``solves(...)`` of a file name, patterns written out."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="solves"), args=arguments):
                for argument in arguments:
                    found += list(spelt(argument))
            case _:
                pass
    return found


def spelt(argument: ast.expr) -> list[str]:
    """A constant, or ``*(f"inf-05-{batch}" for batch in (1, 8))``."""
    match argument:
        case ast.Constant(value=str(name)):
            return [name]
        case ast.Starred(
            value=ast.GeneratorExp(elt=ast.JoinedStr() as form, generators=[loop])
        ) if isinstance(loop.target, ast.Name):
            values = ast.literal_eval(loop.iter)
            return ["".join(part_of(part, value) for part in form.values) for value in values]
        case _:
            raise AssertionError(f"solves({ast.unparse(argument)}) names no problem")


def part_of(part: ast.expr, value: object) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else str(value)


def test_there_are_68_problems() -> None:
    assert len(PROBLEMS) == len(set(PROBLEMS)) == 68


def test_each_is_solved_once() -> None:
    counted = Counter(
        problem
        for folder in ("serving", "models")
        for path in sorted((TESTS / folder).rglob("test_*.py"))
        for problem in named(path.read_text(encoding="utf-8"))
    )
    assert counted == Counter(PROBLEMS)
