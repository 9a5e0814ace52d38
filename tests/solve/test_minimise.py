from __future__ import annotations

import json
import pickle
from fractions import Fraction

import pytest
from sympy import Integer, Rational, S, sqrt

from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.solve import Minimum, Place, minimise
from symroof.symbolic import parse, symbols

a, b, c, d, x = symbols("a b c d x")
B, F, N, M_X, M_Y = symbols("B F N M_X M_Y")


def split(**options: object) -> Minimum:
    """How to split N chips over two axes: B·M_X/X bytes over one, F·X·M_Y/N over the other."""
    formula = B * M_X / X_ + F * M_Y * X_ / N
    return minimise(formula, "X", counts={"B", "F", "N", "M_X", "M_Y", "X"}, **options)  # type: ignore[arg-type]


X_ = symbols("X")


class TestOnePower:
    def test_the_textbook_case(self) -> None:
        m = minimise(a / x + b * x, x, low=0)
        assert (m.kind, m.point, m.value) == (Place.POINT, sqrt(a / b), 2 * sqrt(a * b))
        assert m.condition is not None
        assert m.condition.is_true
        assert m.second_order == "convex in log x"
        assert str(m) == "x* = √(a/b), the minimum of b·x + a/x: 2·√(a·b) (convex in log x)"

    def test_the_ends_make_cases(self) -> None:
        m = minimise(a / x + b * x, "x", high="N")
        assert [(str(k.condition), k.place, k.point, k.value) for k in m.cases] == [
            ("a >= b and N**2*b >= a", Place.POINT, sqrt(a / b), 2 * sqrt(a * b)),
            ("b > a", Place.LOW, 1, a + b),
            ("a >= b and a > N**2*b", Place.HIGH, N, N * b + a / N),
        ]
        assert str(minimise(a / x + b * x, "x").sentence()) == (
            "x* = √(a/b), the minimum of b·x + a/x: 2·√(a·b) (convex in log x)"
            "   given a ≥ b, else x* = 1"
        )

    @pytest.mark.parametrize(
        ("formula", "point", "value"),
        [
            # -2a/x³ + b = 0
            ("a/x**2 + b*x", "(2*a/b)**(1/3)", "a/(2*a/b)**(2/3) + b*(2*a/b)**(1/3)"),
            # -a/x² + b/(2√x) = 0
            ("a/x + b*sqrt(x)", "(2*a/b)**(2/3)", "a/(2*a/b)**(2/3) + b*(2*a/b)**(1/3)"),
            ("a/x + c + b*x", "sqrt(a/b)", "2*sqrt(a*b) + c"),
            ("a*x**2 + b/x**2", "(b/a)**(1/4)", "2*sqrt(a*b)"),
            ("(a + c)/x + (b + d)*x", "sqrt((a + c)/(b + d))", "2*sqrt((a + c)*(b + d))"),
        ],
    )
    def test_two_powers(self, formula: str, point: str, value: str) -> None:
        m = minimise(formula, "x", low=0)
        assert m.kind is Place.POINT
        assert m.point == parse(point)
        assert m.value is not None
        assert (m.value - parse(value)).equals(0)

    def test_three_powers_that_make_a_quadratic(self) -> None:
        # The slope of 3ax² + c - b/x²: in y = x² it is 3ay² + cy - b.
        m = minimise("a*x**3 + b/x + c*x", "x", low=0)
        assert m.point is not None
        assert (m.point**2 - (-c + sqrt(c**2 + 12 * a * b)) / (6 * a)).equals(0)
        assert "where p = 3·a, q = c, r = −b" in str(m)

    @pytest.mark.parametrize(
        ("formula", "ends", "place", "point", "value"),
        [
            ("b*x", {}, Place.LOW, 1, b),
            ("a/x", {"high": "N"}, Place.HIGH, N, a / N),
            ("a/x", {}, Place.NEVER, S.Infinity, 0),
            ("a/x + c", {}, Place.NEVER, S.Infinity, c),
            ("b*x + c", {"low": 0}, Place.NEVER, 0, c),
            # what all-gathers of (n - 1)/n of V send grows with n
            ("b*(x - 1)/x", {}, Place.LOW, 1, 0),
        ],
    )
    def test_monotone(
        self, formula: str, ends: dict[str, object], place: Place, point: object, value: object
    ) -> None:
        m = minimise(formula, "x", **ends)  # type: ignore[arg-type]
        assert (m.kind, m.point, m.value) == (place, point, value)

    def test_falling_without_end_says_so(self) -> None:
        assert str(minimise("a/x + c", "x")) == "none: it falls to c as x → ∞"
        assert str(minimise("b*x", "x", low=0)) == "none: it falls to 0 as x → 0"

    def test_a_coefficient_of_unknown_sign_is_a_condition(self) -> None:
        m = minimise("a/x + (b - c)*x", "x", low=0)
        assert (m.kind, m.point) == (Place.POINT, sqrt(a / (b - c)))
        assert m.second_order == "it falls before and rises after"
        assert str(m.sentence().given) == "b > c"
        assert m.sentence().otherwise == "none: it falls as x → ∞"


