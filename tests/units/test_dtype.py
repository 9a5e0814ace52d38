from __future__ import annotations

import pickle

import pytest
from sympy import Rational

from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.symbolic import symbols
from symroof.units import DType, DTypeKind, Quantity, compute_dtype, dtype, dtypes


@pytest.mark.parametrize(
    ("name", "bits", "key"),
    [
        ("fp64", 64, "fp64"),
        ("fp32", 32, "fp32"),
        ("tf32", 32, "tf32"),
        ("fp16", 16, "fp16"),
        ("bf16", 16, "bf16"),
        ("fp8", 8, "fp8"),
        ("fp8_e4m3", 8, "fp8"),
        ("fp8_e5m2", 8, "fp8"),
        ("fp6", 6, "fp6"),
        ("fp6_e2m3", 6, "fp6"),
        ("fp4", 4, "fp4"),
        ("int32", 32, "int32"),
        ("int8", 8, "int8"),
        ("int4", 4, "int4"),
        ("int2", 2, "int2"),
        ("bool", 8, "bool"),
        # Block scales: 8 bits for 32, 8 for 16, 16 for 32 elements.
        ("mxfp8", Rational(33, 4), "fp8"),
        ("mxfp4", Rational(17, 4), "fp4"),
        ("nvfp4", Rational(9, 2), "fp4"),
        ("q4_0", Rational(9, 2), "int4"),
        ("q8_0", Rational(17, 2), "int8"),
    ],
)
def test_named_formats(name, bits, key):
    found = dtype(name)
    assert found.bits == bits
    assert found.bytes == Rational(bits) / 8
    assert found.key == key
    assert found.is_block == (name in {"mxfp8", "mxfp4", "nvfp4", "q4_0", "q8_0"})
    assert dtype(found.name) is found
    assert dtype(found) is found
    assert dtype(found.text) is found


@pytest.mark.parametrize(
    ("block", "bits", "size"),
    [
        # 4096 x 4096 weights; bits and bytes worked by hand (reported as "4-bit" elsewhere).
        (DType.block(4, group=128, scale_bits=16), Rational(33, 8), 8_650_752),
        (DType.block(4, 128, 16, zero_bits=16), Rational(17, 4), 8_912_896),
        (DType.block(4, 128, 16, zero_bits=4), Rational(133, 32), 8_716_288),
        (DType.block(4, 32, 16), Rational(9, 2), 9_437_184),
        (DType.block(2, 64, 16, zero_bits=16), Rational(5, 2), 5_242_880),
    ],
)
def test_group_scales_and_zero_points_are_counted(block, bits, size):
    assert block.bits == bits
    assert block.size(4096 * 4096) == size
    assert dtype("int4").size(4096 * 4096) == 8_388_608


def test_sizes_are_exact_and_rounded_on_request_only():
    assert dtype("int4").size(3) == Rational(3, 2)
    assert dtype("int4").size(3, whole=True) == 2
    n = symbols("n")
    assert dtype("mxfp4").size(n) == Rational(17, 32) * n
    assert dtype("fp16").size("M*N") == 2 * symbols("M") * symbols("N")


def test_width_may_be_an_unknown():
    b = symbols("b")
    block = DType.block(b, 128, 16)
    assert block.bits == b + Rational(1, 8)
    assert compute_dtype(block, "bf16") == "bf16"
    assert dtype(block.text) == block


@pytest.mark.parametrize(
    "block",
    [
        DType.block(4, 128, 16),
        DType.block(4, 128, 16, 16),
        DType.block(8, 32, 8, element="fp8_e5m2"),
        DType.block(3, 64, 16, 4, name="my.q3"),
        DType.block("b", "g", 16),
    ],
)
def test_blocks_load_back_equal(block):
    assert dtype(block.text) == block
    assert dtype(block.text.replace(",", ", ")) == block
    assert pickle.loads(pickle.dumps(block)) == block


def test_float_blocks():
    same = DType.block(8, 32, 8, element="fp8")
    assert (same.bits, same.key, same.kind) == (Rational(33, 4), "fp8", DTypeKind.FLOAT)
    assert DType.block(4, 128, 16).kind is DTypeKind.INTEGER


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0, 128, 16), "bits is 0"),
        ((4, 0, 16), "group is 0"),
        ((4, 128, -1), "scale_bits is -1"),
        ((4, 128, 16, -1), "zero_bits is -1"),
        ((-4, 128, 16), "bits is -4"),
    ],
)
def test_blocks_that_cannot_be(arguments, said):
    with pytest.raises(InputError, match=said):
        DType.block(*arguments)


def test_block_elements_fit_their_width():
    with pytest.raises(InputError, match="4 bits is not a fp8_e4m3 of 8"):
        DType.block(4, 32, 8, element="fp8")
    with pytest.raises(InputError, match="mxfp8"):
        DType.block(8, 32, 8, element="mxfp8")
    with pytest.raises(InputError, match="not the name of a dtype"):
        DType.block(4, 32, 8, name="a,b")


