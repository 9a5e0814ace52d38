from __future__ import annotations

import pint
import pytest
from sympy import Integer, Rational, Symbol

from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError
from symroof.symbolic import adopt, symbols
from symroof.units import Quantity, Scope

COUNTS = Scope(counts=frozenset({"M", "N", "K"}))
H100 = Scope(
    counts=frozenset({"M"}),
    values={
        "peak.bf16": Integer(989 * 10**12),
        "bw.hbm": Integer(3_350_000_000_000),
        "ridge.bf16": adopt("peak.bf16/bw.hbm"),
    },
)


def flops():
    return Quantity("2*M*N*K", "FLOP", COUNTS)


def time():
    return Quantity("M/bw.hbm", "s", H100)


def test_numbers_of_every_kind_are_exact():
    q = Quantity("2*M", "FLOP")
    for given, exact in [
        (3, 6),
        (0.1, Rational(1, 5)),
        ("0.1", Rational(1, 5)),
        (Rational(1, 3), Rational(2, 3)),
        ("1e12", 2 * 10**12),
        (Quantity("3"), 6),
    ]:
        assert q.at(M=given).value == exact


def test_binding_is_simultaneous():
    q = Quantity("M + 10*N", "FLOP", COUNTS)
    swapped = q.at(M="N", N="M")
    assert swapped == Quantity("N + 10*M", "FLOP")
    assert swapped.at(M=5, N=2).value == 52
    assert swapped.scope.counts == {"M", "N", "K"}


def test_names_that_cancelled_are_accepted():
    q = flops() / flops()
    assert q.at(M=5).value == 1


def test_unknown_names_come_with_the_nearest():
    with pytest.raises(UnknownNameError, match="unknown symbol 'Kk'; did you mean 'K'") as caught:
        flops().at(Kk=3)
    assert caught.value.known == ("K", "M", "N")
    with pytest.raises(UnknownNameError):
        flops().at(M=3).at(M=4)


@pytest.mark.parametrize("value", [0, -1, "0", 0.0, Rational(-1, 3)])
def test_dims_are_positive(value):
    with pytest.raises(InputError, match=r"^B=.*: dims, counts and rates are positive") as caught:
        Quantity("2*B", "FLOP", Scope(counts=frozenset({"B"}))).at(B=value)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="are positive"):
        Quantity("2*x", "FLOP").at(x=value)


def test_a_formula_that_is_negative():
    with pytest.raises(InputError, match="are positive"):
        flops().at(M="-D")


def test_counts_are_at_least_one_and_need_not_be_whole():
    with pytest.raises(InputError, match="M=1/2: M is a dim or count, at least 1"):
        flops().at(M=0.5)
    assert Quantity("2*M", "FLOP", COUNTS).at(M=Rational(3, 2)).value == 3
    assert Quantity("2*x", "FLOP").at(x=0.5).value == 1


@pytest.mark.parametrize("value", [True, float("nan"), float("inf"), 1j, None, [1]])
def test_values_that_are_no_numbers(value):
    with pytest.raises(SymroofError):
        flops().at(M=value)


def test_formulas_bring_their_names_along():
    q = flops().at(K="4*D")
    assert q.scope.counts == {"M", "N", "D"}
    assert q.at(M=1, N=1, D=2).value == 16
    x = Quantity("2*x", "FLOP").at(x=symbols("y") + 1)
    assert set(x.scope.dimensions) == {"y"}
    assert not x.scope.counts


def test_symbols_of_others_are_taken_by_name():
    assert flops().at(M=Symbol("N", integer=True)) == Quantity("2*N**2*K", "FLOP")


def test_names_python_cannot_spell():
    q = Quantity("lambda*B", "FLOP")
    assert q.at({"lambda": 3, "B": 2}).value == 6
    assert q.at({"lambda": 3}, B=2).value == 6


