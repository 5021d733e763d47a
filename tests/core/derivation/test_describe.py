"""Reports: the articles' derivations word for word, formulas, names and graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core import Function, Tensor, tensor
from autodiff.core.base.source import Source, Span
from autodiff.core.derivation.describe import describe
from autodiff.core.graph.state import mode
from described import FIRST, derive, describe_derivation, describe_graph, graph_of, names_of, simplified
from graph_builder import run, subject_of

THIRD = "a = leaf([3.])\nb = leaf([1.])\nc = a + b\nd = b + 1\ne = c*d\n"
FIFTH = """\
X = leaf([[2., 2.], [2., 2.]])
W = leaf([[0.5, 0.5], [0.5, 0.5]])
a = mm(X, W)
b = leaf([4.])
Y = a + b
"""
ONES = np.ones((2, 2))


# -- the articles -----------------------------------------------------------------------------------------


def test_the_first_article() -> None:
    d = derive(FIRST, "w1")
    assert (d.output, d.output_line, d.wrt, d.wrt_line, d.count, d.is_scalar) == ("L", 9, "w1", 3, 2, True)
    assert d.chain == (
        "dL/dx5 * dx5/d(w2*x3) * d(w2*x3)/dx3 * dx3/dw1",
        "dL/dx5 * dx5/d(w3*x4) * d(w3*x4)/dx4 * dx4/dw1",
    )
    assert d.local == ("(-1) * (1) * (w2) * (x1)", "(-1) * (1) * (w3) * (x2)")
    assert d.simplified == "-w2*x1 - w3*x2"
    assert d.numbers == ("-2*1", "-3*2")
    assert (d.value, d.backward, d.difference) == (-8.0, -8.0, 0.0)
    assert [path.contribution for path in d.paths] == [-2.0, -6.0]
    assert d.paths[0].nodes == ("L", "x5", "w2*x3", "x3", "w1")
    assert d.paths[0].factors == ("-1", "1", "w2", "x1")
    assert [path.symbol for path in d.paths] == ["-w2*x1", "-w3*x2"]


def test_the_gradients_of_the_first_article() -> None:
    report = describe(*run(FIRST, "x1 x2 w1 w2 w3"))
    assert [(v.name, v.grad, v.paths, v.line) for v in report.gradients] == [
        ("x1", -2.0, 1, 1),
        ("x2", -3.0, 1, 2),
        ("w1", -8.0, 2, 3),
        ("w2", -1.0, 1, 4),
        ("w3", -2.0, 1, 5),
    ]
    assert (report.output.name, report.output.value, report.output.line) == ("L", -7.0, 9)
    assert [d.simplified for d in report.derivations] == ["-w2*w1", "-w3*w1", "-w2*x1 - w3*x2", "-x3", "-x4"]
    assert report.script == "t.ad"


def test_the_third_article() -> None:
    d = derive(THIRD, "b", "e")
    assert d.is_scalar
    assert d.chain == ("de/dc * dc/db", "de/dd * dd/db")
    assert d.local == ("(d) * (1)", "(c) * (1)")
    assert d.simplified == "d + c"
    assert d.numbers == ("2", "4")
    np.testing.assert_array_equal(d.value, [6.0])


def test_the_fifth_article() -> None:
    subject, source = run(FIFTH, "W X b", "Y", ONES)
    by_w, by_x, by_b = describe(subject, source, graph=False).derivations
    assert not by_w.is_scalar
    assert by_w.chain == ("G . dY/da . da/dW",)
    assert by_w.local == ("dY/da: add, passes G through   da/dW: X.T @ (incoming)",)
    assert by_w.simplified == "X.T @ G"
    assert by_w.numbers == ("| 2  2 |     | 1  1 |\n| 2  2 |.T @ | 1  1 |",)
    np.testing.assert_array_equal(by_w.value, np.full((2, 2), 4.0))
    assert by_w.difference == 0.0
    assert by_x.simplified == "G @ W.T"
    assert (by_b.simplified, by_b.local) == ("sum(G)", ("dY/db: sum(incoming)",))
    np.testing.assert_array_equal(by_b.value, [4.0])


# -- formulas ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "wrt", "formula"),
    [
        ("w = leaf(3.)\nx = leaf(2.)\ny = leaf(1.)\nL = (w*x - y)**2", "w", "2*(w*x - y)*x"),
        ("w = leaf(3.)\nx = leaf(.2)\nh = tanh(w*x)\nL = h*1", "x", "(1 - h**2)*w"),
        ("x = leaf(3.)\nL = x*x", "x", "2*x"),
        ("x = leaf(3.)\nL = x*x*x", "x", "3*x**2"),
        ("x = leaf(3.)\ny = leaf(2.)\nL = x/y", "y", "-L/y"),
        ("x = leaf(3.)\ny = leaf(2.)\nL = x/y + 1", "y", "-x/y**2"),
        ("z = leaf(.5)\nL = z*z + sin(z)", "z", "2*z + cos(z)"),
        ("x = leaf(3.)\nL = exp(x)", "x", "L"),
        ("x = leaf(3.)\nL = 1 + exp(x)", "x", "exp(x)"),
        ("x = leaf(3.)\nL = x - x", "x", "0"),
        ("x = leaf(3.)\nL = relu(x*2)", "x", "2*[2*x > 0]"),
        ("x = leaf([1., 2.])\nL = sum(x)", "x", "ones(2)"),
        ("x = leaf([1., 2.])\nL = 3*sum(x*x)", "x", "6*x"),
        ("x = leaf([1., 2.])\nL = mean(exp(x))", "x", "0.5*exp(x)"),
        ("x = leaf([1., 2.])\nL = x[1]*3", "x", "3*one_hot(1, 2)"),
        (
            "X = leaf([[1., 2.]])\nw = leaf([1., 2.])\nt = tensor([1.])\nL = mean((X @ w - t)**2)",
            "w",
            "2*(X.T @ (X @ w - t))",
        ),
        ("X = leaf([[1., 2.], [3., 4.]])\nL = sum(X @ X)", "X", "ones(2, 2) @ X.T + X.T @ ones(2, 2)"),
        ("x = leaf([1., 2., 3.])\nt = tensor([0., 0., 1.])\nL = mse_loss(x, t)", "x", "2*(x - t)/3"),
        ("x = leaf([1., 2., 3.])\nb = leaf(1.)\nL = sum(x + b)", "b", "3"),
    ],
)
def test_formulas_are_in_the_script_s_own_words(lines: str, wrt: str, formula: str) -> None:
    assert simplified(lines, wrt) == formula


def test_the_incoming_weight_is_g() -> None:
    assert simplified("a = leaf([1., 2.])\nL = exp(2*a)", "a", seed=np.array([1.0, 3.0])) == "2*G*L"
    assert simplified("a = leaf(2.)\nL = a*a", "a", seed=3.0) == "2*G*a"


def test_long_operands_get_a_name_of_their_own() -> None:
    code = "alpha = leaf(2.)\nbeta = leaf(.5)\nL = sin(" + " + ".join(["alpha*beta"] * 8) + ")"
    d = derive(code, "alpha")
    [(invented, meaning)] = d.where
    assert invented == "t2"  # t1 is the sum of seven
    assert meaning.startswith("alpha*beta + alpha*beta")
    assert d.simplified.count("cos(t2") == 1
    assert d.numbers[0].startswith("8*cos(")


def test_an_invented_name_avoids_the_script_s() -> None:
    code = "t1 = leaf(2.)\nL = sin(" + " + ".join(["t1*t1*t1*t1"] * 8) + ")"
    assert [spelled for spelled, _ in derive(code, "t1").where] == ["t3"]


def test_negative_values_stand_in_brackets() -> None:
    d = derive("w = leaf(-3.)\nx = leaf(-2.)\nL = 1 - w*w*x", "w")
    assert (d.simplified, d.numbers) == ("-2*x*w", ("-2*(-2)*(-3)",))


def test_numbers_have_six_digits() -> None:
    assert derive("w = leaf(3.)\nx = leaf(0.123456789)\nL = w*x", "w").numbers == ("0.123457",)


def test_unconnected_inputs_get_zero() -> None:
    code = "x = leaf(2.)\nv = leaf([1., 2.])\nL = x*x"
    scalar, vector = describe(*run(code, "x v")).derivations
    assert scalar.count == 2
    assert (vector.count, vector.paths, vector.simplified, vector.difference) == (0, (), "0", 0.0)
    np.testing.assert_array_equal(vector.value, [0.0, 0.0])


def test_the_output_by_itself() -> None:
    d = derive("x = leaf(2.)\nL = x*3", "L")
    assert (d.count, d.chain, d.local, d.simplified, d.value) == (1, ("dL/dL",), ("(1)",), "1", 1.0)


def test_a_name_assigned_again_gets_versions() -> None:
    code = "x = leaf(3.)\nv = x*2\nx = v*v\nx = sin(x*x)\nL = x + 1"
    assert names_of(code) == ["x", "v", "x_1", "x_1*x_1", "x_2", "L"]
    assert simplified(code, "v") == "4*cos(x_1**2)*x_1*v"


def test_unnamed_nodes_are_called_by_their_text() -> None:
    assert names_of("x = leaf(3.)\nL = 2 * x   -  exp( x )") == ["x", "2*x", "exp( x )", "L"]


def test_a_transposed_matrix_is_written_as_one_within_other_names() -> None:
    derivation = derive("A = leaf([[1., 2.], [3., 4.]])\nL = sum(exp(A @ A.T))", "A")
    written = {str(side) for path in derivation.paths for edge in path.edges for side in edge}
    assert {"A.T", "A @ A.T", "exp(A @ A.T)"} <= written


def test_text_that_is_there_twice_is_told_apart_by_its_line_or_a_number() -> None:
    code = "x = leaf(3.)\nm = leaf(1.)\na = exp(x - m)\nb = (x - m)*(x - m)\nL = a*b"
    names = ["x", "m", "x - m", "a", "x - m (line 4)", "x - m (line 4, 2nd)", "b", "L"]
    assert sorted(names_of(code)) == sorted(names)
    assert names_of("x = leaf(3.)\nL = sin(x*2)*cos(x*2)") == [
        "x",
        "x*2",
        "sin(x*2)",
        "x*2 (2nd)",
        "cos(x*2)",
        "L",
    ]
    derivation = derive(code, "x")
    assert "db/d(x - m (line 4))" in " ".join(derivation.chain)
    assert "line" not in derivation.simplified + derivation.complete.text


def test_nodes_of_one_call_are_told_apart() -> None:
    x, t = tensor(2.0, requires_grad=True), tensor(0.5, requires_grad=True)
    x.source().name, t.source().name = "x", "t"
    mode.site = Span(4, 13)
    inner = x - t
    outer = inner * inner
    mode.site = None
    L = outer + 1
    assert L.node is not None
    L.node.name = "L"
    graph = describe_graph(subject_of(L.node, {}), Source("L = fun(x, t) + 1"))
    assert [node.name for node in graph.nodes] == ["x", "t", "x - t", "fun(x, t)", "L"]


def test_long_text_gives_way_to_a_short_name() -> None:
    code = "x = leaf(3.)\nL = sin(" + " + ".join(["x*x"] * 20) + ")*2"
    assert all(len(name) <= 40 for name in names_of(code))
    assert len(set(names_of(code))) == len(names_of(code))


# -- the graph ------------------------------------------------------------------------------------------


def test_the_graph_of_the_first_article() -> None:
    graph = graph_of(FIRST)
    assert (len(graph.nodes), len(graph.edges), graph.root) == (11, 11, 10)
    assert [node.id for node in graph.nodes] == list(range(11))
    by_name = {node.name: node for node in graph.nodes}
    assert by_name["L"].grad_fn == "RsubBackward1"
    assert (by_name["w2*x3"].op, by_name["w2*x3"].grad, by_name["w2*x3"].line) == ("mul", -1.0, 8)
    assert (by_name["w1"].op, by_name["w1"].grad_fn, by_name["w1"].grad) == ("leaf", None, -8.0)
    edges = {
        (graph.nodes[e.output].name, graph.nodes[e.input].name): (e.symbol, e.local) for e in graph.edges
    }
    assert edges["L", "x5"] == ("-1", -1.0)
    assert edges["w2*x3", "x3"] == ("w2", 2.0)
    assert edges["x3", "w1"] == ("x1", 1.0)
    assert all(i < node.id for node in graph.nodes for i in node.inputs)


def test_edges_of_tensors() -> None:
    graph = describe_graph(
        *run("X = leaf([[1., 2.], [3., 4.]])\nw = leaf([1., 2.])\nL = sum(exp(X*w) @ X)", "")
    )
    edges = {(graph.nodes[e.output].name, e.operand): e for e in graph.edges}
    assert edges["X*w", 1].symbol == "sum(G*X, dim=0)"
    assert edges["X*w", 1].local is None
    assert edges["X*w", 0].symbol == "w"
    np.testing.assert_array_equal(edges["X*w", 0].local, [[1.0, 2.0], [1.0, 2.0]])
    assert edges["exp(X*w) @ X", 0].local is None
    assert edges["exp(X*w) @ X", 0].symbol == "G @ X.T"
    assert edges["exp(X*w) @ X", 1].symbol == "exp(X*w).T @ G"


def test_untracked_operands_are_not_in_the_graph() -> None:
    graph = graph_of("x = leaf(3.)\nc = tensor(2.)\nL = c*x*4")
    assert [node.name for node in graph.nodes] == ["x", "c*x", "L"]
    assert [e.symbol for e in graph.edges] == ["c", "4"]


def test_released_values_are_no_obstacle() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    node: Any = (x * x * x).node
    assert x.node is not None
    subject = subject_of(node, {"x": x.node}, seed=np.ones(2))
    for each in subject.order:
        if each.op is not None:
            each.release()
    assert [n.shape for n in describe(subject, Source("")).graph.nodes] == [(2,)] * 3


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, *operands: Any) -> Tensor:
        ctx.save_for_backward(operands[0])
        return operands[0] * operands[0] * operands[0]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return grad_outputs[0] * 3 * x * x


def test_custom_functions() -> None:
    x = tensor(2.0, requires_grad=True)
    L = Cube.apply(x * x)
    assert L.node is not None
    assert x.node is not None
    x.node.name, L.node.name = "x", "L"
    d = describe_derivation(subject_of(L.node, {"x": x.node}), Source(""), 0)
    assert d.simplified == "2*Cube.backward(1)*x"
    assert (d.value, d.difference) == (192.0, 0.0)
