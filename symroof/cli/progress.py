"""A bar on standard error for what takes longer than a second."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

DELAY = 1.0
"""Seconds before anything is shown."""


class Progress:
    """What the body of `progress` says how far it is with."""

    def __init__(self, title: str, steps: int | None) -> None:
        self.title = title
        self.steps = steps
        self.done = 0
        self.note = ""
        self._began = monotonic()
        self._ticked = False
        self._over = False
        self._bar: Any = None
        self._lock = threading.Lock()

    def advance(self, n: int = 1, note: str = "") -> None:
        """Say that `n` more steps are done, and what comes now; an empty note leaves the last."""
        with self._lock:
            self.done += n
            self.note = note or self.note
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self.done, note=_line(self.note))

    def tick(self, note: str) -> None:
        """Say that a phase begins, which ends the one before.

        It is a ``Callable[[str], None]`` to hand down: layers below need not know of bars.
        """
        self.advance(int(self._ticked), note)
        self._ticked = True

    def show(self) -> None:
        """Show the bar, unless the work is over by now."""
        with suppress(Exception):  # no work fails because of its bar
            bar = _bar(self.steps is not None)
            with self._lock:
                if self._over:
                    return
                bar.add_task(
                    _line(self.title),
                    total=self.steps,
                    completed=self.done,
                    note=_line(self.note),
                )
                bar.tasks[0].start_time = self._began
                bar.start()
                self._bar = bar

    def close(self) -> None:
        """Take the bar away, and show none from now on."""
        with self._lock:
            self._over = True
            bar, self._bar = self._bar, None
        if bar is not None:
            with suppress(Exception):
                bar.stop()


@contextmanager
def progress(title: str, steps: int | None = None) -> Iterator[Progress]:
    """Show a bar on standard error while the body runs, once it has run for a second.

    It is shown on terminals only, never in pipes or on a dumb terminal, and leaves no trace.
    Standard output is not touched, so print what is to be read after the body, not within: on a
    terminal both are one screen. Work that takes less than a second costs one waiting thread at
    most, and loads nothing.

    Parameters
    ----------
    title : str
        What is being done.
    steps : int, optional
        How many steps there are; without it the bar only says that work goes on.

    Yields
    ------
    Progress
        With ``advance(n=1, note="")`` for steps that are done, and ``tick(note)`` for phases that
        begin; both may come from any thread.

    Examples
    --------
    Count what is done:

    >>> with progress("squares", steps=3) as bar:
    ...     for n in range(3):
    ...         bar.advance(note=f"{n} squared")
    >>> bar.done
    3

    Or hand `tick` to a layer that knows its phases but nothing of terminals:

    >>> def analysed(tick):
    ...     tick("costs")
    ...     tick("times")
    >>> with progress("analyze", steps=2) as bar:
    ...     analysed(bar.tick)
    """
    shown = Progress(title, steps)
    if not _is_screen():
        yield shown
        return
    timer = threading.Timer(DELAY, shown.show)
    timer.daemon = True
    timer.start()
    try:
        yield shown
    finally:
        timer.cancel()
        shown.close()
        timer.join()  # it may be in the middle of loading what draws the bar
        shown.close()


def _is_screen() -> bool:
    """Return whether standard error is a terminal that can move its cursor."""
    try:
        return sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    except (AttributeError, ValueError):  # none, or closed
        return False


def _bar(counted: bool) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    whole = Column(no_wrap=True, overflow="ellipsis")
    rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    console = Console(stderr=True)
    columns = [
        TextColumn("{task.description}", markup=False, table_column=whole),
        BarColumn(bar_width=20 if console.width >= 80 else 10),
        *([TaskProgressColumn()] if counted else []),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", style="dim", markup=False, table_column=rest),
    ]
    return Bar(
        *columns,
        console=console,
        transient=True,
        expand=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text[:200])