def test_rates_need_their_unit():
    q = time()
    assert q.at(M=1, bw="2 TB/s").value == Rational(1, 2 * 10**12)
    assert q.at({"bw.hbm": Quantity("2 TB/s")}, M=1).value == Rational(1, 2 * 10**12)
    foreign = pint.UnitRegistry().Quantity(2, "terabyte/second")
    assert q.at(M=1, bw=foreign).value == Rational(1, 2 * 10**12)
    with pytest.raises(
        UnitError, match=r"bw\.hbm needs a unit, as in bw\.hbm='3 byte/s'; got 3\.35"
    ):
        q.at(bw=3.35)
    with pytest.raises(UnitError, match="needs a unit"):
        q.at(bw="3.35")
    with pytest.raises(UnitError, match=r"an amount in byte/s, not in FLOP/s \(989 TFLOP/s\)"):
        q.at(bw="989 TFLOP/s")
    with pytest.raises(InputError, match="are positive"):
        q.at(bw="0 TB/s")
    with pytest.raises(InputError, match="are positive"):
        q.at(bw="-1 TB/s")
    with pytest.raises(UnitError, match="write Gbit or GB"):
        q.at(bw="3 Gb/s")


def test_plain_names_take_no_unit():
    for value in ("4 GB", Quantity("4 GB"), pint.UnitRegistry().Quantity(4, "GB")):
        with pytest.raises(UnitError, match="M is a plain number"):
            flops().at(M=value)
    with pytest.raises(UnitError, match=r"M is a plain number, but bw\.hbm is an amount in byte/s"):
        flops().at(M="bw.hbm")


def test_messages_are_one_line():
    with pytest.raises(UnitError) as caught:
        flops().at(M="4\nGB")
    assert "\n" not in str(caught.value)


def test_known_rates_are_overridden():
    assert time().at(M=1).value == Rational(1, 3_350_000_000_000)
    q = time().at(bw="2 TB/s")
    assert q.expr == symbols("M") / (2 * 10**12)
    assert "bw.hbm" not in q.scope.values


def test_values_made_of_rates_follow_what_is_bound():
    ridge = Quantity("ridge.bf16", "FLOP/byte", H100)
    assert ridge.value == Rational(19780, 67)
    assert ridge.at(bw="6.7 TB/s").value == Rational(9890, 67)


def test_aliases():
    assert time().at(M=1, bw="1 byte/s").value == 1
    two = Quantity("M/bw.hbm + M/bw.l2", "s")
    with pytest.raises(InputError, match=r"bw may be any of bw\.hbm, bw\.l2; name one of these"):
        two.at(bw="1 byte/s")
    with pytest.raises(UnknownNameError, match="unknown symbol 'link'"):
        two.at(link="1 byte/s")
    # A dim that has the name goes first.
    assert Quantity("2*bw/bw.hbm", "s").at({"bw": 5, "bw.hbm": "1 byte/s"}).value == 10
    assert Quantity("x/peak.bf16", "s").at(x=4, peak="2 FLOP/s").value == 2
    assert Quantity("x/link.nv", "s").at(x=4, link="2 byte/s").value == 2
    assert Quantity("x*ridge.bf16", "FLOP/byte").at(x=4, ridge="2 FLOP/byte").value == 8


def test_one_name_bound_twice():
    with pytest.raises(InputError, match=r"bw\.hbm is bound twice, the second time as bw"):
        time().at({"bw.hbm": "1 byte/s", "bw": "2 byte/s"})


def test_a_lone_symbol_given_a_rate_is_bound_with_a_unit():
    bandwidth = Quantity(symbols("BW"), "byte/s")
    assert bandwidth.at(BW="3.35 TB/s").value == 3_350_000_000_000
    with pytest.raises(UnitError, match="BW needs a unit, as in BW='3 byte/s'"):
        bandwidth.at(BW=3.35e12)
    t = Quantity("M", "byte") / bandwidth
    assert t.at(M=67, BW="3.35 TB/s").value == Rational(67, 3_350_000_000_000)
    other = t.at(BW=Quantity("X", "byte/s"))
    assert other.at(X="1 byte/s", M=3).value == 3


def test_a_lone_symbol_given_a_size_is_a_number():
    # Most bytes and FLOPs of one symbol are counts of elements.
    assert Quantity("n", "byte").at(n=5).value == 5
    assert (Quantity("n", "byte") + Quantity("n*m", "byte")).at(n=5, m=2).value == 15
    assert Quantity("x", "GB").at(x=5).value == 5 * 10**9
    assert Quantity("x", "TB/s").at(x=5).value == 5 * 10**12


def test_a_power_that_would_fill_memory():
    with pytest.raises(InputError, match="too large"):
        Quantity("x**y", "FLOP").at(x=2, y=9999999999)
