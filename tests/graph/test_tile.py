"""Tiles: the traffic of loop nests that are walked, tiles that are laid out, ops that are none."""

from __future__ import annotations

import pickle
from itertools import permutations, product
from math import ceil

import pytest
from sympy import Integer, Rational, ceiling

from symroof import ops, passes
from symroof.errors import InputError, UnknownNameError
from symroof.graph import Graph, Op, load
from symroof.graph.contractions import contraction, why_none
from symroof.graph.tile import (
    Keep,
    Tile,
    extra_bytes,
    footprint,
    padded_flops,
)
from symroof.graph.tile import (
    passes as steps,
)
from symroof.symbolic import bind, symbol

SHAPES = ((1, 1, 1), (7, 5, 3), (3, 8, 8), (6, 6, 1), (1, 9, 4), (8, 2, 7))
BLOCKS = ((1, 1, 1), (2, 3, 2), (3, 2, 1), (4, 4, 4), (5, 1, 3), (1, 6, 2), (9, 9, 9))


def walked(shape: tuple[int, int, int], block: tuple[int, int, int], order: str) -> int:
    """Elements that move where one tile of each operand is held, in one order of the loops.

    A tile is loaded when it is not the one held, partial sums too; results are stored on leaving.
    """
    size, step = dict(zip("mnk", shape, strict=True)), dict(zip("mnk", block, strict=True))
    moved = 0
    held: dict[str, tuple[int, int] | None] = {"mk": None, "kn": None, "mn": None}
    begun: set[tuple[int, int]] = set()

    def elements(pair: str, at: tuple[int, int]) -> int:
        sides = (min(step[x], size[x] - start * step[x]) for x, start in zip(pair, at, strict=True))
        return next(sides) * next(sides)

    for indices in product(*(range(ceil(size[x] / step[x])) for x in order)):
        here = dict(zip(order, indices, strict=True))
        for pair in ("mk", "kn", "mn"):
            at = here[pair[0]], here[pair[1]]
            if held[pair] == at:
                continue
            if pair != "mn":
                moved += elements(pair, at)
            else:
                if held[pair] is not None:
                    moved += elements(pair, held[pair])
                if at in begun:
                    moved += elements(pair, at)
                begun.add(at)
            held[pair] = at
    return moved + elements("mn", held["mn"])


def product_of(shape: tuple[int, int, int], dtype: str = "int8") -> Op:
    m, n, k = shape
    g = Graph("g")
    ops.matmul(g.input("a", (m, k), dtype), g.weight("b", (k, n), dtype))
    return g.ops[0]


def moved(op: Op, tile: Tile) -> int:
    return int(sum((*op.cost.reads, *op.cost.writes)) + extra_bytes(op, tile))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("block", BLOCKS)
def test_the_best_kept_tile_moves_what_the_best_order_of_the_loops_does(shape, block):
    least = min(walked(shape, block, "".join(order)) for order in permutations("mnk"))
    assert moved(product_of(shape), Tile(*block, keep="best")) == least


@pytest.mark.parametrize(("keep", "order"), [("output", "mnk"), ("left", "mkn"), ("right", "nkm")])
def test_each_kept_tile_is_one_order_of_the_loops(keep, order):
    for shape, block in product(SHAPES, BLOCKS):
        if all(ceil(size / step) > 1 for size, step in zip(shape, block, strict=True)):
            expected = walked(shape, block, order)
            assert moved(product_of(shape), Tile(*block, keep=keep)) == expected


def test_extra_bytes_of_a_product_by_hand():
    # 10 x 6 times 6 x 8 in blocks of 4 x 4: ceil(8/4) = 2 reads of the left, 3 of the right.
    op = product_of((10, 8, 6), "fp32")
    assert extra_bytes(op, Tile(4, 4)) == 4 * (10 * 6 * (2 - 1) + 6 * 8 * (3 - 1))
    # Left kept, 2 of k at a time: right 3 reads; the result is written 3 times and read 2 times.
    assert extra_bytes(op, Tile(4, 1, 2, "left")) == 4 * (6 * 8 * 2 + 10 * 8 * (2 + 2))
    assert extra_bytes(op, Tile(1, 4, 2, "right")) == 4 * (10 * 6 * 1 + 10 * 8 * (2 + 2))


