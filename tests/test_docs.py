"""The examples of the documentation print what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
WITH_EXAMPLES = sorted(page.name for page in DOCS.glob("*.md") if ">>> " in page.read_text("utf-8"))


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_examples_run(page: str) -> None:
    text = (DOCS / page).read_text("utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert test.examples
    assert not runner.failures, "".join(said)
