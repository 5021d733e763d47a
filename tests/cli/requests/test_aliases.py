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
