from __future__ import annotations

import pytest

from symroof.reports.visible import is_address, visible
from tests.reports.sample import HOSTILE


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_all_of_it_prints_in_one_line(text):
    assert visible(text).isprintable()
    visible(text).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("B·S ≤ 行列 é", "B·S ≤ 行列 é"),
        ("a\x00\x1b\x7f\x9b", "a\\x00\\x1b\\x7f\\x9b"),
        ("a\r\n\tb\u2028c\xa0d", "a   b c d"),
        ("\u202e\u200b\ufeff", "\\u202e\\u200b\\ufeff"),
        ("\ud800\U000e0001", "\\ud800\\U000e0001"),
    ],
)
def test_what_does_not_print_is_spelled_out(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("url", ["http://a", "https://a.org/b?c=d#e", "HTTPS://A.ORG"])
def test_addresses_of_the_web(url):
    assert is_address(url)


@pytest.mark.parametrize("url", ["", "a.org", "//a.org", "file:///etc", "https://", "xhttps://a"])
def test_other_addresses(url):
    assert not is_address(url)


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "https://a b", "https://a\nb", "https://a\u202e"],
)
def test_what_acts_or_does_not_print_is_no_address(url):
    assert not is_address(url)
