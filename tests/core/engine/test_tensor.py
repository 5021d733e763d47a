"""Tensors: leaves, flags, sharing and in-place changes, in PyTorch's terms and words."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import no_grad, tensor
from autodiff.core.base.errors import AutodiffError, GradientError, ScriptError, ShapeError
from autodiff.core.ops.elementwise.transcendental import exp


def test_scalars_are_python_floats_and_look_like_arrays() -> None:
    x = tensor(2.5)
    assert x.value.__class__ is float
    assert (x.shape, x.ndim, x.entry_count, x.dtype.name) == ((), 0, 1, "float64")
    assert isinstance(x.data, np.ndarray)
    assert x.data.shape == ()


def test_leaf_rules() -> None:
    constant, weight = tensor([1.0]), tensor([1.0], requires_grad=True)
    product = constant * weight
    assert constant.is_leaf
    assert weight.is_leaf
    assert not product.is_leaf
    assert (constant * constant).is_leaf
    assert constant.grad_fn is None
    assert weight.grad_fn is None
    assert product.grad_fn is not None
    assert product.grad_fn.grad_fn_name == "MulBackward0"


def test_requires_grad_is_contagious() -> None:
    x, y, z = tensor([1.0]), tensor([2.0]), tensor([3.0], requires_grad=True)
    a = x + y
    assert not a.requires_grad
    assert (a + z).requires_grad


def test_no_grad_records_nothing() -> None:
    w = tensor(2.0, requires_grad=True)
    with no_grad():
        y = w * w
    assert not y.requires_grad
    assert y.is_leaf
    assert y.node is None


def test_tracking_is_invisible_to_the_script() -> None:
    x = tensor(2.0)
    x.track()
    y = x * 3
    assert not x.requires_grad
    assert not y.requires_grad
    assert y.grad_fn is None
    assert repr(y) == "tensor(6.)"
    assert y.node is not None
    assert y.node.tracked


def test_a_tracked_tensor_does_not_start_backward() -> None:
    x = tensor(2.0)
    x.track()
    with pytest.raises(GradientError, match="element 0 of tensors does not require grad"):
        (x * 3).backward()


def test_detach_shares_the_value_and_stops_the_gradient() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    d = x.detach()
    assert not d.requires_grad
    with no_grad():
        x.assign_in_place(x + 1)
    assert d.tolist() == [2.0, 3.0]


def test_in_place_on_a_leaf_that_requires_grad() -> None:
    w = tensor([1.0], requires_grad=True)
    with pytest.raises(
        GradientError, match=r"^a leaf Variable that requires grad is being used in an in-place operation\.$"
    ):
        w.assign_in_place(w + 1)


def test_in_place_update_of_a_leaf_keeps_its_gradient_and_its_place() -> None:
    w = tensor(3.0, requires_grad=True)
    (w * w).backward()
    with no_grad():
        w.assign_in_place(w - 0.5 * w.grad)
    assert w.item() == 0.0
    assert w.is_leaf
    assert w.requires_grad
    assert w.grad is not None
    assert w.grad.item() == 6.0
    (w * w).backward()
    assert w.grad.item() == 6.0  # 6 + 2*0


def test_a_saved_value_changed_in_place_is_refused() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y * y
    y.assign_in_place(y + 1)
    with pytest.raises(GradientError, match="modified by an inplace operation") as caught:
        z.backward(tensor([1.0, 1.0]))
    assert "is at version 1; expected version 0 instead" in caught.value.message
    assert "[torch.DoubleTensor [2]], which is output 0 of Add, is at" in caught.value.message


def test_a_result_read_by_its_own_rule_is_guarded_too() -> None:
    x = tensor([1.0], requires_grad=True)
    y = exp(x)
    z = y + 1
    y.assign_in_place(y * 2)
    with pytest.raises(GradientError, match="which is output 0 of Exp, is at version 1"):
        z.backward()


def test_in_place_after_use_is_fine_where_the_rule_needs_no_value() -> None:
    x = tensor([1.0], requires_grad=True)
    y = x * 2
    z = y + 1
    y.assign_in_place(y * 5)
    (z + y).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [12.0]


def test_an_untracked_operand_changed_in_place_is_refused() -> None:
    x = tensor([3.0])
    w = tensor([2.0], requires_grad=True)
    y = w * x
    x.assign_in_place(x + 1)
    with pytest.raises(
        GradientError, match=r"\[torch.DoubleTensor \[1\]\] is at version 1; expected version 0"
    ):
        y.backward()


def test_in_place_keeps_shape_and_dtype() -> None:
    x = tensor([1.0, 2.0])
    with pytest.raises(
        ShapeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[3, 2\]"
    ):
        x.assign_in_place(x + tensor(np.zeros((3, 2))))
    n = tensor([1, 2])
    with pytest.raises(ScriptError, match="result type Double can't be cast to the desired output type Long"):
        n.assign_in_place(n * 0.5)


def test_integers_cannot_require_gradients() -> None:
    with pytest.raises(GradientError, match="can require gradients"):
        tensor([1, 2], requires_grad=True)


def test_item_needs_one_entry() -> None:
    with pytest.raises(ScriptError, match=r"^a Tensor with 4 elements cannot be converted to Scalar$"):
        tensor([[1.0, 2.0], [3.0, 4.0]]).item()


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (
            (3,),
            (2,),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
        ),
        (
            (2, 3),
            (2, 2),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
        ),
        (
            (4, 1, 3),
            (2, 2),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 2",
        ),
    ],
)
def test_shapes_that_do_not_broadcast(left: tuple[int, ...], right: tuple[int, ...], message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        tensor(np.zeros(left)) + tensor(np.zeros(right))
    assert caught.value.message == message
    assert len(caught.value.operands) == 2


def test_grad_can_be_set_and_cleared() -> None:
    w = tensor([1.0, 2.0], requires_grad=True)
    w.grad = tensor([1.0, 1.0])
    assert w.grad.tolist() == [1.0, 1.0]
    w.grad = None
    assert w.grad is None
    with pytest.raises(AutodiffError, match="attempting to assign a gradient of size"):
        w.grad = tensor([1.0])


def test_mixed_dtypes_promote_as_torch_does() -> None:
    single = tensor(np.ones(2, np.float32))
    double = tensor(np.ones(2))
    assert (single * double).dtype.name == "float64"
    assert (single * tensor(2.0)).dtype.name == "float32"
    assert (single * 2.0).dtype.name == "float32"
    assert (tensor([1, 2]) * 2.5).dtype.name == "float64"
    assert (tensor([1, 2]) / tensor([2, 2])).tolist() == [0.5, 1.0]


def test_numbers_beyond_a_whole_type_go_round() -> None:
    """As in torch, where numpy refuses them."""
    byte = tensor(np.asarray([1], dtype="uint8"))
    assert (byte + 300).data.tolist() == [45]
    assert (byte % -3).data.tolist() == [1]
    assert (tensor(np.asarray([1], dtype="int32")) + 2**40).data.tolist() == [1]
