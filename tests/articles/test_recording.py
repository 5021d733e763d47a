"""What the articles say of recording: when a graph is kept or freed, what a leaf and a grad_fn are."""

from __future__ import annotations

import re

import pytest
from article_scripts import (
    FIRST_TENSORS,
    RANDOM_MATRICES,
    SECOND_BACKWARD,
    advice_of,
    autodiff,
    error_of,
    graph_of,
)
from script_runner import printed, run_script
from transcript import normalise

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
