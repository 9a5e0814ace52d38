"""Exact regions: worked by hand, by branch, or by counting."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import pytest
from sympy import E, Expr, Integer, Max, Min, Rational, S, Symbol, ceiling, floor, oo, sqrt, zoo

from symroof.errors import UnboundError
from symroof.solve.exact import Membership, exact_region
from symroof.symbolic.functions import log2
from symroof.symbolic.regions import Region

u = Symbol("u", positive=True)
R = Rational


def real(left: Expr, *rights: Expr) -> str:
    found = exact_region(S(left), [S(right) for right in rights], u)
    assert found.real is not None, found.note
    return found.real.text("u")


def integers(left: Expr, *rights: Expr):  # type: ignore[no-untyped-def]
    found = exact_region(S(left), [S(right) for right in rights], u)
    assert found.integers is not None, found.note
    return found.integers


def matmul(n: int, k: int) -> tuple[Expr, Expr]:
    """Return FLOPs and bytes of an fp16 product with u rows."""
    return 2 * u * n * k, 2 * (u * n + n * k + u * k)


class TestMatmul:
    @pytest.mark.parametrize(
        ("size", "first"), [(512, None), (1024, 956), (4096, 399), (8192, 363)]
    )
    def test_smallest_rows_at_ridge_1000_3(self, size: int, first: int | None) -> None:
        flops, moved = matmul(size, size)
        found = integers(flops, R(1000, 3) * moved)
        assert (found.first, found.permanent) == (first, first)

    def test_h100(self) -> None:
        flops, moved = matmul(4096, 4096)
        assert real(flops / moved, R(19780, 67)) == "u ≥ 10127360/29359"
        assert integers(flops, R(19780, 67) * moved).first == 345

    def test_saturates_below_the_ridge(self) -> None:
        flops, moved = matmul(512, 512)
        assert exact_region(flops / moved, [R(19780, 67)], u).real == Region.EMPTY

    def test_four_bit_weights(self) -> None:
        moved = 2 * u * 4096 + 2 * u * 4096 + 4096 * 4096 * R(1, 2)
        assert real(2 * u * 4096 * 4096, R(19780, 67) * moved) == "u ≥ 2531840/29359"
        assert integers(2 * u * 4096 * 4096, R(19780, 67) * moved).first == 87


class TestPlainSets:
    def test_identity_holds_everywhere(self) -> None:
        found = exact_region(3 * u + 1, [1 + 3 * u], u)
        assert found.real == Region.ALL
        assert found.integers is not None
        assert found.integers.intervals == ((1, None),)

    def test_no_right_side(self) -> None:
        assert real(u) == "every u"

    def test_a_touching_point_belongs(self) -> None:
        assert real(-((u - 3) ** 2), 0) == "u = 3"
        assert real(-((2 * u - 3) ** 2), 0) == "u = 3/2"
        assert integers(-((2 * u - 3) ** 2), 0).total == 0
        assert real(-((u**2 - 2) ** 2), 0) == "u = sqrt(2)"

    def test_between_and_outside(self) -> None:
        assert real(u * (5 - u), 6) == "2 ≤ u ≤ 3"
        assert real(6, u * (5 - u)) == "u ≤ 2 or u ≥ 3"

    def test_surds(self) -> None:
        assert real(u**2, u + 1) == "u ≥ 1/2 + sqrt(5)/2"
        assert real(8, u**2) == "u ≤ 2*sqrt(2)"

    def test_higher_degree(self) -> None:
        assert real(u**3, u + 1) == "u ≥ root(x**3 - x - 1, 1.32472)"
        assert real(u**3, 2) == "u ≥ 2**(1/3)"
        assert real((u - 1) * (u - 2) * (u - 3), 0) == "1 ≤ u ≤ 2 or u ≥ 3"
        assert real((u - 1) * (u**2 - 2) * (u**2 - 3), 0) == "1 ≤ u ≤ sqrt(2) or u ≥ sqrt(3)"

    def test_poles_do_not_belong(self) -> None:
        assert real(1 / (u - 3), 0) == "u > 3"
        assert real(1 / (u - 3) ** 2, 0) == "u < 3 or u > 3"
        assert real(u / ((u - 3) * (u - 5)), 0) == "u < 3 or u > 5"
        assert real(1 / (u - 2) + u, 1 / (u - 2) + 1) == "1 ≤ u < 2 or u > 2"

    def test_several_right_sides(self) -> None:
        assert real(u, 3, u / 2 + 4) == "u ≥ 8"
        assert real(u**2, 3 * u, 7 * u - 10) == "u ≥ 5"

    def test_infinite_sides(self) -> None:
        assert real(oo, u) == "every u"
        assert real(u, oo) == "no u"
        assert real(u, -oo, 3) == "u ≥ 3"
        assert real(u, zoo) == "no u"

    def test_other_symbols_are_refused(self) -> None:
        with pytest.raises(UnboundError, match="depends on K"):
            exact_region(u * Symbol("K", positive=True), [S(1)], u)

    def test_irrational_coefficients(self) -> None:
        assert real(sqrt(2) * u, 3) == "u ≥ 3*sqrt(2)/2"
        # u**2 <= 1/(sqrt(3) - sqrt(2)) = sqrt(3) + sqrt(2) = 3.146..., so u <= 1.7737...
        found = exact_region(sqrt(2) * u**2 + 1, [sqrt(3) * u**2], u).real
        assert found is not None
        assert abs(float(found.intervals[0].upper) - math.sqrt(3**0.5 + 2**0.5)) < 1e-12
        assert integers(u, sqrt(2) * 5).first == 8


class TestChoices:
    @pytest.mark.parametrize(("limit", "text"), [(5, "u ≤ 50"), (R(5, 2), "u ≤ 20"), (2, "no u")])
    def test_time_within_a_budget(self, limit: Expr, text: str) -> None:
        assert real(limit, Max(u / 10, 2 + u / 40)) == text

    def test_attainable_reaches_the_peak(self) -> None:
        assert real(Min(R(335, 100) * u, 989), 989) == "u ≥ 19780/67"

    def test_nested(self) -> None:
        assert real(Max(Min(u, 3), u / 2), Min(u - 1, 5)) == "u ≤ 4 or u ≥ 10"

    def test_many_terms(self) -> None:
        total = sum((i * Max(u / i, 7 + i) for i in range(1, 41)), S(0))
        # At u = 40*47 all forty terms are u: 40*u >= 60000 from u = 1500 on; checked by halves.
        found = exact_region(total, [S(40000)], u)
        assert found.real is not None
        (interval,) = found.real.intervals
        bound = interval.lower

        def cost(x: Fraction) -> Fraction:
            return sum((i * max(x / i, Fraction(7 + i)) for i in range(1, 41)), Fraction(0))

        assert cost(Fraction(bound.p, bound.q)) == 40000

    def test_an_undefined_branch_makes_no_value(self) -> None:
        assert real(Max(u, 1 / (u - 3)), 0) == "u < 3 or u > 3"


class TestSteps:
    def test_tile_quantisation(self) -> None:
        peak, bandwidth = R(989 * 10**12), R(335 * 10**10)
        work = 2 * (128 * ceiling(u / 128)) * (128 * ceiling(R(1024, 128))) * 600 / peak
        moved = 2 * (u * 600 + 600 * 1024 + u * 1024) / bandwidth
        found = integers(work, moved)
        expected = [(769, 769), (897, 933), (1025, 1097), (1153, 1261), (1281, None)]
        assert list(found.intervals) == expected
        assert (found.first, found.permanent, found.total) == (769, 1281, 5)
        brute = [
            n
            for n in range(1, 4000)
            if Fraction(2 * 128 * -(-n // 128) * 1024 * 600, 989 * 10**12)
            >= Fraction(2 * (n * 600 + 600 * 1024 + n * 1024), 335 * 10**10)
        ]
        assert brute == [n for n in range(1, 4000) if found.contains(n)]

    def test_reals_between_steps(self) -> None:
        assert real(ceiling(u / 4), u / 3) == "u ≤ 3 or 4 < u ≤ 6 or 8 < u ≤ 9"
        assert real(floor(u), 3) == "u ≥ 3"
        assert real(3, ceiling(u)) == "u ≤ 3"
        # Equal at whole numbers only: no set over the reals, every number over the integers.
        assert integers(floor(u), u).intervals == ((1, None),)

    def test_never_settles(self) -> None:
        found = exact_region(2 * ceiling(u / 2) - u, [R(1, 2)], u)
        assert found.real is None
        assert "steps" in found.note
        assert found.integers is not None
        assert found.integers.total == math.inf
        assert (found.integers.period, found.integers.first, found.integers.permanent) == (
            2,
            1,
            None,
        )
        assert len(found.integers.intervals) == 64
        assert found.integers.contains(10**9 + 1)
        assert not found.integers.contains(10**9)

    def test_more_intervals_than_are_listed(self) -> None:
        found = integers(R(1001, 1000) * 4 * ceiling(u / 4), u + 2)
        brute = [n for n in range(1, 5000) if Fraction(1001, 1000) * 4 * -(-n // 4) >= n + 2]
        runs = sum(n - 1 not in set(brute) for n in brute)
        assert found.total == runs > 64
        assert found.first == brute[0]
        assert found.permanent is not None
        assert found.permanent - 1 not in brute
        assert set(range(found.permanent, 5000)) <= set(brute)
        assert [n for n in range(1, 5000) if found.contains(n)] == brute

    def test_waves_of_tiles(self) -> None:
        waves = ceiling(ceiling(u / 128) * 32 / 132)
        found = integers(R(1, 50), R(1, 1000) * waves)
        # 20 waves hold 20*132/32 = 82.5, so 82 rows of tiles.
        assert found.intervals == ((1, 82 * 128),)

    def test_a_long_period_does_not_hang(self) -> None:
        found = exact_region(ceiling(u / 7919) + ceiling(u / 7907), [u / 3956 + R(1, 2)], u)
        assert found.integers is None or found.integers.first == 1

    def test_falling_steps(self) -> None:
        assert real(ceiling(1000 / u), u) == "u ≤ 32"

    def test_steps_of_logarithms(self) -> None:
        assert integers(5, ceiling(log2(u))).intervals == ((1, 32),)
        assert integers(ceiling(log2(u)), 5).first == 17

    def test_powers_of_steps(self) -> None:
        # The next power of two is at most 1.5 times u just below it.
        found = exact_region(S(100), [2 ** ceiling(log2(u))], u)
        assert found.integers is not None
        assert found.integers.intervals == ((1, 64),)

    def test_a_step_below_zero_level(self) -> None:
        assert real(1 / floor(u / 4), R(1, 3)) == "4 ≤ u < 16"


class TestExponentials:
    def test_experts_at_one_token(self) -> None:
        # One token uses exactly k experts, so both sides agree at 1.
        found = exact_region(8 * u, [256 * (1 - R(31, 32) ** u)], u)
        assert found.real is not None
        assert found.real.text("u") == "u ≥ 1"
        assert not found.numeric

    def test_mixture(self) -> None:
        found = exact_region(3 * u, [256 * (1 - R(31, 32) ** u) + 40], u)
        assert found.numeric
        assert "numeric" in found.note
        assert found.integers is not None
        brute = [n for n in range(1, 400) if 3 * n >= 256 * (1 - Fraction(31, 32) ** n) + 40]
        assert (found.integers.first, found.integers.permanent) == (brute[0], brute[0])
        assert brute == list(range(brute[0], 400))

    def test_far_away(self) -> None:
        share = R(1, 10**7)
        # The exponential has died out to e**-10.5: u = 10**8 + 5*10**6*(1 - e**-10.4998...).
        found = integers(u, 10**7 * (1 - (1 - share) ** u) * R(1, 2) + 10**8)
        assert found.first == found.permanent
        gap = 5 * 10**6 * math.exp(-found.first / 10**7)
        assert abs(105 * 10**6 - gap - found.first) < 1

    def test_powers_cross_twice(self) -> None:
        assert real(2**u, u**2) == "u ≤ 2 or u ≥ 4"

    def test_unsolvable_says_why(self) -> None:
        found = exact_region(u**u, [S(2)], u)
        assert found.real is None
        assert found.integers is None
        assert "base" in found.note


class TestLogarithms:
    def test_powers_divide_out(self) -> None:
        assert real(u * log2(u), 3 * u) == "u ≥ 8"
        assert real(5 * u * log2(u), 16 * u) == "u ≥ 8*2**(1/5)"

    def test_quadratic_in_the_logarithm(self) -> None:
        text = "u ≤ 2**(3/2 - sqrt(5)/2) or u ≥ 2**(3/2 + sqrt(5)/2)"
        assert real(log2(u) ** 2 + 1, 3 * log2(u)) == text

    def test_numeric(self) -> None:
        found = exact_region(5 * u * log2(u), [40 * u + 1000], u)
        brute = [n for n in range(1, 1000) if 5 * n * math.log2(n) >= 40 * n + 1000]
        assert found.numeric
        assert found.integers is not None
        assert found.integers.first == brute[0]

    def test_logarithms_of_numbers(self) -> None:
        assert real(5 * u * log2(1000), 40 * u + 1000) == "u ≥ 1000/(5*log2(1000) - 40)"
        assert real(log2(u), log2(S(6))) == "u ≥ 6"


class TestRoots:
    def test_cache_bound(self) -> None:
        assert real(1000 / sqrt(u), 17) == "u ≤ 1000000/289"

    def test_quadratic_in_the_root(self) -> None:
        assert real(3 * sqrt(u), u - 1) == "u ≤ 11/2 + 3*sqrt(13)/2"

    def test_root_of_a_sum(self) -> None:
        assert real(sqrt(u**2 + 1), 2 * u - 1) == "u ≤ 4/3"
        assert real(sqrt(u - 3), 1) == "u ≥ 4"
        assert real(sqrt(u - 3), 0) == "u ≥ 3"
        assert real(sqrt(u**2 + 2 * u + 1), u + 1) == "every u"

    def test_cube_root_of_a_sum(self) -> None:
        assert real((u + 7) ** R(1, 3), 2) == "u ≥ 1"


def test_membership_survives_a_process() -> None:
    found = integers(2 * ceiling(u / 2) - u, R(1, 2))
    again = pickle.loads(pickle.dumps(found))
    assert again.contains(10**6 + 1)
    assert Membership(u, (S(3),), u)(3)


def test_unknown_functions_are_not_solved() -> None:
    found = exact_region(u**E, [S(2)], u)
    assert found.real is None
    assert found.integers is None


def test_steps_that_end_at_a_small_number_are_looked_at_up_to_there() -> None:
    """min(2, ceil(x)) - 1 is whether x is more than 1: sixty of them are sixty places."""
    u = Symbol("u", positive=True)
    beyond = [ceiling(Min(2, u / (7 * n))) - 1 for n in range(1, 61)]
    found = exact_region(sum(beyond), [Integer(30)], u)  # 30 of the n have 7 n < u
    assert found.integers.intervals == ((211, None),)
    floors = Min(3, floor(u / 10))
    assert exact_region(floors, [Integer(3)], u).integers.intervals == ((30, None),)
    assert exact_region(Integer(1), [floors], u).integers.intervals == ((1, 19),)
    falling = Min(2, ceiling(100 / u))  # 2 below 100, 1 from there on
    assert exact_region(falling, [Integer(2)], u).integers.intervals == ((1, 99),)
