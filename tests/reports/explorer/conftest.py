"""A page of Chromium for the explorer; its tests are skipped where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from symroof.reports.explorer import Explorer


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open an explorer from the file system; every line on the console is a failure."""
    said: list[str] = []
    contexts = []

    def opened(explorer: Explorer, width: int = 1280, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 844}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: _only_file(request.url, said))
        path = explorer.save(tmp_path / f"{len(contexts)}.html")
        page.goto(path.as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_selector("#map svg")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def _only_file(url: str, said: list[str]) -> None:
    if not url.startswith(("file:", "data:")):
        said.append(f"a request to {url}")
