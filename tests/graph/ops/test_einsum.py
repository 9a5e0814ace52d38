from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import InputError, ShapeError
from symroof.graph import Graph, load
from symroof.symbolic import symbols

b, h, i, j, k, m, n, q = symbols("b h i j k m n q")
SIZES = {s.name: s for s in (b, h, i, j, k, m, n, q)}


def contract(equation, path=None, dtype="fp64"):
    g = Graph("g")
    terms = equation.split("->")[0].replace(" ", "").split(",")
    operands = [
        g.input(f"x{place}", tuple(SIZES[label] for label in term), dtype)
        for place, term in enumerate(terms)
    ]
    return g, ops.einsum(equation, *operands, path=path)


@pytest.mark.parametrize(
    ("equation", "flops"),
    [
        ("mn,nk->mk", 2 * m * n * k),
        ("mn,nk", 2 * m * n * k),
        ("bhqk,bhkj->bhqj", 2 * b * h * q * k * j),
        ("ijk,jki->", 2 * i * j * k),
        ("m,n->mn", m * n),
        ("mn,mn->mn", m * n),
        ("mn,m->mn", m * n),
        ("mn,mn->", 2 * m * n),
        ("mn->nm", 0),
        ("mn->m", m * n - m),
        ("mn->", m * n - 1),
        ("ii->", i - 1),
        ("ii->i", 0),
        ("ii,ij->j", 2 * i * j),
    ],
)
def test_flops(equation, flops):
    g, _ = contract(equation)
    assert (g.flops.expr - flops).expand() == 0


def test_shapes_and_labels_in_order_of_the_alphabet():
    assert contract("mn,nk->km")[1].shape == (k, m)
    assert contract("nm,nk")[1].shape == (k, m)
    assert contract(" mn , nk -> mk ")[1].shape == (m, k)


def test_a_diagonal_is_read_alone():
    g, _ = contract("ii->i")
    assert g.bytes.expr == 16 * i


def test_three_operands_left_to_right():
    # (ij,jk->ik) then (ik,km->im)
    g, _ = contract("ij,jk,km->im")
    assert g.flops.expr == 2 * i * j * k + 2 * i * k * m
    assert g.bytes.expr == 8 * (i * j + j * k + k * m + i * m)


def test_an_explicit_path():
    # (jk,km->jm) first, then with ij
    g, _ = contract("ij,jk,km->im", path=[(1, 2), (0, 1)])
    assert g.flops.expr == 2 * j * k * m + 2 * i * j * m
    same, _ = contract("ij,jk,km->im", path=["einsum_path", (1, 2), (0, 1)])
    assert same.flops == g.flops


def test_one_step_with_all_operands_multiplies_twice_and_adds():
    g, _ = contract("ij,jk,km->im", path=[(0, 1, 2)])
    assert g.flops.expr == 3 * i * j * k * m


def test_four_operands_left_to_right():
    # a,b then ab,c then abc,d: the vector chain costs matrix products
    g, _ = contract("ij,jk,km,m->i")
    assert g.flops.expr == 2 * i * j * k + 2 * i * k * m + 2 * i * m


@pytest.mark.parametrize(
    "path", [[(0, 3)], [(0, 1)], [(0, 0), (0, 1)], [()], 3, [("a", "b")], [(0, 1), (0, 1), (0, 5)]]
)
def test_bad_paths(path):
    with pytest.raises(InputError):
        contract("ij,jk,km->im", path=path)


@pytest.mark.parametrize(
    ("equation", "fault"),
    [
        ("mn,nk->mz", "z"),
        ("mn,nk->mm", "twice"),
        ("...m,mn->...n", "ellipsis"),
        ("mn->nk->km", "no equation"),
        ("m2,mn->n", "no equation"),
        ("m n k * 2", "no equation"),
        ("__import__('os')", "no equation"),
        (7, "text"),
    ],
)
def test_bad_equations(equation, fault):
    x = Graph("g").input("x", (m, n), "fp32")
    with pytest.raises(InputError, match=fault):
        ops.einsum(equation, x, x)


def test_operands_must_fit_the_equation():
    g = Graph("g")
    x, y = g.input("x", (m, n), "fp32"), g.input("y", (k, n), "fp32")
    with pytest.raises(ShapeError, match="2 operands, not 1"):
        ops.einsum("mn,nk->mk", x)
    with pytest.raises(ShapeError, match="label 'n' is n and k"):
        ops.einsum("mn,nk->mk", x, y)
    with pytest.raises(ShapeError, match="'mnk' names 3 dims"):
        ops.einsum("mnk->m", x)
    with pytest.raises(ShapeError, match="label 'i' is m and n"):
        ops.einsum("ii->", x)


def test_matches_matmul():
    g, c = contract("mn,nk->mk", dtype="fp16")
    other = Graph("g")
    d = other.input("a", (m, n), "fp16") @ other.input("b", (n, k), "fp16")
    assert (g.flops, g.bytes) == (other.flops, other.bytes)
    assert c.spec is d.spec


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("mn nk -> mk", "a blank between letters; write 'mn,nk'"),
        ("mn, n k -> m", "a blank between letters; write 'n,k'"),
        ("mn, nk -> m k", "a blank between letters"),
        (",".join(["ab"] * 21) + "->a", "at most 20 operands"),
        ("a" * 53 + "->a", "at most 52 letters"),
    ],
)
def test_equations_that_are_likely_slips(equation, message):
    for read in (load, lambda text: ops.einsum(text, Graph("g").input("x", ("m",), "fp16"))):
        with pytest.raises(InputError, match=message) as caught:
            read(equation)
        assert len(str(caught.value)) < 200


def test_operands_without_letters_are_scalars_for_the_op_only():
    g = Graph("g")
    x, s = g.input("x", ("m",), "fp16"), g.input("s", (), "fp16")
    assert ops.einsum("m,->m", x, s).shape == x.shape
    for equation in ("mn,,nk->mk", "->", ",m->m", "mn,->mn"):
        with pytest.raises(InputError, match="without letters"):
            load(equation)
