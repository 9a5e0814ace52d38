"""Programs on a terminal of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Seen = tuple[int, str, str]
"""Exit code, standard output, standard error."""


@pytest.fixture
def on_terminal() -> Callable[..., Seen]:
    """Return a function that runs a program with standard error, or output too, on a terminal."""
    pty = pytest.importorskip("pty")

    def run(program: str, *arguments: str, both: bool = False, **variables: str) -> Seen:
        ours, theirs = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        environment |= {"TERM": "xterm-256color", "COLUMNS": "80", **variables}
        with subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=theirs if both else subprocess.PIPE,
            stderr=theirs,
            env=environment,
        ) as process:
            os.close(theirs)
            shown = _all(ours)
            out = b"" if process.stdout is None else process.stdout.read()
        os.close(ours)
        return process.returncode, out.decode(), shown.decode()

    return run


def _all(terminal: int) -> bytes:
    found = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side is closed
            return found
        if not part:
            return found
        found += part
