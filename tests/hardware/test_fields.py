"""Fields: what is unknown, missing or of another type is named."""

from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.hardware.fields import ChipFields, LevelFields, read_fields


def test_fields_are_read():
    fields = read_fields({"name": "x", "aliases": ["a"], "link": object}, ChipFields, "here")
    assert (fields.name, fields.aliases, fields.link) == ("x", ("a",), object)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"capasity": "80 GB"}, "here: unknown field 'capasity'; did you mean 'capacity'"),
        ({"zzz": 1}, "here: unknown field 'zzz'; known: bandwidth, capacity, main"),
        ({3: 1}, "here: unknown field '3'"),
        ({"main": "yes"}, "here: main: expected bool, got text"),
    ],
)
def test_what_is_wrong(given, message):
    with pytest.raises(InputError, match=message):
        read_fields(given, LevelFields, "here")
