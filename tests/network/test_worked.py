"""Published worked problems on collectives (jax-ml/scaling-book, Apache-2.0).

Where the source takes a ring to be large and drops (n − 1)/n, the exact form is asserted, and that
its limit is what the source says.
"""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

import symroof as sr
from symroof.network import Line, Ring, Switch, Torus, flow
from symroof.solve import limit_all

# One way over one port, and over the two ports of an axis.
ONE_WAY, AXIS, TWO_AXES = "45 GB/s", "90 GB/s", "180 GB/s"
HOP = "1 us"


def seconds(text: str) -> sr.Quantity:
    return sr.Quantity(Rational(text), "s")


def limit(quantity: sr.Quantity, *names: str) -> Any:
    return limit_all(quantity.resolved().expr, names)


def test_tpu_08_send_between_corners() -> None:
    """bf16[8, 128, 8192] from (0, 0) to (3, 3) of a 4 x 4 mesh: two ports of four, six hops."""
    made = flow("send", Torus((4, 4), wrap=False), 2 * 8 * 128 * 8192, apart=(3, 3))
    assert made.time(TWO_AXES) == seconds("16384/87890625")
    assert made.time(TWO_AXES, HOP) == seconds("541163/2812500000")
    assert made.hops == 6


def test_tpu_09b_gather_into_a_corner() -> None:
    """int8[131072, 131072] over 4 x 4 chips, 15/16 of it into a corner over its two links."""
    made = flow("gather", Torus((4, 4), wrap=False), 131072**2)
    assert made.time(TWO_AXES) == seconds("1048576/5859375")


def test_shard_02_all_gather_of_a_large_ring() -> None:
    time = flow("all_gather", Ring("n"), 34_000_000).time(AXIS)
    n = sr.symbols("n")
    assert (time.expr - Rational("17/45000") * (n - 1) / n).expand() == 0
    assert limit(time, "n") == Rational("17/45000")


def test_shard_03a_all_gather_over_four_chips() -> None:
    volume = 2048 * 8192 * 2
    exact = flow("all_gather", Ring(4), volume).time(AXIS)
    assert exact == seconds("32768/87890625") * Rational(3, 4)
    assert exact.to("s") == pytest.approx(0.0002796202666666667, rel=1e-14)
    assert limit(flow("all_gather", Ring("n"), volume).time(AXIS), "n") == Rational(
        "32768/87890625"
    )
    # The axis has no wrap-around: three hops one way, 3*V/4 over one port.
    line = flow("all_gather", Line(4), volume).time(AXIS)
    assert line == sr.Quantity(Rational(3 * volume, 4 * 45 * 10**9), "s")
    assert line.to("us") == pytest.approx(559.2, rel=1e-4)


def test_shard_03c_all_gather_bound_by_latency() -> None:
    """bf16[256, 256] on a line of four: three hops, each longer than its 32,768 bytes take."""
    made = flow("all_gather", Line(4), 256 * 256 * 2)
    assert made.hops == 3
    assert made.time(AXIS, HOP, pipelined=True) == seconds("3/1000000")
    assert made.time(AXIS) == 3 * sr.Quantity(32768, "byte") / sr.Quantity(ONE_WAY)


def test_shard_04_where_a_hop_is_bound_by_latency() -> None:
    made = flow("send", Switch(2), "V").latency_crossover(ONE_WAY, HOP)
    assert made == sr.Quantity(45000, "byte")


@pytest.mark.parametrize(("n", "right"), [(64, "16/63"), (1024, "256/1023")])
def test_shard_05_and_11c_all_to_all_over_all_gather(n: int, right: str) -> None:
    """Of the same global array: a chip's buffer in the one is a shard of the other."""
    exchange, gather = flow("all_to_all", Ring(n), 1), flow("all_gather", Ring(n), n)
    assert exchange.egress / gather.egress == Rational(right)
    # By directed link: N²/8 of a global N² = n, and N²(n − 1)/(2n).
    assert exchange.egress / 2 == Rational(n, 8)
    assert gather.egress / 2 == Rational(n - 1, 2)


def test_shard_07a_all_gather_over_one_axis() -> None:
    """bf16[1024, 4096] over X of a wrapped 4 x 4 x 4 mesh, still split over Y."""
    volume = 2 * 1024 * 4096 // 4
    exact = flow("all_gather", Ring(4), volume).time(AXIS)
    assert exact.to("s") == pytest.approx(1.7476266666666667e-05, rel=1e-14)
    assert limit(flow("all_gather", Ring("n"), volume).time(AXIS), "n") == Rational("2048/87890625")


def test_shard_07b_all_gather_over_two_axes() -> None:
    volume = 2 * 1024 * 4096
    exact = flow("all_gather", Torus((4, 4)), volume).time(TWO_AXES)
    assert exact == seconds("4096/87890625") * Rational(15, 16)
    assert exact.to("s") == pytest.approx(4.3690666666666665e-05, rel=1e-14)
    large = flow("all_gather", Torus(("X", "Y")), volume).time(TWO_AXES)
    assert limit(large, "X", "Y") == Rational("4096/87890625")


def test_shard_07c_all_reduce_of_what_is_split_twice_more() -> None:
    """The source forgets that the array is split over X and Y; the other version does not."""
    volume = 2 * 1024 * 4096 // 16
    exact = flow("all_reduce", Ring(4), volume).time(AXIS)
    assert exact.to("s") == pytest.approx(8.738133333333334e-06, rel=1e-14)
    assert limit(flow("all_reduce", Ring("n"), volume).time(AXIS), "n") == Rational("1024/87890625")


def test_shard_08_two_hops_round_a_ring_of_four() -> None:
    made = flow("all_gather", Ring(4), 256)
    assert made.hops * sr.Quantity(HOP) == seconds("1/500000")
    assert made.time(AXIS, HOP, pipelined=True) == seconds("1/500000")


def test_shard_11_one_way_round_a_ring_of_eight() -> None:
    """Scalars of an N x N array over each link, N = 1024."""
    gather = flow("all_gather", Ring(8), 1024**2, "ring")
    exchange = flow("all_to_all", Ring(8), 1024**2 // 8, "ring")
    assert gather.egress / 2 == 917504
    assert exchange.egress / 2 == 458752


def test_inf_15a_where_a_collective_is_bound_by_latency() -> None:
    """Eight chips one way round: seven hops of an eighth of the activations."""
    for topology, bandwidth in ((Ring(8), AXIS), (Switch(8), ONE_WAY)):
        for collective in ("all_gather", "reduce_scatter"):
            made = flow(collective, topology, "V", "ring").latency_crossover(bandwidth, HOP)
            assert made == sr.Quantity(360_000, "byte")


def test_gpu_27_ring_over_in_network() -> None:
    ring = flow("all_reduce", Switch(8), "V", "ring")
    in_network = flow("all_reduce", Switch(8), "V", "in-network")
    assert ring.time("1 GB/s").expr / in_network.time("1 GB/s").expr == Rational(7, 4)
