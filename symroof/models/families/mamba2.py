"""Mamba-2: layers that keep a state of fixed size, and nothing else."""

from __future__ import annotations

from symroof.models.config import Layer, ModelConfig, StateSpace
from symroof.models.families.common import decoder_only
from symroof.models.families.patterns import layer_count
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("mamba2")
def mamba2(f: Fields) -> ModelConfig:
    """Read Mamba-2."""
    f.read("hidden_act", "rms_norm", "norm_before_gate")
    hidden = f.dim("hidden_size")
    mixer = StateSpace(
        f.dim("num_heads"),
        f.dim("head_dim"),
        f.dim("state_size"),
        f.dim("n_groups"),
        f.dim("conv_kernel"),
        conv_bias=f.flag("use_conv_bias", default=True),
        bias=f.flag("use_bias", default=False),
    )
    inner = f.dim_or_none("expand")
    if inner is not None:
        inner *= hidden
        held = mixer.heads * mixer.head_dim
        if inner.is_Integer and held.is_Integer and inner != held:
            raise f.error("num_heads", f"heads hold {held} elements, but expand makes {inner}")
    layer = Layer(mixer, None, name="mamba")
    return decoder_only(f, hidden, [(layer, layer_count(f, "num_hidden_layers", "n_layer"))])
