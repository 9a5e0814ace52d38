"""Attention: prefill becomes compute-bound with the length of the prompt, decode never does."""

import symroof as sr
from symroof import ops

B, S = sr.symbols("B S")
H, HKV, d = 32, 8, 128  # Llama 3 8B

prefill = sr.Graph("prefill")
q = prefill.input("q", (B, H, S, d), "bf16")
k, v = (prefill.input(name, (B, HKV, S, d), "bf16") for name in "kv")
ops.attention(q, k, v, mask="causal")

decode = sr.Graph("decode")
q = decode.input("q", (B, H, 1, d), "bf16")
k, v = (decode.cache(name, (B, HKV, S, d), "bf16") for name in "kv")
ops.attention(q, k, v)

for g in (prefill, decode):
    r = sr.analyze(g, "h100-sxm")
    print(f"{g.name}: intensity {g.intensity}, as S -> oo {r.limit('S')}")
    print(f"    compute-bound: {r.crossover('S').sentence()}")
