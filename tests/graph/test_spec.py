from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import symroof as sr
from symroof.errors import InputError, SymroofError, UnknownNameError
from symroof.graph import About, Role, algorithms, load

from .graph_facts import facts


def test_an_einsum_has_an_input_and_weights():
    g = load("mn, nk -> mk")
    assert [(t.name, t.role) for t in g.tensors] == [
        ("A", Role.INPUT),
        ("B", Role.WEIGHT),
        ("C", Role.ACTIVATION),
    ]
    assert {t.dtype.name for t in g.tensors} == {"fp16"}
    assert str(g.flops) == "2*k*m*n FLOP"
    assert g.about.title == "C[m,k] = A[m,n] · B[n,k]"


@pytest.mark.parametrize(
    ("equation", "title", "flops"),
    [
        ("bhqd,bhkd->bhqk", "C[b,h,q,k] = A[b,h,q,d] · B[b,h,k,d]", "2*b*d*h*k*q FLOP"),
        ("ij,jk,kl->il", "D[i,l] = A[i,j] · B[j,k] · C[k,l]", "(2*i*j*k + 2*i*k*l) FLOP"),
        ("i,i->", "C = A[i] · B[i]", "2*i FLOP"),
        ("mn,nk", "C[k,m] = A[m,n] · B[n,k]", "2*k*m*n FLOP"),
        ("ij->ji", "B[j,i] = A[i,j]", "0 FLOP"),
        ("ij->i", "B[i] = A[i,j]", "(i*j - i) FLOP"),
        ("αβ,βγ->αγ", "C[α,γ] = A[α,β] · B[β,γ]", "2*α*β*γ FLOP"),
        ("SE,EN->SN", "C[S,N] = A[S,E] · B[E,N]", "2*E*N*S FLOP"),
    ],
)
def test_einsums(equation, title, flops):
    g = load(equation)
    assert g.about.title == title
    assert str(g.flops) == flops


def test_einsum_dtype():
    assert {t.dtype.name for t in load("mn,nk->mk", dtype="fp8").tensors} == {"fp8_e4m3"}
    assert load("mn,nk->mk", dtype=sr.dtype("bf16")).tensors[0].dtype.name == "bf16"


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("...n,nk->...k", "an ellipsis is not supported, name every dim"),
        ("m1,1k->mk", "is no einsum; expected letters such as 'mn,nk->mk'"),
        ("m-n,nk->mk", "is no einsum"),
        ("mn,nk->mq", "no operand has the result's label 'q'"),
        ("mn,nk->mm", "the result has label 'm' twice"),
        ("mn,nk->mk->m", "is no equation"),
        ("__import__('os'),a->b", "is no einsum"),
        (",i->i", "',i->i' has an operand without letters"),
        ("mn nk->mk", "a blank between letters; write 'mn,nk'"),
    ],
)
def test_what_is_no_einsum_is_one_clear_error(equation, expected):
    with pytest.raises(InputError) as caught:
        load(equation)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_before_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    load("dot").save("matmul")
    assert load("matmul").name == "matmul"
    assert load("./matmul").name == "dot"
    assert load(Path("matmul")).name == "dot"
    load("dot").save("other")
    assert load("other").name == "dot"


def test_unknown_algorithms_have_a_near_match():
    with pytest.raises(
        UnknownNameError, match="unknown algorithm 'atention'; did you mean 'attention'"
    ):
        load("atention")
    with pytest.raises(UnknownNameError, match=r"known: attention, .* \(or give an einsum"):
        load("zzzz")


@pytest.mark.parametrize("source", [3, None, b"matmul", ["matmul"]])
def test_only_text_and_paths_name_an_algorithm(source):
    with pytest.raises(InputError, match="an algorithm is named by text"):
        load(source)


def test_an_unknown_dtype_is_an_error_before_anything_is_read():
    with pytest.raises(UnknownNameError, match="unknown dtype 'bff16'; did you mean 'bf16'"):
        load("matmul", dtype="bff16")


def test_loading_twice_gives_graphs_of_their_own():
    first, second = load("matmul"), load("matmul")
    first.input("more", "M", "fp16")
    assert len(second.tensors) == 3


def test_the_surface():
    assert sr.load is load
    assert set(algorithms()) >= {"matmul", "mlp", "attention-decode", "spmv", "moe"}


def test_about_checks_names_and_numbers():
    with pytest.raises(InputError, match="'a b' is not a symbol name"):
        About(meanings={"a b": "?"})
    with pytest.raises(InputError, match=r"default of B: expected a positive number, not 2\*D"):
        About(defaults={"B": "2*D"})
    with pytest.raises(InputError, match="default of B: expected a positive number"):
        About(defaults={"B": float("inf")})


def test_about_pickles_and_compares():
    about = About("t", "d", {"B": "batch"}, {"B": 4}, "h100-sxm")
    assert pickle.loads(pickle.dumps(about)) == about
    assert about != About("t")


def test_a_default_for_a_symbol_the_graph_lacks_cannot_be_saved(tmp_path):
    g = load("matmul")
    g.about = About(defaults={"MM": 3})
    with pytest.raises(SymroofError, match="unknown symbol 'MM'; did you mean 'M'"):
        g.save(tmp_path / "g.toml")
    assert list(tmp_path.iterdir()) == []


def test_an_op_of_no_registered_kind_cannot_be_saved(tmp_path):
    from symroof.graph import Graph, OpKind, apply
    from symroof.graph.op import Cost

    class Odd(OpKind):
        name, count, source = "odd", "0", "here"

        def infer(self, inputs, attrs):
            return inputs

        def cost(self, inputs, outputs, attrs):
            return Cost.moving(inputs, outputs)

    g = Graph("g")
    apply(Odd(), (g.input("x", "n", "fp32"),), name="strange")
    with pytest.raises(
        SymroofError, match="op 'strange' cannot be saved: no op 'odd' is registered"
    ):
        g.save(tmp_path / "g.toml")


def test_saving_where_there_is_no_folder(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        load("matmul").save(tmp_path / "missing" / "g.toml")


def test_an_einsum_saves_and_loads_back_equal(tmp_path):
    g = load("bhqd,bhkd->bhqk")
    g.save(tmp_path / "g.toml")
    assert facts(load(tmp_path / "g.toml")) == facts(g)
