"""GPT-NeoX and Pythia: attention and network side by side, each behind its norm."""

from __future__ import annotations

from symroof.models.config import FeedForward, Layer, ModelConfig
from symroof.models.families.common import LAYER, activation, decoder_only, plain_heads
from symroof.models.families.patterns import layer_count
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("gpt_neox")
def gpt_neox(f: Fields) -> ModelConfig:
    """Read GPT-NeoX."""
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=True)
    layer = Layer(
        plain_heads(f, hidden, bias=bias, rotary=True),
        FeedForward(f.dim("intermediate_size"), gated=False, bias=True, activation=activation(f)),
        norm=LAYER,
        parallel=f.flag("use_parallel_residual", default=True),
    )
    return decoder_only(f, hidden, [(layer, layer_count(f))], norm=LAYER)
