"""Published worked problems on serving and on rates of training, answered by the library.

Bytes come from leaves of graphs, times of steps from their rooflines, batches from regions. Those
on memory and FLOPs of training are with the models.
"""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.graph import Role
from symroof.serving import Hardware, ModelSize, Workload
from symroof.serving.full import full_terms
from symroof.solve import limit
from tests.worked import Solvers, problems_of

TRAINING = ("tf-02", "tf-03", "tr-01", "tr-15", "tr-16b", "at-04a", "kor-")
PROBLEMS = {
    name: problem
    for name, problem in problems_of("serving_problems.json").items()
    if not name.startswith(TRAINING)
}
SOLVERS = Solvers()
solves = SOLVERS.solves
DIMS = ("", "token")
V5E = ("197 TFLOP/s", "810 GB/s")


@pytest.fixture(params=PROBLEMS)
def problem(request: pytest.FixtureRequest) -> dict[str, Any]:
    return PROBLEMS[request.param]


def test_all_47_are_solved() -> None:
    assert len(PROBLEMS) == 47
    assert SOLVERS.keys() == PROBLEMS.keys()


def test_exact_answer_in_its_unit(problem: dict[str, Any]) -> None:
    right = problem["right"]
    answer = SOLVERS[problem["id"]](problem)
    if not isinstance(answer, sr.Quantity):
        assert right["unit"] in DIMS
        assert answer == Rational(right["exact"])
    elif "**" in right["exact"]:  # not exact: the source of the number took 0.45 for a float
        assert answer.to(right["unit"]) == pytest.approx(right["value"], rel=1e-9)
    else:
        unit = right["unit"] if answer.unit or right["unit"] not in DIMS else ""
        assert answer == sr.Quantity(right["exact"], unit)
        assert answer.to(unit) == pytest.approx(right["value"], rel=1e-14)


def test_what_a_source_states_is_near_unless_it_is_marked(problem: dict[str, Any]) -> None:
    stated = problem["stated"]["value"]
    if stated is None or "source_issue" in problem or "note" in problem:
        return
    assert problem["right"]["value"] == pytest.approx(stated, rel=0.03)


# --- what the solvers share ---------------------------------------------------------------------


def given(problem: dict[str, Any], name: str) -> sr.Quantity:
    """An input of the problem that has a physical unit."""
    entry = problem["inputs"][name]
    return sr.Quantity(entry["value"], entry["unit"])


def plain(problem: dict[str, Any], name: str) -> Rational:
    """An input that is a number: of chips, of tokens, of parameters."""
    return Rational(str(problem["inputs"][name]["value"]))


def cache(
    layers: int, kv_heads: int, head_dim: int, dtype: str, tokens: int = 1, sequences: int = 1
) -> sr.Quantity:
    """Bytes of keys and values of sequences with so many tokens each."""
    g = sr.Graph("cache")
    for name in "kv":
        g.cache(name, (layers, sequences, kv_heads, tokens, head_dim), dtype)
    return g.footprint(Role.CACHE)


def sequences_that_fit(memory: Any, weights: Any, a_cache: sr.Quantity) -> Any:
    """The most sequences whose caches fit beside the weights."""
    caches = a_cache * sr.Quantity("B", "")
    return sr.region(sr.Quantity(memory), sr.Quantity(weights) + caches, "B").last or 0


def step(weights: Any, caches: Any, bandwidth: sr.Quantity) -> sr.Quantity:
    """Time of a step that reads so many bytes of weights and of caches, and is memory-bound."""
    g = sr.Graph("step")
    leaves = [g.weight("w", (weights,), "int8"), g.cache("kv", (caches,), "int8")]
    moved = g.footprint(Role.WEIGHT) + g.footprint(Role.CACHE)
    ops.custom("read", inputs=leaves, output_shape=(1,), flops=0, bytes=moved, compute="bf16")
    machine = sr.Chip("chip", peak={"bf16": "1 PFLOP/s"}, memory={"hbm": bandwidth})
    return sr.analyze(g, machine).time.overlapped.resolved()


def from_which_batch(g: sr.Graph, machine: sr.Chip) -> Any:
    """The batch from which on compute takes at least as long as reading the weights."""
    found = sr.region(
        sr.analyze(g, machine).t_compute, g.footprint(Role.WEIGHT) / machine.bandwidth(), "B"
    )
    assert found.relation == ">="
    return found.at(D=8192, F=28672).threshold_bound


# --- KV caches and activations ------------------------------------------------------------------


