from __future__ import annotations

import json
import pickle
from fractions import Fraction

import pytest
from sympy import Integer, Max, Min, Rational, ceiling

from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.solve import Crossover, Kind, Problem, solve
from symroof.solve.conditions import TRUE
from symroof.solve.ranges import NEVER
from symroof.symbolic import parse, symbol, symbols

M, N, K, B, C, W = symbols("M N K B C W")
RIDGE = symbol("ridge.fp16")
H100 = Rational(19780, 67)
DIMS = frozenset({"M", "N", "K"})


def matmul(ridge: Rational | None = None) -> Crossover:
    intensity = M * N * K / (M * N + M * K + N * K)
    values = {} if ridge is None else {"ridge.fp16": ridge}
    problem = Problem(intensity, (RIDGE,), M, DIMS, values, integer=True)
    return solve(problem, order=("M", "N", "K"))


class TestMatrixProduct:
    def test_unbound(self) -> None:
        x = matmul(H100)
        assert (x.kind, x.relation) == (Kind.AT, ">=")
        assert x.threshold is not None
        assert (x.threshold - RIDGE * N * K / (N * K - RIDGE * (N + K))).simplify() == 0
        assert x.condition is not None
        assert x.condition.text(order=x.order) == "N*K > ridge.fp16*(N + K)"
        assert str(x.sentence({"ridge.fp16": "I"})) == (
            "M ≥ I·N·K / (N·K − I·(N + K))   given N·K > I·(N + K), else never"
        )

    def test_harmonic_reading(self) -> None:
        found = matmul().harmonic
        assert found is not None
        assert found.reading.unicode({"ridge.fp16": "I"}) == "1/M + 1/N + 1/K ≤ 1/I"
        assert found.solvable is not None
        assert found.solvable.unicode({"ridge.fp16": "I"}) == "1/N + 1/K < 1/I"

    def test_rule_of_thumb_is_the_ridge_however_much_is_bound(self) -> None:
        x = matmul(H100)
        assert x.rule_of_thumb == RIDGE
        assert x.at(N=4096).rule_of_thumb == RIDGE
        assert x.at(N=4096, K=4096).rule_of_thumb == RIDGE
        assert x.at(N=4096, K=4096, ridge="300 FLOP/byte").rule_of_thumb == 300

    def test_at_4096(self) -> None:
        y = matmul(H100).at(N=4096, K=4096)
        assert y.kind is Kind.AT
        assert y.threshold is not None
        assert (y.threshold - 2048 * RIDGE / (2048 - RIDGE)).simplify() == 0
        assert y.threshold_bound == Rational(10127360, 29359)
        assert y.threshold_value == pytest.approx(344.9490786470929)
        assert (y.first, y.permanent) == (345, 345)
        assert (y.intervals, y.intervals_total) == (((345, None),), 1)

    def test_the_threshold_itself_is_in_the_set(self) -> None:
        y = matmul(H100).at(N=4096, K=4096)
        assert y.real is not None
        assert y.real.contains(Rational(10127360, 29359))
        assert not y.real.contains(Rational(10127359, 29359))

    def test_at_512_is_never(self) -> None:
        y = matmul(H100).at(N=512, K=512)
        assert y.kind is Kind.NEVER
        assert (y.threshold, y.threshold_bound, y.threshold_value) == (None, None, None)
        assert (y.first, y.permanent, y.intervals, y.intervals_total) == (None, None, (), 0)
        assert str(y) == "never"

    @pytest.mark.parametrize(
        ("size", "first"), [(512, None), (1024, 956), (4096, 399), (8192, 363)]
    )
    def test_at_ridge_1000_thirds(self, size: int, first: int | None) -> None:
        assert matmul(Rational(1000, 3)).at(N=size, K=size).first == first

    def test_times_instead_of_the_ridge(self) -> None:
        sides = 2 * M * N * K / C, 2 * (M * N + N * K + M * K) / W
        x = solve(Problem(sides[0], (sides[1],), M, DIMS, integer=True))
        assert str(x) == "M ≥ C·K·N / (W·K·N − C·(K + N))   given W·K·N > C·(K + N), else never"
        y = x.at(C="989e12", W="3.35e12", N=4096, K=4096)
        assert y.threshold == Rational(10127360, 29359)
        assert y.first == 345

    def test_the_same_for_the_bandwidth(self) -> None:
        sides = 2 * M * N * K / C, 2 * (M * N + N * K + M * K) / W
        x = solve(Problem(sides[0], (sides[1],), W, DIMS))
        assert x.threshold == parse("C*(M*N + M*K + N*K)/(M*N*K)").expand() or (
            x.threshold is not None
            and (x.threshold - parse("C*(M*N + M*K + N*K)/(M*N*K)")).simplify() == 0
        )
        y = x.at(C=1000, M=10, N=10, K=10)
        assert y.threshold_bound == 300
        assert y.first is None


