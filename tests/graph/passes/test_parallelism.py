"""The forms of parallelism of the scaling literature, from shardings alone.

Closed forms by hand for In[B, D] · W_in[D, F] · W_out[F, D] in bf16, 2 bytes: a collective over n
chips sends (n − 1)/n of what it gathers or scatters, an all-reduce twice that. With n large these
are the forms of "How to Scale Your Model" (Austin et al. 2025, chapters 5 and 6).
"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from sympy import Rational

import symroof as sr
from symroof.graph.work import link_bytes
from symroof.solve.minimise import minimise
from symroof.symbolic import bind, parse
from symroof.symbolic.polynomial import fraction

MLP = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "sharded_mlp.py"))
POINTS = [
    {"B": 64, "D": 32, "F": 128, "X": 4, "Y": 8},
    {"B": 4096, "D": 96, "F": 48, "X": 16, "Y": 2},
    {"B": 48, "D": 480, "F": 960, "X": 1, "Y": 12},
]


def equal(found, text):
    gap, _ = fraction(found - parse(text))
    return not gap.terms


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        # Each chip has all weights and a share of the batch.
        ("data", {}),
        # Two weight matrices of 2*D*F bytes are gathered.
        ("fully sharded", {"X": "2*(2*D*F)*(X - 1)/X"}),
        # Activations of 2*B*D bytes are gathered in front and scattered behind.
        ("tensor", {"Y": "2*(2*B*D)*(Y - 1)/Y"}),
        # A Y-th of the weights, an X-th of the activations.
        ("mixed", {"X": "2*(2*D*F/Y)*(X - 1)/X", "Y": "2*(2*B*D/X)*(Y - 1)/Y"}),
    ],
)
def test_forward(form, expected):
    local = MLP["forward"](form)
    found = link_bytes(local)
    assert found.keys() == expected.keys()
    for axis, text in expected.items():
        assert equal(found[axis], text)
    chips = {"data": "X", "fully sharded": "X", "tensor": "Y", "mixed": "X*Y"}[form]
    assert equal(local.flops.expr, f"4*B*D*F/({chips})")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        # Two gradients of 2*D*F bytes are all-reduced.
        ("data", {"X": "2*2*(2*D*F)*(X - 1)/X"}),
        # Gathered forward and once more backward, gradients scattered: three times.
        ("fully sharded", {"X": "3*2*(2*D*F)*(X - 1)/X"}),
        # Forward a gather and a scatter; backward that of the output's gradient, and back.
        ("tensor", {"Y": "2*2*(2*B*D)*(Y - 1)/Y"}),
        ("mixed", {"X": "3*2*(2*D*F/Y)*(X - 1)/X", "Y": "2*2*(2*B*D/X)*(Y - 1)/Y"}),
    ],
)
def test_training(form, expected):
    found = link_bytes(MLP["backward"](form, reuse=False))
    assert found.keys() == expected.keys()
    for axis, text in expected.items():
        assert equal(found[axis], text), found[axis]
    kept = link_bytes(MLP["backward"](form))
    if form in ("fully sharded", "mixed"):
        assert equal(3 * kept["X"], expected["X"].replace("3*2*", "2*3*2*"))


@pytest.mark.parametrize("form", MLP["FORMS"])
def test_times_at_numbers(form):
    r = sr.analyze(MLP["forward"](form), MLP["CHIP"])
    for point in POINTS:
        n = {axis: point[axis] for axis in "XY"}
        at = {name: value for name, value in point.items() if name in r.scope.dimensions}
        sent = {
            "data": Rational(0),
            "fully sharded": 4 * point["D"] * point["F"] * (n["X"] - 1) * Rational(1, n["X"]),
            "tensor": 4 * point["B"] * point["D"] * (n["Y"] - 1) * Rational(1, n["Y"]),
            "mixed": 4 * point["D"] * point["F"] * Rational(n["X"] - 1, n["X"] * n["Y"])
            + 4 * point["B"] * point["D"] * Rational(n["Y"] - 1, n["X"] * n["Y"]),
        }[form]
        assert r.at(at).t_network.value == sent / (90 * 10**9)


def test_batch_per_chip_for_compute_bound():
    r = sr.analyze(MLP["forward"]("fully sharded"), MLP["CHIP"])
    found = sr.region(r.t_compute, r.terms["link", "X"], "B")
    ridge = Rational(459 * 10**12, 90 * 10**9)
    # B/X >= C/W * (1 - 1/X), which is C/W for many chips.
    for X in (2, 8, 64, 4096):
        least = ridge * (X - 1)
        at = found.at(X=X, D=512, F=2048)
        assert at.threshold_bound == least
        assert at.first == -(-least.p // least.q)
    # Backward, a product for each gradient and one for each input: twice the FLOPs, and twice the
    # bytes to all-reduce two gradients as to gather two weights.
    forward = sr.analyze(MLP["forward"]("data"), MLP["CHIP"])
    training = sr.analyze(MLP["backward"]("data"), MLP["CHIP"])
    found = sr.region(training.t_compute - forward.t_compute, training.terms["link", "X"], "B")
    assert found.at(X=8, D=512, F=2048).threshold_bound == ridge * 7


def test_tensor_parallelism_is_bound_by_the_hidden_dim():
    r = sr.analyze(MLP["forward"]("tensor"), MLP["CHIP"])
    # F/(Y - 1) >= C/W, whatever the batch: Y < F/(C/W) + 1.
    assert 28672 * 90 * 10**9 // (459 * 10**12) == 5
    for Y, expected in ((2, True), (6, True), (7, False), (16, False)):
        numbers = {"B": 1024, "D": 8192, "F": 28672, "Y": Y}  # F/Y may be no whole number here
        compute, network = r.t_compute.at(numbers).value, r.t_network.at(numbers).value
        assert bool(compute >= network) is expected


@pytest.mark.parametrize("chips", [64, 96])
@pytest.mark.parametrize("batch", [96, 1536, 49152, 786432])
def test_the_best_split_of_two_axes(chips, batch):
    D, F = 768, 3072
    local = MLP["forward"]("mixed")
    r = sr.analyze(local, MLP["CHIP"])
    splits = [x for x in range(1, chips + 1) if chips % x == 0]
    times = {}
    for X in splits:
        Y = chips // X
        by_hand = Rational(4 * D * F * (X - 1), chips) + Rational(4 * batch * D * (Y - 1), chips)
        found = r.t_network.at(B=batch, D=D, F=F, X=X, Y=Y).value
        assert found == by_hand / (90 * 10**9)
        times[X] = found
    best = min(times, key=times.get)
    time = bind(r.t_network.expr, {"Y": parse("n/X")})
    given = {"B": batch, "D": D, "F": F, "n": chips, "link.X": 1, "link.Y": 1}
    answer = minimise(bind(time, given), "X", counts={"X"}, divides=chips)
    assert answer.whole_value / (90 * 10**9) == times[best]


def test_the_best_split_in_closed_form():
    # 4*D*F*(X - 1)/n + 4*B*D*(n/X - 1)/n is least at X = sqrt(n*B/F).
    time = bind(
        sr.analyze(MLP["forward"]("mixed"), MLP["CHIP"]).t_network.expr, {"Y": parse("n/X")}
    )
    same = bind(time, {"link.X": parse("W"), "link.Y": parse("W")})
    answer = minimise(same, "X", counts={"B", "D", "F", "X", "n"}, low=0)
    for B, F, n in ((48000, 32768, 64), (4194304, 28672, 8960)):
        at = answer.at(B=B, F=F, n=n, D=8192, W=1)
        assert at.point_bound**2 == Rational(n * B, F)


def test_weight_stationary_beats_gathered_weights_for_small_batches():
    """2D weight-stationary decoding (Pope et al. 2022, section 3.2.2) against gathered weights."""
    g = sr.Graph("decode")
    x = g.input("x", ("B", 8192), "bf16", sharding=(None, "X"))
    w = g.weight("w", (8192, 32768), "bf16", sharding=("X", "Y"))
    h = sr.ops.matmul(x, w, name="h")
    w2 = g.weight("w2", (32768, 8192), "bf16", sharding=("Y", "X"))
    g.output(sr.ops.matmul(h, w2, name="y"))
    mesh = sr.Mesh(X=8, Y=8)
    wanted = {"y": (None, "X"), "h": (None, "Y")}
    local = sr.passes.shard(g, mesh, outputs=wanted, prefer="activations")
    assert all("w" not in one.tensor for step in local.plan.steps for one in step.sent)
    # Partial sums of h over X, and of y over Y: both stay as wide as they are sharded.
    expected = {"X": 2 * (2 * 32768 // 8) * 7 // 8, "Y": 2 * (2 * 8192 // 8) * 7 // 8}
    assert {a: bind(n, {"B": 1}) for a, n in link_bytes(local).items()} == expected
