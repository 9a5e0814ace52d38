"""A bar after a while, on standard error, on terminals only; and no trace of it afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from symroof.cli import progress as module
from symroof.cli.progress import progress

Run = Callable[..., tuple[int, str, str]]

SOON = """
import sys, time
from symroof.cli import progress as module
module.DELAY = 0.05
"""
BODY = """
with module.progress("sweep", steps=4) as bar:
    bar.advance(0, "first")
    time.sleep(3)
    bar.advance(2, "second")
    time.sleep(1)
print("result")
"""
COLOUR = re.compile(r"\x1b\[(3|4|9|10)[0-9][;m]")


def test_shown_after_a_while_and_taken_away(on_terminal: Run) -> None:
    code, out, err = on_terminal(SOON + BODY)
    assert (code, out) == (0, "result\n")
    assert "sweep" in err
    assert "first" in err
    assert "second" in err
    assert " 50%" in err
    assert "\n" not in err.rstrip().removesuffix("\x1b[2K").replace("\r\n\x1b[?25h", "").strip(
        "\r\n"
    )
    assert err.endswith("\x1b[2K")
    assert "\x1b[?25h" in err  # the cursor is back


def test_nothing_before_a_while(on_terminal: Run) -> None:
    program = "from symroof.cli.progress import progress\nimport sys, time\n"
    program += "with progress('x', steps=1) as bar:\n    bar.advance()\n    time.sleep(0.1)\n"
    program += "print('rich' in sys.modules)\n"
    assert on_terminal(program) == (0, "False\n", "")


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"TERM": ""}])
def test_nothing_on_a_dumb_terminal(on_terminal: Run, variables: dict[str, str]) -> None:
    assert on_terminal(SOON + BODY, **variables) == (0, "result\n", "")


def test_nothing_in_pipes(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DELAY", 0)
    monkeypatch.setenv("TERM", "xterm")
    with progress("x", steps=2) as bar:
        bar.advance(2, "there")
    assert bar.done == 2
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr("sys.stderr", None)
    with progress("x"):
        pass


def test_no_colour_where_none_is_wanted(on_terminal: Run) -> None:
    assert COLOUR.search(on_terminal(SOON + BODY)[2])
    _, _, err = on_terminal(SOON + BODY, NO_COLOR="1")
    assert "sweep" in err
    assert not COLOUR.search(err)


@pytest.mark.parametrize("columns", ["20", "60"])
def test_one_line_on_narrow_terminals(on_terminal: Run, columns: str) -> None:
    body = BODY.replace('"first"', '"a long note " * 20')
    _, _, err = on_terminal(SOON + body, COLUMNS=columns)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", err).replace("\r", "\n").split("\n")
    assert max(map(len, lines)) <= int(columns)


def test_names_cannot_write_on_the_screen(on_terminal: Run) -> None:
    body = BODY.replace('"first"', r'"[red]a\x1b[2J\u202eb"')
    _, _, err = on_terminal(SOON + body)
    assert "\x1b[2J" not in err
    assert "\u202e" not in err
    assert "[red]a" in err


@pytest.mark.parametrize("error", ["ValueError", "KeyboardInterrupt"])
def test_taken_away_when_the_work_fails(on_terminal: Run, error: str) -> None:
    body = f"""
try:
    with module.progress("sweep"):
        time.sleep(3)
        raise {error}
except {error}:
    sys.exit(7)
"""
    code, _, err = on_terminal(SOON + body)
    assert code == 7
    assert "sweep" in err
    assert "Traceback" not in err
    assert err.endswith("\x1b[2K")


def test_what_draws_the_bar_may_be_missing(on_terminal: Run) -> None:
    program = SOON + "sys.modules['rich.progress'] = None\n" + BODY
    assert on_terminal(program) == (0, "result\n", "")


def test_phases_begin_one_after_the_other() -> None:
    with progress("x", steps=3) as bar:
        for done, phase in enumerate(("read", "cost", "print")):
            bar.tick(phase)
            assert (bar.done, bar.note) == (done, phase)


def test_threads_count_together() -> None:
    with progress("x", steps=4000) as bar, ThreadPoolExecutor(8) as pool:
        for _ in range(4000):
            pool.submit(bar.advance)
        pool.shutdown()
        assert bar.done == 4000


def test_commands_say_what_they_do(on_terminal: Run, tmp_path: Path) -> None:
    path = tmp_path / "chain.toml"
    head = 'schema_version = 1\nname = "chain"\ndtype = "bf16"\n[tensors.x0]\nshape = ["B", "D"]\n'
    ops = [f'[[ops]]\nop = "relu"\nname = "x{i + 1}"\ninputs = ["x{i}"]\n' for i in range(3000)]
    path.write_text(head + "".join(ops))
    # What draws the bar is loaded before: the work itself may be over sooner than that takes.
    program = SOON + "import rich.progress\nfrom symroof.cli.main import main\nmain()\n"
    arguments = ["--chip", "h100-sxm", "--format", "json"]
    code, out, err = on_terminal(program, "analyze", str(path), *arguments)
    assert (code, out[:1]) == (0, "{")
    assert re.search("analyze .*(reading|costs|work)", err)
    code, out, err = on_terminal(program, "crossover", str(path), "--for", "B", *arguments)
    assert (code, out[:1]) == (0, "{")
    assert re.search("crossover .*(reading|costs|solving)", err)