class TestMaxima:
    def test_overlap(self) -> None:
        m = minimise("max(a/x, b*x)", "x", low=0)
        assert (m.kind, m.point, m.value) == (Place.POINT, sqrt(a / b), sqrt(a * b))

    def test_a_constant_makes_a_plateau(self) -> None:
        m = minimise("max(c, a/x, b*x)", "x", low=0)
        assert m.kind is Place.CASES
        point, plateau = m.cases
        assert (str(point.condition), point.point) == ("a*b > c**2", sqrt(a / b))
        assert (str(plateau.condition), plateau.place) == ("c**2 >= a*b", Place.INTERVAL)
        assert plateau.upper is not None
        assert (plateau.point, plateau.upper.expr, plateau.value) == (a / c, c / b, c)

    def test_a_plateau_between_ends(self) -> None:
        m = minimise("max(c, a/x, b*x)", "x", high="N", counts={"N"})
        assert "max(1, a/c) ≤ x* ≤ min(N, c/b) if c ≥ b and c·N ≥ a and c² ≥ a·b" in str(m)
        assert m.verify(40)[1] == 0

    def test_a_plateau_above_a_sum(self) -> None:
        m = minimise("max(c, a/x + b*x)", "x", low=0)
        assert str(m) == (
            "x* = √(a/b) if 4·a·b > c²; (c − √(c² − 4·b·a)) / (2·b) ≤ x* "
            "≤ (c + √(c² − 4·b·a)) / (2·b) if c² ≥ 4·a·b"
        )
        assert m.at(a=6, b=1, c=5).real is not None
        assert m.at(a=6, b=1, c=5).real.text("x") == "2 ≤ x ≤ 3"  # type: ignore[union-attr]

    def test_a_plateau_without_end(self) -> None:
        m = minimise("max(c, a/x)", "x")
        assert (m.kind, str(m.point), m.point_upper) == (Place.INTERVAL, "Max(1, a/c)", S.Infinity)
        y = m.at(a=8, c=3)
        assert y.whole is not None
        assert y.whole.intervals == ((3, None),)

    def test_two_sums(self) -> None:
        # Each at its own minimum where it is the larger there, else where they cross.
        m = minimise("max(a/x + b*x, c/x + d*x)", "x", low=0)
        assert [(str(k.condition), k.point) for k in m.cases][:2] == [
            ("2*a*b >= a*d + b*c", sqrt(a / b)),
            ("a*d + b*c > 2*a*b and 2*c*d >= a*d + b*c", sqrt(c / d)),
        ]
        assert len(m.cases) == 3
        assert m.at(a=10, b=1, c=1, d=2).point_bound == 3  # 9 = (10 - 1)/(2 - 1)
        assert m.verify(60)[1] == 0

    def test_sums_of_maxima(self) -> None:
        m = minimise("max(c, a/x) + max(d, b*x)", "x", low=0)
        assert {(k.place, k.point) for k in m.cases} == {
            (Place.POINT, sqrt(a / b)),
            (Place.POINT, d / b),
            (Place.POINT, a / c),
            (Place.INTERVAL, a / c),
        }
        assert m.verify(60)[1] == 0

    def test_three_powers(self) -> None:
        m = minimise("max(a/x, b*x, d*x**2)", "x", low=0)
        assert [(str(k.condition), k.point) for k in m.cases] == [
            ("b**3 >= a*d**2", sqrt(a / b)),
            ("a*d**2 > b**3", (a / d) ** Rational(1, 3)),
        ]


