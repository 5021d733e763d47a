"""Custom functions: one node with the user's own backward, checked as torch checks it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from autodiff.core import Function, grad, tensor
from autodiff.core.base.errors import GradientError, ShapeError


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Scaled(Function):
    """Two operands, one of them a plain number that has no gradient."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.names["factor"] = factor
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.names["factor"], None


@pytest.mark.parametrize("value", [2.0, np.array([1.0, -2.0])])
def test_a_custom_rule_is_used(value) -> None:
    x = tensor(value, requires_grad=True)
    y = Cube.apply(x)
    assert y.grad_fn.grad_fn_name == "CubeBackward"
    y.backward(tensor(np.ones_like(value)))
    assert np.array_equal(x.grad.data, 3 * np.square(value))


def test_a_custom_rule_can_be_differentiated_again() -> None:
    x = tensor(2.0, requires_grad=True)
    (first,) = grad(Cube.apply(x), x, create_graph=True)
    assert first.item() == 12.0
    assert grad(first, x)[0].item() == 12.0


def test_plain_arguments_take_none() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    Scaled.apply(x, 3.0).backward(tensor([1.0, 1.0]))
    assert x.grad.tolist() == [3.0, 3.0]


def test_forward_is_not_recorded_and_untracked_calls_make_no_node() -> None:
    assert Cube.apply(tensor(2.0)).node is None


def test_the_number_of_gradients_is_checked() -> None:
    class Short(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return g

    x, y = tensor(1.0, requires_grad=True), tensor(2.0, requires_grad=True)
    with pytest.raises(GradientError, match=r"incorrect number of gradients \(expected 2, got 1\)"):
        Short.apply(x, y).backward()


def test_the_shape_of_a_gradient_is_checked() -> None:
    class Summed(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return tensor([1.0, 2.0, 3.0])

    x = tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ShapeError, match=r"invalid gradient at index 0 - got \[3\] but expected shape"):
        Summed.apply(x).backward(tensor([1.0, 1.0]))


class Counted(Function):
    """A product that notes every call of its ``backward``."""

    calls: ClassVar[list[str]] = []

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        Counted.calls.append(str(g.tolist()))
        x, y = ctx.saved_tensors
        return g * y, g * x


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("value", [2.0, [1.0, -2.0]])
def test_one_call_of_backward_serves_all_operands_of_one_pass(value, create_graph) -> None:
    x, y = tensor(value, requires_grad=True), tensor(value, requires_grad=True)
    out = Counted.apply(x, y)
    seed = tensor(np.ones_like(value))
    Counted.calls.clear()
    grad(out, [x, y], seed, retain_graph=True, create_graph=create_graph)
    assert len(Counted.calls) == 1
    grad(out, [x, y], seed, create_graph=create_graph)  # the same tensor, and another pass
    assert len(Counted.calls) == 2
