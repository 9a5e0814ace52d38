"""Sparse products and stencils on a CPU: memory-bound at every size, and by how much."""

import symroof as sr
from symroof import ops

n, nnz = sr.symbols("n nnz")

spmv = sr.Graph("spmv")
values = spmv.weight("values", nnz, "fp64")
columns, rows = spmv.weight("columns", nnz, "int32"), spmv.weight("rows", n + 1, "int32")
ops.spmv_csr(values, columns, rows, spmv.input("x", n, "fp64"))

stencil = sr.Graph("stencil")
ops.stencil(stencil.input("u", (n, n, n), "fp64"), points=7, write_allocate=True)

sizes = {"spmv": {"n": 10**6, "nnz": 27 * 10**6}, "stencil": {"n": 512}}
for g in (spmv, stencil):
    r = sr.analyze(g, "epyc-7452")
    here = r.at(sizes[g.name])
    print(f"{g.name}: intensity {g.intensity}")
    print(f"    ridge point {r.critical_intensity.to('FLOP/byte'):.2f} FLOP/byte")
    print(f"    {here.verdict()}-bound, at most {here.attainable().to('GFLOP/s'):.1f} GFLOP/s")
    print(f"    bandwidth from which it is compute-bound: {here.crossover('bw').sentence()}")
