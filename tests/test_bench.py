"""The bench: its problems are what they say, and its harness runs. Nothing here depends on time."""

import json
import time
from functools import cache

import networkx as nx
import pytest

from bench import crossover, graphs, peers, problems, reports, run, serving, startup, timing
from bench.results import Outcome, Ratio, as_text, duration
from symroof.solve import Kind, solve
from symroof.symbolic import bind, parse, value

SIZES = {
    "B": 48,
    "C": 6,
    "D": 40,
    "E": 8,
    "F": 96,
    "G": 2,
    "H": 8,
    "K": 24,
    "L": 3,
    "M": 200,
    "N": 130,
    "O": 10,
    "S": 32,
    "V": 500,
    "W": 9,
    "d": 5,
    "k": 2,
    "n": 4,
    "w": 5,
}

LAYER_FLOPS = "B*T*(4*D*H*d + 4*D*G*d + 6*D*F + 2*F + 8*D)"
LAYER_BYTES = "4*D*H*d + 4*D*G*d + 6*D*F + B*T*(34*D + 16*F + 8*H*d)"

# FLOPs, bytes and link bytes, added up op by op on paper.
WORK = {
    problems.matmul: ("2*M*N*K", "2*(M*N + N*K + M*K)", "0"),
    problems.gated_mlp: ("6*B*D*F + 2*B*F", "6*B*D + 6*D*F + 16*B*F", "0"),
    problems.attention_decode: ("4*B*H*S*d", "4*B*d*(H + G*S)", "0"),
    problems.attention_prefill: ("2*B*H*d*S*(S + 1)", "4*B*S*d*(H + G)", "0"),
    problems.layer: (
        LAYER_FLOPS.replace("T", "S") + " + 2*B*H*d*S*(S + 1)",
        LAYER_BYTES.replace("T", "S") + " + 8*B*S*G*d",
        "0",
    ),
    problems.decode: (
        f"L*({LAYER_FLOPS.replace('T', '1')} + 4*B*H*d*S) + 3*B*D + 2*B*D*V",
        f"L*({LAYER_BYTES.replace('T', '1')} + 12*B*G*d + 4*B*G*S*d)"
        " + 4*B + 10*B*D + 2*D*V + 2*B*V",
        "0",
    ),
    problems.mixture: ("6*B*k*D*F", "4*B*D + 3*D*F*E/2", "0"),
    problems.tensor_parallel_mlp: (
        "4*B*D*F/n + B*F/n",
        "4*B*D + 4*D*F/n + 8*B*F/n",
        "4*B*D*(n - 1)/n",
    ),
    problems.tiled_matmul: (
        "2*K*(128*ceil(M/128))*(128*ceil(N/128))",
        "2*(M*N + N*K + M*K)",
        "0",
    ),
    problems.batched_matmul: ("2*B*M*N*K", "2*B*(M*N + N*K + M*K)", "0"),
    problems.conv: ("18*B*C*O*H*W", "2*(B*C*H*W + 9*C*O + B*O*H*W)", "0"),
    problems.fft: ("5*B*n*log2(n)", "16*B*n", "0"),
    problems.quantised: ("2*B*D*F", "2*B*D + 2*B*F + D*F*w/8", "0"),
    problems.square_with_head: (
        "2*B*D**2 + 2*B*D*V",
        "6*B*D + 2*D**2 + 2*D*V + 2*B*V",
        "0",
    ),
}

RECIPES = {recipe.name: recipe for recipe in problems.RECIPES}


@cache
def kind_of(name):
    return RECIPES[name].kind()


def number(text):
    expr = parse(text)
    return value(bind(expr, {s.name: SIZES[s.name] for s in expr.free_symbols}))


@pytest.mark.parametrize("make", WORK, ids=lambda make: make.__name__)
def test_the_work_of_every_graph(make):
    g = make()
    sizes = {name: SIZES[name] for name in g.scope.dimensions}
    found = [q.at(sizes).value for q in (g.flops, g.bytes, g.link_bytes)]
    assert found == [number(text) for text in WORK[make]]


def test_there_are_18_kinds_and_each_has_another_name():
    assert len(RECIPES) == len(problems.RECIPES) == 18


@pytest.mark.parametrize("name", RECIPES)
def test_symbolic_problems_are_free_and_bound_ones_are_not(name):
    kind = kind_of(name)
    assert kind.symbolic.free
    assert solve(kind.symbolic).cases
    assert kind.bound.free == ()
    for side in kind.bound.sides:
        assert side.free_symbols <= {kind.bound.unknown}


@pytest.mark.parametrize("name", RECIPES)
def test_answers_hold_where_they_are_checked(name):
    points, mismatches = solve(kind_of(name).bound).verify(20)
    assert points > 0
    assert mismatches == 0


