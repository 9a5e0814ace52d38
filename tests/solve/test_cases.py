from __future__ import annotations

import pytest

from symroof.solve.cases import cases, numerator
from symroof.solve.polynomials import UnsolvedError
from symroof.solve.problem import Problem
from symroof.symbolic import parse, symbol


def solved(
    left: str, rights: str | list[str], unknown: str, counts: str = ""
) -> list[tuple[str, str]]:
    """The cases as texts."""
    several = [rights] if isinstance(rights, str) else rights
    problem = Problem(
        parse(left),
        tuple(parse(right) for right in several),
        symbol(unknown),
        frozenset(counts.split()),
    )
    return [(case.condition.text(), case.region.text(unknown)) for case in cases(problem)]


def test_matrix_product() -> None:
    # 2MNK/C >= 2(MN+NK+MK)/W: if N*K*W > C*(N+K): M >= C*N*K/(N*K*W - C*(N+K)); else never
    found = solved("2*M*N*K/C", "2*(M*N + N*K + M*K)/W", "M")
    assert [condition for condition, _ in found] == ["K*N*W > C*(K + N)", "C*(K + N) >= K*N*W"]
    assert found[1][1] == "never"
    threshold = parse(found[0][1].removeprefix("M >= "))
    assert (threshold - parse("C*N*K/(N*K*W - C*(N + K))")).simplify() == 0


def test_decode_attention_is_a_condition_without_the_batch() -> None:
    assert solved("4*B*Hq*S*d/C", "4*B*Hkv*S*d/W", "B") == [
        ("Hq*W >= C*Hkv", "always"),
        ("C*Hkv > Hq*W", "never"),
    ]


def test_identity_is_always() -> None:
    assert solved("M*N", "N*M", "M") == [("true", "always")]


def test_signs_on_the_orthant_prune_cases() -> None:
    assert solved("a*u + b", "0", "u") == [("true", "always")]
    assert solved("1", "a*u + 1", "u") == [("true", "never")]
    assert solved("a*u", "b", "u") == [("true", "u >= b/a")]
    assert solved("b", "a*u", "u") == [("true", "u <= b/a")]


def test_counts_prune_cases() -> None:
    assert solved("n*u", "u/2", "u", "n") == [("true", "always")]
    assert solved("n*u", "u/2", "u") == [("2*n >= 1", "always"), ("1 > 2*n", "never")]


def test_both_coefficients_of_unknown_sign() -> None:
    assert solved("a*u + b", "c*u + d", "u") == [
        ("c > a and b >= d", "u <= (b - d)/(c - a)"),
        ("a > c and d > b", "u >= (d - b)/(a - c)"),
        ("a >= c and b >= d", "always"),
        ("c >= a and d > b", "never"),
    ]


def test_common_factors_go() -> None:
    assert solved("(a + b)*u", "c*(a + b)", "u") == [("true", "u >= c")]
    assert solved("a*u - 5*a", "b*u - 5*b", "u") == [
        ("a > b", "u >= 5"),
        ("b > a", "u <= 5"),
        ("a = b", "always"),
    ]


def test_a_factor_that_may_be_zero_is_a_case() -> None:
    assert solved("(n - 1)*u", "5*(n - 1)", "u", "n") == [("n > 1", "u >= 5"), ("n = 1", "always")]


def test_powers_of_the_unknown_reduce() -> None:
    assert solved("u**3", "c", "u") == [("true", "u >= c**(1/3)")]
    assert solved("u**4*a", "u**2*b", "u") == [("true", "u >= sqrt(b/a)")]
    assert solved("sqrt(u)", "c", "u") == [("true", "u >= c**2")]


def test_a_logarithm_alone_is_the_variable() -> None:
    assert solved("5*n*log2(n)/C", "16*n/W", "n") == [("true", "n >= 2**(16*C/(5*W))")]
    assert solved("log2(8*n)", "5", "n") == [("true", "n >= 4")]


def test_quadratics() -> None:
    outside, always = solved("a*u**2 + c", "b*u", "u")
    assert (outside[0], always) == ("b**2 > 4*a*c", ("4*a*c >= b**2", "always"))
    assert outside[1].count("u <= ") == outside[1].count(" or u >= ") == 1
    between, never = solved("a*u", "b*u**2 + c", "u")
    assert (between[0], never) == ("a**2 >= 4*b*c", ("4*b*c > a**2", "never"))
    assert between[1].count("u >= ") == between[1].count(" and u <= ") == 1


def test_a_touching_root_belongs() -> None:
    # 2*a*u >= u**2 + a**2 holds at u = a only.
    assert solved("2*a*u", "u**2 + a**2", "u") == [("true", "u = a")]
    assert solved("u**2 + a**2", "2*a*u", "u") == [("true", "u <= a or u >= a")] or solved(
        "u**2 + a**2", "2*a*u", "u"
    ) == [("true", "always")]