@solves("tf-04")
def cache_of_a_sequence(problem: dict[str, Any]) -> Any:
    tokens = int(plain(problem, "S"))
    layers, width = int(plain(problem, "L")), int(plain(problem, "KH"))
    return cache(layers, width // 128, 128, "int8", tokens)


@solves("tf-05c")
def cache_of_a_token(problem: dict[str, Any]) -> Any:
    layers, hidden = int(plain(problem, "L")), int(plain(problem, "D"))
    return cache(layers, hidden // 128, 128, "int8")


@solves("inf-04a")
def cache_of_13_billion(problem: dict[str, Any]) -> Any:
    return cache(40, 40, 128, "bf16", 8192)


@solves("kip-05")
def cache_of_a_conversation(problem: dict[str, Any]) -> Any:
    return cache(64, 64, 128, "bf16", 2048)


@solves("inf-09b")
def cache_of_wide_heads(problem: dict[str, Any]) -> Any:
    return cache(64, 8, 256, "int8")


@solves("ai-01", "ai-01b")
def cache_of_grouped_heads(problem: dict[str, Any]) -> Any:
    tokens = 32768 if problem["id"] == "ai-01b" else 1
    return cache(80, 8, 128, "int8", tokens)


@solves("inf-04b", "inf-15b")
def bytes_of_an_activation(problem: dict[str, Any]) -> Any:
    g = sr.Graph("activation")
    shape, dtype = {
        "inf-04b": ((8192, 5120), "bf16"),
        "inf-15b": ((16, 8192), "int8"),
    }[problem["id"]]
    g.input("x", shape, dtype)
    return g.footprint(Role.INPUT)


# --- how many sequences fit ---------------------------------------------------------------------


@solves("inf-10")
def batch_beside_weights(problem: dict[str, Any]) -> Any:
    a_cache = cache(64, 8, 256, "int8", int(plain(problem, "S")))
    return sequences_that_fit(16 * sr.Quantity("16 GB"), "18.4 GB", a_cache)


@solves("kip-06")
def conversations_beside_weights(problem: dict[str, Any]) -> Any:
    return sequences_that_fit("160 GB", "104 GB", cache(64, 64, 128, "bf16", 2048))


@solves("ai-04-bf16-nkv", "ai-04-int8-nkv", "ai-04-int4-nkv")
def caches_beside_weights(problem: dict[str, Any]) -> Any:
    dtype = problem["id"].split("-")[2]
    a_cache = cache(80, 8, 128, dtype, 8192)
    assert a_cache == given(problem, "k") * 8192
    weights = sr.Graph("weights")
    weights.weight("w", (70 * 10**9,), dtype)
    memory = plain(problem, "n") * sr.Quantity("16 GB")
    return sequences_that_fit(memory, weights.footprint(Role.WEIGHT), a_cache)


# --- decode steps -------------------------------------------------------------------------------


@solves("inf-03a", "inf-03b")
def step_of_attention_then_products(problem: dict[str, Any]) -> Any:
    """Attention waits for memory; the products for memory or for compute, whichever is slower."""
    batch, chips, parameters = (plain(problem, name) for name in ("b", "n", "P"))
    caches = given(problem, "kv").value
    g = sr.Graph("decode")
    kv = g.cache("kv", (batch * caches / chips,), "int8")
    w = g.weight("w", (parameters / chips,), "int8")
    for leaf, flops in ((kv, 0), (w, 2 * batch * parameters / chips)):
        moved = sr.Quantity(leaf.spec.bytes, "byte")
        ops.custom(inputs=[leaf], output_shape=(1,), flops=flops, bytes=moved, compute="bf16")
    machine = sr.Chip(
        "v5e", peak={"bf16": given(problem, "C")}, memory={"hbm": given(problem, "W")}
    )
    return sr.analyze(g, machine).time.per_op.resolved()


@solves(*(f"inf-05-{batch}" for batch in (1, 8, 16, 32, 64, 240)))
def step_of_13_billion(problem: dict[str, Any]) -> Any:
    return step(26 * 10**9, plain(problem, "b") * 67 * 10**8, given(problem, "W"))


@solves(*(f"inf-06-{batch}" for batch in (1, 8, 16, 32, 64, 240)))
def tokens_of_13_billion(problem: dict[str, Any]) -> Any:
    return sr.Quantity(plain(problem, "b"), "token") / step_of_13_billion(problem)


@solves(*(f"inf-07-{batch}" for batch in (1, 64, 240)))
def tokens_with_smaller_caches(problem: dict[str, Any]) -> Any:
    batch = plain(problem, "b")
    time = step(26 * 10**9, batch * 134 * 10**7, given(problem, "W"))
    return sr.Quantity(batch, "token") / time


@solves("ai-02b")
def step_on_eight_chips(problem: dict[str, Any]) -> Any:
    return step(70 * 10**9, 42 * 10**9, 8 * given(problem, "W"))


@solves("ai-02c")
def tokens_of_a_chip(problem: dict[str, Any]) -> Any:
    return sr.Quantity("32 token") / step_on_eight_chips(problem) / 8


@solves("ai-05")
def all_of_memory(problem: dict[str, Any]) -> Any:
    hardware = Hardware(
        1,
        gpu_mem_per_gpu=given(problem, "M"),
        mem_bw_per_gpu=given(problem, "W"),
        compute_per_gpu=V5E[0],
    )
    size = ModelSize(params="P", hidden="D", layers="n")
    return full_terms(hardware, size).quantities["memory"]


# --- batches that change the bound --------------------------------------------------------------


@solves("inf-03c")
def batch_of_weights_in_a_byte(problem: dict[str, Any]) -> Any:
    g = sr.Graph("product")
    x, w = g.input("x", ("B", "D"), "bf16"), g.weight("w", ("D", "F"), "int8")
    ops.matmul(x, w, out_dtype="bf16")
    machine = sr.Chip(
        "v5e", peak={"bf16": given(problem, "C")}, memory={"hbm": given(problem, "W")}
    )
    return from_which_batch(g, machine)


@solves("inf-12")
def batch_of_experts(problem: dict[str, Any]) -> Any:
    g = sr.Graph("experts")
    x = g.input("x", ("B", "D"), "bf16")
    up, down = g.weight("up", (16, "D", "F"), "int8"), g.weight("down", (16, "F", "D"), "int8")
    ops.experts(x, up, down, top_k=2, experts="all")
    machine = sr.Chip(
        "v5e", peak={"bf16": given(problem, "C")}, memory={"hbm": given(problem, "W")}
    )
    return from_which_batch(g, machine)


@solves("gpu-19")
def tokens_that_hide_the_gradients_of_experts(problem: dict[str, Any]) -> Any:
    """Two products for each matrix, and the sum of its gradient over many nodes."""
    experts, active = 128, 4
    g = sr.Graph("backward")
    rows = Rational(active, experts) * sr.symbols("B")  # tokens of an expert
    x, dy = g.input("x", (experts, rows, "D"), "bf16"), g.input("dy", (experts, rows, "F"), "bf16")
    w = g.weight("w", (experts, "D", "F"), "bf16")
    ops.einsum("ebf,edf->ebd", dy, w)
    ops.all_reduce(ops.einsum("ebd,ebf->edf", x, dy), group="n")
    machine = sr.Chip(
        "gpu", peak={"bf16": "990 TFLOP/s"}, memory={"hbm": "1 PB/s"}, link="400 GB/s"
    )
    r = sr.analyze(g, machine)
    found = sr.region(r.t_compute, r.t_network, "B").at(D=4096, F=2048)
    at_two, at_64 = (found.at(n=n).threshold_bound for n in (2, 64))
    assert at_64 / at_two == Rational(63, 32)  # (n - 1)/n, which the source drops
    many = limit(found.threshold, sr.symbols("n"))
    return sr.Quantity(many, "", found.problem.scope()).value


# --- rates --------------------------------------------------------------------------------------


def training_flops(parameters: Any, tokens: Any) -> sr.Quantity:
    """Two for a parameter and a token forward, twice as many backward."""
    return sr.Quantity(6 * parameters * tokens, "FLOP")


@solves("tf-10")
def utilisation_of_a_training_run(problem: dict[str, Any]) -> Any:
    work = training_flops(plain(problem, "P"), plain(problem, "D"))
    return work / (given(problem, "h") * given(problem, "C"))


@solves("tr-05b", "tr-13", "at-02d", "at-03", "gpu-24b")
def time_of_training(problem: dict[str, Any]) -> Any:
    chips, mfu = {
        "tr-05b": (18823, Rational(1, 2)),
        "tr-13": (10 * 8960, 1),
        "at-02d": (1, 1),
        "at-03": (8960, Rational(2, 5)),
        "gpu-24b": (4096, Rational(9, 20)),
    }[problem["id"]]
    work = training_flops(70 * 10**9, 15 * 10**12)
    assert work == sr.Quantity("6.3e24 FLOP")
    stated = problem["id"] == "gpu-24b"  # in the question alone
    peak = sr.Quantity("990 TFLOP/s") if stated else given(problem, "C")
    return work / (chips * peak * mfu)


@solves("at-04c")
def time_on_fewer_chips(problem: dict[str, Any]) -> Any:
    """The work of 44 days on 8960 chips, whatever a chip does."""
    a_chip = sr.Quantity("C", "FLOP/s")
    found = sr.Quantity("44 day") * 8960 * a_chip / (225 * a_chip)
    assert not found.expr.free_symbols
    return found


@solves("ai-10")
def time_of_a_prompt(problem: dict[str, Any]) -> Any:
    flops = sr.Quantity(2 * 70 * 10**9 * 8192, "FLOP")
    return flops / (16 * given(problem, "C") * Rational(2, 5))


@solves("ai-11")
def tokens_freed_in_a_step(problem: dict[str, Any]) -> Any:
    return sr.Quantity(32 / Workload(8192, 4096).decode_share, "token")


@solves("ai-12")
def servers_that_take_prompts(problem: dict[str, Any]) -> Any:
    return sr.Quantity("0.91 s") * 32 / (sr.Quantity("19 ms") * 512)
