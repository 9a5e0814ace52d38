from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.models.assembly import Group
from symroof.models.phases import LENGTHS, PHASES, Dims, check_lengths, check_phase, groups_of

from .configs import LLAMA_3_8B, bert, llama, t5, whisper

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
        ("prefill", {"context": 1.5}, "context"),
        ("prefill", {"context": float("inf")}, "context"),
        ("training", {"context": 5}, "context"),
        ("steady", {"prompts": 0}, "prompts"),
        ("steady", {"prompt": -1}, "prompt"),
    ],
)
def test_lengths_that_are_none(phase: str, dims: dict[str, object], where: str) -> None:
    with pytest.raises(InputError, match=f"^{where}: "):
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


@pytest.mark.parametrize("name", ["peak", "bw.hbm", "nan", "-x", "1/(2*x)"])
@pytest.mark.parametrize("what", ["batch", "tokens", "context", "prompts", "prompt"])
def test_a_name_of_something_else_is_refused_with_its_place(what: str, name: str) -> None:
    phase = next(phase for phase, lengths in LENGTHS.items() if what in lengths)
    with pytest.raises(InputError, match=f"^{what}: "):
        groups_of(phase, Dims(**{what: name}))


def test_every_phase_has_its_lengths() -> None:
    assert LENGTHS.keys() == PHASES.keys()


@pytest.mark.parametrize(
    ("phase", "dims", "said"),
    [
        ("decode", {"tokens": 512}, "tokens: llama-3-8b has none in decode; it has batch, context"),
        ("prefill", {"prompts": "N"}, "prompts: llama-3-8b has none in prefill"),
        ("steady", {"tokens": 1}, "tokens: llama-3-8b has none in steady"),
        ("training", {"prompt": 1}, "prompt: llama-3-8b has none in training"),
        ("decode", {"source": 512}, "source: llama-3-8b has none in decode"),
    ],
)
def test_a_length_that_a_step_does_not_have(phase: str, dims: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as error:
        check_lengths(phase, Dims(**dims), LLAMA_3_8B)
    assert str(error.value).startswith(said)


def test_only_an_encoder_of_any_length_has_a_source() -> None:
    check_lengths("decode", Dims(source=512), t5())
    with pytest.raises(InputError, match=r"^source: whisper"):
        check_lengths("decode", Dims(source=512), whisper())


@pytest.mark.parametrize(
    ("phase", "dims", "where"),
    [
        ("decode", {"batch": "S"}, "context"),
        ("decode", {"context": "2*B"}, "batch"),
        ("prefill", {"batch": T}, "tokens"),
        ("steady", {"context": "P"}, "prompt"),
    ],
)
def test_a_name_that_nobody_gave_means_one_thing(
    phase: str, dims: dict[str, object], where: str
) -> None:
    with pytest.raises(InputError, match=f"^{where}: ., which it is called unless it is given"):
        check_lengths(phase, Dims(**dims), LLAMA_3_8B)


def test_a_size_of_the_model_is_not_a_length_of_the_step() -> None:
    for phase, name, where in (("decode", "B", "batch"), ("decode", "S", "context")):
        with pytest.raises(InputError, match=f"^{where}: {name}, .* is a size of llama-3-8b too"):
            check_lengths(phase, Dims(), llama(layers=name))
    check_lengths("prefill", Dims(), llama(layers="S"))
    check_lengths("decode", Dims(batch="N", context=64), llama(layers="B"))


def test_names_that_are_given_may_be_equal() -> None:
    check_lengths("decode", Dims(batch="N", context="N"), llama(layers="N"))
    assert sizes("decode", batch="N", context="N")[0][0] == sr.symbols("N")
