"""Published worked problems: each is built as a graph on a chip and asked, not evaluated.

An answer is a `Quantity` where the problem has a physical unit, and a plain exact number where it
asks for a dim such as a batch. Where a source neglects traffic ("weights only", "B much smaller
than D and F"), the question is asked in both ways symroof has for it: the limit of the exact
answer, and a graph in which only that traffic moves.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.graph import Role
from symroof.solve import limit_all
from tests.worked import Solvers, problems_of

PROBLEMS = problems_of("worked_problems.json")
SOLVERS = Solvers()
solves = SOLVERS.solves
DIMS = ("", "token")


@pytest.fixture(params=PROBLEMS)
def problem(request: pytest.FixtureRequest) -> dict[str, Any]:
    return PROBLEMS[request.param]


def test_all_48_are_solved() -> None:
    assert len(PROBLEMS) == 48
    assert SOLVERS.keys() == PROBLEMS.keys()


def test_exact_answer_in_its_unit(problem: dict[str, Any]) -> None:
    right = problem["right"]
    answer = SOLVERS[problem["id"]](problem)
    if isinstance(answer, sr.Quantity):
        assert answer == sr.Quantity(right["exact"], right["unit"])
        assert answer.value_in(right["unit"]) == Rational(right["exact"])
        assert answer.to(right["unit"]) == pytest.approx(right["value"], rel=1e-14)
    else:
        assert right["unit"] in DIMS
        assert answer == Rational(right["exact"])


def test_what_a_source_states_is_near_unless_it_is_marked(problem: dict[str, Any]) -> None:
    stated = problem["stated"]["value"]
    if stated is None or "source_issue" in problem or "note" in problem:
        return
    assert float(Fraction(problem["right"]["exact"])) == pytest.approx(stated, rel=2e-2)


# --- chips and graphs of the problems -----------------------------------------------------------


def rate(problem: dict[str, Any], name: str) -> sr.Quantity:
    """An input of the problem with the unit it is given in."""
    entry = problem["inputs"][name]
    return sr.Quantity(entry["value"], entry["unit"])


def chip(problem: dict[str, Any], dtype: str = "bf16", **rates: Any) -> sr.Chip:
    """The chip of a problem: C its peak, W its bandwidth, where it says them."""
    peak = rates.get("peak") or (rate(problem, "C") if "C" in problem["inputs"] else "1 FLOP/s")
    memory = rates.get("memory") or (rate(problem, "W") if "W" in problem["inputs"] else "1 B/s")
    return sr.Chip(
        problem["id"], peak={dtype: peak}, memory={"hbm": memory}, link=rates.get("link")
    )


def product(b: Any = "B", d: Any = "D", f: Any = "F", dtype: str = "bf16") -> sr.Graph:
    """[B, D] x [D, F]."""
    g = sr.Graph("product")
    x, w = g.input("x", (b, d), dtype), g.weight("w", (d, f), dtype)
    ops.matmul(x, w, out_dtype=dtype)
    return g


def critical_batch(machine: sr.Chip, dtype: str = "bf16") -> Any:
    """The batch of [B, D] x [D, F] from which on it is compute-bound, for B far below D and F."""
    g = product(dtype=dtype)
    r = sr.analyze(g, machine)
    x = r.crossover("B")
    thumb = r.rule_of_thumb(x)
    assert thumb is not None
    assert thumb.applies
    # Read the other way: the intensity as D and F grow together is that of the weights alone.
    weights = sr.region(r.t_compute, g.footprint(Role.WEIGHT) / machine.bandwidth(), "B")
    assert weights.relation == ">="
    assert weights.at(D=8192, F=28672).threshold_bound == thumb.value
    limit = limit_all(r.intensity.expr, ["D", "F"])
    in_limit = sr.region(sr.Quantity(limit, "FLOP/byte"), r.critical_intensity, "B")
    assert in_limit.threshold_bound == thumb.value
    # However large D and F are, the exact batch is larger.
    assert x.at(D=10**6, F=10**7).threshold_bound > thumb.value
    return thumb.value


def reading(machine: sr.Chip, dtype: str, *shapes: tuple[Any, ...]) -> sr.Quantity:
    """The time to read weights of these shapes once."""
    g = sr.Graph("weights")
    kept = [g.weight(f"w{i}", shape, dtype) for i, shape in enumerate(shapes)]
    moved = g.footprint(Role.WEIGHT)
    ops.custom("read", inputs=kept, output_shape=(1,), flops=0, bytes=moved, compute="bf16")
    time = sr.analyze(g, machine).t_memory
    assert time == moved / machine.bandwidth()
    return time


def intensity_of(g: sr.Graph, **dims: int) -> sr.Quantity:
    found = g.intensity
    assert found is not None
    return found.at(**dims) if dims else found


def flops_of(op: Callable[..., Any], *shapes: tuple[Any, ...], **options: Any) -> sr.Quantity:
    """FLOPs of one op on fp64 tensors of these shapes."""
    g = sr.Graph("kernel")
    op(*(g.input(f"x{i}", shape, "fp64") for i, shape in enumerate(shapes)), **options)
    return g.flops


# --- time of FLOPs and of bytes -----------------------------------------------------------------


@solves("roof-01", "roof-02")
def time_of_flops(problem: dict[str, Any]) -> Any:
    g = sr.Graph("work")
    x = g.input("x", (1,), "bf16")
    ops.custom("work", inputs=[x], output_shape=(1,), flops=rate(problem, "Q"))
    return sr.analyze(g, chip(problem)).t_compute


@solves("roof-13")
def overlap_gains_at_most_a_factor_of_two(problem: dict[str, Any]) -> Any:
    """Both times are a second; elsewhere the ratio is smaller."""
    g = sr.Graph("work")
    x = g.input("x", (1,), "bf16")
    ops.custom("work", inputs=[x], output_shape=(1,), flops="a", bytes="b")
    r = sr.analyze(g, sr.Chip("unit", peak={"bf16": "1 FLOP/s"}, memory={"hbm": "1 B/s"}))
    a, b = rate(problem, "a"), rate(problem, "b")
    both = {"a": a.value, "b": b.value}
    assert (r.at(both).t_compute, r.at(both).t_memory) == (a, b)
    twice = 2 * r.time.overlapped.resolved()
    assert sr.region(twice, r.time.serial.resolved(), "a").kind is sr.Kind.ALWAYS
    tight = sr.region(r.time.serial.resolved(), twice, "a").at(b=7).real
    assert [(i.lower, i.upper) for i in tight.intervals] == [(7, 7)]
    return r.time.serial.at(both) / r.time.overlapped.at(both)


@solves("tpu-04")
def parameters_split_over_chips(problem: dict[str, Any]) -> Any:
    parameters, chips = rate(problem, "P").value, problem["inputs"]["n"]["value"]
    return reading(chip(problem), "bf16", (parameters / chips,))


@solves("inf-11", "kip-02", "kip-03")
def parameters_read_once(problem: dict[str, Any]) -> Any:
    parameters, chips, dtype = {
        "inf-11": (18_400_000_000, 16, "int8"),
        "kip-02": (52_000_000_000, 4, "bf16"),
        "kip-03": (52_000_000_000, 1, "bf16"),
    }[problem["id"]]
    return reading(chip(problem), dtype, (Rational(parameters, chips),))


@solves("tpu-09c")
def matrix_read_once(problem: dict[str, Any]) -> Any:
    return reading(chip(problem), "int8", (131072, 131072))


@solves("inf-14")
def two_sharded_matrices(problem: dict[str, Any]) -> Any:
    return reading(chip(problem), "bf16", (8192, "32768/4"), ("32768/4", 8192))


@solves("tpu-09d")
def time_of_a_product_at_peak(problem: dict[str, Any]) -> Any:
    return sr.analyze(product(8, 131072, 131072), chip(problem)).t_compute


@solves("kip-04")
def products_of_a_batch_on_four_chips(problem: dict[str, Any]) -> Any:
    """A quarter of 52e9 parameters on each chip, all multiplied with 8 tokens."""
    g = product(8, 1000, 52 * 10**6 // 4)
    assert g.footprint(Role.WEIGHT).value == 2 * 52 * 10**9 // 4
    return sr.analyze(g, chip(problem)).t_compute


@solves("at-02b")
def training_of_one_token(problem: dict[str, Any]) -> Any:
    """Forward, and both gradients: three products of every parameter with every token."""
    g = sr.Graph("training")
    x, w = g.input("x", ("T", 70_000), "bf16"), g.weight("w", (70_000, 10**6), "bf16")
    y = x @ w
    y @ ops.transpose(w)
    ops.transpose(x) @ y
    assert w.spec.elements == rate(problem, "P").value
    time = sr.analyze(g, chip(problem)).t_compute
    return time.at(T=1)


@solves("gpu-04a", "gpu-04b")
def time_of_a_product(problem: dict[str, Any]) -> Any:
    dims = {name: problem["inputs"][name]["value"] for name in "mkn"}
    r = sr.analyze(product("m", "k", "n", "fp16"), chip(problem, "fp16"))
    assert r.verdict(**dims) is (sr.Bound.MEMORY if dims["m"] == 64 else sr.Bound.COMPUTE)
    return r.time.overlapped.at(**dims)


# --- intensity ----------------------------------------------------------------------------------


@solves("roof-06")
def intensity_of_a_product(problem: dict[str, Any]) -> Any:
    g = product()
    assert limit_all(g.intensity.expr, ["D", "F"]) == sr.symbols("B")
    given = {"B": "B", "D": "D", "F": "F_"}
    return intensity_of(g, **{n: problem["inputs"][of]["value"] for n, of in given.items()})


@solves("roof-11")
def weights_of_each_example(problem: dict[str, Any]) -> Any:
    g = sr.Graph("per example")
    x, w = g.input("x", ("B", "D"), "int8"), g.weight("w", ("B", "D", "F"), "int8")
    ops.einsum("bd,bdf->bf", x, w, out_dtype="int8")
    assert limit_all(g.intensity.expr, ["D", "F"]) == 2
    given = {"B": "B", "D": "D", "F": "G"}
    found = {n: problem["inputs"][of]["value"] for n, of in given.items()}
    assert intensity_of(g, B=1, D=found["D"], F=found["F"]) == intensity_of(g, **found)
    return intensity_of(g, **found)


@solves("nv-02", "nv-03", "nv-04", "nv-05")
def intensity_of_a_product_in_fp16(problem: dict[str, Any]) -> Any:
    m, k, n = {
        "nv-02": (8192, 8192, 128),  # M, K, N of "8192x128x8192 (M, N, K)"
        "nv-03": (8192, 8192, 8192),
        "nv-04": (512, 1024, 4096),
        "nv-05": (1, 1024, 4096),
    }[problem["id"]]
    found = intensity_of(product(m, k, n, "fp16"))
    v100 = sr.Chip("V100", peak={"fp16": "125 TFLOP/s"}, memory={"hbm": "900 GB/s"})
    bound = sr.analyze(product(m, k, n, "fp16"), v100).verdict()
    memory_bound = problem["id"] in ("nv-02", "nv-05")  # as the source says of a V100
    assert bound is (sr.Bound.MEMORY if memory_bound else sr.Bound.COMPUTE)
    return found


@solves("lbl-02")
def intensity_of_a_transform(problem: dict[str, Any]) -> Any:
    """The factor before log2 N, the same at every size."""
    g = sr.Graph("fft")
    ops.fft(g.input("x", ("N", 2), "fp64"), write_allocate=True)
    found = {intensity_of(g, N=2**k) / k for k in (1, 5, 20)}
    assert len(found) == 1
    return found.pop()


@solves("la-ai-axpy")
def intensity_of_axpy(problem: dict[str, Any]) -> Any:
    n = problem["inputs"]["n"]["value"]
    g = sr.Graph("axpy")
    ops.axpy(g.input("x", "n", "fp64"), g.input("y", "n", "fp64"))
    return intensity_of(g, n=n)


@solves("la-ai-gemv")
def intensity_of_gemv(problem: dict[str, Any]) -> Any:
    n = problem["inputs"]["n"]["value"]
    g = sr.Graph("gemv")
    ops.gemv(g.input("A", ("n", "n"), "fp64"), g.input("x", "n", "fp64"))
    return intensity_of(g, n=n)


@solves("la-ai-dot")
def intensity_of_dot(problem: dict[str, Any]) -> Any:
    """The source does not count the result; symroof does, and says so."""
    n = problem["inputs"]["n"]["value"]
    g = sr.Graph("dot")
    x, y = g.input("x", "n", "fp64"), g.input("y", "n", "fp64")
    op = ops.dot(x, y).producer
    assert intensity_of(g, n=n).to("FLOP/byte") == pytest.approx(problem["exact_value"], rel=1e-14)
    return (g.flops / sr.Quantity(sum(op.cost.reads), "byte", g.scope)).at(n=n)


@solves("la-ai-gemm")
def intensity_of_gemm(problem: dict[str, Any]) -> Any:
    """The source reads C as well, for C = A B + C; symroof's product writes it only."""
    n = problem["inputs"]["n"]["value"]
    g = product("n", "n", "n", "fp64")
    assert intensity_of(g, n=n).to("FLOP/byte") == pytest.approx(problem["exact_value"], rel=1e-14)
    accumulating = sr.Graph("gemm")
    a, b, c = (accumulating.input(name, ("n", "n"), "fp64") for name in "ABC")
    written = c.spec.bytes
    moved = accumulating.footprint(Role.INPUT) + sr.Quantity(written, "byte")
    ops.custom("gemm", inputs=[a, b, c], output_shape=c.shape, flops=g.flops, bytes=moved)
    return intensity_of(accumulating, n=n)


