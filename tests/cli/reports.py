"""Reports built by hand, so that renderers are tested without the interpreter or the engine."""

from __future__ import annotations

from autodiff.cli.render.text import plain_text
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
from autodiff.core.report.records import Derivation, GradientReport, Path, Variable
from conftest import REPOSITORY

SEED = str(REPOSITORY / "examples" / "seeds" / "1_autograd.ad")
SEED_1 = """\
x1 = 1
x2 = 2
w1 = 1
w2 = 2
w3 = 3
x3 = w1*x1
x4 = w1*x2
x5 = w2*x3 + w3*x4
L = 1 - x5
"""


def leaf(name, line, value, grad, paths=1):
    return Variable(name, line, (), "float64", value, grad, paths)


def node(id, name, op, value, grad, inputs=(), line=None):
    grad_fn = None if op == "leaf" else op.capitalize() + "Backward0"
    return GraphNode(id, name, op, grad_fn, line, (), "float64", value, grad, inputs)


def seed_1_graph():
    nodes = (
        node(0, "x1", "leaf", 1.0, -2.0, line=1),
        node(1, "x2", "leaf", 2.0, -3.0, line=2),
        node(2, "w1", "leaf", 1.0, -8.0, line=3),
        node(3, "w2", "leaf", 2.0, -1.0, line=4),
        node(4, "w3", "leaf", 3.0, -2.0, line=5),
        node(5, "x3", "mul", 1.0, -2.0, (2, 0), 6),
        node(6, "x4", "mul", 2.0, -3.0, (2, 1), 7),
        node(7, "w2*x3", "mul", 2.0, -1.0, (3, 5), 8),
        node(8, "w3*x4", "mul", 6.0, -1.0, (4, 6), 8),
        node(9, "x5", "add", 8.0, -1.0, (7, 8), 8),
        node(10, "L", "sub", -7.0, 1.0, (9,), 9),
    )
    edges = (
        GraphEdge(5, 2, 0, 1.0, "x1"),
        GraphEdge(5, 0, 1, 1.0, "w1"),
        GraphEdge(6, 2, 0, 2.0, "x2"),
        GraphEdge(6, 1, 1, 1.0, "w1"),
        GraphEdge(7, 3, 0, 1.0, "x3"),
        GraphEdge(7, 5, 1, 2.0, "w2"),
        GraphEdge(8, 4, 0, 2.0, "x4"),
        GraphEdge(8, 6, 1, 3.0, "w3"),
        GraphEdge(9, 7, 0, 1.0, "1"),
        GraphEdge(9, 8, 1, 1.0, "1"),
        GraphEdge(10, 9, 1, -1.0, "-1"),
    )
    return Graph(10, nodes, edges)


def w1_derivation(**changes):
    first = ("dL/dx5", "dx5/d(w2*x3)", "d(w2*x3)/dx3", "dx3/dw1")
    second = ("dL/dx5", "dx5/d(w3*x4)", "d(w3*x4)/dx4", "dx4/dw1")
    fields = {
        "output": "L",
        "output_line": 9,
        "wrt": "w1",
        "wrt_line": 3,
        "count": 2,
        "paths": (
            Path(("L", "x5", "w2*x3", "x3", "w1"), first, ("-1", "1", "w2", "x1"), "-w2*x1", -2.0),
            Path(("L", "x5", "w3*x4", "x4", "w1"), second, ("-1", "1", "w3", "x2"), "-w3*x2", -6.0),
        ),
        "chain": (" * ".join(first), " * ".join(second)),
        "local": ("(-1) * (1) * (w2) * (x1)", "(-1) * (1) * (w3) * (x2)"),
        "simplified": "-w2*x1 - w3*x2",
        "numbers": ("-2*1", "-3*2"),
        "value": -8.0,
        "backward": -8.0,
        "difference": 0.0,
        "is_scalar": True,
    }
    return Derivation(**{**fields, **changes})


def seed_1_report(**changes):
    fields = {
        "script": "seed1.ad",
        "output": Variable("L", 9, (), "float64", -7.0, 1.0, 1),
        "weight": None,
        "gradients": (
            leaf("x1", 1, 1.0, -2.0),
            leaf("x2", 2, 2.0, -3.0),
            leaf("w1", 3, 1.0, -8.0, 2),
            leaf("w2", 4, 2.0, -1.0),
            leaf("w3", 5, 3.0, -2.0),
        ),
        "graph": seed_1_graph(),
        "derivations": (w1_derivation(),),
        "notes": (),
        "size": 11,
        "formulas": ("-w2*w1", "-w3*w1", "-w2*x1 - w3*x2", "-x3", "-x4"),
    }
    return GradientReport(**{**fields, **changes})


def texts(lines):
    """The lines of a report as plain text."""
    return "".join(map(plain_text, lines))
