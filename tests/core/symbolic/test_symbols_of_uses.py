"""For each use of an op: what is written is what the engine computes, and its rule reads what torch keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from autodiff.core import Function, Tensor, tensor
from autodiff.core.base.errors import GradientError
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.core.graph.node import Node
from autodiff.core.ops.select.indexing import getitem
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import Expr, name_expr, number_expr
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.symbol import Symbol, symbolic_vjp, values_read
from expression_reader import sym
from one_test import in_one_test

# -- every use of an op: what is written is what the engine computes ---------------------------------------

M = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
Q = np.array([[2.0, 0.5], [0.3, 1.7]])
V = np.array([0.4, 1.1, 2.5])


def method(spelled: str, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    function = METHODS.get(spelled) or next(
        FUNCTIONS[n] for n in (f"torch.{spelled}", f"F.{spelled}") if n in FUNCTIONS
    )
    return lambda *xs: function(*xs, *args, **kwargs)


USES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "x+y": (lambda x, y: x + y, [M, V]),
    "x-y": (lambda x, y: x - y, [V, M]),
    "x*y": (lambda x, y: x * y, [M, V]),
    "x/y": (lambda x, y: x / y, [M, V]),
    "x**y": (lambda x, y: x**y, [V, V]),
    "x**2": (lambda x: x**2, [M]),
    "x**-1": (lambda x: x**-1, [M]),
    "2**x": (lambda x: 2**x, [M]),
    "x*2": (lambda x: x * 2, [M]),
    "x/2": (lambda x: x / 2, [M]),
    "2/x": (lambda x: 2 / x, [M]),
    "x+1": (lambda x: x + 1, [M]),
    "1-x": (lambda x: 1 - x, [M]),
    "-x": (lambda x: -x, [M]),
    "x@y": (lambda x, y: x @ y, [Q, M]),
    "x@v": (lambda x, y: x @ y, [M, V]),
    "v@x": (lambda x, y: x @ y, [np.array([1.0, 2.0]), M]),
    "v@v": (lambda x, y: x @ y, [V, V]),
    "batch@x": (lambda x, y: x @ y, [np.stack([Q, Q + 1, Q]), M]),
    "batch@v": (lambda x, y: x @ y, [np.stack([M, M + 1]), V]),
    "x.T": (lambda x: x.T, [M]),
    "x[1]": (lambda x: getitem(x, 1), [M]),
    "x[:, 0:2]": (lambda x: getitem(x, (slice(None), slice(0, 2))), [M]),
    "x[[1, 1]]": (lambda x: getitem(x, [1, 1]), [M]),
    "sum": (method("sum"), [M]),
    "sum(0)": (method("sum", 0), [M]),
    "sum(1, keepdim)": (method("sum", 1, keepdim=True), [M]),
    "mean": (method("mean"), [M]),
    "mean(1)": (method("mean", 1), [M]),
    "prod": (method("prod"), [M]),
    "max": (method("max"), [M]),
    "amax(0)": (method("amax", 0), [M]),
    "logsumexp": (method("logsumexp", 1), [M]),
    "var": (method("var"), [M]),
    "std": (method("std", 0), [M]),
    "norm": (method("norm"), [M]),
    "cumsum": (method("cumsum", 0), [M]),
    "cumprod": (method("cumprod", 1), [M]),
    "reshape": (method("reshape", 3, 2), [M]),
    "permute": (method("permute", 1, 0), [M]),
    "expand": (method("expand", 4, 3), [V]),
    "unsqueeze": (method("unsqueeze", 0), [M]),
    "repeat": (method("repeat", 2, 1), [M]),
    "flip": (method("flip", 0), [M]),
    "softmax": (method("softmax", 1), [M]),
    "log_softmax": (method("log_softmax", 1), [M]),
    "mse_loss": (method("mse_loss"), [M, V * np.ones((2, 1))]),
    "maximum": (method("maximum"), [M, V * np.ones((2, 1))]),
    "clamp": (method("clamp", 0.0, 1.0), [M]),
    "outer": (method("outer"), [V, V]),
    "tril": (method("tril"), [M]),
    **{
        f: (method(f), [np.abs(M)])
        for f in [
            "exp",
            "log",
            "sqrt",
            "sin",
            "cos",
            "tan",
            "tanh",
            "sigmoid",
            "relu",
            "abs",
            "square",
            "erf",
        ]
    },
}
#: Uses whose derivative the evaluator computes with ops that take arrays as parameters, or that have no text.
UNEVALUATED = {"x[[1, 1]]"}


def built(use: str) -> tuple[Tensor, list[Tensor]]:
    function, arrays = USES[use]
    leaves = [tensor(array, requires_grad=True) for array in arrays]
    return function(*leaves), leaves


@in_one_test("use", [use for use in USES if use not in UNEVALUATED])
def test_what_is_written_is_what_the_engine_computes(use: str) -> None:
    result, leaves = built(use)
    node = result.node
    assert node is not None
    g = np.random.default_rng(1).uniform(0.5, 1.5, result.shape)
    result.backward(tensor(g), retain_graph=True)
    if any(leaf.node not in node.inputs for leaf in leaves):
        pytest.skip("made of several ops")
    values: dict[str, Any] = {"G": g, "out": node.out}
    operands = []
    for index, (below, value) in enumerate(zip(node.inputs, node.operands, strict=True)):
        values[f"x{index}"] = value
        is_plain = below is None
        operands.append(Symbol(number_expr(value) if is_plain else name_expr(f"x{index}"), np.shape(value)))
    totals: dict[Node, Any] = {}
    for index, below in enumerate(node.inputs):
        if below is None:
            continue
        pulled = symbolic_vjp(
            node, index, sym("G", *result.shape), sym("out", *result.shape), tuple(operands)
        )
        assert pulled.shape == below.shape
        written: Expr = simplify(pulled.expr)
        assert "vjp" not in str(written)
        found = np.broadcast_to(value_of(written, values), below.shape)
        totals[below] = totals.get(below, 0) + found
    for leaf in leaves:
        assert leaf.grad is not None
        assert leaf.node is not None
        np.testing.assert_allclose(totals[leaf.node], leaf.grad.data, rtol=1e-12, atol=1e-12)


# -- what rules read ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "reads"),
    [
        ("x+y", set()),
        ("x-y", set()),
        ("x*y", {0, 1}),
        ("x*2", {1}),
        ("x/2", {1}),
        ("x/y", {0, 1}),
        ("2/x", {"inside"}),  # torch multiplies by 1/x, which it keeps
        ("x+1", set()),
        ("1-x", set()),
        ("-x", set()),
        ("x**2", {0}),
        ("exp", {"out"}),
        ("log", {0}),
        ("sigmoid", {"out"}),
        ("relu", {"out"}),  # what torch keeps; the rule itself reads x
        ("sum", set()),
        ("sum(0)", set()),
        ("mean", set()),
        ("reshape", set()),
        ("permute", set()),
        ("expand", set()),
        ("x[1]", set()),
        ("cumsum", set()),
        ("x@y", {0, 1}),
        ("softmax", {"out"}),
    ],
)
def test_values_read(use: str, reads: set[int | str]) -> None:
    result, _ = built(use)
    assert result.node is not None
    assert values_read(result.node) == reads


def test_only_rules_of_tracked_operands_count() -> None:
    x, c = tensor([1.0, 2.0], requires_grad=True), tensor([3.0, 4.0])
    node = (x * c).node
    assert node is not None
    assert values_read(node) == {1}


def test_a_released_node_answers_as_before() -> None:
    for use in ("x+y", "x*y", "sum(0)", "reshape", "exp", "softmax", "x[1]"):
        result, _ = built(use)
        node: Any = result.node
        before = values_read(node)
        node.release()
        assert values_read(node) == before, use


def test_custom_functions_read_what_they_save() -> None:
    class Double(Function):
        @staticmethod
        def forward(ctx: Any, *operands: Any) -> Tensor:
            return operands[0] * 2

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
            return grad_outputs[0] * 2

    class Keeping(Double):
        @staticmethod
        def forward(ctx: Any, *operands: Any) -> Tensor:
            ctx.save_for_backward(operands[0])
            return operands[0] * 2

    node, keeping = (f.apply(tensor([1.0], requires_grad=True)).node for f in (Double, Keeping))
    assert node is not None
    assert keeping is not None
    assert values_read(node) == frozenset()
    assert values_read(keeping) == {0}
    assert str(symbolic_vjp(node, 0, sym("G", 1), sym("out", 1), (sym("x", 1),)).expr) == "Double.backward(G)"


@pytest.mark.oracle
@pytest.mark.parametrize(
    "use",
    [u for u in USES if "[" not in u or u in ("x[1]", "x[:, 0:2]")],
)
def test_second_backward_raises_where_torch_raises(use: str) -> None:
    torch = pytest.importorskip("torch")

    def twice(backward: Callable[[], Any]) -> bool:
        backward()
        try:
            backward()
        except (RuntimeError, GradientError):
            return False
        return True

    function, arrays = USES[use]
    leaves = [tensor(array, requires_grad=True) for array in arrays]
    ours = function(*leaves)
    theirs_leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
    theirs = torch_use(torch, use)(*theirs_leaves)
    seed = np.ones(ours.shape)
    is_fine = twice(lambda: ours.backward(tensor(seed)))
    assert is_fine == twice(lambda: theirs.backward(torch.tensor(seed)))


def torch_use(torch: Any, use: str) -> Callable[..., Any]:
    special: dict[str, Callable[..., Any]] = {
        "x[1]": lambda x: x[1],
        "x[:, 0:2]": lambda x: x[:, 0:2],
        "sum(0)": lambda x: x.sum(0),
        "sum(1, keepdim)": lambda x: x.sum(1, keepdim=True),
        "mean(1)": lambda x: x.mean(1),
        "amax(0)": lambda x: x.amax(0),
        "logsumexp": lambda x: x.logsumexp(1),
        "std": lambda x: x.std(0),
        "cumsum": lambda x: x.cumsum(0),
        "cumprod": lambda x: x.cumprod(1),
        "reshape": lambda x: x.reshape(3, 2),
        "permute": lambda x: x.permute(1, 0),
        "expand": lambda x: x.expand(4, 3),
        "unsqueeze": lambda x: x.unsqueeze(0),
        "repeat": lambda x: x.repeat(2, 1),
        "flip": lambda x: x.flip(0),
        "softmax": lambda x: x.softmax(1),
        "log_softmax": lambda x: x.log_softmax(1),
        "mse_loss": torch.nn.functional.mse_loss,
        "clamp": lambda x: x.clamp(0.0, 1.0),
        "erf": torch.erf,
    }
    if use in special:
        return special[use]
    if use.isidentifier():
        found: Callable[..., Any] = vars(torch).get(use) or vars(torch._C.TensorBase)[use]
        return found
    return USES[use][0]
