"""Entries of arrays leave out what no rule reads, and nodes made afterwards have it all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.engine.hooks import pass_watch
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.fast.array_operators import SAME_SHAPE, is_float_elementwise, shared_bound_op
from autodiff.core.fast.array_tape import analyse_bound_op
from autodiff.core.fast.tape import BoundOp, is_tape_entry
from autodiff.core.graph.node import ArrayNode
from autodiff.core.graph.op import OPS, Op
from autodiff.core.symbolic.symbol import values_read
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from one_test import in_one_test

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.engine.tensor import Tensor

pytestmark = pytest.mark.skipif(not is_fast, reason="the plain engine keeps everything")

tanh = FUNCTIONS["torch.tanh"]
OF_ONE = sorted(
    (op for op in list(OPS.values()) if op.of_one is not None and is_float_elementwise(op)),
    key=lambda op: op.name,
)
#: Where functions have kinks, end, or go beyond all bounds.
EDGES = [0.3, -0.5, 0.0, -0.0, 1.0, -1.0, 2.0, 3.5, -7.0, 1e300, -1e300, np.inf, -np.inf, np.nan]


@pytest.fixture(autouse=True)
def unwatched() -> None:
    """Hooks of tests before this one would be seen."""
    pass_watch.start()


def leaf(*entries: float, dtype: str = "float64") -> Tensor:
    return tensor(np.array(entries, dtype), requires_grad=True)


def node_of(x: Tensor) -> ArrayNode:
    node = x.node
    assert isinstance(node, ArrayNode)
    return node


def test_a_result_that_no_rule_reads_is_let_go_of() -> None:
    h, a, b = leaf(1.0, 2.0), leaf(0.5, 0.25), leaf(3.0, 4.0)
    tanh(h * a + b)  # the first of each op teaches what its rules read
    product = h * a
    added = product + b
    kept = ref(product.value), ref(added.value)
    result = tanh(added)
    assert is_tape_entry(result)
    del product, added
    assert [value() for value in kept] == [None, None]
    result.backward(tensor(np.ones(2)))
    expected = 1 - np.tanh(np.array([3.5, 4.5])) ** 2
    assert b.grad is not None
    assert b.grad.tolist() == expected.tolist()


def test_nodes_have_the_values_that_were_left_out() -> None:
    h, a = leaf(1.0, 2.0), leaf(0.5, 0.25)
    for _ in range(2):
        steps = [h * a]
        steps.append(steps[-1] + 3.0)
        steps.append(steps[-1] - h)
        steps.append(tanh(steps[-1]))
        steps.append(-steps[-1])
        steps.append(2.0 - steps[-1])
    values = [step.value for step in steps]
    assert is_tape_entry(steps[0])
    nodes = [node_of(step) for step in steps]
    assert [node.out.tobytes() for node in nodes] == [value.tobytes() for value in values]
    expected: list[list[Any]] = [
        [h.value, a.value],
        [values[0], 3.0],
        [values[1], h.value],
        [values[2]],
        [values[3]],
        [2.0, values[4]],
    ]
    for node, operands in zip(nodes, expected, strict=True):
        assert [np.asarray(v).tobytes() for v in node.operands] == [np.asarray(v).tobytes() for v in operands]
        assert len(node.inputs) == len(operands)


@in_one_test("op", OF_ONE)
def test_what_the_rule_of_a_function_reads_is_kept(op: Op) -> None:
    use = shared_bound_op(op, SAME_SHAPE)
    analyse_bound_op(use)
    with np.errstate(all="ignore"):
        node = node_of(op(leaf(0.3, 0.5)))
    read = {"out" if value == "out" else "operand" for value in values_read(node)}
    kept = {"operand"} if use.needs_operands else set()
    kept |= {"out"} if use.needs_out else set()
    # What torch keeps may be more than the rule reads; `test_passes_give_what_nodes_give` looks at the rule.
    if op.saved is None:
        assert read <= kept


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@in_one_test("op", OF_ONE)
def test_passes_give_what_nodes_give(op: Op, dtype: str) -> None:
    found = []
    weight = tensor(np.linspace(-2.0, 2.0, len(EDGES), dtype=dtype))
    with np.errstate(all="ignore"):
        entries = [float(x) for x in np.array(EDGES, dtype)]
        for ask in (lambda y: None, lambda y: y.node):
            op(leaf(*entries, dtype=dtype))
            x = leaf(*entries, dtype=dtype)
            y = op(x * 1.0)
            ask(y)
            assert is_tape_entry(y) == (ask(y) is None)
            try:
                y.backward(weight)
            except Exception as error:  # what has no derivative says so both ways
                found.append(str(error))
            else:
                assert x.grad is not None
                found.append(x.grad.value.tobytes())
    assert found[0] == found[1]


def test_few_functions_keep_both() -> None:
    for op in OF_ONE:
        analyse_bound_op(shared_bound_op(op, SAME_SHAPE))
    both = [
        op.name for op in OF_ONE if (use := shared_bound_op(op, SAME_SHAPE)).needs_operands and use.needs_out
    ]
    assert shared_bound_op(OPS["tanh"], SAME_SHAPE).needs_operands is False
    assert shared_bound_op(OPS["sin"], SAME_SHAPE).needs_out is False
    assert len(both) < len(OF_ONE) / 4, both


@pytest.mark.parametrize(
    "make",
    [lambda x: x * 3.0 + 1.0, lambda x: 1.0 + x * x - 2.0, lambda x: -(x - 0.5), lambda x: tanh(x + x)],
    ids=["numbers", "a square", "a negative", "twice"],
)
def test_gradients_of_gradients_take_nodes(make: Callable[[Tensor], Tensor]) -> None:
    x = leaf(0.3, -0.5)
    make(x)
    y = make(x)
    assert is_tape_entry(y)
    (slope,) = grad(y, [x], grad_outputs=tensor(np.ones(2)), create_graph=True)
    curvature = None
    if slope.requires_grad:
        (curvature,) = grad(slope, [x], grad_outputs=tensor(np.ones(2)))
    h = 1e-5

    def value(entries: list[float]) -> np.ndarray:
        return np.asarray(make(leaf(*entries)).value)

    above, at, below = (value([0.3 + d, -0.5 + d]) for d in (h, 0.0, -h))
    assert slope.value == pytest.approx((above - below) / (2 * h), rel=1e-6)
    expected = (above - 2 * at + below) / h**2
    assert (np.zeros(2) if curvature is None else curvature.value) == pytest.approx(expected, abs=1e-4)


def test_results_of_functions_and_differences_are_let_go_of() -> None:
    x, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    sin, exp = FUNCTIONS["torch.sin"], FUNCTIONS["torch.exp"]
    exp((sin(x * 1.0) - b) * 2)  # teaches
    product = x * 1.0
    sine = sin(product)
    difference = sine - b
    doubled = difference * 2
    kept = [ref(value.value) for value in (product, sine, difference, doubled)]
    result = exp(doubled)
    assert is_tape_entry(result)
    del product, sine, difference, doubled
    # The rule of the sine reads its operand, that of a product its factors.
    assert [value() is None for value in kept] == [False, True, False, True]


def test_nodes_are_made_without_a_warning_and_of_arrays() -> None:
    """What is computed again is what it was: numpy answers numbers where arrays have no dimensions."""
    single = tensor(np.array(2.0, "float32"), requires_grad=True)
    single + single
    assert node_of(single + single).out.__class__ is np.ndarray
    with np.errstate(all="ignore"):
        x = leaf(np.inf, -1.0)
        FUNCTIONS["torch.sin"](x * 1.0)
        y = FUNCTIONS["torch.sin"](x * 1.0)
    assert np.isnan(node_of(y).out).tolist() == [True, False]


@pytest.mark.parametrize(
    ("rules", "needs_operand"),
    [
        ({"partials": (lambda out, x: out,)}, False),
        ({"partials": (lambda out, x: x,)}, True),
        ({"vjps": (lambda g, out, x: np.where(x, g, out),)}, True),
        ({"vjps": (lambda g, out, x: g * out if x else g,)}, True),
        ({"vjps": (lambda g, out, x: g * np.asarray(x).size,)}, True),
        ({"fast_vjps": (lambda g, out, x: g * out,), "partials": (lambda out, x: x + 1.0,)}, True),
        ({"fast_vjps": (lambda g, out, x: g * x,), "partials": (lambda out, x: out,)}, True),
        ({"fast_vjps": (lambda g, out, x: g * out,), "vjps": (lambda g, out, x: g * x,)}, True),
        ({"partials": (0,)}, True),  # of what has no slope the shape is asked for
    ],
)
def test_a_rule_that_asks_anything_of_an_operand_needs_it(rules: dict[str, Any], needs_operand: bool) -> None:
    op = Op("asked", lambda x: x, is_elementwise=True, **rules)
    use = BoundOp(op, SAME_SHAPE)
    analyse_bound_op(use)
    assert use.needs_operands == needs_operand


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("w = torch.tensor([3.0], requires_grad=True)\nL = w * w - 1\nL.backward()", 6.0),
        ("w = torch.tensor([3.0], requires_grad=True)\nL = w * w + 1\nL.backward()", 6.0),
        ("w = torch.tensor([3.0], requires_grad=True)\nL = 2 * (w * w)\nL.backward(torch.ones(1))", 12.0),
        ("w = torch.tensor([3.0], requires_grad=True)\nL = -(w * w)\nL.backward()", -6.0),
        ("w = torch.tensor([0.5], requires_grad=True)\nL = torch.sin(w * w)\nL.backward()", np.cos(0.25)),
    ],
)
def test_reports_show_the_value_that_was_left_out(text: str, given: float) -> None:
    for _ in range(2):  # the first teaches
        execution = execute(Source(text), Settings())
        subject = differentiate(execution, Settings())
        report = describe(subject, execution.source, derivations=False, graph=False)
        assert report.output.value.tobytes() == execution.names["L"].value.tobytes()
        assert [np.asarray(v.grad).item() for v in report.gradients] == pytest.approx([given])
