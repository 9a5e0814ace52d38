"""A matrix product: from how many rows on is it compute-bound? Not from the ridge point on."""

import symroof as sr

M, N, K = sr.symbols("M N K")
g = sr.Graph("matmul")
c = g.input("A", (M, N), "fp16") @ g.weight("W", (N, K), "fp16")

r = sr.analyze(g, "h100-sxm")
x = r.crossover("M")
print("compute-bound if and only if", x.sentence())
for size in (512, 1024, 4096, 8192):
    y = x.at(N=size, K=size)
    print(f"N = K = {size:5}:", "never" if y.first is None else f"from M = {y.first} on")
print(f"the rule of thumb says M >= {r.critical_intensity.to('FLOP/byte'):.1f} for all of them")
