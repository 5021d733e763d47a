"""What the five articles on computation graphs show, claim and ask for: each behaviour with its own numbers.

``articles.md`` beside this file lists the behaviours with the tests of each; the last tests here read it. The
articles' code as it was published is run by ``test_seeds.py``. Numbers and texts are PyTorch's.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from autodiff.core.describe import describe
from autodiff.core.report import Derivation, GradientReport, Graph
from autodiff.core.span import Source
from autodiff.grammar.lints import lint
from autodiff.grammar.run import Settings, differentiate, execute
from conftest import REPOSITORY, TESTS
from documents import REFERENCE, functions_in, missing_tests
from script_runner import printed, run_script
from transcript import normalise

ARTICLES = REPOSITORY / "examples" / "seeds"

FOUR_LINES = "x3=w1*x1; x4=w1*x2; x5=w2*x3+w3*x4; L=1-x5\n"
FIRST = "x1=1; x2=2; w1=1; w2=2; w3=3\n" + FOUR_LINES
#: The first article as PyTorch has it: tensors that ask for gradients.
FIRST_TENSORS = (
    "x1 = torch.tensor(1.0, requires_grad=True)\n"
    "x2 = torch.tensor(2.0, requires_grad=True)\n"
    "w1 = torch.tensor(1.0, requires_grad=True)\n"
    "w2 = torch.tensor(2.0, requires_grad=True)\n"
    "w3 = torch.tensor(3.0, requires_grad=True)\n" + FOUR_LINES
)
RANDOM_MATRICES = "a, w1, w2, w3, w4 = [torch.randn((3,3), requires_grad=True) for _ in range(5)]\n"
MATRIX = RANDOM_MATRICES + "b = w1*a\nc = w2*a\nd = w3*b + w4*c\n"
FOUR_LEAVES = (ARTICLES / "4_graph.ad").read_text()
OLAH = "a = torch.tensor([3.], requires_grad=True)\nb = torch.tensor([1.], requires_grad=True)\n"
OLAH += "c = a + b\nd = b + 1\ne = c * d\n"
FIFTH = (
    "X = torch.tensor([[2., 2.], [2., 2.]], requires_grad=True)\n"
    "W = torch.tensor([[0.5, 0.5], [0.5, 0.5]], requires_grad=True)\n"
    "b = torch.tensor([4.], requires_grad=True)\n"
    "a = torch.mm(X, W)\n"
    "Y = a + b\n"
)

NON_LEAF_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't"
    " be populated during autograd.backward(). If you indeed want the .grad field to be populated for a"
    " non-leaf Tensor, use .retain_grad() on the non-leaf Tensor."
)
SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have"
    " already been freed). Saved intermediate values of the graph are freed when you call .backward() or"
    " autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or"
    " if you need to access saved tensors after calling backward."
)


# -- helpers --------------------------------------------------------------------------------------------


def report_of(text: str, **wishes: Any) -> GradientReport:
    """All that can be said about the script's gradient, as the command line asks for it."""
    settings = Settings(**wishes)
    source = Source(text)
    execution = execute(source, settings, lambda text: None, lambda message, span: None)
    return describe(differentiate(execution, settings), source, graph=True, derivations=True)


def graph_of(text: str, **wishes: Any) -> Graph:
    graph = report_of(text, **wishes).graph
    assert graph is not None
    return graph


def derivation_of(text: str, wrt: str, **wishes: Any) -> Derivation:
    """The one derivation of the gradient with respect to ``wrt``."""
    (derivation,) = (d for d in report_of(text, **wishes).derivations if d.wrt == wrt)
    return derivation


def gradients_of(text: str, **wishes: Any) -> dict[str, Any]:
    """The gradients by name, as nested lists."""
    return {v.name: np.asarray(v.grad).tolist() for v in report_of(text, **wishes).gradients}


def local_derivatives(graph: Graph) -> dict[tuple[str, str], float]:
    """The local derivative on each edge, by the names of output and input."""
    names = {node.id: node.name for node in graph.nodes}
    return {(names[edge.output], names[edge.input]): np.asarray(edge.local).item() for edge in graph.edges}


def error_of(text: str) -> str:
    """The first line of the error the script must end in."""
    outcome = run_script(text)
    assert outcome.error is not None, "the script ran to its end"
    return outcome.error.message


def advice_of(text: str) -> str:
    """Everything the error of the script says beside its first line."""
    outcome = run_script(text)
    assert outcome.error is not None, "the script ran to its end"
    return " ".join((outcome.error.caret, *outcome.error.advice))