@pytest.mark.parametrize(
    ("name", "first"),
    # 989 TFLOP/s and 3.35 TB/s; by trying all numbers up to the answer.
    [
        ("matmul", 345),
        ("tile-quantised matmul", 769),
        ("group size", 1),
        ("hidden size (quadratic)", 729),
    ],
)
def test_first_whole_numbers(name, first):
    assert solve(kind_of(name).bound).first == first


def test_decode_attention_is_never_compute_bound():
    assert solve(kind_of("attention, decode").bound).kind is Kind.NEVER


def test_crossovers_are_measured():
    rows = [crossover.measure(kind_of(name), 1, 5.0) for name in ("matmul", "bandwidth")]
    outcome = crossover.outcome(rows)
    assert len(outcome.ratios) == 5
    assert all(ratio.value > 0 for ratio in outcome.ratios)
    assert [row[0] for row in outcome.tables[0].rows] == ["matmul", "bandwidth"]


def test_a_right_answer_of_sympy_has_no_fault():
    assert peers.equation(kind_of("matmul").symbolic, 5.0).fault == ""
    assert peers.inequality(kind_of("matmul").bound, 5.0).fault == ""


@pytest.mark.parametrize("answer", [True, False, []])
def test_a_wrong_set_is_a_fault(answer):
    assert peers.fault_of_set(kind_of("matmul").bound, answer).startswith("wrong at M = ")


def test_missing_roots_are_a_fault():
    assert peers.fault_of_roots(kind_of("matmul").symbolic, [[]]) == "no root"
    assert peers.fault_of_roots(kind_of("matmul").symbolic, [[parse("N")]]).startswith("misses")


def test_an_endless_answer_is_cut_off():
    def endless():
        while True:
            try:
                time.sleep(0.001)
            except Exception:
                continue

    with pytest.raises(timing.OverTimeError), timing.time_limit(0.02):
        endless()


def test_actions_take_turns_and_slow_ones_take_fewer():
    calls = []

    def action(name):
        return lambda: calls.append(name) or float(len(calls))

    found, spread = timing.medians({n: action(n) for n in "abc"}, 3, {"c": 1})
    assert calls == ["a", "b", "c", "b", "a", "a", "b"]
    assert found == {"a": 5.0, "b": 4.0, "c": 3.0}
    assert spread > 0


def test_emptying_caches_keeps_symbols():
    before = parse("M*N + 1")
    timing.forget()
    assert timing.own_caches()
    assert parse("M*N + 1") == before


def test_the_bare_graph_is_the_same_graph():
    own, bare = graphs.layers(2).digraph, graphs.bare(2)
    assert nx.is_isomorphic(own, bare)
    assert len(graphs.layers(2).ops) == 2 * graphs.OPS_PER_LAYER


def test_integers_of_ops_add_up_to_the_totals():
    g = graphs.layers(3)
    columns = zip(*graphs.integers(g), strict=True)
    sizes = {name: graphs.SIZES[name] for name in g.scope.dimensions}
    assert [sum(column) for column in columns] == [q.at(sizes).value for q in graphs.totals(g)]


def test_graphs_are_measured():
    outcome = graphs.run(2, (48,), 1)
    assert [ratio.target for ratio in outcome.ratios] == [1.0, 1.2, 2.2, graphs.LINEAR]


@pytest.mark.parametrize("option", startup.OPTIONS)
def test_the_command_line_starts_without_heavy_modules(option):
    assert startup.heavy_modules(option) == []


def test_a_process_is_measured():
    assert startup.process(("-c", "")) > 0


def test_a_first_answer_is_measured_in_a_process_of_its_own():
    assert serving.first(*serving.ONE) > 0


def test_figures_as_text():
    assert [as_text(x) for x in (0, 0.02, 0.25, 1, 1.234)] == ["0", "1/50", "1/4.0", "1", "1.23"]
    assert duration(0.0421) == "42.1 ms"


def test_the_run_prints_and_writes(monkeypatch, tmp_path, capsys):
    ratios = (Ratio("fast", "peer", 0.02, 0.1), Ratio("slow", "peer", 3.0, 1.0))
    monkeypatch.setattr(run, "MEASUREMENTS", {"tiny": lambda: Outcome(ratios)})
    file = tmp_path / "figures.json"
    run.main(["--only", "tiny", "--json", str(file)])
    printed = capsys.readouterr().out
    assert "✓  fast" in printed
    assert "✗  slow" in printed
    assert [r["passes"] for r in json.loads(file.read_text())["tiny"]["ratios"]] == [True, False]


def test_the_network_of_the_report_bench_has_a_hundred_ops() -> None:
    assert len(reports.network().ops) == 100
