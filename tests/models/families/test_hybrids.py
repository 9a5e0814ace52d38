from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.config import FeedForward
from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def counts(name: str, **fields: object) -> dict[str, int]:
    found = from_hf_config(small(name, **fields))
    return {layer.name: int(count) for layer, count in found.decoder.layers}


def test_bamba_has_attention_where_the_file_says() -> None:
    assert counts("bamba") == {"mamba": 4, "attention": 2}
    assert counts("bamba", attn_layer_indices=None) == {"layer": 6}


def test_a_size_of_heads_that_is_auto_is_what_expand_makes() -> None:
    found = from_hf_config(small("bamba", mamba_d_head="auto"))
    assert found.decoder.layers[0][0].mixer.head_dim == 2 * 48 // 12


def test_heads_that_do_not_hold_what_expand_makes() -> None:
    with pytest.raises(InputError, match="config: mamba_n_heads: 11 heads do not hold 96 elements"):
        from_hf_config(small("bamba", mamba_n_heads=11))


def test_granite_4_tiny() -> None:
    found = from_hf_config(PUBLISHED["granite-4-h-tiny"][0])
    (mamba, mambas), (attention, attentions) = found.decoder.layers
    assert (mamba.name, mambas, attention.name, attentions) == ("mamba", 36, "attention", 4)
    experts = attention.feed_forward
    assert (experts.experts, experts.top_k, experts.width, experts.shared.width) == (
        64,
        6,
        512,
        1024,
    )
    assert not attention.mixer.rotary


def test_granite_4_without_experts_has_the_shared_network() -> None:
    layer = from_hf_config(small("granite4_dense")).decoder.layers[0][0]
    assert isinstance(layer.feed_forward, FeedForward)
    assert layer.feed_forward.width == 40


def test_kinds_may_have_the_names_of_later_files() -> None:
    kinds = ["linear_attention"] * 5 + ["full_attention"]
    assert counts("granite4", layer_types=kinds) == {"mamba": 5, "attention": 1}


def test_a_kind_of_layer_that_is_unknown() -> None:
    with pytest.raises(InputError, match=r"layer_types\[1\]: unknown kind of layer"):
        counts("granite4", layer_types=["mamba", "rwkv"])


def test_layers_of_nemotron_h_have_one_part_each() -> None:
    found = from_hf_config(PUBLISHED["nemotron-h-8b"][0])
    parts = {layer.name: (layer, count) for layer, count in found.decoder.layers}
    assert {name: count for name, (_, count) in parts.items()} == {
        "mamba": 24,
        "mlp": 24,
        "attention": 4,
    }
    assert parts["mlp"][0].mixer is None
    assert parts["attention"][0].feed_forward is None
    assert (parts["mlp"][0].feed_forward.activation, parts["mlp"][0].feed_forward.gated) == (
        "relu2",
        False,
    )


def test_parts_of_nemotron_h_may_be_a_list() -> None:
    kinds = ["mamba", "moe", "attention", "moe", "mlp", "mamba"]
    found = counts("nemotron_h", hybrid_override_pattern=None, layers_block_type=kinds)
    assert found == {"mamba": 2, "moe": 2, "attention": 1, "mlp": 1}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("M-M*EX", r"hybrid_override_pattern\[5\]: unknown 'X'"),
        ("M-", "hybrid_override_pattern: 2 letters for 6 layers"),
        ("", "hybrid_override_pattern: it is empty"),
        (None, "missing field 'hybrid_override_pattern'"),
    ],
)
def test_patterns_that_are_none(pattern: str | None, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        counts("nemotron_h", hybrid_override_pattern=pattern)


def test_experts_in_a_smaller_space_are_refused() -> None:
    with pytest.raises(InputError, match="config: moe_latent_size"):
        counts("nemotron_h", moe_latent_size=16)


def test_a_symbolic_number_of_layers_needs_layers_that_are_alike() -> None:
    assert from_hf_config(small("mamba2"), num_hidden_layers="L").decoder.depth.free_symbols
    with pytest.raises(InputError, match="num_hidden_layers: L layers"):
        from_hf_config(small("bamba"), num_hidden_layers="L")
    with pytest.raises(InputError, match="num_hidden_layers: L layers"):
        from_hf_config(small("nemotron_h"), num_hidden_layers="L")