@solves("note-02")
def limit_for_many_rows(problem: dict[str, Any]) -> Any:
    dims = {name: problem["inputs"][name]["value"] for name in "NK"}
    r = sr.analyze(product("M", "N", "K", "fp16"), "h100-sxm")
    # "about M" is the limit of N and K, not of M
    assert limit_all(r.intensity.expr, ["N", "K"]) == sr.symbols("M")
    return r.limit("M").at(**dims)


# --- critical batches ---------------------------------------------------------------------------


@solves("roof-07", "roof-12a", "tpu-06", "inf-01", "kip-01")
def batch_of_a_product(problem: dict[str, Any]) -> Any:
    return critical_batch(chip(problem))


@solves("roof-09b")
def batch_of_a_product_in_int8(problem: dict[str, Any]) -> Any:
    return critical_batch(chip(problem, "int8"), "int8")


@solves("roof-12b")
def batch_at_half_of_the_sparse_peak(problem: dict[str, Any]) -> Any:
    return critical_batch(chip(problem, peak=rate(problem, "Cs") / 2))


@solves("note-01")
def batch_at_rounded_rates(problem: dict[str, Any]) -> Any:
    return critical_batch(chip(problem, peak="1000 TFLOP/s", memory="3 TB/s"))


@solves("tpu-02")
def ridge_of_the_near_memory(problem: dict[str, Any]) -> Any:
    machine = chip(problem, memory=22 * rate(problem, "W"))
    r = sr.analyze(product(), machine)
    assert critical_batch(machine) == r.critical_intensity.value
    return r.critical_intensity


