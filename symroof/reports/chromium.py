"""An installed Chromium, Chrome or Edge, found and asked to print a page to PDF."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from symroof.errors import SymroofError

VARIABLE = "CHROMIUM"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
MAC = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
WINDOWS = (
    r"Google\Chrome\Application\chrome.exe",
    r"Chromium\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
)
TIMEOUT = 120.0
ENDING = 5.0

# No request leaves the machine: a report needs none, and its page is not trusted with any.
OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--no-first-run",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--no-pdf-header-footer",
    "--print-to-pdf-no-header",
)


def find() -> Path:
    """Return the browser: what the variable ``CHROMIUM`` names, else the first that is installed.

    Raises
    ------
    SymroofError
        If there is none, or the variable names no program.
    """
    if wanted := os.environ.get(VARIABLE, "").strip():
        found = shutil.which(wanted)
        if found is None:
            raise SymroofError(f"{VARIABLE} names no program that can be run: {wanted!r}")
        return Path(found)
    for place in _places():
        return place
    raise SymroofError(
        "a PDF is printed by Chromium, Chrome or Edge, and none was found; install one or set "
        f"{VARIABLE} to its path"
    )


def _places() -> Iterator[Path]:
    for name in NAMES:
        if found := shutil.which(name):
            yield Path(found)
    folders: list[Path] = []
    inside: tuple[str, ...] = ()
    if sys.platform == "darwin":
        folders, inside = [Path("/Applications"), Path.home() / "Applications"], MAC
    elif sys.platform == "win32":
        variables = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        folders = [Path(os.environ[name]) for name in variables if name in os.environ]
        inside = WINDOWS
    for folder in folders:
        for tail in inside:
            if (folder / tail).is_file():
                yield folder / tail


def printed(page: str, timeout: float = TIMEOUT) -> bytes:
    """Return a page of HTML as PDF.

    Parameters
    ----------
    page : str
        The whole page; nothing is loaded beside it.
    timeout : float
        Seconds after which the browser is ended.

    Raises
    ------
    SymroofError
        If there is no browser, it fails, or it takes too long.
    """
    browser = find()
    with tempfile.TemporaryDirectory(prefix="symroof-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, target = folder / "page.html", folder / "page.pdf"
        source.write_text(page, "utf-8")
        command = [
            str(browser),
            *OPTIONS,
            *(["--no-sandbox", "--disable-dev-shm-usage"] if _is_root() else []),
            f"--user-data-dir={folder / 'profile'}",
            f"--print-to-pdf={target}",
            source.as_uri(),
        ]
        said = _run(command, folder / "log", timeout)
        try:
            data = target.read_bytes()
        except OSError:
            data = b""
        if not data.startswith(b"%PDF"):
            raise SymroofError(f"{browser.name} printed no PDF{said}")
        return data


def _run(command: list[str], log: Path, timeout: float) -> str:
    """Run a browser to its end, and return what went wrong in a few words; nothing if it did not.

    What it says goes to a file: its helpers hold a pipe open when it is killed.
    """
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            raise SymroofError(f"{command[0]} cannot be run: {error.strerror}") from None
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise SymroofError(
                f"{Path(command[0]).name} took longer than {timeout:g} s to print a PDF"
            ) from None
        finally:
            _end(process)
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    reason = f": {lines[-1][:200]}" if lines else ""
    return f" (exit status {code}){reason}" if code else reason


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a browser that still runs, with its helpers."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(ENDING)


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0
