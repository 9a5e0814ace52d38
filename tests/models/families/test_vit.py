from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config
from symroof.symbolic import symbols

from .counted import PUBLISHED, small


def test_vit_base_sees_196_patches_and_a_class_token() -> None:
    found = from_hf_config(PUBLISHED["vit-base-patch16-224"][0])
    assert (found.embedding.patch, found.embedding.extra) == (3 * 16 * 16, 1)
    assert (found.embedding.positions, found.context) == (197, 197)
    assert found.embedding.vocabulary is None
    assert not found.decoder.causal


def test_a_classifier_has_classes_and_other_files_a_pooler() -> None:
    assert from_hf_config(small("vit_classes")).head.outputs == 7
    head = from_hf_config(small("vit")).head
    assert (head.outputs, head.pooled) == (48, True)


def test_height_and_width_may_differ() -> None:
    found = from_hf_config(small("vit", image_size=[32, 64], patch_size=[8, 16]))
    assert (found.embedding.patch, found.embedding.positions) == (3 * 8 * 16, 4 * 4 + 1)


def test_a_patch_that_does_not_divide_the_image_leaves_its_edge() -> None:
    assert from_hf_config(small("vit", image_size=39)).embedding.positions == 4 * 4 + 1


def test_a_symbol_for_the_size_of_the_image() -> None:
    found = from_hf_config(small("vit"), image_size="X")
    assert found.embedding.positions == (symbols("X") / 8) ** 2 + 1


@pytest.mark.parametrize(
    ("size", "where"),
    [([32], "image_size"), ([32, 0], r"image_size\.1"), (4, "patch_size"), ("x y", "image_size")],
)
def test_sizes_that_are_none(size: object, where: str) -> None:
    with pytest.raises(InputError, match=f"config: {where}"):
        from_hf_config(small("vit", image_size=size))
