from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.models.assembly import Group
from symroof.models.phases import PHASES, Dims, check_phase, groups_of

from .configs import LLAMA_3_8B, bert, t5

B, C, E, P, R, S, T = sr.symbols("B C E P R S T")


def sizes(phase: str, **dims: object) -> list[tuple[object, object, object]]:
    return [(g.sequences, g.new, g.context) for g in groups_of(phase, Dims(**dims))]


def test_groups_of_each_phase() -> None:
    assert sizes("decode") == [(B, 1, S)]
    assert sizes("prefill") == [(B, T, T)]
    assert sizes("prefill", context="C") == [(B, T, C + T)]
    assert sizes("mixed") == [(B, 1, S), (1, T, T)]
    assert sizes("steady") == [(B, 1, S), (R, P, P)]
    assert sizes("training") == [(B, T, T)]


def test_lengths_are_numbers_symbols_or_text() -> None:
    assert sizes("decode", batch=8, context="2*S") == [(8, 1, 2 * S)]
    assert sizes("prefill", batch=1, tokens=512, context=1024) == [(1, 512, 1536)]


def test_a_mixed_step_has_a_prompt_on_each_replica() -> None:
    groups = groups_of("mixed", Dims(), sr.symbols("n"))
    assert groups[1].sequences == sr.symbols("n")


@pytest.mark.parametrize("phase", ["decod", "Prefill", "", "generate"])
def test_unknown_phases(phase: str) -> None:
    with pytest.raises(UnknownNameError):
        groups_of(phase, Dims())


@pytest.mark.parametrize(
    ("phase", "dims", "where"),
    [
        ("decode", {"batch": 0}, "batch"),
        ("decode", {"batch": -3}, "batch"),
        ("decode", {"context": 0}, "context"),
        ("decode", {"batch": "1/2"}, "batch"),
        ("prefill", {"tokens": 0}, "tokens"),
        ("prefill", {"context": -1}, "context"),
        ("training", {"context": 5}, "context"),
        ("steady", {"prompts": 0}, "prompts"),
        ("steady", {"prompt": -1}, "prompt"),
    ],
)
def test_lengths_that_are_none(phase: str, dims: dict[str, object], where: str) -> None:
    with pytest.raises(InputError, match=where):
        groups_of(phase, Dims(**dims))


def test_encoders_have_no_tokens_one_by_one() -> None:
    for phase in PHASES:
        check_phase(phase, LLAMA_3_8B)
        check_phase(phase, t5())
    check_phase("prefill", bert())
    check_phase("training", bert())
    for phase in ("decode", "mixed", "steady"):
        with pytest.raises(InputError, match="bert-base is an encoder"):
            check_phase(phase, bert())


def test_a_group_knows_whether_it_decodes() -> None:
    one, many = (Group(B, n, S) for n in (sr.symbols("S") / S, T))
    assert one.decodes
    assert not many.decodes