class TestSplitOfTwoAxes:
    """X = √(B·M_X·N/(F·M_Y)), from the scaling literature."""

    def test_closed_form(self) -> None:
        m = split(high="N", order=("B", "N", "M_X", "F", "M_Y"))
        assert m.point == sqrt(B * M_X * N / (F * M_Y))
        assert str(m).startswith("X* = √(B·N·M_X / (F·M_Y)), the minimum of ")
        assert m.sentence().given == "B·N·M_X ≥ F·M_Y and N·F·M_Y ≥ B·M_X"

    def test_64_chips(self) -> None:
        y = split(high="N").at(N=64, B=48000, F=32768, M_X=2, M_Y=1)
        assert y.point_bound == 5 * sqrt(30) / 2
        assert y.point_float == pytest.approx(13.693, abs=5e-4)
        # f(13) = 96000/13 + 6656, f(14) = 96000/14 + 7168.
        assert y.first == 14
        assert y.whole_value == Rational(96000, 14) + 7168

    def test_8960_chips(self) -> None:
        y = split(high="N").at(N=8960, B="4.19e6", F=28672, M_X=2, M_Y=1)
        assert y.point_bound == 25 * sqrt(4190)
        assert y.point_float == pytest.approx(1618.26, abs=5e-3)
        assert y.first == 1618

    @pytest.mark.parametrize("chips", [64, 96, 360])
    def test_mesh_sizes_by_trying_all(self, chips: int) -> None:
        y = split(divides="N").at(N=chips, B=48000, F=32768, M_X=2, M_Y=1)
        times = {
            n: Fraction(96000, n) + Fraction(32768 * n, chips)
            for n in range(1, chips + 1)
            if chips % n == 0
        }
        best = min(times, key=times.__getitem__)
        assert y.first == best
        assert y.whole_value == Rational(times[best].numerator, times[best].denominator)
        assert f"of the divisors of {chips}" in str(y)


