"""Texts that reports show: no control characters, no second line, no marks that turn writing."""

from __future__ import annotations

from typing import Any

import pytest

import symroof as sr
from symroof.errors import InputError, SymroofError
from symroof.graph.about import About
from symroof.graph.spec_read import read_graph
from symroof.hardware import Chip

BAD = ["\x1b[31mred", "a\u202eb", "nul\x00", "two\nlines", "\u2066x", "\u200b"]
SPEC = "schema_version = 1\nname = 'g'\ndtype = 'fp16'\n"


def machine(**fields: Any) -> Chip:
    given: dict[str, Any] = {"peak": {"bf16": "1 TFLOP/s"}, "memory": {"hbm": "1 TB/s"}}
    return Chip(**{"name": "mine", **given, **fields})


@pytest.mark.parametrize("bad", BAD)
def test_what_does_not_print_is_refused_everywhere(bad: str) -> None:
    g = sr.Graph("g")
    x = g.input("x", ("B",), "fp16")
    toml = bad.encode("unicode_escape").decode().replace("\\x", "\\u00")
    places = [
        lambda: sr.Graph(bad),
        lambda: g.input(bad, ("B",), "fp16"),
        lambda: sr.ops.relu(x, name=bad),
        lambda: g.repeat(bad, 2, lambda y: y + y, x),
        lambda: sr.ops.all_reduce(x, group=2, link=bad),
        lambda: sr.ops.custom(inputs=x, output_shape=1, flops=0, link=bad),
        lambda: About(title=bad),
        lambda: About(meanings={"B": bad}),
        lambda: About(chip=bad),
        lambda: machine(name=bad),
        lambda: machine(title=bad),
        lambda: machine(notes=[bad]),
        lambda: machine(aliases=[bad]),
        lambda: machine(memory={"hbm": {"bandwidth": {"value": "1 TB/s", "source": bad}}}),
        lambda: read_graph(f'{SPEC}title = "{toml}"'),
        lambda: read_graph(f'{SPEC}traffic = "{toml}"'),
        lambda: read_graph(f'{SPEC}[tensors."{toml}"]\nshape = 1'),
        lambda: read_graph(f'{SPEC}[symbols]\nB = "{toml}"\n[tensors.x]\nshape = "B"'),
        lambda: read_graph(f'{SPEC}"{toml}" = 1'),
    ]
    for make in places:
        with pytest.raises(SymroofError) as caught:
            make()
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 300


def test_names_and_titles_have_a_length() -> None:
    assert sr.Graph("Llama 3, 8 B: décodage").name == "Llama 3, 8 B: décodage"
    for name in ("", "  ", "a" * 201, 3):
        with pytest.raises(InputError, match=r"^the name of a graph: "):
            sr.Graph(name)  # type: ignore[arg-type]
    assert len(About(title="a" * 500).title) == 500
    with pytest.raises(InputError, match="title: 501 letters; at most 500"):
        About(title="a" * 501)


def test_descriptions_may_have_lines() -> None:
    assert About(description="one\ttwo\r\nthree").description == "one\ttwo\r\nthree"
    with pytest.raises(InputError, match=r"description: U\+202E at column 2"):
        About(description="fine\na\u202eb")