def test_each_tensor_counts_in_its_own_dtype():
    g = Graph("g")
    a, b = g.input("a", (8, 8), "bf16"), g.weight("b", (8, 8), "mxfp4")
    ops.matmul(a, b, out_dtype="fp32")
    op = g.ops[0]
    # 17/4 bits of an mxfp4 element are 17/32 bytes.
    assert extra_bytes(op, Tile(4, 2)) == 3 * 128 + 64 * Rational(17, 32)
    assert footprint(op, Tile(4, 2, 8)) == 4 * 8 * 2 + 8 * 2 * Rational(17, 32) + 4 * 2 * 4


def test_a_batch_multiplies_everything():
    one, many = load("mk,kn->mn").ops[0], load("bmk,bkn->bmn").ops[0]
    tile, sizes = Tile(3, 4, 2, "left"), {"m": 10, "n": 9, "k": 5}
    for keep in ("output", "left", "right"):
        single = bind(extra_bytes(one, tile.keeping(keep)), sizes)
        assert bind(extra_bytes(many, tile.keeping(keep)), {**sizes, "b": 6}) == 6 * single
    padded = bind(padded_flops(one, tile), sizes)
    assert bind(padded_flops(many, tile), {**sizes, "b": 6}) == 6 * padded


def test_a_batch_that_only_one_operand_has_is_rows_of_it():
    g = Graph("g")
    ops.matmul(g.input("x", ("B", "S", "D"), "bf16"), g.weight("w", ("D", "F"), "bf16"))
    found = contraction(g.ops[0])
    assert (found.batch, found.m, found.n, found.k) == (
        1,
        symbol("B") * symbol("S"),
        symbol("F"),
        symbol("D"),
    )


@pytest.mark.parametrize(
    ("equation", "groups"),
    [
        ("mk,kn->mn", ("1", "m", "n", "k")),
        ("mk,nk->mn", ("1", "m", "n", "k")),
        ("km,kn->nm", ("1", "m", "n", "k")),
        ("bhqd,bhkd->bhqk", ("b*h", "q", "k", "d")),
        ("abkl,lkc->cab", ("1", "a*b", "c", "k*l")),
        ("i,j->ij", ("1", "i", "j", "1")),
        ("i,i->", ("1", "1", "1", "i")),
        ("bi,bi->b", ("b", "1", "1", "i")),
    ],
)
def test_an_einsum_of_two_operands_has_four_groups(equation, groups):
    found = contraction(load(equation).ops[0])
    expected = tuple(Graph("g").input("x", (size,), "int8").shape[0] for size in groups)
    assert (found.batch, found.m, found.n, found.k) == expected


@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        ("ij->ji", "an einsum of 1 operand"),
        ("ij,jk,kl->il", "3 operands"),
        ("ij,ij->ij", "nothing is summed"),
        ("ij,j->ij", "nothing is summed"),
        ("ijk,jl->il", "k is summed in one operand alone"),
        ("ii,ij->ij", "repeats the index i"),
    ],
)
def test_other_einsums_are_no_contractions_and_move_nothing_extra(equation, reason):
    op = load(equation).ops[0]
    assert reason in why_none(op)
    assert contraction(op) is None
    assert extra_bytes(op, Tile(2, 2)) == 0
    assert padded_flops(op, Tile(64, 64), 108) == sum(n for _, n in op.cost.flops)
    with pytest.raises(InputError, match="no contraction"):
        footprint(op, Tile(2, 2))


def test_vector_products_linear_layers_and_what_is_none():
    g = Graph("g")
    x, y = g.input("x", ("n",), "fp32"), g.input("y", ("n",), "fp32")
    a = g.input("a", ("m", "n"), "fp32")
    ops.dot(x, y), ops.outer(x, y), ops.gemv(a, x), ops.linear(a, g.weight("w", ("n", "f"), "fp32"))
    ops.softmax(a)
    found = [contraction(op) for op in g.ops]
    n, m, f = symbol("n"), symbol("m"), symbol("f")
    sizes = [None if c is None else (c.m, c.n, c.k) for c in found]
    assert sizes == [(1, 1, n), (n, n, 1), (m, 1, n), (m, f, n), None]
    assert why_none(g.ops[4]).startswith("softmax is not among")
    assert all(padded_flops(op, Tile(1, 1)) == op.cost.flops[0][1] for op in g.ops)


def test_a_bias_is_neither_padded_nor_read_again():
    g = Graph("g")
    x, w = g.input("x", (5, 8), "fp32"), g.weight("w", (8, 6), "fp32")
    ops.linear(x, w, g.weight("b", (6,), "fp32"))
    op = g.ops[0]
    assert padded_flops(op, Tile(4, 4, 8)) == 2 * 8 * 8 * 8 + 5 * 6
    assert extra_bytes(op, Tile(4, 4)) == 4 * (5 * 8 + 8 * 6)


