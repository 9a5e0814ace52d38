from __future__ import annotations

import copy
import pickle

import pytest

import symroof as sr
from symroof.errors import InputError, ParseError, UnknownNameError
from symroof.symbolic import symbols


def test_sizes_are_numbers_symbols_or_text():
    n = symbols("n")
    mesh = sr.Mesh(X=4, Y=n, Z="2*n")
    assert mesh.names == ("X", "Y", "Z")
    assert (mesh["X"], mesh["Y"], mesh["Z"]) == (4, n, 2 * n)
    assert mesh.size == 8 * n**2
    assert repr(mesh) == "Mesh(X=4, Y=n, Z=2*n)"


def test_numbers_for_symbols():
    assert sr.Mesh(X="n", Y="2*n").at(n=3) == sr.Mesh(X=3, Y=6)
    with pytest.raises(UnknownNameError, match="unknown symbol 'm'; known: n"):
        sr.Mesh(X="n").at(m=3)


def test_equal_meshes_are_one_value():
    mesh = sr.Mesh(X=4, Y="n")
    assert mesh == sr.Mesh(X="4", Y=symbols("n"))
    assert hash(mesh) == hash(sr.Mesh(X=4, Y="n"))
    assert mesh != sr.Mesh(Y="n", X=4)  # another nesting
    assert mesh != "Mesh(X=4, Y=n)"
    assert pickle.loads(pickle.dumps(mesh)) == copy.deepcopy(mesh) == mesh


def test_a_mesh_does_not_change():
    mesh = sr.Mesh(X=4)
    with pytest.raises(AttributeError, match="does not change"):
        mesh.axes = {}
    with pytest.raises(AttributeError, match="does not change"):
        del mesh.axes
    with pytest.raises(TypeError, match="read-only"):
        mesh.axes["Y"] = 2


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({}, "at least one axis"),
        ({"X": 0}, "mesh axis X: the count is a whole number of 1 or more, not 0"),
        ({"X": 1.5}, "not 3/2"),
        ({"X": "-n"}, "not -n"),
        ({"X,Y": 2}, "cannot be the name of a mesh axis"),
        ({"1": 2}, "cannot be the name of a mesh axis"),
        ({"Ü": 2}, "cannot be the name of a mesh axis"),
        ({"x" * 61: 2}, "cannot be the name of a mesh axis"),
        ({f"a{i}": 2 for i in range(7)}, "at most 6 axes, not 7"),
        ({"X": None}, "mesh axis X"),
    ],
)
def test_what_is_no_mesh_is_one_clear_error(axes, message):
    with pytest.raises(InputError) as caught:
        sr.Mesh(**axes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_size_is_no_program():
    with pytest.raises(ParseError):
        sr.Mesh(X="__import__('os')")


def test_an_unknown_axis_has_a_near_match():
    with pytest.raises(UnknownNameError, match="unknown mesh axis 'dat'; did you mean 'data'"):
        sr.Mesh(data=2, model=4)["dat"]
