"""BERT and RoBERTa: encoders with a pooler."""

from __future__ import annotations

from symroof.models.config import (
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

# RoBERTa counts positions from behind the row for padding.
PADDING = 2


@family("bert", "roberta", "xlm-roberta", "camembert")
def bert(f: Fields) -> ModelConfig:
    """Read an encoder whose first vector a dense layer turns into the vector of the sequence."""
    for name in ("is_decoder", "add_cross_attention"):
        f.refuse(name, "only the encoder is modelled")
    place = f.text("position_embedding_type", default="absolute")
    if place != "absolute":
        raise f.error("position_embedding_type", "only absolute positions are modelled")
    f.read("directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_type")
    f.read("pooler_num_fc_layers", "pooler_size_per_head", "tie_word_embeddings")
    hidden = f.dim("hidden_size")
    layer = Layer(
        plain_heads(f, hidden),
        FeedForward(f.dim("intermediate_size"), gated=False, bias=True, activation=activation(f)),
        norm=LAYER,
        before=False,
    )
    positions = f.dim("max_position_embeddings")
    f.left_out.append("heads for a task: the encoder with its pooler is modelled")
    return ModelConfig(
        name=f.family,
        family=f.family,
        hidden=hidden,
        decoder=Stack(((layer, layer_count(f)),), causal=False, final_norm=None),
        embedding=Embedding(
            f.dim("vocab_size"),
            positions=positions,
            kinds=f.dim("type_vocab_size"),
            norm=LAYER,
        ),
        head=Head(hidden, bias=True, pooled=True),
        context=positions if f.family == "bert" else positions - PADDING,
    )
