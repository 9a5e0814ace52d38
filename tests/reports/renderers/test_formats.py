import pytest

from symroof.errors import UnknownNameError
from symroof.reports.renderers import formats, render, renderer
from tests.reports.sample import sample


def test_formats_are_found_by_extension_without_a_dot():
    assert {"txt", "md"} <= set(formats())
    assert list(formats()) == sorted(formats())
    assert all(ending == ending.lower() and "." not in ending for ending in formats())


@pytest.mark.parametrize("asked", ["md", ".md", "MD", "markdown", "Markdown"])
def test_a_format_is_named_by_its_extension_or_its_name(asked):
    assert renderer(asked) is formats()["md"]


@pytest.mark.parametrize(
    ("asked", "near"),
    [("markdwon", "markdown"), (".mdd", "md"), ("txtt", "txt"), ("texte", "text")],
)
def test_an_unknown_format_offers_the_nearest(asked, near):
    with pytest.raises(UnknownNameError, match="unknown format") as caught:
        render(sample(), asked)
    assert caught.value.suggestion == near


@pytest.mark.parametrize("asked", ["", ".", "docx", "md.exe", "../md", "x" * 5000])
def test_what_is_no_format_is_one_short_line_that_lists_them(asked):
    with pytest.raises(UnknownNameError) as caught:
        render(sample(), asked)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert "md" in caught.value.known


def test_rendering_by_format_is_that_of_the_module():
    assert render(sample(), "txt") == formats()["txt"].render(sample())
