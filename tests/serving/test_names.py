"""Names that mean something in the formulas of serving."""

from __future__ import annotations

from dataclasses import replace

import pytest

import symroof as sr
from symroof.errors import InputError
from symroof.serving.names import check_length, check_sizes

from .small import LLAMA_8B

H100 = "h100-sxm"


@pytest.mark.parametrize("name", ["B", "B_dense", "N_gpus", "bits", "T"])
@pytest.mark.parametrize("memory", ["touched", "full"])
def test_a_length_has_a_name_of_its_own(name: str, memory: str) -> None:
    with pytest.raises(InputError, match=f"^context: {name} is "):
        sr.serve(LLAMA_8B, H100, context=name, memory=memory)
    with pytest.raises(InputError, match=f"^decode: {name} is "):
        sr.serve(LLAMA_8B, H100, prefill=8, decode=f"{name} + 1", memory=memory)


@pytest.mark.parametrize("name", ["L", "compute", "MemBW", "P_model", "GPU_mem_per_gpu"])
def test_names_of_sums_are_taken_in_mode_full_alone(name: str) -> None:
    check_length([name], "context")
    with pytest.raises(InputError, match=f"^context: {name} is .*so take another name"):
        check_length([name], "context", full=True)


@pytest.mark.parametrize("name", ["B", "S", "p", "d", "N_gpus"])
def test_a_size_of_a_model_has_a_name_of_its_own(name: str) -> None:
    config = replace(LLAMA_8B, hidden=sr.symbols(name))
    with pytest.raises(InputError, match=f"^sizes of model: {name} is "):
        sr.serve(config, H100, context=64)


def test_layers_may_be_called_what_they_are() -> None:
    layer = LLAMA_8B.decoder.layers[0][0]
    stack = replace(LLAMA_8B.decoder, layers=((layer, sr.symbols("L")),))
    check_sizes(replace(LLAMA_8B, decoder=stack), full=True)
    with pytest.raises(InputError, match="L is the number of layers"):
        check_sizes(replace(LLAMA_8B, hidden=sr.symbols("L")), full=True)
    check_sizes(replace(LLAMA_8B, hidden=sr.symbols("L")))


def test_prompts_and_answers_may_swap_their_names() -> None:
    swapped = sr.serve(LLAMA_8B, H100, prefill="d", decode="p")
    plain = sr.serve(LLAMA_8B, H100, prefill=512, decode=1024)
    found = swapped.t_mem.at(d=512, p=1024, B_dense=100)
    assert found.value == plain.t_mem.at(B_dense=100).value
