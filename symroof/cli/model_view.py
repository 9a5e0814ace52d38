"""Language models, as text for people and as plain data."""

from __future__ import annotations

from typing import Any

from sympy import Expr

from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.models import Attention, LatentAttention, Layer, Mixture, Model, StateSpace, model
from symroof.models.catalog import models
from symroof.models.config import FeedForward
from symroof.roofline.documents import SCHEMA_VERSION
from symroof.symbolic import adopt, to_text
from symroof.units import dtype as dtype_of
from symroof.units import human

COUNTS = (
    "Parameters are the elements of all weights; active ones are those one token meets, the"
    " embedding table included. Bytes of the cache are for all layers."
)
CACHE_DTYPES = ("bf16", "fp8")


def models_view() -> tuple[str, list[Block]]:
    """Return a table of the models known by name."""
    rows = []
    for name in models():
        found = model(name)
        rows.append(
            [
                name,
                _number(found.params),
                "" if found.active_params == found.params else _number(found.active_params),
                to_text(found.config.decoder.depth),
                to_text(found.config.hidden),
                human(found.kv_bytes_per_token("bf16"), 4),
            ]
        )
    header = ["model", "parameters", "active", "layers", "hidden", "cache per token, bf16"]
    return (
        f"{len(rows)} models; symroof model NAME says more, symroof serve NAME runs it",
        [
            Grid(header, rows, frozenset({1, 2, 3, 4, 5}), optional=(4, 3)),
            Sentence(COUNTS, dim=True),
        ],
    )


def models_document() -> dict[str, Any]:
    """Return the models known by name as plain data."""
    return {"schema_version": SCHEMA_VERSION, "models": [_facts(model(name)) for name in models()]}


def model_document(source: str) -> dict[str, Any]:
    """Return a model as plain data."""
    return {"schema_version": SCHEMA_VERSION, "model": _facts(model(source))}


def model_view(source: str) -> tuple[str, list[Block]]:
    """Return the parameters, the cache and the layers of a model."""
    found = model(source)
    config = found.config
    rows = [("parameters", _number(found.params, exact=True))]
    if found.active_params != found.params:
        rows.append(("active", f"{_number(found.active_params, exact=True)} for each token"))
    rows.append(("hidden size", to_text(config.hidden)))
    if config.embedding.vocabulary is not None:
        tied = config.head is not None and config.head.tied
        words = ", the output head has the same table" if tied else ""
        rows.append(("vocabulary", f"{to_text(config.embedding.vocabulary)}{words}"))
    if config.context is not None:
        rows.append(("longest context", f"{to_text(config.context)} tokens"))
    if config.weights is not None:
        rows.append(("weights stored in", dtype_of(config.weights).name))
    elif config.dtype is not None:
        rows.append(("the file is in", dtype_of(config.dtype).name))
    for dtype in CACHE_DTYPES:
        rows.append((f"cache per token, {dtype}", human(found.kv_bytes_per_token(dtype), 6)))
    layers = [
        [to_text(count), _mixer(layer), _feed_forward(layer)]
        for stack in (config.encoder, config.decoder)
        if stack is not None
        for layer, count in stack.layers
    ]
    total = adopt(found.params)
    parts = [
        [part, _number(amount), _share(adopt(amount), total)]
        for part, amount in found.params_by_part.items()
    ]
    blocks: list[Block] = [
        Lines(rows),
        Grid(["layers", "mixes tokens by", "then"], layers, frozenset({0})),
        Grid(["part", "parameters", "share"], parts, frozenset({1, 2})),
    ]
    if config.defaults:
        blocks.append(Sentence(f"Not in the file, and taken: {'; '.join(config.defaults)}."))
    if config.left_out:
        blocks.append(Sentence(f"Not modelled: {'; '.join(config.left_out)}."))
    if config.source:
        blocks.append(Sentence(f"Source: {config.source}", dim=True))
    blocks.append(Sentence(COUNTS, dim=True))
    return f"{found.name}   {config.family}", blocks


def _facts(found: Model) -> dict[str, Any]:
    config = found.config
    return {
        "name": found.name,
        "family": config.family,
        "params": _plain(found.params),
        "active_params": _plain(found.active_params),
        "params_by_part": {part: _plain(n) for part, n in found.params_by_part.items()},
        "kv_bytes_per_token": {
            dtype: found.kv_bytes_per_token(dtype).to_dict() for dtype in CACHE_DTYPES
        },
        "hidden": _plain(config.hidden),
        "layers": _plain(config.decoder.depth),
        "weights": None if config.weights is None else dtype_of(config.weights).name,
        "dtype": None if config.dtype is None else dtype_of(config.dtype).name,
        "defaults": list(config.defaults),
        "left_out": list(config.left_out),
        "source": config.source,
    }


def _plain(amount: Any) -> int | str:
    expr = adopt(amount)
    return int(expr) if expr.is_Integer else to_text(expr)


def _number(amount: Any, *, exact: bool = False) -> str:
    expr = adopt(amount)
    if not expr.is_Integer:
        return to_text(expr)
    number = int(expr)
    short = next(
        (
            f"{number / size:.4g} {unit}"
            for size, unit in ((10**12, "T"), (10**9, "B"), (10**6, "M"))
            if number >= size
        ),
        f"{number:,}",
    )
    return f"{number:,} ({short})" if exact and short != f"{number:,}" else short


def _share(amount: Expr, total: Expr) -> str:
    ratio = amount / total
    return f"{float(ratio) * 100:.1f} %" if ratio.is_number else ""


def _mixer(layer: Layer) -> str:
    match layer.mixer:
        case Attention() as found:
            heads = f"{to_text(found.heads)} heads of {to_text(found.head_dim)}"
            if found.kv_heads != found.heads:
                heads += f" on {to_text(found.kv_heads)} of keys and values"
            reach = f", last {to_text(found.window)} tokens" if found.window is not None else ""
            cross = ", and attention to the encoder" if layer.cross is not None else ""
            return f"attention, {heads}{reach}{cross}"
        case LatentAttention() as found:
            return f"latent attention, {to_text(found.heads)} heads, rank {to_text(found.rank)}"
        case StateSpace() as found:
            return f"state space, {to_text(found.heads)} heads, state {to_text(found.state)}"
    return "–"


def _feed_forward(layer: Layer) -> str:
    match layer.feed_forward:
        case Mixture() as found:
            shared = " and a shared one" if found.shared is not None else ""
            return (
                f"{to_text(found.top_k)} of {to_text(found.experts)} experts of"
                f" {to_text(found.width)}{shared}"
            )
        case FeedForward() as found:
            gated = "gated, " if found.gated else ""
            return f"feed-forward, {gated}{to_text(found.width)}"
    return "–"