# --- other crossovers ---------------------------------------------------------------------------


@solves("roof-08b", "roof-08c")
def inner_dim_over_two_chips(problem: dict[str, Any]) -> Any:
    """Each chip multiplies half of D and sends its partial sums; memory is left out."""
    g = sr.Graph("split")
    x, w = g.input("x", ("B", "D/2"), "bf16"), g.weight("w", ("D/2", "F"), "bf16")
    ops.send(x @ w)
    link = rate(problem, "W")
    r = sr.analyze(g, chip(problem, link=link, memory="1000 TB/s"))
    assert r.link_bytes == sr.Quantity("2*B*F", "byte")
    found = sr.region(r.t_compute, r.t_network, "D")
    assert found.relation == ">="
    # independent of B and F
    bound = {found.at(B=b, F=f).threshold_bound for b, f in ((1, 1), (64, 4096), (4096, 1))}
    (threshold,) = bound
    if problem["id"] == "roof-08b":
        assert found.at(B=64, F=4096).first == 8756
    ratio = r.critical_link_intensity
    assert sr.region(r.link_intensity, ratio, "D").at(B=1, F=1).threshold_bound == threshold
    return threshold


@solves("inf-02c")
def length_of_a_prefill(problem: dict[str, Any]) -> Any:
    def prefill(mask: str) -> Any:
        g = sr.Graph(mask)
        q, k, v = (g.input(name, ("B", "N", "T", "H"), "bf16") for name in "qkv")
        ops.attention(q, k, v, mask=mask)
        return sr.analyze(g, chip(problem)).crossover("T").at(B=1, N=8, H=128).threshold_bound

    assert 2 * prefill("none") - prefill("causal") == 1  # "about twice"
    return prefill("none")


