from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def counts(**fields: object) -> dict[str, int]:
    found = from_hf_config(small("llama4_text", **fields))
    return {layer.name: int(count) for layer, count in found.decoder.layers}


def test_scout_has_chunks_in_three_layers_of_four() -> None:
    (local, locals_), (everywhere, globals_) = from_hf_config(
        PUBLISHED["llama-4-scout, text"][0]
    ).decoder.layers
    assert (local.name, local.mixer.chunk, locals_) == ("local_moe", 8192, 36)
    assert (everywhere.name, everywhere.mixer.chunk, globals_) == ("global_moe", None, 12)
    assert (local.mixer.rotary, everywhere.mixer.rotary) == (True, False)
    experts = local.feed_forward
    assert (experts.experts, experts.top_k, experts.width, experts.shared.width) == (
        16,
        1,
        8192,
        8192,
    )


def test_every_second_layer_may_be_dense_and_wider() -> None:
    assert counts() == {"local_dense": 3, "local_moe": 2, "global_moe": 1}
    found = from_hf_config(small("llama4_text"))
    assert found.decoder.layers[0][0].feed_forward.width == 96


def test_lists_of_the_file_go_first() -> None:
    kinds = ["chunked_attention"] * 5 + ["full_attention"]
    assert counts(layer_types=kinds, moe_layers=[0]) == {
        "local_moe": 1,
        "local_dense": 4,
        "global_dense": 1,
    }
    assert counts(no_rope_layers=[1, 0] * 3, moe_layers=[]) == {
        "local_dense": 3,
        "global_dense": 3,
    }


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"layer_types": ["full_attention"]}, "layer_types: 1 entries for 6 layers"),
        ({"layer_types": ["x"] * 6}, r"layer_types\[0\]: unknown kind of layer"),
        ({"no_rope_layers": [2] * 6}, r"no_rope_layers\[0\]: expected 0 or 1, not the number 2"),
    ],
)
def test_lists_that_do_not_fit(fields: dict[str, object], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        counts(**fields)
