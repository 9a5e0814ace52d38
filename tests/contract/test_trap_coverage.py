"""Every trap and every worked problem has its tests, and every number of a trap is asserted."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TRAPS = {
    trap["id"]: trap["answer"]
    for trap in json.loads((TESTS / "data" / "traps.json").read_text(encoding="utf-8"))
}
PROSE = {
    "rule",
    "required",
    "required_behaviour",
    "x_plus_G",
    "T=2.0",
    "at_0",
    "bound",
    "intensity",
}
"""Keys whose text tells what must happen, for people; tests do it, and compare with nothing."""
NAME = re.compile(r"test_(b\d+)_\w{8,}")


@cache
def functions() -> tuple[ast.FunctionDef, ...]:
    """The tests on traps, as they are written."""
    return tuple(
        node
        for path in sorted((TESTS / "traps").glob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def keys_read(test: ast.FunctionDef) -> set[str]:
    """Patterns of the keys of the fixture `answer` that a test reads."""
    found = set()
    for node in ast.walk(test):
        match node:
            case ast.Subscript(value=ast.Name(id="answer"), slice=ast.Constant(value=key)):
                found.add(re.escape(key))
            case ast.Subscript(value=ast.Name(id="answer"), slice=ast.JoinedStr(values=parts)):
                found.add(
                    "".join(
                        re.escape(part.value) if isinstance(part, ast.Constant) else ".+"
                        for part in parts
                    )
                )
            case _:
                pass
    return found


def values(trap: str) -> list[str]:
    """Keys of the answer of a trap that hold something to compare with."""
    return [
        key for key, value in TRAPS[trap].items() if not (key in PROSE and isinstance(value, str))
    ]


def of_trap(trap: str) -> list[ast.FunctionDef]:
    return [test for test in functions() if test.name.startswith(f"test_{trap.lower()}_")]


def test_tests_are_named_after_a_trap_that_there_is() -> None:
    for test in functions():
        match = NAME.fullmatch(test.name)
        assert match is not None, test.name
        assert match[1].upper() in TRAPS, test.name


def test_there_are_43_traps() -> None:
    assert len(TRAPS) == 43


@pytest.mark.parametrize("trap", TRAPS)
def test_trap_has_a_test_of_its_numbers_and_more_of_its_kind(trap: str) -> None:
    tests = of_trap(trap)
    with_numbers = [t for t in tests if "answer" in {a.arg for a in t.args.args}]
    assert with_numbers or not values(trap), f"no test reads the numbers of {trap}"
    assert len(tests) > len(with_numbers), f"{trap} is tested at its own numbers only"


@pytest.mark.parametrize(("trap", "key"), [(trap, key) for trap in TRAPS for key in values(trap)])
def test_every_value_of_an_answer_is_read(trap: str, key: str) -> None:
    patterns = set().union(*map(keys_read, of_trap(trap)))
    assert any(re.fullmatch(p, key) for p in patterns), f"no test of {trap} reads {key!r}"


def test_every_worked_problem_has_a_solver() -> None:
    """As written: a decorator names each problem once; that all are right is asserted there."""
    problems = json.loads((TESTS / "data" / "worked_problems.json").read_text(encoding="utf-8"))
    source = ast.parse((TESTS / "test_worked_problems.py").read_text(encoding="utf-8"))
    named = [
        argument.value
        for node in ast.walk(source)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == "solves"
        for argument in node.args
        if isinstance(argument, ast.Constant)
    ]
    assert sorted(named) == sorted(problem["id"] for problem in problems)
    assert len(named) == 48
