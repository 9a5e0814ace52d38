from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from symroof.errors import SymroofError
from symroof.reports import chromium
from symroof.reports.renderers import pdf
from tests.reports.sample import sample


@pytest.fixture(scope="module")
def printed() -> bytes:
    try:
        chromium.find()
    except SymroofError:
        pytest.skip("no chromium executable")
    return pdf.render(sample())


def test_a_document_is_printed_on_pages(printed):
    assert printed.startswith(b"%PDF")
    assert printed.rstrip().endswith(b"%%EOF")


def test_the_same_document_gives_the_same_bytes(printed):
    assert pdf.render(sample()) == printed


def test_the_day_is_not_in_it(printed):
    dates = re.findall(rb"/(?:CreationDate|ModDate) \(D:([0-9]{8})", printed)
    assert set(dates) <= {b"19800101"}


def test_the_words_are_on_the_pages(printed, tmp_path):
    if shutil.which("pdftotext") is None:
        pytest.skip("no pdftotext")
    (tmp_path / "report.pdf").write_bytes(printed)
    done = subprocess.run(
        ["pdftotext", "-layout", "report.pdf", "-"], cwd=tmp_path, capture_output=True, check=True
    )
    words = done.stdout.decode("utf-8")
    for wanted in ("matmul on h100-sxm", "10.3 µs", "Crossover", "What the ops do."):
        assert wanted in words
    # contents and what is folded away are for the screen
    assert "Every number, exactly" not in words


def test_dates_are_set_to_one_day_without_moving_anything():
    given = b"<< /CreationDate (D:20260102030405+01'00')\n/ModDate (D:20260102030405Z) >>"
    found = pdf.undated(given)
    assert len(found) == len(given)
    assert found.count(b"19800101000000") == 2