def autodiff(command: str, *arguments: str, script: str = "") -> str:
    """What a command writes to a pipe for a script on its standard input; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "autodiff.cli", command, "-", *arguments],
        input=script,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# -- the four-line script: forward, graph, gradients ------------------------------------------------------


def test_the_four_line_script_parses_and_gives_minus_seven() -> None:
    assert printed(FIRST + "print(L.item())") == "-7.0\n"


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
    assert (len(graph["nodes"]), len(graph["edges"])) == (11, 11)
    assert all(node["shape"] == [] for node in graph["nodes"])
    assert sorted(edge["local"] for edge in graph["edges"]) == [-1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3]


# -- freeing, keeping and running again -------------------------------------------------------------------


def test_backward_destroys_the_graph_by_default() -> None:
    assert error_of(FIRST_TENSORS + "L.backward()\nL.backward()") == SECOND_BACKWARD


def test_the_error_of_a_second_backward_says_what_keeps_the_graph() -> None:
    assert "retain_graph=True" in advice_of(FIRST_TENSORS + "L.backward()\nL.backward()")


@pytest.mark.parametrize("keyword", ["retain_graph = True", "retain_variables = True"])
def test_a_kept_graph_is_run_twice_and_gradients_accumulate(keyword: str) -> None:
    script = FIRST_TENSORS + f"L.backward({keyword})\nprint(w1.grad)\nL.backward()\nprint(w1.grad)"
    assert printed(script) == "tensor(-8.)\ntensor(-16.)\n"


def test_a_part_of_a_kept_graph_can_be_run_again() -> None:
    script = FIRST_TENSORS + "L.backward(retain_variables=True)\nx3.backward()\nprint(w1.grad)"
    assert printed(script) == "tensor(-7.)\n"


def test_a_freed_part_stops_a_pass_that_comes_through_it() -> None:
    script = "w = torch.tensor(3.0, requires_grad=True)\nh = w * w\nh.backward()\n(h * 2).backward()"
    assert error_of(script) == SECOND_BACKWARD


def test_the_next_forward_makes_a_new_graph_on_the_same_leaves() -> None:
    script = (
        "w = torch.tensor(3.0, requires_grad=True)\n"
        "for _ in range(3):\n"
        "    y = w * w\n"
        "    y.backward()\n"
        "print(w.grad, w.is_leaf)"
    )
    assert printed(script) == "tensor(18.) True\n"


# -- leaves, requires_grad and grad_fn --------------------------------------------------------------------


def test_without_requires_grad_every_tensor_is_a_leaf() -> None:
    script = "x = torch.ones(2)\ny = x * x + 1\nprint(x.is_leaf, y.is_leaf, y.requires_grad)"
    assert printed(script) == "True True False\n"


def test_with_requires_grad_only_what_the_user_made_is_a_leaf() -> None:
    script = "w = torch.ones(2, requires_grad=True)\ny = w * 1\nprint(w.is_leaf, w.grad_fn, y.is_leaf)"
    assert printed(script) == "True None False\n"


def test_requires_grad_is_false_unless_asked_for() -> None:
    assert printed("print(torch.ones(2).requires_grad, torch.Tensor([1]).requires_grad)") == "False False\n"


@pytest.mark.parametrize(
    "script",
    ["w = torch.randn(3, 3, required_grad=True)", "w = torch.ones(2)\nprint(w.required_grad)"],
    ids=["keyword", "attribute"],
)
def test_the_misspelt_flag_is_answered_with_the_right_one(script: str) -> None:
    assert "did you mean `requires_grad`?" in advice_of(script)


def test_grad_is_a_tensor_of_the_shape_of_its_owner() -> None:
    script = "x = torch.ones(2, 3, requires_grad=True)\nprint(x.grad)\n(x * x).sum().backward()\n"
    script += "print(x.grad)"
    assert printed(script) == "None\ntensor([[2., 2., 2.],\n        [2., 2., 2.]])\n"


def test_a_shape_may_be_a_tuple_and_the_flag_may_be_set_later() -> None:
    script = (
        "t1 = torch.randn((3,3), requires_grad = True)\n"
        "t2 = torch.FloatTensor(3,3)\n"
        "print(t2.requires_grad)\n"
        "t2.requires_grad = True\n"
        "print(t1.shape, t2.requires_grad, t2.is_leaf, t2.grad, t2.dtype)"
    )
    assert printed(script) == "False\ntorch.Size([3, 3]) True True None torch.float32\n"


def test_an_unfilled_tensor_is_zeros_in_every_run() -> None:
    assert printed("x = torch.Tensor(3, 5)\nprint(x.shape, x.sum().item())") == "torch.Size([3, 5]) 0.0\n"


@pytest.mark.parametrize(
    ("x", "y", "result"),
    [(False, False, False), (True, False, True), (False, True, True), (True, True, True)],
)
@pytest.mark.parametrize("size", ["()", "(3, 3)"], ids=["numbers", "matrices"])
def test_one_operand_that_requires_a_gradient_is_enough(size: str, x: bool, y: bool, result: bool) -> None:
    script = (
        f"x = torch.randn({size}, requires_grad={x})\n"
        f"y = torch.randn({size}, requires_grad={y})\n"
        "print((x+y).requires_grad)"
    )
    assert printed(script) == f"{result}\n"


def test_a_grad_fn_keeps_its_address_within_a_run_and_over_runs() -> None:
    script = "w = torch.ones(1, requires_grad=True)\nb = w + 1\nprint(b.grad_fn)\nprint(b.grad_fn)\n"
    first, second, *_ = printed(script).splitlines()
    assert first == second
    assert re.fullmatch(r"<AddBackward0 object at 0x[0-9a-f]+>", first)
    assert autodiff("run", script=script) == autodiff("run", script=script)


def test_a_quotient_is_recorded_as_division() -> None:
    script = "a = torch.tensor(6., requires_grad=True)\nb = torch.tensor(3.)\nc = a/b\n"
    script += "print(c.grad_fn.name())"
    assert printed(script) == "DivBackward0\n"


def test_no_node_exists_before_forward_runs() -> None:
    script = RANDOM_MATRICES + "print(a.grad_fn, w1.grad_fn)\nb = w1*a\nprint(b.grad_fn.name())"
    assert printed(script) == "None None\nMulBackward0\n"


def test_the_graph_of_functions_can_be_walked_from_grad_fn() -> None:
    script = (
        "def walk(node, depth):\n"
        "    print('  ' * depth + node.name())\n"
        "    for below, index in node.next_functions:\n"
        "        if below is not None:\n"
        "            walk(below, depth + 1)\n"
    )
    tree = (
        "RsubBackward1\n"
        "  AddBackward0\n"
        "    MulBackward0\n"
        "      torch::autograd::AccumulateGrad\n"
        "      MulBackward0\n"
        "        torch::autograd::AccumulateGrad\n"
        "        torch::autograd::AccumulateGrad\n"
        "    MulBackward0\n"
        "      torch::autograd::AccumulateGrad\n"
        "      MulBackward0\n"
        "        torch::autograd::AccumulateGrad\n"
        "        torch::autograd::AccumulateGrad\n"
    )
    assert printed(FIRST_TENSORS + script + "walk(L.grad_fn, 0)") == tree


@pytest.mark.parametrize(
    ("made", "below"),
    [
        ("w * torch.ones(1)", "((<AccumulateGrad object at 0x...>, 0), (None, 0))"),
        ("torch.ones(1) * w", "((None, 0), (<AccumulateGrad object at 0x...>, 0))"),
        ("w * 2", "((<AccumulateGrad object at 0x...>, 0), (None, 0))"),
        ("3 + w", "((<AccumulateGrad object at 0x...>, 0), (None, 0))"),
        ("1 - w", "((<AccumulateGrad object at 0x...>, 0),)"),
        ("w ** 2", "((<AccumulateGrad object at 0x...>, 0),)"),
    ],
)
def test_next_functions_have_none_where_no_gradient_goes(made: str, below: str) -> None:
    script = f"w = torch.ones(1, requires_grad=True)\ny = {made}\nprint(y.grad_fn.next_functions)"
    assert normalise(printed(script)) == below + "\n"


@pytest.mark.parametrize("size", ["()", "2"], ids=["number", "vector"])
def test_nothing_is_recorded_under_no_grad(size: str) -> None:
    script = (
        f"w = torch.ones({size}, requires_grad=True)\n"
        "with torch.no_grad():\n"
        "    y = w * w\n"
        "z = w * w\n"
        "print(y.requires_grad, y.grad_fn, y.is_leaf, z.requires_grad)"
    )
    outcome = run_script(script)
    assert outcome.stdout == "False None True True\n"
    assert outcome.names["y"].source().operands == (), "no values are cached for an inference"


# -- functions: forward and backward ----------------------------------------------------------------------

CUBE = (
    "class Cube(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(ctx, x):\n"
    "        ctx.save_for_backward(x)\n"
    "        return x * x * x\n"
    "    @staticmethod\n"
    "    def backward(ctx, incoming):\n"
    "        x, = ctx.saved_tensors\n"
    "        print('incoming', incoming.item())\n"
    "        return incoming * 3 * x * x\n"
    "x = torch.tensor(2.0, requires_grad=True)\n"
    "y = Cube.apply(x)\n"
    "L = 5 * y\n"
)


def test_a_function_of_ones_own_has_forward_and_backward() -> None:
    script = CUBE + "print(y.item(), y.grad_fn.name())\nL.backward()\nprint(x.grad)"
    assert printed(script) == "8.0 CubeBackward\nincoming 5.0\ntensor(60.)\n"


def test_a_function_of_ones_own_is_a_node_of_the_report() -> None:
    nodes = {node.name: node for node in graph_of(CUBE).nodes}
    assert (nodes["y"].grad_fn, nodes["y"].grad, nodes["x"].grad) == ("CubeBackward", 5, 60)


def test_the_operators_backward_is_its_derivative() -> None:
    script = (
        "x = torch.tensor(4.0, requires_grad=True)\n"
        "y = torch.tensor(2.0, requires_grad=True)\n"
        "for q in (x + y, x - y, x * y, x / y):\n"
        "    gx, gy = torch.autograd.grad(q, (x, y))\n"
        "    print(q.item(), gx.item(), gy.item())"
    )
    assert printed(script) == "6.0 1.0 1.0\n2.0 1.0 -1.0\n8.0 2.0 4.0\n2.0 0.5 -1.0\n"


# -- matrices ---------------------------------------------------------------------------------------------


def test_backward_from_a_matrix_needs_a_gradient() -> None:
    assert error_of(MATRIX + "L = (10 - d)\nL.backward()") == (
        "grad can be implicitly created only for scalar outputs"
    )


def test_the_error_of_a_matrix_names_both_ways_out() -> None:
    advice = advice_of(MATRIX + "L = (10 - d)\nL.backward()")
    assert "sum()" in advice
    assert "ones" in advice


@pytest.mark.parametrize(
    "backward",
    ["L = (10 -d).sum()\nL.backward()\n", "L = (10 -d)\nL.backward(torch.ones(L.shape))\n"],
    ids=["sum", "ones"],
)
def test_both_ways_out_give_the_gradients_of_the_closed_forms(backward: str) -> None:
    script = (
        "def far(got, expected):\n"
        "    return (got - expected).abs().max().item() > 1e-12\n"
        "print(far(w1.grad, -w3*a), far(w2.grad, -w4*a), far(w3.grad, -b), far(w4.grad, -c))\n"
        "print(far(a.grad, -(w3*w1 + w4*w2)), far(w1.grad, w3*a))"
    )
    assert printed(MATRIX + backward + script) == "False False False False\nFalse True\n"


def test_both_ways_out_agree_to_the_last_bit() -> None:
    as_sum = run_script(MATRIX + "L = (10 -d).sum()\nL.backward()").names
    as_ones = run_script(MATRIX + "L = (10 -d)\nL.backward(torch.ones(L.shape))").names
    for name in ("a", "w1", "w2", "w3", "w4"):
        assert as_sum[name].grad.tolist() == as_ones[name].grad.tolist()
        assert as_sum[name].grad.tolist() != [[0.0] * 3] * 3


def test_one_entry_counts_as_a_scalar_and_two_do_not() -> None:
    script = "x = torch.ones({0}, requires_grad=True)\n(x * 3).backward()\nprint(x.grad)"
    assert printed(script.format(1)) == "tensor([3.])\n"
    assert error_of(script.format(2)) == "grad can be implicitly created only for scalar outputs"


def test_a_scalar_starts_with_a_gradient_of_one() -> None:
    script = "x = torch.tensor(2., requires_grad=True)\ny = x * x\ny.retain_grad()\ny.backward()\n"
    script += "print(y.grad)"
    assert printed(script) == "tensor(1.)\n"


def test_the_descent_step_of_the_article_leaves_no_leaf_behind() -> None:
    step = "L = (10 -d)\nL.backward(torch.ones(L.shape))\nlearning_rate = 0.5\nold = w1\n"
    step += "w1 = w1 - learning_rate * w1.grad\n"
    outcome = run_script(MATRIX + step + "print(w1.is_leaf, w1.grad_fn.name(), old.is_leaf)\nprint(w1.grad)")
    assert outcome.error is None
    assert outcome.stdout == "False SubBackward0 True\nNone\n"
    assert len(outcome.warnings) == 1
    assert outcome.warnings[0].startswith(NON_LEAF_WARNING)


def test_the_lint_of_the_descent_step_keeps_the_leaf() -> None:
    script = (ARTICLES / "2_descent_step.ad").read_text()
    (found,) = lint(Source(script))
    assert found.code == "L001"
    assert found.span is not None
    assert script[found.span.start : found.span.end] == "w1 = w1 - learning_rate * w1.grad"
    (repair,) = found.fixes
    lines = printed(repair.apply(script) + "print(w1.is_leaf, w1.requires_grad)").splitlines()
    assert lines == ["True True"]


# -- four leaves: properties before and after backward ----------------------------------------------------

PROPERTIES = (
    "for n in (a, e, t):\n"
    "    name = None if n.grad_fn is None else n.grad_fn.name()\n"
    "    print(n.is_leaf, name, n.grad)\n"
)


def test_the_worked_example_has_its_value() -> None:
    assert printed(FOUR_LEAVES + "print(e.data)") == "tensor([17.5129])\n"


def test_before_backward_there_are_no_gradients() -> None:
    script = FOUR_LEAVES + "t.retain_grad()\n" + PROPERTIES
    assert printed(script) == "True None None\nFalse AddBackward0 None\nFalse LogBackward0 None\n"


def test_after_backward_leaves_and_kept_tensors_have_gradients() -> None:
    script = FOUR_LEAVES + "t.retain_grad()\ne.backward()\n" + PROPERTIES
    assert printed(script) == (
        "True None tensor([3.])\nFalse AddBackward0 None\nFalse LogBackward0 tensor([5.])\n"
    )


def test_without_retain_grad_an_inner_gradient_stays_none() -> None:
    script = FOUR_LEAVES + "e.backward()\n" + PROPERTIES
    assert printed(script) == "True None tensor([3.])\nFalse AddBackward0 None\nFalse LogBackward0 None\n"


def test_the_four_gradients_of_the_worked_example() -> None:
    script = FOUR_LEAVES + "e.backward()\nprint(a.grad.item(), b.grad.item(), c.grad.item(), d.grad.item())"
    assert printed(script) == "3.0 2.0 2.302585092994046 0.5\n"
    assert printed(script, dtype="float32") == "3.0 2.0 2.3025851249694824 0.5\n"


def test_reading_grad_of_an_inner_tensor_warns_in_torchs_words() -> None:
    outcome = run_script(FOUR_LEAVES + "e.backward()\nprint(e.grad)")
    assert outcome.stdout == "None\n"
    assert len(outcome.warnings) == 1
    assert outcome.warnings[0].startswith(NON_LEAF_WARNING)


def test_reading_grad_of_a_leaf_or_a_kept_tensor_is_silent() -> None:
    outcome = run_script(FOUR_LEAVES + "t.retain_grad()\ne.backward()\nprint(a.grad, t.grad)")
    assert outcome.error is None
    assert outcome.warnings == []


def test_the_root_is_no_input_and_leaves_have_no_inputs() -> None:
    graph = graph_of(FOUR_LEAVES)
    used = {edge.input for edge in graph.edges}
    assert [node.name for node in graph.nodes if node.id not in used] == ["e"]
    assert graph.nodes[graph.root].name == "e"
    assert sorted(node.name for node in graph.nodes if not node.inputs) == ["a", "b", "c", "d"]


def test_the_gradients_follow_from_the_chain_rule() -> None:
    derivation = derivation_of(FOUR_LEAVES, "d")
    assert [path.chain for path in derivation.paths] == [("de/dv", "dv/dt", "dt/dd")]
    assert np.asarray(derivation.value).item() == 0.5
    assert derivation.difference == 0


def test_formulas_can_be_displayed() -> None:
    script = "e.backward()\nm = Math(fr'\\frac{{\\partial e}}{{\\partial a}} = {a.grad.item()}')\ndisplay(m)"
    outcome = run_script(FOUR_LEAVES + script)
    assert outcome.error is None
    assert outcome.stdout == "<IPython.core.display.Math object>\n"
    assert outcome.names["m"].data == r"\frac{\partial e}{\partial a} = 3.0"


def test_f_strings_read_attributes_and_an_empty_print_ends_a_line() -> None:
    script = 'print(f"a is leaf: {a.is_leaf}")\nprint(f"a grad_fn: {a.grad_fn}")\nprint()\n'
    script += 'print(f"{e.item():.2f}")'
    assert printed(FOUR_LEAVES + script) == "a is leaf: True\na grad_fn: None\n\n17.51\n"


def test_item_takes_the_number_out_of_one_entry() -> None:
    assert printed("print(torch.tensor([[2.5]]).item(), torch.tensor(3).item())") == "2.5 3\n"


def test_tensors_print_as_torch_prints_them() -> None:
    script = "print(torch.tensor([3.]))\nprint(torch.tensor([0.5, 2.]))\nprint(torch.tensor([1e-5, 1e5]))"
    assert printed(script) == "tensor([3.])\ntensor([0.5000, 2.0000])\ntensor([1.0000e-05, 1.0000e+05])\n"


# -- the example of two sums and a product ----------------------------------------------------------------


def test_a_result_prints_with_its_grad_fn() -> None:
    assert printed(OLAH + "print(e)") == "tensor([8.], grad_fn=<MulBackward0>)\n"


def test_gradients_are_kept_where_asked_even_at_the_output() -> None:
    script = "c.retain_grad()\nd.retain_grad()\ne.retain_grad()\ne.backward()\n"
    script += "print(a.grad, b.grad, c.grad, d.grad, e.grad)"
    assert printed(OLAH + script) == "tensor([2.]) tensor([6.]) tensor([2.]) tensor([4.]) tensor([1.])\n"


def test_the_edges_carry_the_partial_derivatives() -> None:
    assert local_derivatives(graph_of(OLAH)) == {
        ("c", "a"): 1,
        ("c", "b"): 1,
        ("d", "b"): 1,
        ("e", "c"): 2,
        ("e", "d"): 4,
    }


def test_changing_an_input_a_little_changes_the_output_as_the_gradient_says() -> None:
    def e(a: float, b: float) -> float:
        names = run_script(OLAH.replace("3.", f"{a:.3f}").replace("1.", f"{b:.3f}")).names
        return float(names["e"].item())

    assert (e(3.001, 1) - e(3, 1)) / 0.001 == pytest.approx(1 * 2)
    assert (e(3, 1.001) - e(3, 1)) / 0.001 == pytest.approx(6, abs=2e-3)


def test_one_path_of_speeds_one_and_two_leads_to_a() -> None:
    (path,) = derivation_of(OLAH, "a").paths
    assert path.nodes == ("e", "c", "a")
    assert np.asarray(path.contribution).item() == 2 * 1


def test_two_paths_lead_to_b_and_add_up_to_six() -> None:
    derivation = derivation_of(OLAH, "b")
    contributions = {path.nodes: np.asarray(path.contribution).item() for path in derivation.paths}
    assert contributions == {("e", "c", "b"): 1 * 2, ("e", "d", "b"): 1 * 4}
    assert np.asarray(derivation.value).item() == 6
    assert derivation.simplified == "d + c"


def test_the_sum_of_paths_verifies_every_gradient() -> None:
    for derivation in report_of(OLAH).derivations:
        assert derivation.difference == 0
        total = sum(np.asarray(path.contribution).item() for path in derivation.paths)
        assert total == np.asarray(derivation.backward).item()


def test_the_numbers_of_the_original_example() -> None:
    script = OLAH.replace("[3.]", "[2.]")
    assert gradients_of(script) == {"a": [2.0], "b": [5.0]}
    assert printed(script + "print(e.item())") == "6.0\n"


def test_inputs_can_be_set_from_the_command_line() -> None:
    script = "a = 3\nb = 1\ne = (a + b) * (b + 1)\n"
    assert autodiff("grad", "--wrt", "b", script=script) == "6\n"
    assert autodiff("grad", "--wrt", "b", "--set", "a=2", script=script) == "5\n"


# -- dynamic graphs ---------------------------------------------------------------------------------------


def test_operations_return_values_at_once() -> None:
    script = "a = torch.tensor([1.], requires_grad=True)\nb = a + 1\nprint(b.item())\nc = b * b\n"
    script += "print(c.item())"
    assert printed(script) == "2.0\n4.0\n"


@pytest.mark.parametrize(("x", "gradient", "op"), [(2.0, 4.0, "pow"), (-2.0, 3.0, "mul")])
def test_only_the_branch_taken_is_differentiated(x: float, gradient: float, op: str) -> None:
    script = f"x = torch.tensor({x}, requires_grad=True)\nif x > 0:\n    L = x ** 2\nelse:\n    L = 3 * x\n"
    assert gradients_of(script) == {"x": gradient}
    assert [node.op for node in graph_of(script).nodes] == ["leaf", op]


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_loop_makes_the_graph_as_long_as_it_runs(times: int) -> None:
    script = f"x = torch.tensor(2., requires_grad=True)\ny = x\nfor _ in range({times}):\n    y = y * x\n"
    assert gradients_of(script) == {"x": (times + 1) * 2.0**times}
    assert sum(node.op == "mul" for node in graph_of(script).nodes) == times


def test_the_data_may_decide_how_long_a_loop_runs() -> None:
    script = "x = torch.tensor(3., requires_grad=True)\ny = x\nwhile y < 100:\n    y = y * 3\n"
    assert printed(script + "y.backward()\nprint(y.item(), x.grad)") == "243.0 tensor(81.)\n"


def test_every_iteration_builds_its_own_graph() -> None:
    script = (
        "w = torch.tensor(1., requires_grad=True)\n"
        "for n in range(1, 4):\n"
        "    L = w\n"
        "    for _ in range(n):\n"
        "        L = 2 * L\n"
        "    w.grad = None\n"
        "    L.backward()\n"
        "    print(w.grad)"
    )
    assert printed(script) == "tensor(2.)\ntensor(4.)\ntensor(8.)\n"


def test_tensors_have_any_number_of_dimensions() -> None:
    script = (
        "x = torch.ones(2, 3, 4, requires_grad=True)\n"
        "(x * 2).sum().backward()\n"
        "print(x.ndim, x.shape, x.cpu().grad_fn, x.grad.shape, x.grad.sum().item())"
    )
    assert printed(script) == "3 torch.Size([2, 3, 4]) None torch.Size([2, 3, 4]) 48.0\n"


# -- matrix product, broadcasting and a gradient argument -------------------------------------------------


def test_a_matrix_product_and_a_broadcast_sum() -> None:
    script = (
        "X = torch.Tensor([[2,2],[2,2]])\nW = torch.Tensor([[0.5,0.5],[0.5,0.5]])\n"
        "a = torch.mm(X,W)\nb = torch.Tensor([4])\nY = a + b\nprint(a.tolist(), b.tolist(), Y.tolist())"
    )
    assert printed(script) == "[[2.0, 2.0], [2.0, 2.0]] [4.0] [[6.0, 6.0], [6.0, 6.0]]\n"


def test_the_graph_follows_the_order_of_the_operations() -> None:
    graph = graph_of(FIFTH, grad_output="ones")
    names = {node.id: node.name for node in graph.nodes}
    inputs = {node.name: [names[below] for below in node.inputs] for node in graph.nodes if node.inputs}
    assert inputs == {"a": ["X", "W"], "Y": ["a", "b"]}


def test_variable_wraps_a_tensor_and_passes_itself_on() -> None:
    script = (
        "from torch.autograd import Variable\n"
        "X = Variable(torch.Tensor([[2,2],[2,2]]))\n"
        "W = Variable(torch.Tensor([[0.5,0.5],[0.5,0.5]]), requires_grad=True)\n"
        "a = torch.mm(X, W)\n"
        "print(X.requires_grad, W.requires_grad, a.requires_grad, W.is_leaf)"
    )
    assert printed(script) == "False True True True\n"


def test_data_is_the_value_without_the_graph() -> None:
    script = FIFTH + "print(Y.data)\nprint(Y.data.requires_grad, Y.data.grad_fn)"
    assert printed(script) == "tensor([[6., 6.],\n        [6., 6.]])\nFalse None\n"


def test_grad_is_none_before_backward() -> None:
    assert printed(FIFTH + "print('gradient stored in X: ', X.grad)") == "gradient stored in X:  None\n"


def test_add_is_the_plus_sign() -> None:
    script = FIFTH + "Z = torch.add(a,b)\nprint((Z == Y).all().item(), Z.grad_fn.name() == Y.grad_fn.name())"
    assert printed(script) == "True True\n"


@pytest.mark.parametrize(
    ("y", "values", "indices"),
    [("[[4,4],[5,5]]", "[10.0, 10.0]", "[1, 1]"), ("[[6,6],[6,6]]", "[11.0, 11.0]", "[0, 0]")],
    ids=["as_shown", "as_computed"],
)
def test_max_over_rows_gives_values_and_indices(y: str, values: str, indices: str) -> None:
    script = f"X = torch.Tensor({y}) + 5\nvalues, indices = torch.max(X,0)\n"
    assert printed(script + "print(values.tolist(), indices.tolist())") == f"{values} {indices}\n"
    assert printed(script + "print(indices.dtype, values.dtype)") == "torch.int64 torch.float64\n"


def test_dim_zero_takes_the_maximum_of_every_column() -> None:
    script = "X = torch.Tensor([[1,8,3],[4,5,6]])\nprint(X.max(0).values.tolist(), X.max(1).values.tolist())"
    assert printed(script) == "[4.0, 8.0, 6.0] [8.0, 6.0]\n"


def test_the_gradient_of_a_maximum_goes_to_the_rows_that_won() -> None:
    script = "X = torch.tensor([[1.,8.,3.],[4.,5.,6.]], requires_grad=True)\n"
    script += "torch.max(X,0).values.sum().backward()\nprint(X.grad.tolist())"
    assert printed(script) == "[[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]\n"


def test_backward_takes_an_initial_gradient_and_stores_every_parameters_gradient() -> None:
    script = FIFTH + "Y.backward(torch.Tensor([[1,1],[1,1]]))\n"
    assert (
        printed(script + "print(W.grad.tolist(), X.grad.tolist(), b.grad.tolist())")
        == "[[4.0, 4.0], [4.0, 4.0]] [[1.0, 1.0], [1.0, 1.0]] [4.0]\n"
    )


def test_the_initial_gradient_weighs_the_entries() -> None:
    script = FIFTH + "Y.backward(torch.Tensor([[1,0],[0,10]]))\n"
    assert (
        printed(script + "print(X.grad.tolist(), W.grad.tolist(), b.grad.item())")
        == "[[0.5, 0.5], [5.0, 5.0]] [[2.0, 20.0], [2.0, 20.0]] 11.0\n"
    )


def test_every_node_receives_the_initial_gradient() -> None:
    nodes = {node.name: node for node in graph_of(FIFTH, grad_output="ones").nodes}
    assert nodes["Y"].grad.tolist() == [[1, 1], [1, 1]]
    assert nodes["a"].grad.tolist() == [[1, 1], [1, 1]]
    assert nodes["b"].grad.tolist() == [4], "summed over the four entries it was added to"


def test_the_report_uses_the_gradient_the_script_gave() -> None:
    report = report_of(FIFTH + "Y.backward(torch.Tensor([[1,1],[1,1]]))")
    assert report.output.name == "Y"
    assert {v.name: v.grad.tolist() for v in report.gradients} == {
        "X": [[1, 1], [1, 1]],
        "W": [[4, 4], [4, 4]],
        "b": [4],
    }


def test_a_scalar_loss_needs_no_argument() -> None:
    script = FIFTH + "Y.sum().backward()\nprint(W.grad.tolist(), X.grad.tolist(), b.grad.tolist())"
    assert printed(script) == "[[4.0, 4.0], [4.0, 4.0]] [[1.0, 1.0], [1.0, 1.0]] [4.0]\n"


def test_without_requires_grad_a_tensor_gets_no_gradient() -> None:
    script = FIFTH.replace("[2., 2.]], requires_grad=True)", "[2., 2.]])")
    assert printed(script + "Y.sum().backward()\nprint(X.grad)") == "None\n"


#: The fifth article with entries that tell its index slips from the correct expansion.
DISTINCT = (
    "X = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n"
    "W = torch.tensor([[5., 6.], [7., 8.]], requires_grad=True)\n"
    "b = torch.tensor([4.], requires_grad=True)\n"
    "Y = torch.mm(X, W) + b\n"
    "Y.backward(torch.ones(2, 2))\n"
)


def test_the_first_entry_of_the_product_pairs_rows_with_columns() -> None:
    """x11*w11 + x12*w21; the article has x12*w12 there."""
    assert printed(DISTINCT + "print(Y.tolist())") == "[[23.0, 26.0], [47.0, 54.0]]\n"


def test_an_entry_of_x_receives_the_sum_of_its_row_of_w() -> None:
    assert printed(DISTINCT + "print(X.grad.tolist())") == "[[11.0, 15.0], [11.0, 15.0]]\n"


def test_an_entry_of_w_receives_the_sum_of_its_column_of_x() -> None:
    assert printed(DISTINCT + "print(W.grad.tolist())") == "[[4.0, 4.0], [6.0, 6.0]]\n"


def test_a_broadcast_operand_receives_the_sum_over_its_copies() -> None:
    derivation = derivation_of(DISTINCT, "b")
    assert np.asarray(derivation.value).tolist() == [4]
    assert derivation.difference == 0


def test_the_exercise_every_entry_of_w_receives_four() -> None:
    derivation = derivation_of(FIFTH, "W", grad_output="ones")
    assert np.asarray(derivation.value).tolist() == [[4, 4], [4, 4]]
    assert derivation.count == 1
    assert derivation.difference == 0


def test_variables_are_not_printed_in_the_old_style() -> None:
    script = "x = Variable(torch.Tensor([4]))\nprint(x)\nprint((x, x))"
    assert printed(script) == "tensor([4.])\n(tensor([4.]), tensor([4.]))\n"


# -- where the articles disagree --------------------------------------------------------------------------


def test_names_are_those_of_todays_torch() -> None:
    script = OLAH + "print((a * b).grad_fn.name(), (a / b).grad_fn.name(), (a + b).grad_fn.name())"
    assert printed(script) == "MulBackward0 DivBackward0 AddBackward0\n"


# -- error texts ------------------------------------------------------------------------------------------

ONE = "x = torch.ones(3, requires_grad=True)\n"
MESSAGES = {
    "second_backward": ("y = x * x\ny.sum().backward()\ny.sum().backward()", SECOND_BACKWARD),
    "nothing_requires_grad": (
        "torch.ones(1).backward()",
        "element 0 of tensors does not require grad and does not have a grad_fn",
    ),
    "gradient_of_another_shape": (
        "(torch.ones(3, 3) * x).backward(torch.ones(2, 2))",
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 2]) and output[0] has a shape of"
        " torch.Size([3, 3]).",
    ),
    "matrix_product": (
        "torch.mm(torch.ones(3, 3), torch.ones(2, 2))",
        "mat1 and mat2 shapes cannot be multiplied (3x3 and 2x2)",
    ),
    "broadcast": (
        "x + torch.ones(2)",
        "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
    ),
    "integers": (
        "torch.tensor([1, 2], requires_grad=True)",
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    "retain_grad": (
        "torch.ones(2).retain_grad()",
        "can't retain_grad on Tensor that has requires_grad=False",
    ),
    "in_place_on_a_leaf": (
        "x += 1",
        "a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    "saved_value_changed": (
        "y = x * 2\nz = y * y\ny += 1\nz.sum().backward()",
        "one of the variables needed for gradient computation has been modified by an inplace operation:"
        " [torch.DoubleTensor [3]], which is output 0 of Add, is at version 1; expected version 0"
        " instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient,"
        " with torch.autograd.set_detect_anomaly(True, check_nan=False).",
    ),
    "unused_input": (
        "y = torch.ones(1, requires_grad=True)\ntorch.autograd.grad(x.sum(), y)",
        "The differentiated Tensor at index 0 appears to not have been used in the graph. Set"
        " allow_unused=True if this is the desired behavior.",
    ),
    "numpy": (
        "x.numpy()",
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    "item": ("torch.ones(3, 3).item()", "a Tensor with 9 elements cannot be converted to Scalar"),
}


@pytest.mark.parametrize("mistake", MESSAGES)
def test_mistakes_are_named_in_torchs_words(mistake: str) -> None:
    script, message = MESSAGES[mistake]
    assert error_of(ONE + script) == message


def test_retain_grad_on_a_leaf_is_fine() -> None:
    assert printed(ONE + "x.retain_grad()\nx.sum().backward()\nprint(x.grad)") == "tensor([1., 1., 1.])\n"


# -- syntax -----------------------------------------------------------------------------------------------

#: Every form the articles write, with what it prints; ``p`` is a 2 by 2 matrix of ones, a leaf.
FORMS = {
    "import_torch": ("import torch\nprint(torch.ones(1))", "tensor([1.])\n"),
    "import_variable": ("from torch.autograd import Variable\nprint(Variable(p).ndim)", "2\n"),
    "import_display": (
        "from IPython.display import display, Math\ndisplay(Math('x'))",
        "<IPython.core.display.Math object>\n",
    ),
    "import_future": ("from __future__ import print_function\nprint(1)", "1\n"),
    "import_numpy": ("import numpy as np\nprint(np.pi)", "3.141592653589793\n"),
    "pylab": ("%pylab inline\nprint(1)", "1\n"),
    "comment": ("# nothing\nprint(1) # one", "1\n"),
    "names": ("a, x1, W, learning_rate = 1, 2, 3, 0.5\nprint(a, x1, W, learning_rate)", "1 2 3 0.5\n"),
    "tensor": ("print(torch.tensor([2.0], requires_grad=True))", "tensor([2.], requires_grad=True)\n"),
    "Tensor_of_data": ("print(torch.Tensor([4]))", "tensor([4.])\n"),
    "Tensor_of_rows": ("print(torch.Tensor([[2,2],[2,2]]).tolist())", "[[2.0, 2.0], [2.0, 2.0]]\n"),
    "Tensor_of_sizes": ("print(torch.Tensor(3, 5).shape)", "torch.Size([3, 5])\n"),
    "FloatTensor": ("print(torch.FloatTensor(3,3).dtype)", "torch.float32\n"),
    "randn_sizes": ("print(torch.randn(3,3).shape)", "torch.Size([3, 3])\n"),
    "randn_tuple": ("print(torch.randn((3,3),requires_grad=True).requires_grad)", "True\n"),
    "ones_of_a_shape": ("print(torch.ones(p.shape).tolist())", "[[1.0, 1.0], [1.0, 1.0]]\n"),
    "Variable": ("print(Variable(torch.Tensor([4]),requires_grad=True).requires_grad)", "True\n"),
    "mm": ("print(torch.mm(p,p).data.tolist())", "[[2.0, 2.0], [2.0, 2.0]]\n"),
    "add": ("print(torch.add(p,1).data.tolist())", "[[2.0, 2.0], [2.0, 2.0]]\n"),
    "log": ("print(torch.log(torch.Tensor([1])))", "tensor([0.])\n"),
    "max": (
        "print(torch.max(torch.Tensor([[1,4],[3,2]]),0))",
        "torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([1, 0]))\n",
    ),
    "operators": ("q = p*2 - p/4 + p\nprint(q.data.tolist())", "[[2.75, 2.75], [2.75, 2.75]]\n"),
    "scalar_on_either_side": ("print((1 - p + 5 - (10 -p)).sum().item())", "-16.0\n"),
    "method_of_parentheses": ("print((10 -p).sum().item())", "36.0\n"),
    "backward": ("p.sum().backward()\nprint(p.grad.sum().item())", "4.0\n"),
    "backward_of_a_matrix": ("(p*p).backward(torch.ones(p.shape))\nprint(p.grad.sum().item())", "8.0\n"),
    "retain_graph": ("p.sum().backward(retain_graph = True)\nprint(p.grad.sum().item())", "4.0\n"),
    "retain_variables": ("p.sum().backward(retain_variables=True)\nprint(p.grad.sum().item())", "4.0\n"),
    "retain_grad": ("q = p.sum()\nq.retain_grad()\nq.backward()\nprint(q.grad)", "tensor(1.)\n"),
    "attributes": ("print(p.grad, p.grad_fn, p.is_leaf, p.requires_grad)", "None None True True\n"),
    "data_and_shape": ("print(p.data.requires_grad, p.shape)", "False torch.Size([2, 2])\n"),
    "item": ("print(p.sum().item())", "4.0\n"),
    "attribute_assignment": ("t = torch.ones(1)\nt.requires_grad = True\nprint(t.requires_grad)", "True\n"),
    "no_grad": ("with torch.no_grad():\n    q = p*2\nprint(q.requires_grad)", "False\n"),
    "print_of_several": ("print(p.is_leaf, 'text', 1.5)\nprint('Z', 2)", "True text 1.5\nZ 2\n"),
    "print_of_nothing": ("print()", "\n"),
    "f_string": ('print(f"p grad: {p.grad}")', "p grad: None\n"),
    "formula": (
        "s = fr'\\frac{{\\partial e}}{{\\partial a}} = {p.sum().item()}'\nprint(s)",
        "\\frac{\\partial e}{\\partial a} = 4.0\n",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_the_articles_write_is_understood(form: str) -> None:
    script, expected = FORMS[form]
    # IPython's and __future__'s lines come first in a file, as in the articles.
    first, _, rest = (
        script.partition("\n") if script.startswith(("%", "from __future__")) else ("", "", script)
    )
    assert printed(f"{first}\np = torch.ones(2, 2, requires_grad=True)\n{rest}\n") == expected


def test_imports_of_anything_else_are_refused() -> None:
    outcome = run_script("import json\nprint(1)")
    assert outcome.error is not None
    assert outcome.stdout == ""


# -- the table of behaviours ------------------------------------------------------------------------------

ROWS = """
A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A15+
B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 B14 B15 B16 B16+ B17 B18 B19 B20 B21 B22 B23 B24 B25 B26 B27 B28
B29 B30 B31 B32 B33 B34 B35 B36 B37 B38
C1 C2 C3 C4 C5 C6 C7 C8 C9 C10
D1 D2 D3 D4 D5 D6 D7 D8 D9 D10 D11 D12 D13 D14
E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 E12 E13 E14 E15 E16 E17 E18 E19 E20 E21
X1 X2 X3 X4 X5 X6 X7
Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10 Y11 Y12 Y13
Z
"""


def table_of_behaviours() -> list[list[str]]:
    """The rows of ``articles.md``: id, behaviour, tests."""
    lines = (TESTS / "articles.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows[1:]]


def references() -> list[tuple[str, str, str, str]]:
    """Every test the table names: row, file, function, case or nothing."""
    return [(row, *found) for row, _, tests in table_of_behaviours() for found in REFERENCE.findall(tests)]


def test_the_table_has_every_behaviour_once_and_in_order() -> None:
    assert [row for row, _, _ in table_of_behaviours()] == ROWS.split()


def test_the_table_names_a_test_or_says_later() -> None:
    for row, behaviour, tests in table_of_behaviours():
        assert behaviour, row
        assert all(REFERENCE.fullmatch(part) or part == "later" for part in tests.split(", ")), (row, tests)


def test_the_table_names_tests_that_exist() -> None:
    assert not missing_tests((TESTS / "articles.md").read_text())


def test_the_table_names_cases_that_exist() -> None:
    scripts = {f"{path.stem}-float64" for path in ARTICLES.glob("*.ad")}
    cases = {
        "test_mistakes_are_named_in_torchs_words": set(MESSAGES),
        "test_prints_what_torch_prints": scripts,
    }
    for row, _, name, case in references():
        assert not case or case in cases[name], (row, name, case)


def test_the_table_names_every_test_of_this_file() -> None:
    named = {name for _, path, name, _ in references() if path == "test_articles.py"}
    own = {name for name in functions_in("test_articles.py") if not name.startswith("test_the_table_")}
    assert own == named
