"""A dot product: its intensity tends to 1/2 FLOP per byte in fp16, however long the vectors."""

import symroof as sr
from symroof import ops

n = sr.symbols("n")
g = sr.Graph("dot")
s = ops.dot(g.input("x", n, "fp16"), g.input("y", n, "fp16"))

r = sr.analyze(g, "h100-sxm")
print("intensity   ", g.intensity)
print("as n -> oo  ", r.limit("n"))
print("compute-bound", r.crossover("n").sentence())
