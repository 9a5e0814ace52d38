"""A feed-forward network split over n chips: on how many does the link take over?"""

import symroof as sr

g = sr.load("tensor-parallel-mlp")
r = sr.analyze(g, "h100-sxm")
print("t_compute", r.t_compute)
print("t_memory ", r.t_memory)
print("t_network", r.t_network)

sizes = {"D": 4096, "F": 14336}
print("compute-bound on 8 chips:", r.crossover("B").at(n=8, **sizes).sentence())
for batch in (64, 1024, 16384):
    found = r.crossover("n", term="network").at(B=batch, **sizes)
    print(f"B = {batch:5}: network-bound {found.sentence()}")