class TestNumbers:
    def test_ties(self) -> None:
        y = minimise("30/x + x", "x")
        assert y.whole is not None
        assert (y.whole.intervals, y.whole_value, y.first) == (((5, 6),), 11, 5)
        assert str(y) == ("x* = 5.47723, the minimum: 10.9545 (convex in log x) → 5 ≤ x ≤ 6: 11")

    def test_a_whole_point_is_said_once(self) -> None:
        assert str(minimise("9/x + x", "x")) == "x* = 3, the minimum: 6 (convex in log x)"

    def test_rates_stay_in_the_closed_form(self) -> None:
        m = minimise("a/x + b*x", "x", values={"b": Integer(3)}, integer=False)
        y = m.at(a=12)
        assert (y.point, y.point_bound) == (2 * sqrt(3) / sqrt(b), 2)
        assert str(y).startswith("x* = √(12/b) = 2, the minimum: 12")
        assert y.whole is None

    def test_a_root_without_closed_form(self) -> None:
        y = minimise("x**3 + 7/x + x**2", "x", low=0)
        # 3x⁴ + 2x³ = 7
        assert y.point_float == pytest.approx(1.09766, abs=1e-5)
        assert (y.first, y.whole_value) == (1, 9)
        assert y.verify(40)[1] == 0

    def test_several_local_minima(self) -> None:
        y = minimise("(x - 5)**2*(x - 10)**2 + 1", "x")
        assert y.whole is not None
        assert y.whole.intervals == ((5, 5), (10, 10))
        assert y.second_order == "the least of 2 local minima"

    def test_rounding_up_is_tried(self) -> None:
        y = minimise("ceil(1000/x) + ceil(x/3)", "x")
        times = {n: -(-1000 // n) - (-n // 3) for n in range(1, 3001)}
        best = [n for n in times if times[n] == min(times.values())]
        assert y.real is None
        assert y.whole is not None
        assert [n for n in times if y.whole.contains(n)] == best
        assert "by trying" in str(y)
        assert y.note.startswith("x is inside ceil")

    def test_logarithms_are_tried(self) -> None:
        # the derivative: 1000/x² = 1/(x·ln 2) at 1000·ln 2 = 693.1…
        assert minimise("1000/x + log2(x)", "x").first == 693

    def test_too_many_to_try_is_refused(self) -> None:
        y = minimise("ceil(x)/x", "x")
        assert y.kind is Place.UNSOLVED
        assert "give high" in str(y)

    def test_a_single_number_is_left(self) -> None:
        y = minimise("a/x + x", "x", low=4, high=4).at(a=8)
        assert (y.point_bound, y.value_bound, y.first) == (4, 6, 4)

    def test_no_whole_number_is_left(self) -> None:
        y = minimise("9/x + x", "x", low="5/4", high="7/4")
        assert (y.point_bound, y.first) == (Rational(7, 4), None)


class TestUnsolved:
    @pytest.mark.parametrize(
        ("formula", "reason"),
        [
            ("a/x + ceil(x/4)", "x is inside a ceil or floor: bind a"),
            ("a/x + log2(x)", "x is inside log2(x): bind a"),
            ("a/x + b*x + c*x**2", "degree 3 in x: bind a, b, c"),
            ("min(a/x, b*x)", "it may rise and then fall again as x grows: bind a, b"),
            ("a/(x - b)", "x - b may be zero or negative: bind a, b"),
        ],
    )
    def test_the_reason_is_said(self, formula: str, reason: str) -> None:
        m = minimise(formula, "x")
        assert m.kind is Place.UNSOLVED
        assert str(m) == f"not solved: {reason}"
        assert (m.point, m.value, m.condition, m.second_order) == (None, None, None, None)
        assert m.verify() == (0, 0)

    def test_numbers_answer_it(self) -> None:
        y = minimise("a/x + b*x + c*x**2", "x").at(a=500, b=3, c=1)
        times = {n: Fraction(500, n) + 3 * n + n * n for n in range(1, 200)}
        assert y.first == min(times, key=times.__getitem__)


class TestSurface:
    def test_at_keeps_the_type_and_the_rest(self) -> None:
        m = minimise("a/x + b*x", "x")
        y = m.at(a=8)
        assert isinstance(y, Minimum)
        assert y.free == ("b",)
        assert y.at(b=2) == m.at(b=2, a=8)
        assert m.free == ("a", "b")

    def test_numbers_of_an_unbound_answer(self) -> None:
        m = minimise("a/x + b*x", "x")
        for ask in ("real", "whole", "first", "whole_value", "point_float", "value_float"):
            with pytest.raises(UnboundError, match=r"still depends on a, b; bind with \.at"):
                getattr(m, ask)
        assert (m.point_bound, m.value_bound) == (None, None)

    def test_plain_data(self) -> None:
        m = minimise("max(c, a/x, b*x)", "x", divides="N", counts={"N"})
        data = json.loads(json.dumps(m.to_dict()))
        assert (data["kind"], data["high"], data["divides"]) == ("cases", "N", "N")
        assert data["cases"][0]["point"] == "sqrt(a)/sqrt(b)"
        assert parse(data["cases"][0]["value"]) == sqrt(a * b)
        y = m.at(a=64, b=1, c=3, N=96)
        data = json.loads(json.dumps(y.to_dict()))
        assert (data["point_bound"], data["value_float"], data["whole"]) == ("8", 8.0, [[8, 8]])

    def test_endless_plateaus_are_text(self) -> None:
        data = minimise("max(c, a/x)", "x").at(a=8, c=3).to_dict()
        assert (data["point_upper_bound"], data["whole"]) == ("infinity", [[3, None]])

    def test_pickles(self) -> None:
        m = minimise("a/x + b*x", "x").at(a=30)
        again = pickle.loads(pickle.dumps(m))
        assert again == m
        assert str(again) == str(m)

    def test_labels(self) -> None:
        m = minimise("a/x + bw.hbm*x".replace("bw.hbm", "b"), "x", low=0)
        assert str(m.sentence({"b": "β"})).startswith("x* = √(a/β)")

    @pytest.mark.parametrize(
        "formula",
        ["a/x + b*x", "max(c, a/x + b*x)", "a/(x + 1) + b*x", "max(a/x + b*x, d*x)", "a/x"],
    )
    @pytest.mark.parametrize("ends", [{"low": 0}, {}, {"high": "N"}])
    def test_substitution_agrees(self, formula: str, ends: dict[str, object]) -> None:
        m = minimise(formula, "x", counts={"N"}, **ends)  # type: ignore[arg-type]
        points, mismatches = m.verify(25)
        assert points > 50
        assert mismatches == 0


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"low": -1}, "low=-1: x is positive; expected a positive number, or 0 for no end"),
            ({"high": 0}, "high=0: x is positive; expected positive"),
            ({"low": 5, "high": 3}, "no x from 5 up to 3: low is above high"),
            ({"high": "2*x"}, "high=2*x depends on x, which is asked for"),
            ({"divides": "3/2"}, "divides=3/2: expected a whole number from 1"),
            ({"divides": 0}, "divides=0: expected a whole number from 1"),
            ({"divides": 10**19}, "expected a whole number up to"),
        ],
    )
    def test_ends(self, options: dict[str, object], message: str) -> None:
        with pytest.raises(InputError, match=r"^[^\n]+$") as error:
            minimise("a/x + x", "x", **options)  # type: ignore[arg-type]
        assert message in str(error.value)

    def test_an_unknown_that_is_not_there(self) -> None:
        with pytest.raises(UnknownNameError, match="unknown symbol 'bat'; did you mean 'batch'"):
            minimise("a/batch + batch", "bat")
        with pytest.raises(InputError, match="a/y does not depend on x; it is the same everywhere"):
            minimise("a/y", "x", counts={"x"})

    def test_bindings(self) -> None:
        m = minimise("a/x + x", "x", low=2, high="N")
        with pytest.raises(InputError, match="x is what is asked for"):
            m.at(x=3)
        with pytest.raises(UnknownNameError, match="unknown symbol 'q'"):
            m.at(q=3)
        with pytest.raises(InputError, match="no x from 2 up to 1"):
            m.at(N=1)
        with pytest.raises(InputError, match="positive"):
            m.at(a=-3)
