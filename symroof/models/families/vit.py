"""ViT: an encoder of patches of an image behind a class token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Integer, floor

from symroof.models.config import (
    Attention,
    Embedding,
    FeedForward,
    Head,
    Layer,
    ModelConfig,
    Stack,
)
from symroof.models.families.common import LAYER, activation, plain_heads
from symroof.models.families.patterns import layer_count
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("vit")
def vit(f: Fields) -> ModelConfig:
    """Read ViT: with classes where the file is of a classifier, else with a pooler."""
    hidden = f.dim("hidden_size")
    bias = f.flag("qkv_bias", default=True)
    network = FeedForward(
        f.dim("intermediate_size"), gated=False, bias=True, activation=activation(f)
    )
    layer = Layer(_with_out_bias(f, hidden, bias=bias), network, norm=LAYER)
    high, wide = _sides(f, "image_size")
    rows, columns = _sides(f, "patch_size")
    if any(
        side.is_Integer and part.is_Integer and side < part
        for side, part in ((high, rows), (wide, columns))
    ):
        raise f.error("patch_size", "larger than the image")
    patches = _floor(high, rows) * _floor(wide, columns)
    return ModelConfig(
        name=f.family,
        family=f.family,
        hidden=hidden,
        decoder=Stack(((layer, layer_count(f)),), causal=False, final_norm=LAYER),
        embedding=Embedding(
            None,
            positions=patches + 1,
            patch=f.dim("num_channels") * rows * columns,
            extra=Integer(1),
        ),
        head=_head(f, hidden),
        context=patches + 1,
    )


def _with_out_bias(f: Fields, hidden: Expr, *, bias: bool) -> Attention:
    return replace(plain_heads(f, hidden, bias=bias), out_bias=True)


def _head(f: Fields, hidden: Expr) -> Head:
    names = f.items("architectures") or []
    if "ViTForImageClassification" not in names:
        return Head(f.dim("pooler_output_size", default=hidden), bias=True, pooled=True)
    f.read("pooler_output_size")
    _, labels = f.get("id2label")
    if isinstance(labels, Mapping) and labels:
        return Head(Integer(len(labels)), bias=True, pooled=True)
    return Head(f.dim("num_labels", "_num_labels", default=2), bias=True, pooled=True)


def _sides(f: Fields, name: str) -> tuple[Expr, Expr]:
    """Return height and width; one number is both."""
    _, value = f.get(name)
    if not isinstance(value, (list, tuple)):
        side = f.dim(name)
        return side, side
    if len(value) != 2:
        raise f.error(name, f"expected one number or two, not {len(value)}")
    each = Fields(dict(zip(("0", "1"), value, strict=True)), f.where, path=f"{f.path}{name}.")
    return each.dim("0"), each.dim("1")


def _floor(side: Expr, part: Expr) -> Expr:
    whole = side / part
    return floor(whole) if whole.is_number else whole
