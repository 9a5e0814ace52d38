from __future__ import annotations

import pytest
from sympy import S, oo

from symroof.errors import InputError
from symroof.solve import limit, limit_all
from symroof.symbolic import parse, symbol, symbols

M = symbols("M")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("M*N*K/(M*N + M*K + N*K)", "N*K/(N + K)"),
        ("(2*M - 1)/(4*M + 2)", "1/2"),
        ("128*ceil(M/128)/M", "1"),
        ("128*128*ceil(M/128)*ceil(N/128)/(M*N)", "16384*ceil(N/128)/(128*N)"),
        ("floor(M/7)/M", "1/7"),
        ("ceil(128/M)", "1"),
        ("floor(128/M)", "0"),
        ("ceil(3 + 1/M)", "4"),
        ("ceil(3 - 1/M)", "3"),
        ("floor(3 - 1/M)", "2"),
        ("max(M*N, M*K + 5)/M", "max(N, K)"),
        ("min(M, N)", "N"),
        ("max(M, N)/M", "1"),
        ("log2(4*M*N)/log2(M)", "1"),
        ("log2(M)/M", "0"),
        ("8*(1 - (7/8)**M)", "8"),
        ("E*(1 - (1 - k/E)**M)", "E"),
        ("M**5/2**M", "0"),
        ("sqrt(M**2 + M)/M", "1"),
        ("sqrt(M)/M", "0"),
        ("(3**M + 1)*(5**M + 1)/(15**M + 1)", "1"),
        ("12**M*18**M/(216**M + 1)", "1"),
        ("(15**M + 1)/15**M", "1"),
        ("max(15**M, 15**M + 1)/15**M", "1"),
        ("2**(84*M)/3**(53*M)", "0"),
        ("N", "N"),
        ("3/M", "0"),
    ],
)
def test_limits(formula: str, expected: str) -> None:
    difference = limit(parse(formula), M) - parse(expected)
    assert difference.expand() == 0


def test_infinite_limits_have_the_sign_of_the_leading_coefficient() -> None:
    assert limit(parse("M**2/(M + 1)"), M) is oo
    assert limit(parse("5*M*log2(M)/(16*M)"), M) is oo
    assert limit(parse("N - M"), M) is S.NegativeInfinity
    assert limit(parse("2**M/M**5"), M) is oo
    assert limit(parse("3**(53*M)/2**(84*M)"), M) is oo


def test_an_unknown_sign_is_named() -> None:
    with pytest.raises(InputError, match="sign of"):
        limit(parse("(N - K)*M"), M)


@pytest.mark.parametrize("formula", ["sqrt(M**2 + M) - M", "128*ceil(M/128) - M"])
def test_leading_terms_that_cancel_up_to_rounding_are_refused(formula: str) -> None:
    with pytest.raises(InputError, match="cancel"):
        limit(parse(formula), M)


def test_all_dims_together() -> None:
    ridge = symbol("ridge.fp16")
    threshold = parse("ridge.fp16*N*K/(N*K - ridge.fp16*(N + K))")
    assert limit_all(threshold, ["N", "K"]) == ridge
    assert limit_all(parse("3*D*F*I/(3*D*F - I*(2*D + F))"), ["D", "F"]) == symbols("I")


def test_ratios_of_dims_stay() -> None:
    assert limit_all(parse("(D*F + D)/(D*D + 7)"), ["D", "F"]) == parse("F/D")


def test_a_root_of_a_quadratic_has_a_limit() -> None:
    # (b + sqrt(b**2 + 4*N))/2 over sqrt(N): the root of N leads.
    assert limit_all(parse("(b + sqrt(b**2 + 4*N))/(2*sqrt(N))"), ["N"]) == 1


@pytest.mark.parametrize(
    ("formula", "name", "expected"),
    [
        ("k**n", "k", oo),
        ("3/(k**n + 5)", "k", S.Zero),
        ("k**n/(2*k**n + 1)", "k", S.Half),
        ("(k + 1)**n/k**n", "k", S.One),
        ("2**(n*k)", "k", oo),
        ("(1 + n)**k", "k", oo),
        ("(1 - 1/n)**k", "k", S.Zero),
    ],
)
def test_powers_with_a_symbol_above(formula: str, name: str, expected: object) -> None:
    assert limit(parse(formula), symbol(name)) == expected


@pytest.mark.parametrize(("formula", "name"), [("k**n", "n"), ("k**n + k", "k"), ("k**k", "k")])
def test_powers_that_grow_at_an_unknown_speed(formula: str, name: str) -> None:
    with pytest.raises(InputError, match="no limit of"):
        limit(parse(formula), symbol(name))


@pytest.mark.parametrize("formula", ["2**(sqrt(M))/M", "2**M/2**sqrt(M)", "2**ceil(M/3)/2**(M/3)"])
def test_powers_between_two_growths_are_refused(formula: str) -> None:
    with pytest.raises(InputError, match="no limit"):
        limit(parse(formula), M)
