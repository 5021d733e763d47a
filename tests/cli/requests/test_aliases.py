"""An output that the script gives a second name, as in ``y = exp(x); L = y``: headings have the last one."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize("code", ["x = 2.; L = x", "x = 2.; y = 3*x; L = y", "x = 2.; L = max(x, 1)"])
def test_every_heading_has_the_output_s_own_name(autodiff, code):
    assert "   dL/d node\n" in autodiff("graph", "-e", code).out
    said = autodiff("explain", "-e", code).out
    assert said.startswith("dL/dx = ")
    assert "\n1 chain       dL/dx\n" in said
    assert r"\frac{\partial L}{\partial x} && \text{chain" in (
        autodiff("explain", "-e", code, "--format", "latex").out
    )


def test_the_tree_begins_with_it(autodiff):
    nodes = json.loads(autodiff("graph", "-e", "x = 2.; y = 3*x; L = y", "--format", "json").out)["graph"][
        "nodes"
    ]
    assert [(node["name"], node["op"]) for node in nodes] == [("x", "leaf"), ("L", "mul"), ("3", "constant")]


def test_a_node_asked_about_keeps_its_name(autodiff):
    assert "\n1 chain       dL/dy\n" in autodiff("explain", "-e", "x = 2.; y = 3*x; L = y", "--wrt", "y").out


def test_a_name_that_another_node_has_is_not_given_twice(autodiff):
    code = "x = 2.; L = 3*x; y = L + 1; L = y"
    assert "\n1 chain       dy/dL * dL/dx\n" in autodiff("explain", "-e", code).out


FUNCTION = "def f(x):\n    c = x**2\n    return c\n"


@pytest.mark.parametrize(
    "code",
    [
        "w = 2.\nd = f(w)",
        "w = torch.tensor(2., requires_grad=True)\nd = f(w)\nd.backward()",
        "w = torch.tensor([2.], requires_grad=True)\nd = f(w)\nd.backward()",
        "w = torch.tensor([2.], requires_grad=True)\ne = 3*w\nd = f(w)\nd.sum().backward()",
    ],
)
def test_the_result_of_a_function_has_the_name_that_the_script_gives_it(autodiff, code: str) -> None:
    done = autodiff("graph", "-e", FUNCTION + code)
    of = "d.sum()" if "sum" in code else "d"
    assert done.out.splitlines()[1].split()[0] == of


def test_a_variable_of_the_function_names_a_result_that_the_script_does_not_keep(autodiff) -> None:
    done = autodiff("graph", "-e", FUNCTION + "w = torch.tensor([2.], requires_grad=True)\nf(w).backward()")
    assert done.out.splitlines()[1].split()[0] == "c"