def test_an_identity_is_always() -> None:
    x = solve(Problem(M * N / C, (N * M / C,), M, DIMS, integer=True))
    assert x.kind is Kind.ALWAYS
    assert (x.first, x.permanent, x.intervals) == (1, 1, ((1, None),))
    assert x.threshold_value is None
    assert str(x) == "always"


def test_decode_attention_is_cases_without_the_batch() -> None:
    Hq, Hkv, S, d = symbols("Hq Hkv S d")
    dims = frozenset({"B", "Hq", "Hkv", "S", "d"})
    x = solve(Problem(4 * B * Hq * S * d / (4 * B * Hkv * S * d), (RIDGE,), B, dims, integer=True))
    assert x.kind is Kind.CASES
    labels = {"ridge.fp16": "I"}
    assert [(c.condition.unicode(labels), c.region.text("B")) for c in x.cases] == [
        ("Hq ≥ I·Hkv", "always"),
        ("I·Hkv > Hq", "never"),
    ]
    assert str(x.sentence(labels)) == "always if Hq ≥ I·Hkv; else never"
    ridge = "19780/67 FLOP/byte"
    assert x.at(Hq=32, Hkv=8, ridge=ridge).kind is Kind.NEVER
    assert x.at(Hq=295, Hkv=1, ridge=ridge).kind is Kind.NEVER
    assert x.at(Hq=296, Hkv=1, ridge=ridge).kind is Kind.ALWAYS
    # B cancelled, and may still be bound: it belongs to the problem of the group size.
    assert x.problem.names >= {"S", "d"}


def test_decode_of_an_8b_model() -> None:
    # All parameters read and multiplied, key-value bytes of 32 layers, no activations.
    S = symbol("S")
    flops = 2 * 8_030_000_000 * B + 4 * 32 * S * 128 * 32 * B
    bytes_ = 2 * 8_030_000_000 + 2 * 8 * S * 128 * 2 * 32 * B
    x = solve(Problem(flops / bytes_, (RIDGE,), B, frozenset({"B", "S"}), integer=True))
    ridge = "19780/67 FLOP/byte"
    assert x.at(S=8192, ridge=ridge).kind is Kind.NEVER
    assert x.at(S=512, ridge=ridge).kind is Kind.NEVER
    y = x.at(S=256, ridge=ridge)
    assert y.threshold_bound == Rational(1240885937500, 1645726261)
    assert y.first == 755


def test_a_group_of_one_needs_no_bandwidth() -> None:
    n, L = symbols("n L")
    left, right = 2 * B * N * K / (n * C), (n - 1) / n * 2 * B * K / L
    x = solve(Problem(left, (right,), L, frozenset({"B", "N", "K", "n"})))
    assert x.at(n=1).kind is Kind.ALWAYS
    y = x.at(n=2, B=1, N=10, K=1, C=40)
    assert y.threshold_bound == 4


def test_tiles_make_gaps() -> None:
    left = 2 * (128 * ceiling(M / 128)) * 1024 * Integer(600) / (989 * 10**12)
    right = 2 * (M * 600 + 600 * 1024 + M * 1024) / (Integer(335) * 10**10)
    x = solve(Problem(left, (right,), M, frozenset({"M"}), integer=True))
    assert x.kind is Kind.INTERVALS
    assert (x.first, x.permanent) == (769, 1281)
    assert x.intervals == ((769, 769), (897, 933), (1025, 1097), (1153, 1261), (1281, None))
    assert str(x) == "M in 769, 897–933, 1025–1097, 1153–1261, 1281 on"
    assert x.threshold_bound == 768
    assert x.verify(50)[1] == 0