@pytest.mark.parametrize("units", [1, 3, 4, 108])
def test_padded_flops_are_those_of_whole_tiles_in_whole_waves(units):
    for shape, block in product(SHAPES, BLOCKS):
        rows = ceil(shape[0] / block[0]) * ceil(shape[1] / block[1])
        depth = ceil(shape[2] / block[2]) * block[2]
        laid = 0  # tiles are handed out one by one, and all units wait for the last of a wave
        while laid < rows:
            laid += units
        op = product_of(shape)
        expected = laid * 2 * block[0] * block[1] * depth
        assert padded_flops(op, Tile(*block), units) == expected
        assert padded_flops(op, Tile(*block)) == rows * 2 * block[0] * block[1] * depth


def test_symbols_stand_for_all_numbers():
    op = load("mk,kn->mn").ops[0]
    for keep in Keep:
        tile = Tile("t", "2*t", "u", keep)
        assert tile.names == {"t", "u"}
        for m, n, k, t, u in ((7, 5, 3, 2, 1), (16, 16, 16, 4, 4), (1, 9, 4, 3, 2)):
            values = {"m": m, "n": n, "k": k, "t": t, "u": u}
            numbers = Tile(t, 2 * t, u, keep)
            two = product_of((m, n, k), "fp16")
            assert bind(extra_bytes(op, tile), values) == extra_bytes(two, numbers)
            assert bind(footprint(op, tile), values) == footprint(two, numbers)
            assert bind(padded_flops(op, tile, "P"), {**values, "P": 5}) == padded_flops(
                two, numbers, 5
            )


def test_passes_of_dims_that_are_known_to_divide_are_no_ceilings():
    D, n = symbol("D"), symbol("n")
    assert steps(4 * D, Integer(2)) == 2 * D
    assert steps(D / n, Integer(1)) == D / n
    assert steps(4 * D, Integer(3)) == ceiling(4 * D / 3, evaluate=False)
    assert steps(Integer(7), Integer(3)) == 3


@pytest.mark.parametrize("text", ["128x64x32", "128 × 64 × 32", "128,64,32", "128 x 64, 32"])
def test_a_tile_is_read_from_text(text):
    assert Tile.of(text) == Tile(128, 64, 32)


def test_a_tile_is_a_value():
    tile = Tile.of("2*b, b", "best")
    assert tile == Tile("b*2", "b", 1, Keep.BEST)
    assert hash(tile) == hash(Tile("b*2", "b", keep="best"))
    assert pickle.loads(pickle.dumps(tile)) == tile
    assert str(tile) == "2*b × b × 1, keep best"
    assert Tile.of(tile) is tile
    with pytest.raises(AttributeError):
        tile.m = 3


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (lambda: Tile(0, 4), InputError, "tile m: .* 1 or more, not 0"),
        (lambda: Tile(4, "1/2"), InputError, "tile n: .* not 1/2"),
        (lambda: Tile(4, 4, -3), InputError, "tile k: .* not -3"),
        (lambda: Tile(4, "-b"), InputError, "tile n: "),
        (lambda: Tile(2.5, 4), InputError, "tile m: "),
        (lambda: Tile("peak", 4), InputError, "rates of machines"),
        (lambda: Tile(4, float("inf")), InputError, "tile n: "),
        (lambda: Tile(4, 4, keep="ouput"), UnknownNameError, "did you mean 'output'"),
        (lambda: Tile.of("128"), InputError, "two or three sizes"),
        (lambda: Tile.of("1x2x3x4"), InputError, "two or three sizes"),
        (lambda: Tile.of(7), InputError, "not int"),
        (lambda: padded_flops(product_of((4, 4, 4)), Tile(2, 2), 0), InputError, "units: "),
    ],
)
def test_what_is_no_tile_is_one_line(given, kind, words):
    with pytest.raises(kind, match=words) as caught:
        given()
    assert "\n" not in str(caught.value)


def test_elementwise_ops_fused_together_move_nothing_extra():
    g = Graph("g")
    x = g.input("x", (4, 4), "fp32")
    ops.relu(x + x)
    (op,) = passes.fuse_elementwise(g).ops
    assert extra_bytes(op, Tile(2, 2)) == 0
