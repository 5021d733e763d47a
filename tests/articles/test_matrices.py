"""The articles' matrices: backward from them, products, broadcasting, initial gradients."""

from __future__ import annotations

import numpy as np
import pytest
from article_scripts import (
    ARTICLES,
    FIFTH,
    MATRIX,
    NON_LEAF_WARNING,
    advice_of,
    derivation_of,
    error_of,
    graph_of,
    report_of,
)
from autodiff.core.base.source import Source
from autodiff.grammar.lint import lint
from script_runner import printed, run_script

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
