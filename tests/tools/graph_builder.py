"""Graphs for the tests of derivations: statements run with names and sites, as a script's are."""

from __future__ import annotations

import ast
import operator
import random
from typing import Any

import numpy as np
from autodiff.core import Tensor, tensor
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.core.engine.sweep import sweep
from autodiff.core.graph.node import Node
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.ops.select.indexing import getitem
from autodiff.core.report.records import ReportedPass

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
}


class Runner:
    """Runs assignments, telling the engine where each expression stands and naming what is assigned."""

    def __init__(self, code: str) -> None:
        self.names: dict[str, Any] = {}
        self._starts = [0]
        for line in code.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        try:
            for statement in ast.parse(code).body:
                assert isinstance(statement, ast.Assign)
                [target] = statement.targets
                assert isinstance(target, ast.Name)
                value = self.names[target.id] = self.value(statement.value)
                if isinstance(value, Tensor):
                    value.source().name = target.id
        finally:
            mode.site = None

    def value(self, at: Any) -> Any:
        match at:
            case ast.Constant():
                return at.value
            case ast.Name():
                return self.names[at.id]
            case ast.List() | ast.Tuple():
                return [self.value(x) for x in at.elts]
            case ast.BinOp():
                a, b = self.value(at.left), self.value(at.right)
                self.stand_at(at)
                return OPERATORS[type(at.op)](a, b)
            case ast.UnaryOp():
                x = self.value(at.operand)
                self.stand_at(at)
                return -x
            case ast.Subscript():
                x, index = self.value(at.value), self.value(at.slice)
                self.stand_at(at)
                return getitem(x, index)
            case ast.Attribute():
                x = self.value(at.value)
                self.stand_at(at)
                return x.T
        assert isinstance(at, ast.Call)
        args = [self.value(x) for x in at.args]
        kwargs = {str(keyword.arg): self.value(keyword.value) for keyword in at.keywords}
        if isinstance(at.func, ast.Attribute):
            x = self.value(at.func.value)
            self.stand_at(at)
            return METHODS[at.func.attr](x, *args, **kwargs)
        assert isinstance(at.func, ast.Name)
        self.stand_at(at)
        if at.func.id in ("leaf", "tensor"):
            return tensor(args[0], requires_grad=at.func.id == "leaf")
        name = next(n for n in (f"torch.{at.func.id}", f"F.{at.func.id}") if n in FUNCTIONS)
        return FUNCTIONS[name](*args, **kwargs)

    def stand_at(self, at: Any) -> None:
        start = self._starts[at.lineno - 1] + at.col_offset
        mode.site = Span(start, self._starts[at.end_lineno - 1] + at.end_col_offset)


def subject_of(
    root: Node, wrt: dict[str, Node], *, name: str = "L", seed: Any = None, weight: str | None = None
) -> ReportedPass:
    """What the engine knows after a backward pass from ``root``."""
    if seed is None:
        seed = 1.0 if root.out.__class__ is float else np.ones_like(root.out)
    order = newest_first([root])
    with np.errstate(all="ignore"):
        cotangents = sweep(order, {root: seed})
    return ReportedPass(name, root, seed, weight, tuple(wrt.items()), order, cotangents)


def run(code: str, wrt: str, output: str = "L", seed: Any = None) -> tuple[ReportedPass, Source]:
    """The subject and source of a few lines: ``run("w = leaf(2.)\\nL = w*w", "w")``."""
    names = Runner(code).names
    nodes = {name: names[name].node for name in wrt.split()}
    weight = None if seed is None else "G"
    return subject_of(names[output].node, nodes, name=output, seed=seed, weight=weight), Source(code, "t.ad")


def random_scalar_graph(seed: int, steps: int) -> tuple[Node, list[Node]]:
    """A random DAG of scalar operations, in which values stay moderate."""
    choose = random.Random(seed)
    leaves = [tensor(choose.uniform(0.5, 1.5), requires_grad=True) for _ in range(3)]
    values = list(leaves)
    for number, leaf in enumerate(leaves):
        leaf.source().name = f"x{number}"
    for number in range(steps):
        a, b = choose.choice(values[-5:]), choose.choice(values[-8:])
        function = choose.choice(["add", "sub", "mul", "sin", "tanh", "neg", "square", "relu", "scale"])
        if function in ("add", "sub", "mul"):
            made = getattr(operator, function)(a, b)
        elif function == "scale":
            made = a * choose.choice([2, 0.5, -1])
        else:
            made = METHODS[function](a)
        if choose.random() < 0.5:
            made.node.name = f"v{number}"
        values.append(made)
    total = values[-1]
    for value in values[-4:-1]:
        total = total + value
    return total.node, [leaf.node for leaf in leaves]


def random_tensor_graph(seed: int, steps: int) -> tuple[Node, list[Node]]:
    """A random DAG over matrices and vectors, with products, reductions, broadcasting and reshapes."""
    choose = random.Random(seed)
    entries = np.random.default_rng(seed)
    leaves = [tensor(entries.uniform(-1, 1, shape), requires_grad=True) for shape in [(2, 2), (2, 2), (2,)]]
    for number, leaf in enumerate(leaves):
        leaf.source().name = f"X{number}"
    values = list(leaves[:2])
    for _ in range(steps):
        a, b = choose.choice(values[-4:]), choose.choice(values[-6:])
        values.append(
            choose.choice(
                [
                    lambda a, b: a + b,
                    lambda a, b: a * b,
                    lambda a, b: a @ b,
                    lambda a, b: a @ b.T,
                    lambda a, b: a + leaves[2],
                    lambda a, b: METHODS["tanh"](a),
                    lambda a, b: METHODS["relu"](a) + b,
                    lambda a, b: a - METHODS["sum"](b, 0),
                    lambda a, b: METHODS["reshape"](METHODS["reshape"](a, 4), 2, 2) * b,
                    lambda a, b: a * METHODS["mean"](b),
                    lambda a, b: getitem(a, 0) + b,
                    lambda a, b: METHODS["softmax"](a, 1) / 2,
                ]
            )(a, b)
        )
    total = METHODS["sum"](values[-1] * leaves[2] + values[-2])
    return total.node, [leaf.node for leaf in leaves]