def test_time_within_a_budget() -> None:
    time = Max(B / 10, 2 + B / 40)
    for budget, largest in ((Integer(5), 50), (Rational(5, 2), 20)):
        x = solve(Problem(budget, (time,), B, frozenset({"B"}), integer=True))
        assert (x.relation, x.threshold) == ("<=", largest)
        assert x.intervals == ((1, largest),)
        assert x.permanent is None
    assert solve(Problem(Integer(2), (time,), B)).kind is Kind.NEVER


def test_quadratics_of_all_kinds() -> None:
    u = symbol("u")

    def answer(left: str, right: str) -> Crossover:
        return solve(Problem(parse(left), (parse(right),), u, frozenset({"u"}), integer=True))

    between = answer("7*u", "u**2 + 10")  # (u - 2)*(u - 5) <= 0
    assert (between.kind, between.threshold, between.threshold_upper) == (Kind.BETWEEN, 2, 5)
    assert between.intervals == ((2, 5),)
    outside = answer("u**2 + 10", "7*u")
    assert (outside.kind, outside.threshold, outside.threshold_upper) == (Kind.OUTSIDE, 2, 5)
    assert (outside.first, outside.permanent) == (1, 5)
    touching = answer("4*u", "u**2 + 4")  # only u = 2
    assert (touching.kind, touching.threshold, touching.threshold_upper) == (Kind.BETWEEN, 2, 2)
    assert touching.intervals == ((2, 2),)
    assert answer("u**2 + 4", "4*u").kind is Kind.ALWAYS
    assert answer("3*u", "u**2 + 4").kind is Kind.NEVER


def test_symbolic_quadratic() -> None:
    # Causal prefill: S*S*F against S*A + P; one positive root.
    S, F, A, P = symbols("S F A P")
    x = solve(Problem(F * S**2, (A * S + P,), S))
    assert x.kind is Kind.AT
    assert str(x) == "S ≥ (−b + √(b² − 4·a·c)) / (2·a), where a = F, b = −A, c = −P"
    # 2*S**2 = 3*S + 5 at S = 5/2
    assert x.at(F=2, A=3, P=5).threshold == Rational(5, 2)
    assert x.verify(40)[1] == 0


def test_more_than_two_terms() -> None:
    x = solve(Problem(parse("A*u"), (parse("b*u + x"), parse("c*u + y")), symbol("u")))
    assert x.kind is Kind.AT
    assert str(x) == "u ≥ max(x/(A − b), y/(A − c))   given A > b and A > c, else never"
    assert x.at(A=3, b=1, c=2, x=4, y=1).threshold == 2
    assert x.at(A=3, b=1, c=3, x=4, y=1).kind is Kind.NEVER
    assert x.verify(60)[1] == 0


def test_unsolved_says_what_was_tried_and_may_be_solved_when_bound() -> None:
    u, c = symbols("u c")
    x = solve(Problem(u**3 + u, (c,), u, frozenset({"u"}), integer=True))
    assert x.kind is Kind.UNSOLVED
    assert x.note == "degree 3 in u: bind c"
    assert str(x) == "not solved: degree 3 in u: bind c"
    assert (x.cases, x.region, x.condition, x.threshold) == ((), None, None, None)
    assert x.verify() == (0, 0)
    y = x.at(c=30)
    assert (y.kind, y.threshold, y.first) == (Kind.AT, 3, 3)
    z = x.at(c=5)
    assert z.kind is Kind.AT
    assert z.first == 2
    assert z.threshold_value == pytest.approx(1.515980227692932)


def test_numbers_of_an_unbound_answer_name_what_is_free() -> None:
    x = matmul(H100)
    for ask in ("first", "permanent", "intervals", "intervals_total", "threshold_bound"):
        with pytest.raises(UnboundError, match=r"answer for M still depends on K, N"):
            getattr(x, ask)
    with pytest.raises(UnboundError):
        x.at(N=5000).threshold_value
    assert x.at(N=5).kind is Kind.NEVER  # N·K / (N + K) < 5 for every K, and the ridge is 295


