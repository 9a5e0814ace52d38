"""A transformer layer over a prompt: what bounds it op by op, and how much memory it takes."""

import symroof as sr
from symroof.graph import footprint
from symroof.units import human

g = sr.load("transformer-layer")
print(g.about.title)
r = sr.analyze(g, "h100-sxm").at(dict(g.about.defaults))

print(f"FLOPs {human(r.flops)}, bytes {human(r.bytes)} ({r.traffic}): {r.verdict()}-bound")
for row in r.ops():
    times = int(row.count.value)  # ops of equal cost stand in one row
    print(f"    {row.name:8} x{times} {human(row.time):>8}  {row.bound}-bound")

taken = footprint(g)
print("memory", human(taken.total.at(dict(g.about.defaults))))
print("    weights    ", taken.weights)
print("    activations", taken.activations_peak)
