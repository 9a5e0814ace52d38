"""Chromium for tests of pages; they are skipped where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from symroof.errors import SymroofError
from symroof.reports import chromium

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# One per module: two at once in a process do not go together.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api")
    try:
        found = chromium.find()
    except SymroofError:
        pytest.skip("no chromium executable")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(found), args=ARGUMENTS)
        yield opened
        opened.close()
