"""Decoding Llama 3 8B on an H100: where it becomes compute-bound depends on the traffic counted.

Everything is one question, FLOPs / peak >= bytes / bandwidth, with four answers for the bytes. At
a context of 8192 tokens no batch makes it compute-bound, whatever is fused.
"""

import symroof as sr
from symroof import passes
from symroof.graph import Role

g = sr.load("llama-3-8b-decode")  # 32 layers, without embedding and output head
chip = sr.chip("h100-sxm")

kernels = {
    "qkv": ["h_attn", "q", "k", "v"],
    "attn_out": ["attn", "x_attn"],
    "gate_up": ["h_mlp", "gate", "up", "act", "hidden"],
    "mlp_out": ["down", "y"],
}
few = g
for name, parts in kernels.items():
    few = passes.fuse(few, [f"layer/{part}" for part in parts], name=name)

answers = {
    "nothing fused": sr.analyze(g, chip).crossover("B"),
    "elementwise ops ride along": sr.analyze(passes.fuse_elementwise(g), chip).crossover("B"),
    "four kernels beside attention": sr.analyze(few, chip).crossover("B"),
}
moved = g.footprint(Role.WEIGHT) + g.footprint(Role.CACHE)
compute, memory = g.flops / chip.peak("bf16"), moved / chip.bandwidth()
answers["weights and cache only"] = sr.region(compute, memory, "B")

for traffic, answer in answers.items():
    for context in (256, 8192):
        first = answer.at(S=context).first
        print(f"{traffic:30} context {context:5}:", f"B >= {first}" if first else "never")
