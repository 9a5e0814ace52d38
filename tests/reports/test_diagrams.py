from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from symroof.errors import InputError
from symroof.reports.diagram_layout import MARGIN, clipped, laid_out, width_of
from symroof.reports.diagrams import mermaid, svg_diagram, tikz_diagram
from symroof.reports.document import Diagram, Node
from tests.reports.sample import HOSTILE, diagram


def graph(*edges: str, detail: str = "") -> Diagram:
    """Return a diagram of edges as ``a b``; nodes without an edge into them are inputs."""
    pairs = tuple((edge.split()[0], edge.split()[1]) for edge in edges)
    names = dict.fromkeys(name for pair in pairs for name in pair)
    fed = {end for _, end in pairs}
    nodes = tuple(Node(n, n, detail, "op" if n in fed else "input") for n in names)
    return Diagram(nodes, pairs, ())


LAYER = graph(
    "x norm", "norm q", "norm k", "norm v", "wq q", "wk k", "wv v", "q scores", "k scores",
    "scores context", "v context", "context out", "wo out", "out add", "x add", "add y",
)  # fmt: skip


def boxes(found):
    return {box.node.id: box for box in found.boxes}


def test_edges_run_down_from_box_to_box():
    found = laid_out(LAYER)
    assert {(route.start, route.end) for route in found.routes} == set(LAYER.edges)
    for route in found.routes:
        above, below = boxes(found)[route.start], boxes(found)[route.end]
        assert route.places[0][1] == above.y + above.height / 2
        assert route.places[-1][1] == below.y - below.height / 2
        assert all(first[1] < last[1] for first, last in itertools.pairwise(route.places))
        assert abs(route.places[0][0] - above.x) <= above.width / 2
        assert abs(route.places[-1][0] - below.x) <= below.width / 2


def test_boxes_and_long_edges_keep_clear_of_each_other():
    found = laid_out(LAYER)
    for one, other in itertools.combinations(found.boxes, 2):
        apart = abs(one.x - other.x) >= (one.width + other.width) / 2
        assert apart or abs(one.y - other.y) >= (one.height + other.height) / 2
    for route in found.routes:
        for box in found.boxes:
            beside = [x for x, y in route.places[1:-1] if abs(y - box.y) <= box.height / 2]
            assert all(abs(x - box.x) > box.width / 2 for x in beside)


def test_everything_is_inside_of_the_canvas():
    found = laid_out(LAYER)
    for box in found.boxes:
        assert box.x - box.width / 2 >= MARGIN - 1e-6
        assert box.x + box.width / 2 <= found.width - MARGIN + 1e-6
        assert box.y + box.height / 2 <= found.height - MARGIN + 1e-6


def test_sources_stand_right_above_what_uses_them():
    found = boxes(laid_out(LAYER))
    levels = sorted({box.y for box in found.values()})
    assert levels.index(found["wo"].y) == levels.index(found["out"].y) - 1
    # by the longest path, not the shortest: x feeds add as well
    assert levels.index(found["add"].y) == levels.index(found["out"].y) + 1


def test_edges_that_need_not_cross_do_not():
    # two trees whose nodes come in the worst order
    found = boxes(laid_out(graph("a d", "b c", "d f", "c e", "g d", "h c")))
    assert (found["a"].x < found["b"].x) == (found["d"].x < found["c"].x)
    assert (found["d"].x < found["c"].x) == (found["f"].x < found["e"].x)


def test_a_chain_is_a_straight_line():
    found = laid_out(graph("a b", "b c", "c d"))
    assert len({round(box.x, 6) for box in found.boxes}) == 1


def test_an_op_that_takes_a_tensor_twice_has_one_edge():
    assert len(laid_out(graph("x square", "x square")).routes) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Diagram((Node("a", "", "", "op"),), (("a", "b"),), ()), "leads to no node: 'b'"),
        (Diagram((Node("a", "", "", "op"),) * 2, (), ()), "one id"),
        (graph("a b", "b a"), "a cycle"),
    ],
)
def test_what_is_no_diagram_is_an_error(given, said):
    with pytest.raises(InputError, match=said):
        laid_out(given)


def test_texts_are_cut_to_their_room():
    assert clipped("short", 14, 170) == "short"
    cut = clipped("W" * 10_000, 14, 170)
    assert cut.endswith("…")
    assert width_of(cut, 14) <= 170
    assert clipped("a\n b\u2028c", 14, 170) == "a b c"


def test_the_svg_names_what_it_cut():
    long = "the_output_projection_of_the_attention_block"
    text = svg_diagram(Diagram((Node("a", long, "", "op"),), (), ()))
    assert f"<title>{long}</title>" in text
    assert f"<title>{long}</title>" not in svg_diagram(graph("a b"))


def test_the_svg_of_every_shape_has_a_legend():
    text = svg_diagram(diagram())
    for shape in ("input", "weight", "cache", "op", "output"):
        assert f'class="sr-box sr-{shape}"' in text
        assert f">{shape}</text>" in text
    assert (
        "sr-legend" not in svg_diagram(Diagram((Node("a", "", "", "op"),), (), ())).split("<g")[-1]
    )


def test_nothing_is_drawn_of_nothing():
    assert svg_diagram(Diagram((), (), ())) == ""
    assert tikz_diagram(Diagram((), (), ()), str) == ""
    assert mermaid(Diagram((), (), ())) == "flowchart TD"


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_labels_are_inert(name):
    text = HOSTILE[name]
    nodes = (Node("a", text, text, "input"), Node("b", text, text, "op"))
    given = Diagram(nodes, (("a", "b"),), (text,), text)
    root = ElementTree.fromstring(svg_diagram(given))
    assert {node.tag for node in root.iter()} <= {
        "div", "svg", "style", "g", "title", "rect", "path", "text",
    }  # fmt: skip
    assert not [key for node in root.iter() for key in node.attrib if key.startswith("on")]
    lines = mermaid(given).splitlines()
    assert lines[0] == "flowchart TD"
    assert lines[-1] == "  n0 --> n1"
    label = r'"[\w (),=/<>#;+[^\x00-\x7f]]*"'.replace("[^\\x00-\\x7f]", "\u0080-\U0010ffff")
    assert re.fullmatch(rf"  n0\(\[{label}\]\)", lines[1])
    assert re.fullmatch(rf"  n1\[{label}\]", lines[2])
    assert len(lines) == 4
    # the one tag is the line break that is ours
    assert set(re.findall("<[^>]*>", "".join(lines[1:3]))) <= {"<br/>"}


def test_mermaid_ids_are_its_own():
    given = Diagram(
        (Node("end", "a", "", "op"), Node("x; y", "b", "", "op")), (("end", "x; y"),), ()
    )
    assert mermaid(given).splitlines()[1:] == ['  n0["a"]', '  n1["b"]', "  n0 --> n1"]


def test_tikz_takes_its_text_from_the_caller():
    picture = tikz_diagram(graph("a b"), lambda text: f"<{text}>")
    assert r"\textbf{<a>}" in picture
    assert picture.count(r"\fill[") == 1


def test_tikz_leaves_out_what_nobody_could_read():
    assert tikz_diagram(graph(*(f"n{i} n{i + 1}" for i in range(80))), str) == ""


def test_a_hundred_ops_are_laid_out_in_no_time():
    edges = [f"n{i} n{i + 1}" for i in range(100)] + [f"w{i} n{i + 1}" for i in range(100)]
    edges += [f"n{i} n{i + 8}" for i in range(0, 90, 8)]
    found = laid_out(graph(*edges))
    assert len(found.boxes) == 201
