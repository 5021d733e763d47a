"""The backward pass: values, order, accumulation, freeing, seeds, higher orders and long chains."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from autodiff.core import grad, no_grad, tensor
from autodiff.core.base.errors import GradientError, ShapeError
from autodiff.core.engine.public_functions import METHODS
from autodiff.core.graph.dtypes import float32
from autodiff.core.graph.saved_values import ALREADY_FREED
from autodiff.core.ops.elementwise.transcendental import exp, log, sin, tanh


def first_article():
    x1, x2, w1, w2, w3 = (tensor(v, requires_grad=True) for v in (1.0, 2.0, 1.0, 2.0, 3.0))
    x3 = w1 * x1
    x4 = w1 * x2
    x5 = w2 * x3 + w3 * x4
    return 1 - x5, (x1, x2, w1, w2, w3)


def test_the_first_article_by_hand() -> None:
    L, leaves = first_article()
    L.backward()
    assert L.item() == -7.0
    assert [leaf.grad.item() for leaf in leaves] == [-2.0, -3.0, -8.0, -1.0, -2.0]


def test_gradients_accumulate_over_passes() -> None:
    L, (_, _, w1, _, _) = first_article()
    L.backward(retain_graph=True)
    held = w1.grad
    L.backward()
    assert w1.grad.item() == -16.0
    assert held is w1.grad, "torch adds to .grad in place"


def test_a_second_pass_needs_retain_graph() -> None:
    L, _ = first_article()
    L.backward()
    with pytest.raises(GradientError) as caught:
        L.backward()
    assert caught.value.message == ALREADY_FREED


def test_a_second_pass_through_sums_is_free() -> None:
    a, b = tensor([1.0, 2.0], requires_grad=True), tensor([1.0, 1.0])
    c = a + b - a.detach()
    c.backward(tensor([1.0, 1.0]))
    c.backward(tensor([1.0, 1.0]))
    assert a.grad.tolist() == [2.0, 2.0]


def test_values_survive_freeing_for_whoever_uses_them_later() -> None:
    x = tensor([2.0], requires_grad=True)
    h = x + 1
    (h * h).backward()
    (h * h).backward()  # h's own node saved nothing; its value is the tensor's
    assert x.grad.tolist() == [12.0]


def test_freed_arrays_are_let_go() -> None:
    x = tensor(np.ones(1000), requires_grad=True)
    y = exp(x) * x
    y.backward(tensor(np.ones(1000)))
    assert [operand.strides for operand in y.node.operands] == [(0,), (0,)]
    assert y.node.out.strides == (0,)
    assert y.data.strides == (8,)
    assert [name.grad_fn_name for name in y.node.inputs] == ["ExpBackward0", "AccumulateGrad"]


def test_matrix_output_needs_a_gradient() -> None:
    L = 10 - tensor(np.ones((3, 3)), requires_grad=True) * 2
    with pytest.raises(GradientError, match=r"^grad can be implicitly created only for scalar outputs$"):
        L.backward()


def test_one_entry_counts_as_scalar() -> None:
    x = tensor([3.0], requires_grad=True)
    (x * x).backward()
    assert x.grad.tolist() == [6.0]


def test_the_gradient_argument_weighs_entries_and_must_fit() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    (x * x).backward(tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2.0, 40.0]
    with pytest.raises(ShapeError) as caught:
        (x * x).backward(tensor([1.0, 1.0, 1.0]))
    assert caught.value.message == (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and"
        " output[0] has a shape of torch.Size([2])."
    )


def test_retain_grad_fills_inner_tensors_also_when_asked_late() -> None:
    a, b = tensor([3.0], requires_grad=True), tensor([1.0], requires_grad=True)
    c = a + b
    d = b + 1
    e = c * d
    for t in (c, d, e, a):
        t.retain_grad()
    e.backward()
    assert [t.grad.item() for t in (a, b, c, d, e)] == [2.0, 6.0, 2.0, 4.0, 1.0]


def test_retain_grad_needs_a_gradient() -> None:
    with pytest.raises(GradientError, match=r"^can't retain_grad on Tensor that has requires_grad=False$"):
        tensor([1.0]).retain_grad()


def test_broadcasting_is_undone() -> None:
    x = tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    b = tensor([1.0, 2.0, 3.0], requires_grad=True)
    s = tensor(2.0, requires_grad=True)
    (x * b * s).backward(tensor(np.ones((2, 3))))
    assert b.grad.tolist() == (x.data.sum(0) * 2).tolist()
    assert s.grad.item() == (x.data * b.data).sum()
    assert x.grad.tolist() == np.broadcast_to(b.data * 2, (2, 3)).tolist()


def test_grad_leaves_dot_grad_alone_and_knows_unused_inputs() -> None:
    x, y = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
    (gx,) = grad(x * x, x)
    assert gx.item() == 4.0
    assert x.grad is None
    with pytest.raises(GradientError, match="at index 1 appears to not have been used in the graph"):
        grad(x * x, [x, y])
    assert grad(x * x, [x, y], allow_unused=True)[1] is None


def test_grad_with_respect_to_an_inner_tensor() -> None:
    x = tensor(2.0, requires_grad=True)
    h = x * x
    (gh,) = grad(h * h, h)
    assert gh.item() == 8.0


def test_grad_visits_only_what_leads_to_the_inputs() -> None:
    x, y = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
    shared = y * y
    shared.backward()  # frees it
    L = x * x + shared
    assert grad(L, x)[0].item() == 4.0


@pytest.mark.parametrize("order", range(1, 6))
def test_every_order_of_a_product_of_functions(order: int) -> None:
    """d^n/dx^n of exp(2x) is 2^n exp(2x); the graph of the gradient is differentiated again and again."""
    x = tensor(0.3, requires_grad=True)
    value = exp(2 * x)
    for _ in range(order):
        (value,) = grad(value, x, create_graph=True)
    assert value.item() == pytest.approx(2**order * np.exp(0.6), rel=1e-14)


def test_second_order_through_backward() -> None:
    x = tensor([0.5, 1.5], requires_grad=True)
    y = sin(x) * x
    y.backward(tensor([1.0, 1.0]), create_graph=True)
    assert x.grad.requires_grad
    (second,) = grad(x.grad, x, tensor([1.0, 1.0]))
    expected = 2 * np.cos(x.data) - x.data * np.sin(x.data)
    assert second.data == pytest.approx(expected, rel=1e-14)


def test_infinities_and_nans_flow_as_in_ieee_arithmetic() -> None:
    x = tensor(0.0, requires_grad=True)
    log(x).backward()
    assert x.grad.item() == np.inf
    y = tensor(0.0, requires_grad=True)
    (y / y).backward()
    assert np.isnan(y.grad.item())
    z = tensor(0.0, requires_grad=True)
    (1 / z).backward()
    assert z.grad.item() == -np.inf
    w = tensor(1000.0, requires_grad=True)
    v = exp(w)
    assert v.item() == np.inf


def test_no_grad_inside_a_graph_cuts_it() -> None:
    x = tensor(3.0, requires_grad=True)
    with no_grad():
        k = x * x
    (k * x).backward()
    assert x.grad.item() == 9.0


def test_a_chain_of_a_million_operations() -> None:
    """In a process of its own, because the garbage of a million nodes would slow the tests after it."""
    program = (
        "from autodiff.core import tensor\n"
        "x = tensor(0.5, requires_grad=True)\n"
        "y = x\n"
        "for _ in range(500_000):\n"
        "    y = y * 1.000001\n"
        "    y = y + 1e-9\n"
        "y.backward()\n"
        "print(x.grad.item())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(1.000001**500_000, rel=1e-9)


def test_shared_nodes_receive_the_sum_of_their_uses() -> None:
    x = tensor(0.7, requires_grad=True)
    h = tanh(x)
    L = h * h + h * x + h
    L.backward()
    t = np.tanh(0.7)
    assert x.grad.item() == pytest.approx((2 * t + 0.7 + 1) * (1 - t * t) + t, rel=1e-14)


@pytest.mark.parametrize("create_graph", [False, True])
def test_division_by_the_number_zero_has_an_infinite_slope(create_graph: bool) -> None:
    x = tensor([1.0, -2.0], requires_grad=True)
    with np.errstate(all="ignore"):
        (slope,) = grad([(x / 0)[0]], [x], create_graph=create_graph)
    assert slope.tolist()[0] == np.inf


@pytest.mark.parametrize("name", ["max", "min", "amax", "amin", "median", "prod", "std", "norm", "logsumexp"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_have_the_dtype_of_their_tensor(name: str, create_graph: bool) -> None:
    x = tensor([3.0, 1.0, 3.0], dtype=float32, requires_grad=True)
    out = METHODS[name](x, 0) if name == "logsumexp" else METHODS[name](x)
    [g] = grad(out, x, create_graph=create_graph)
    assert g is not None
    assert g.dtype is float32
