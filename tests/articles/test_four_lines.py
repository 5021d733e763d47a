"""The articles' script of four lines: its values, graph, edges, paths, derivation and pictures."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
from article_scripts import (
    FIRST,
    FIRST_TENSORS,
    FOUR_LEAVES,
    FOUR_LINES,
    OLAH,
    autodiff,
    derivation_of,
    graph_of,
    local_derivatives,
    report_of,
)
from script_runner import printed
from transcript import normalise

# -- the four-line script: forward, graph, gradients ------------------------------------------------------


def test_the_four_line_script_parses_and_gives_minus_seven() -> None:
    assert printed(FIRST + "print(L.item())") == "-7\n"


def test_the_values_on_the_way_to_minus_seven() -> None:
    values = {node.name: node.value for node in graph_of(FIRST).nodes}
    assert values == {
        **{"x1": 1, "x2": 2, "w1": 1, "w2": 2, "w3": 3},
        **{"x3": 1, "x4": 2, "w2*x3": 2, "w3*x4": 6, "x5": 8, "L": -7},
    }


def test_every_node_of_the_four_lines_has_its_gradient() -> None:
    gradients = {node.name: node.grad for node in graph_of(FIRST).nodes}
    assert gradients == {
        **{"x1": -2, "x2": -3, "w1": -8, "w2": -1, "w3": -2},
        **{"x3": -2, "x4": -3, "w2*x3": -1, "w3*x4": -1, "x5": -1, "L": 1},
    }


def test_the_report_lists_the_inputs_in_source_order_with_their_paths() -> None:
    report = report_of(FIRST)
    assert (report.output.name, report.output.value) == ("L", -7)
    assert [(v.name, v.grad, v.paths) for v in report.gradients] == [
        ("x1", -2, 1),
        ("x2", -3, 1),
        ("w1", -8, 2),
        ("w2", -1, 1),
        ("w3", -2, 1),
    ]


def test_backward_fills_the_parameters_with_the_same_gradients() -> None:
    script = FIRST_TENSORS + "L.backward()\nprint(x1.grad, x2.grad, w1.grad, w2.grad, w3.grad)"
    assert printed(script) == "tensor(-2.) tensor(-3.) tensor(-8.) tensor(-1.) tensor(-2.)\n"


def test_a_step_against_the_gradient_lowers_the_loss() -> None:
    step = "L.backward()\nwith torch.no_grad():\n    for w in (w1, w2, w3):\n        w -= 0.5 * w.grad\n"
    assert printed(FIRST_TENSORS + step + FOUR_LINES + "print(w1.item(), L.item())") == "5.0 -51.5\n"


def test_the_graph_is_acyclic_and_holds_the_whole_computation() -> None:
    graph = graph_of(FIRST)
    assert (len(graph.nodes), len(graph.edges)) == (11, 11)
    assert [node.id for node in graph.nodes] == list(range(11))
    assert all(below < node.id for node in graph.nodes for below in node.inputs)


def test_every_node_is_the_grad_fn_of_a_tensor_and_leaves_have_none() -> None:
    nodes = graph_of(FIRST).nodes
    assert {node.name for node in nodes if node.grad_fn is None} == {"x1", "x2", "w1", "w2", "w3"}
    assert all((node.grad_fn is None) == (node.op == "leaf") for node in nodes)
    assert Counter(node.grad_fn for node in nodes if node.grad_fn) == {
        "MulBackward0": 4,
        "AddBackward0": 1,
        "RsubBackward1": 1,
    }


def test_the_grad_fn_of_a_sum_is_addition() -> None:
    assert normalise(printed(FIRST_TENSORS + "print(x5.grad_fn)")) == "<AddBackward0 object at 0x...>\n"
    assert printed(FIRST_TENSORS + "print(L.grad_fn.name())") == "RsubBackward1\n"


def test_tensors_made_by_the_user_have_no_grad_fn() -> None:
    script = FIRST_TENSORS + "for t in (x1, x2, w1, w2, w3):\n    print(t.grad_fn)"
    assert printed(script) == "None\n" * 5


def test_the_graph_grows_with_every_line() -> None:
    lines = FIRST.replace("; ", "\n").splitlines()
    sizes = {
        line[: line.index("=")]: len(graph_of("\n".join(lines[: number + 1])).nodes)
        for number, line in enumerate(lines)
        if number >= 5
    }
    assert sizes == {"x3": 3, "x4": 3, "x5": 10, "L": 11}


def test_shapes_stand_at_every_node_and_its_gradient() -> None:
    script = (
        "A = torch.arange(6.).reshape(2, 3).requires_grad_()\nB = A.T\nC = B.reshape(6)\nL = (C * C).sum()\n"
    )
    nodes = graph_of(script).nodes
    assert {n.name: n.shape for n in nodes if n.name in "ABCL"} == {
        "A": (2, 3),
        "B": (3, 2),
        "C": (6,),
        "L": (),
    }
    assert all(np.shape(node.grad) == node.shape == np.shape(node.value) for node in nodes)


def test_reshapes_and_transposes_are_undone_on_the_way_back() -> None:
    script = (
        "A = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)\n"
        "weights = torch.tensor([1., 2., 3., 4., 5., 6.])\n"
        "(A.T.reshape(6) * weights).sum().backward()\n"
        "print(A.grad)"
    )
    assert printed(script) == "tensor([[1., 3., 5.],\n        [2., 4., 6.]])\n"


def test_the_command_line_shows_forward_value_and_gradients() -> None:
    output = autodiff("run", script=FIRST)
    assert "L = -7" in output
    assert re.search(r"w1 +1 +-8 +2\b", output), "leaf, value, gradient, paths"


def test_the_command_line_prints_the_bare_gradient() -> None:
    assert autodiff("grad", "--wrt", "w1", script=FIRST) == "-8\n"
    assert autodiff("grad", script=FIRST) == "x1\t-2\nx2\t-3\nw1\t-8\nw2\t-1\nw3\t-2\n"


# -- edges and paths --------------------------------------------------------------------------------------


def test_each_edge_carries_its_local_derivative() -> None:
    assert local_derivatives(graph_of(FIRST)) == {
        ("L", "x5"): -1,
        ("x5", "w2*x3"): 1,
        ("x5", "w3*x4"): 1,
        ("w2*x3", "w2"): 1,
        ("w2*x3", "x3"): 2,
        ("w3*x4", "w3"): 2,
        ("w3*x4", "x4"): 3,
        ("x3", "w1"): 1,
        ("x3", "x1"): 1,
        ("x4", "w1"): 2,
        ("x4", "x2"): 1,
    }


@pytest.mark.parametrize("script", [FIRST, FOUR_LEAVES, OLAH], ids=["first", "fourth", "third"])
def test_incoming_gradient_times_local_derivative_is_what_each_input_receives(script: str) -> None:
    graph = graph_of(script)
    received: Counter[int] = Counter()
    nodes = {node.id: node for node in graph.nodes}
    for edge in graph.edges:
        received[edge.input] += np.asarray(nodes[edge.output].grad * edge.local).item()
    assert len(received) == len(nodes) - 1
    for below, gradient in received.items():
        assert gradient == pytest.approx(np.asarray(nodes[below].grad).item(), rel=1e-15)


def test_backward_on_one_tensor_reaches_every_tensor_before_it() -> None:
    script = (
        "for t in (x3, x4, x5):\n"
        "    t.retain_grad()\n"
        "L.backward()\n"
        "print([t.grad.item() for t in (x5, x4, x3, w3, w2, w1, x2, x1)])"
    )
    assert printed(FIRST_TENSORS + script) == "[-1.0, -3.0, -2.0, -2.0, -1.0, -8.0, -3.0, -2.0]\n"


def test_a_derivative_is_the_sum_over_paths_of_the_products_of_edges() -> None:
    locals_ = local_derivatives(graph_of(FIRST))
    derivation = derivation_of(FIRST, "w1")
    products = []
    for path in derivation.paths:
        product = 1.0
        for output, input_ in zip(path.nodes, path.nodes[1:], strict=False):
            product *= locals_[output, input_]
        assert path.contribution == product
        products.append(product)
    assert sorted(products) == [-6, -2]
    assert derivation.count == 2
    assert sum(products) == derivation.value == -8


def test_paths_pass_unnamed_products_by_their_expression() -> None:
    derivation = derivation_of(FIRST, "w1")
    assert [path.nodes for path in derivation.paths] == [
        ("L", "x5", "w2*x3", "x3", "w1"),
        ("L", "x5", "w3*x4", "x4", "w1"),
    ]
    assert [path.chain for path in derivation.paths] == [
        ("dL/dx5", "dx5/d(w2*x3)", "d(w2*x3)/dx3", "dx3/dw1"),
        ("dL/dx5", "dx5/d(w3*x4)", "d(w3*x4)/dx4", "dx4/dw1"),
    ]


def test_the_first_line_of_the_derivation_is_the_chain() -> None:
    assert derivation_of(FIRST, "w1").chain == (
        "dL/dx5 * dx5/d(w2*x3) * d(w2*x3)/dx3 * dx3/dw1",
        "dL/dx5 * dx5/d(w3*x4) * d(w3*x4)/dx4 * dx4/dw1",
    )


def test_the_second_line_substitutes_the_local_derivatives() -> None:
    derivation = derivation_of(FIRST, "w1")
    assert [path.factors for path in derivation.paths] == [("-1", "1", "w2", "x1"), ("-1", "1", "w3", "x2")]
    assert derivation.local == ("(-1) * (1) * (w2) * (x1)", "(-1) * (1) * (w3) * (x2)")


def test_the_third_line_is_simplified() -> None:
    assert derivation_of(FIRST, "w1").simplified == "-w2*x1 - w3*x2"


def test_the_bare_formula_can_be_asked_for() -> None:
    assert autodiff("explain", "--wrt", "w1", "--format", "formula", script=FIRST) == "-w2*x1 - w3*x2\n"


def test_the_hand_derived_formula_gives_what_backward_gives() -> None:
    derivation = derivation_of(FIRST, "w1")
    assert derivation.value == derivation.backward == -2 * 1 - 3 * 2
    assert derivation.difference == 0


def test_explain_writes_the_double_check_and_that_it_matches() -> None:
    output = autodiff("explain", "--wrt", "w1", script=FIRST)
    for piece in ("-w2*x1 - w3*x2", "-2*1 - 3*2", "dL/dw1 = -8", "2 paths"):
        assert piece in output
    assert re.search(r"backward\(\) gives -8, difference 0\b", output)


@pytest.mark.parametrize(
    ("wrt", "value", "count"),
    [("w1", -8, 2), ("w2", -1, 1), ("w3", -2, 1), ("x1", -2, 1), ("x2", -3, 1)],
)
def test_every_input_of_the_four_lines_is_derived_by_its_paths(wrt: str, value: float, count: int) -> None:
    derivation = derivation_of(FIRST, wrt)
    assert (derivation.value, derivation.count, derivation.difference) == (value, count, 0)
    assert sum(path.contribution for path in derivation.paths) == value


# -- two views and pictures -------------------------------------------------------------------------------


def test_a_node_is_a_function_and_the_tensor_it_made() -> None:
    nodes = {node.name: (node.op, node.grad_fn, node.value) for node in graph_of(FIRST).nodes}
    assert nodes["x5"] == ("add", "AddBackward0", 8)
    assert nodes["w2*x3"] == ("mul", "MulBackward0", 2)
    assert nodes["w1"] == ("leaf", None, 1)


def test_edges_lead_from_the_inputs_of_a_function_to_its_output() -> None:
    graph = graph_of(FIRST)
    names = {node.id: node.name for node in graph.nodes}
    operands = {(names[edge.output], edge.operand): names[edge.input] for edge in graph.edges}
    assert (operands["w2*x3", 0], operands["w2*x3", 1]) == ("w2", "x3")
    assert (operands["x5", 0], operands["x5", 1]) == ("w2*x3", "w3*x4")
    assert {names[edge.output] for edge in graph.edges if names[edge.input] == "w1"} == {"x3", "x4"}


def test_the_drawing_has_orange_functions_and_grey_leaves() -> None:
    drawing = autodiff("graph", "--format", "dot", script=FIRST)
    assert drawing.count("->") == 11
    assert (drawing.count("orange"), drawing.count("grey")) == (6, 5)


def test_the_tree_in_the_terminal_shows_shared_nodes_once() -> None:
    output = autodiff("graph", script=FIRST)
    assert output.count("w1") >= 2
    assert re.search(r"w1 \(\*\)", output)
    assert re.search(r"w2\*x3 +mul +2 +1 +-1\b", output), "node, op, value, local derivative, gradient"


def test_the_json_graph_has_shapes_and_local_derivatives() -> None:
    document = json.loads(autodiff("graph", "--format", "json", script=FIRST))
    graph = document["graph"]
    [one] = [node for node in graph["nodes"] if node["op"] == "constant"]
    assert one["name"] == "1"
    edges = [edge for edge in graph["edges"] if edge["from"] != one["id"]]
    assert (len(graph["nodes"]) - 1, len(edges)) == (11, 11)
    assert all(node["shape"] == [] for node in graph["nodes"])
    assert sorted(edge["local"] for edge in edges) == [-1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3]
