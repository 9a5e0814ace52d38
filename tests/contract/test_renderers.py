"""What holds for every format found."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from symroof.errors import SymroofError
from symroof.reports.claims import read_statement, read_value
from symroof.reports.document import Document, claims_of
from symroof.reports.renderers import formats
from tests.reports.sample import HOSTILE, empty, hostile, marked, sample

TEXTS = sorted(
    {module.__name__.rpartition(".")[2]: module for module in formats().values()}.items()
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\ufeff\ud800]")
PLAIN = "word"
ACTING = {"script", "img", "iframe", "object", "embed", "style", "link", "meta", "form", "base"}


def rendered(module, document: Document) -> str:
    """Return a document as text; formats of bytes have tests of their own."""
    if module.EXTENSIONS == ("pdf",):
        pytest.skip("no text")
    found = module.render(document)
    assert isinstance(found, str)
    return found


@pytest.fixture(params=TEXTS, ids=[name for name, _ in TEXTS])
def module(request):
    return request.param[1]


def test_a_format_says_what_it_is(module):
    assert module.TITLE
    assert module.EXTENSIONS
    assert module.__doc__
    assert all(formats()[extension] is module for extension in module.EXTENSIONS)


def test_every_kind_of_node_is_there(module):
    document, words = marked()
    text = rendered(module, document)
    if module.EXTENSIONS[0] == "html":
        text = re.sub(r"<[^<>]*>", "", text)
    assert [word for word in words if word not in text] == []


def test_the_same_document_gives_the_same_bytes(module):
    assert rendered(module, sample()) == rendered(module, sample())


def test_a_document_without_anything_is_written(module):
    try:
        text = rendered(module, empty())
    except SymroofError as error:
        pytest.fail(str(error))
    assert text.endswith("\n")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_come_out_inert(module, name):
    text = rendered(module, hostile(HOSTILE[name]))
    assert CONTROLS.search(text.replace("\r\n", "\n")) is None
    text.encode("utf-8")
    assert_inert(module.EXTENSIONS[0], text, rendered(module, hostile(PLAIN)))


def assert_inert(ending: str, text: str, plain: str) -> None:
    """Assert that a text does nothing that `plain`, of the same document, does not do."""
    if ending == "html":
        assert tags(text) == tags(plain)
    elif ending == "json":
        assert shape(json.loads(text)) == shape(json.loads(plain))
    elif ending == "tex":
        text, plain = (re.sub(r"(?<!\\)%.*", "", found) for found in (text, plain))
        for command in (r"\\(input|include|write|openout|catcode|def)\b", r"\\end\{document\}"):
            assert len(re.findall(command, text)) == len(re.findall(command, plain))


def tags(text: str) -> Counter[str]:
    """Return how often each tag that acts, and each attribute that acts, stands in a page."""
    found: Counter[str] = Counter()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            names = [name for name, _ in attrs if name.startswith("on")]
            addresses = [f"{name}={value}" for name, value in attrs if name in ("href", "src")]
            if tag in ACTING:
                found[tag] += 1
            found.update(names)
            found.update(addresses)

    Reader().feed(text)
    return found


def shape(node: object) -> object:
    """Return JSON without its texts."""
    if isinstance(node, dict):
        return {key: shape(value) for key, value in sorted(node.items())}
    if isinstance(node, list):
        return [shape(part) for part in node]
    return type(node).__name__


@pytest.mark.parametrize("ending", ["txt", "md"])
@pytest.mark.parametrize("name", ["none", *HOSTILE])
def test_what_is_claimed_is_read_back_line_by_line_and_nothing_else(ending, name):
    document = sample() if name == "none" else hostile(HOSTILE[name])
    lines = [line.strip("`> *") for line in formats()[ending].render(document).splitlines()]
    stated = [claim for line in lines if (claim := read_statement(line)) is not None]
    values = [value for line in lines if (value := read_value(line)) is not None]
    facts = [(claim.id, claim.expr, claim.exact, claim.unit, dict(claim.at)) for claim in stated]
    assert facts == [(c.id, c.expr, c.exact, c.unit, dict(c.at)) for c in claims_of(document)]
    assert values == list(document.values.items())