@pytest.mark.parametrize(
    ("name", "near"),
    [("bf61", "bf16"), ("pf16", "fp16"), ("int44", "int4"), ("nvfp5", "nvfp4")],
)
def test_unknown_formats_come_with_the_nearest(name, near):
    with pytest.raises(UnknownNameError, match="unknown dtype") as caught:
        dtype(name)
    assert caught.value.suggestion == near


@pytest.mark.parametrize("name", ["block(4)", "block(4,128)", "block(4,128,16,1,2)", "block()"])
def test_block_texts_that_are_none(name):
    with pytest.raises(UnknownNameError):
        dtype(name)


def test_names_are_found_in_any_case_and_under_framework_names():
    assert dtype("BF16").name == "bf16"
    assert dtype("bfloat16").name == "bf16"
    assert dtype("float16").name == "fp16"
    assert dtype("float8_e4m3fn").name == "fp8_e4m3"
    with pytest.raises(InputError, match="not int"):
        dtype(16)
    assert len(set(dtypes())) == len(dtypes()) >= 21


@pytest.mark.parametrize(
    ("operands", "key"),
    [
        (["fp16", "fp16"], "fp16"),
        (["bf16", "fp32"], "fp32"),
        (["fp8", "bf16"], "bf16"),
        (["fp8_e4m3", "fp8_e5m2"], "fp8"),
        (["fp4", "fp8"], "fp8"),
        (["fp64", "fp16"], "fp64"),
        # tf32 takes 32 bits of memory and is used where it is named only.
        (["fp32", "fp32"], "fp32"),
        (["tf32", "tf32"], "tf32"),
        (["tf32", "bf16"], "tf32"),
        (["tf32", "fp32"], "fp32"),
        # Weight-only quantisation computes at the 16-bit peak.
        (["bf16", "int4"], "bf16"),
        (["int8", "fp16"], "fp16"),
        (["bf16", "q4_0"], "bf16"),
        (["bf16", "mxfp4"], "bf16"),
        (["fp8", "mxfp4"], "fp8"),
        (["fp8", "nvfp4"], "fp8"),
        (["bf16", "mxfp8", "int8"], "bf16"),
        # Blocks with blocks compute in their elements' format.
        (["mxfp8", "mxfp8"], "fp8"),
        (["mxfp4", "mxfp4"], "fp4"),
        (["nvfp4", "nvfp4"], "fp4"),
        (["mxfp8", "mxfp4"], "fp8"),
        (["q8_0", "q8_0"], "int8"),
        (["q4_0", "q4_0"], "int4"),
        (["q4_0", "q8_0"], "int8"),
        (["q4_0", "int8"], "int8"),
        (["int8", "int8"], "int8"),
        (["int8", "int4"], "int8"),
        (["int32", "int8"], "int32"),
        (["bool", "bf16"], "bf16"),
        (["bool", "int8"], "int8"),
        (["bool"], "bool"),
    ],
)
def test_compute_dtype(operands, key):
    assert compute_dtype(*operands) == key
    assert compute_dtype(*reversed(operands)) == key


def test_block_of_integers_with_itself_computes_in_integers():
    block = DType.block(4, 128, 16)
    assert compute_dtype(block, block) == "int4"
    assert compute_dtype(block, "bf16") == "bf16"


@pytest.mark.parametrize(
    "operands", [["fp16", "bf16"], ["fp16", "bf16", "fp32"], ["int4", "fp16", "bf16"]]
)
def test_fp16_with_bf16_is_an_error_naming_both(operands):
    with pytest.raises(UnitError, match="fp16 with bf16"):
        compute_dtype(*operands)


def test_what_nothing_dequantises():
    with pytest.raises(UnitError, match="mxfp4 with int8"):
        compute_dtype("mxfp4", "int8")
    with pytest.raises(UnitError, match="depends on a symbol"):
        compute_dtype(DType.block("b", 128, 16), "int8")
    with pytest.raises(InputError, match="at least one"):
        compute_dtype()


def test_weight_only_quantisation_moves_the_critical_batch():
    # 4096 x 4096 weights of half a byte, computed at the bf16 peak of an H100; bf16 activations
    # in and out: 2*B*n*n/peak = (n*n/2 + 4*B*n)/bw, solved by hand.
    ridge = Quantity("989 TFLOP/s") / Quantity("3.35 TB/s")
    byte = Quantity(dtype("int4").bytes, "byte")
    assert ridge * byte / Quantity("2 FLOP") == Rational(4945, 67)
    n = 4096
    weights = Quantity(dtype("int4").size(n * n), "byte")
    activations = Quantity(dtype(compute_dtype("int4", "bf16")).size(2 * n), "byte")
    flops = Quantity(2 * n * n, "FLOP")
    batch = weights / (flops / ridge - activations)
    assert batch == Rational(2531840, 29359)
    as_bf16 = Quantity(dtype("bf16").size(n * n), "byte") / (flops / ridge - activations)
    assert as_bf16 == Rational(10127360, 29359)