# --- FLOPs of linear algebra --------------------------------------------------------------------


@solves("la-01")
def gemm(problem: dict[str, Any]) -> Any:
    return flops_of(ops.matmul, (1000, 3000), (3000, 2000))


@solves("la-02")
def syrk(problem: dict[str, Any]) -> Any:
    return flops_of(ops.syrk, (1000, 500))


@solves("la-03")
def trmm(problem: dict[str, Any]) -> Any:
    return flops_of(ops.trmm, (1000, 1000), (1000, 500), side="left")


@solves("la-04")
def gemv(problem: dict[str, Any]) -> Any:
    return flops_of(ops.gemv, (1000, 2000), (2000,))


@solves("la-05")
def lu(problem: dict[str, Any]) -> Any:
    return flops_of(ops.getrf, (2000, 1000))


@solves("la-06")
def cholesky(problem: dict[str, Any]) -> Any:
    return flops_of(ops.potrf, (1000, 1000))


@solves("la-07")
def qr(problem: dict[str, Any]) -> Any:
    return flops_of(ops.geqrf, (2000, 1000))


@solves("la-08")
def inverse_from_lu(problem: dict[str, Any]) -> Any:
    return flops_of(ops.getri, (1000, 1000))


@solves("la-09")
def solve_from_lu(problem: dict[str, Any]) -> Any:
    return flops_of(ops.getrs, (1000, 1000), (1000, 10))


@solves("la-10")
def inverse_from_cholesky(problem: dict[str, Any]) -> Any:
    return flops_of(ops.potri, (1000, 1000))
