"""A gated feed-forward network: the batch that makes it compute-bound depends on what is fused."""

import symroof as sr
from symroof import ops, passes

B, D, F = sr.symbols("B D F")
g = sr.Graph("mlp")
x = g.input("x", (B, D), "bf16")
gate = ops.matmul(x, g.weight("w_gate", (D, F), "bf16"), name="gate")
up = ops.matmul(x, g.weight("w_up", (D, F), "bf16"), name="up")
act = ops.silu(gate, name="act")
hidden = ops.mul(act, up, name="hidden")
y = ops.matmul(hidden, g.weight("w_down", (F, D), "bf16"), name="y")

for traffic in (
    g,
    passes.fuse_elementwise(g),
    passes.fuse(g, ["gate", "up", "act", "hidden"], name="gate_up"),
):
    found = sr.analyze(traffic, "h100-sxm").crossover("B")
    print(f"{traffic.traffic}: {found.sentence()}")
    print(f"    Llama 3 8B: from B = {found.at(D=4096, F=14336).first} on")