def test_binding_errors() -> None:
    x = matmul(H100)
    with pytest.raises(InputError, match="M is what is asked for"):
        x.at(M=5)
    with pytest.raises(UnknownNameError, match=r"symbol .NN.; did you mean .N."):
        x.at(NN=5)
    with pytest.raises(InputError, match="at least 1"):
        x.at(N=0.5)


def test_binding_leaves_the_type_and_accepts_formulas() -> None:
    x = matmul(H100).at(N="4*D", K="D")
    assert isinstance(x, Crossover)
    assert x.free == ("D",)
    assert x.threshold is not None
    assert (x.threshold - parse("4*ridge.fp16*D/(4*D - 5*ridge.fp16)")).simplify() == 0
    assert x.at(D=4096).threshold_bound == matmul(H100).at(N=16384, K=4096).threshold_bound


def test_a_known_rate_may_be_bound_to_another_value() -> None:
    x = matmul(H100).at(N=4096, K=4096)
    assert x.at(ridge="1000/3 FLOP/byte").first == 399


def test_conditions_of_a_bound_answer_hold() -> None:
    y = matmul(H100).at(N=4096, K=4096)
    assert y.condition is not None
    assert y.condition.text() == "2048 > ridge.fp16"
    assert len(y.cases) == 2


def test_verify_is_repeatable() -> None:
    x = matmul(H100)
    first = x.verify(30)
    assert first == x.verify(30)
    assert first[0] > 60
    assert first[1] == 0


def test_verify_finds_a_wrong_answer() -> None:
    right, wrong = matmul(), matmul()
    case = right.cases[0]
    wrong.__dict__["cases"] = (type(case)(case.condition, right.cases[1].region), *right.cases[1:])
    assert wrong.verify(30)[1] > 0


def test_to_dict_is_plain_data_that_reads_back() -> None:
    data = matmul(H100).at(N=4096, K=4096).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["kind"] == "at"
    assert data["relation"] == ">="
    assert data["threshold_bound"] == "10127360/29359"
    assert data["first"] == 345
    assert data["intervals"] == [[345, None]]
    threshold = parse(data["threshold"]).xreplace({RIDGE: H100})
    assert threshold == Rational(10127360, 29359)
    unbound = matmul().to_dict()
    assert (unbound["threshold_bound"], unbound["first"], unbound["intervals"]) == (None, None, [])
    assert unbound["condition"] == "N*K > ridge.fp16*(N + K)"
    assert [case["region"] for case in unbound["cases"]][-1] == "never"


def test_answers_pickle() -> None:
    y = matmul(H100).at(N=4096, K=4096)
    assert y.first == 345
    again = pickle.loads(pickle.dumps(y))
    assert again == y
    assert again.first == 345


def test_floats_and_text_are_exact() -> None:
    u, c = symbols("u c")
    x = solve(Problem(u * Rational(1, 10), (c,), u))
    assert x.at(c=0.1).threshold == 1
    assert x.at(c="0.1").threshold == 1
    assert x.at(c=Fraction(1, 30)).threshold == Rational(1, 3)


def test_the_plateau_of_a_roofline() -> None:
    intensity, peak, rate = symbol("x"), symbol("peak.bf16"), symbol("bw.hbm")
    values = {"peak.bf16": Integer(989 * 10**12), "bw.hbm": Integer(335 * 10**10)}
    x = solve(Problem(Min(peak, intensity * rate), (peak,), intensity, values=values))
    assert (x.kind, x.relation) == (Kind.AT, ">=")
    assert x.threshold == peak / rate
    assert x.threshold_bound == H100


def test_an_answer_settled_by_known_rates_alone_has_a_case() -> None:
    problem = Problem(
        4 * N * M, (RIDGE * M * (N + 4),), M, DIMS, {"ridge.fp16": H100}, integer=True
    )
    answer = solve(problem)
    assert not answer.only_at_known_rates
    answer = solve(problem)
    answer.__dict__["_solved"] = ((), "more than 64 cases")
    assert answer.kind is Kind.NEVER
    ((condition, region),) = answer.cases
    assert condition == TRUE
    assert region == NEVER
    assert answer.note.endswith("more than 64 cases")