def test_rational_roots_need_no_square_root() -> None:
    assert solved("(u - a)*(u - b)", "0", "u") == [("true", "u <= min(a, b) or u >= max(a, b)")]
    assert solved("0", "(u - a)*(u - a - b)", "u") == [("true", "u >= a and u <= a + b")]


def test_several_rights_are_a_product_of_families() -> None:
    assert solved("A*u", ["B*u + x", "C*u + y"], "u") == [
        ("A > B and A > C", "u >= max(x/(A - B), y/(A - C))"),
        ("A > B and C >= A", "never"),
        ("B >= A", "never"),
    ]


def test_the_weaker_of_two_known_ends_goes() -> None:
    assert solved("u", ["a", "a + b"], "u") == [("true", "u >= a + b")]
    assert solved("a", ["u", "u/2"], "u") == [("true", "u <= a")]


def test_ends_in_the_wrong_order_are_never() -> None:
    assert solved("min(u, b)", "max(a, u/2)", "u") == [
        ("b >= a", "u >= a and u <= 2*b"),
        ("a > b", "never"),
    ]


def test_budget_with_a_maximum() -> None:
    assert solved("5", "max(B/10, 2 + B/40)", "B") == [("true", "B <= 50")]
    assert solved("5/2", "max(B/10, 2 + B/40)", "B") == [("true", "B <= 20")]
    found = solved("T", "max(B/10, t + B/40)", "B")
    assert found[0][0] == "T >= t"
    assert found[1] == ("t > T", "never")


def test_a_minimum_on_the_right_is_a_union() -> None:
    assert solved("u", "min(a, b)", "u") == [("true", "u >= min(a, b)")]
    found = dict(solved("max(b, a*u)", "c + u", "u"))
    assert found["b >= c and 1 >= a"] == "u <= b - c"
    assert "always" in found.values()


def test_a_choice_of_mixed_effect_keeps_its_branch_condition() -> None:
    # (u - c)*max(u, 1) has the sign of u - c.
    assert solved("(u - c)*max(u, 1)", "0", "u") == [("true", "u >= c")]


def test_a_zero_term_is_no_division_by_zero() -> None:
    assert solved("2*B*D*F/C", "(1 - 1)*V/L", "L") == [("true", "always")]


def test_a_group_of_one_has_no_traffic() -> None:
    (found,) = solved("2*B*D*F/(n*C)", "(n - 1)/n*2*B*F/L", "L", "B D F n")
    assert found[0] == "true"
    assert parse(found[1].removeprefix("L >= ")).xreplace({symbol("n"): parse("1")}) == 0


def test_opaque_atoms_without_the_unknown_are_names() -> None:
    assert solved("ceil(N/128)*M", "c*M + N", "M", "N") == [
        ("ceil(N/128) > c", "M >= N/(ceil(N/128) - c)"),
        ("c >= ceil(N/128)", "never"),
    ]
    assert solved("u", "max(a, b)", "u") == [("true", "u >= max(a, b)")]


def test_poles_do_not_belong() -> None:
    assert solved("1/(n - 1)", "1/m", "n") == [("true", "n > 1 and n <= m + 1")]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("u**3 + u", "c", "degree 3 in u: bind c"),
        ("ceil(u/128)*n", "c*u", "u is inside ceil(u/128): bind c, n"),
        ("n*(7/8)**u", "c*u", "u is inside"),
        ("u*n", "log2(u)", "u is inside log2(u): bind n"),
    ],
)
def test_unsolved_says_what_was_tried(left: str, right: str, expected: str) -> None:
    with pytest.raises(UnsolvedError) as caught:
        solved(left, right, "u")
    assert str(caught.value).startswith(expected)


def test_infinite_sides() -> None:
    assert solved("∞", "u", "u") == [("true", "always")]
    assert solved("u", "∞", "u") == [("true", "never")]


def test_no_rights_are_always_met() -> None:
    assert cases(Problem(parse("u"), (), symbol("u")))[0].region.is_all


def test_the_numerator_is_what_is_compared_with_zero() -> None:
    problem = Problem(parse("M*N/(M + N)"), (parse("I"),), symbol("M"))
    assert numerator(problem).expr() == parse("M*N - I*M - I*N")
    with pytest.raises(UnsolvedError, match="denominator"):
        numerator(Problem(parse("1/(M - N)"), (parse("I"),), symbol("M")))


def test_too_many_cases_are_given_up_early() -> None:
    # A causal window over two lengths: the product of all orders of S, T and W.
    inner = "max(0, -T + min(S, T) + min(T, W) - 1)"
    left = f"4*B*H*d*(min(S, T)*min(T, W) - ({inner} + 1)*{inner}/2)"
    right = "I*(8*B*H*S*d + 8*B*H*d*min(T, S + W - 1))"
    with pytest.raises(UnsolvedError, match="cases"):
        solved(left, right, "S", "B H S T W d")
