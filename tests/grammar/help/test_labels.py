"""Labels say what the operands of a failed operation are, at the line that made them, or say nothing."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from script_runner import run_script

#: A script, and its labels as ``line: marked text: remark``; the failed line is the last but where noted.
CASES = {
    "assigned_before": (
        "X = torch.ones(2, 3)\nW = torch.ones(2, 2)\na = X @ W",
        ["1: X: X has shape (2, 3)", "2: W: W has shape (2, 2)"],
    ),
    "last_of_several": (
        "x = torch.ones(9)\nx = torch.ones(3)\ny = x + torch.ones(2)",
        ["2: x: x has shape (3,)", "3: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "other_name_of_it": (
        "x = torch.ones(3)\nz = x\ny = z + torch.ones(2)",
        ["2: z: z has shape (3,)", "3: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "tuple_target": (
        "a, b = torch.ones(3), torch.ones(2)\nc = a + b",
        ["1: a: a has shape (3,)", "1: b: b has shape (2,)"],
    ),
    "an_operand_that_is_a_literal": (
        "import numpy as np\nc, T = np.ones(3), np.ones(3)\ny = np.dot(c, [1, T, T**2])",
        ["2: T: T has shape (3,)", "3: 1: 1 is a single number"],
    ),
    "in_a_branch": (
        "n = 3\nif n > 2:\n    x = torch.ones(3)\nelse:\n    x = torch.ones(4)\ny = x + torch.ones(2)",
        ["3: x: x has shape (3,)", "6: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "loop_variable": (
        "for x in [torch.ones(3), torch.ones(4)]:\n    y = x + torch.ones(2)",
        ["2: x: x has shape (3,)", "2: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "changed_by_the_turn_before": (
        "h = torch.ones(1, 2)\nW = torch.ones(2, 3)\nfor i in range(2):\n    h = h @ W",
        ["2: W: W has shape (2, 3)", "4: h: h has shape (1, 3)"],
    ),
    "assigned_earlier_in_the_turn": (
        "for n in [2, 3]:\n    x = torch.ones(n)\n    y = x + torch.ones(2)",
        ["2: x: x has shape (3,)", "3: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "parameter": (
        "def f(a):\n    return a + torch.ones(2)\nx = torch.ones(3)\nf(x)",
        [
            "2: a: this is x",
            "2: torch.ones(2): torch.ones(2) has shape (2,)",
            "3: x: x has shape (3,)",
        ],
    ),
    "unnamed_parameter": (
        "def f(a):\n    return a + torch.ones(2)\nf(torch.ones(3))",
        ["2: a: a has shape (3,)", "2: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "local": (
        "def f():\n    h = torch.ones(3)\n    return h + torch.ones(2)\nf()",
        ["2: h: h has shape (3,)", "3: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "global_in_a_function": (
        "W = torch.ones(3)\ndef f():\n    return W + torch.ones(2)\nf()",
        ["1: W: W has shape (3,)", "3: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "comprehension": (
        "xs = [torch.ones(3)]\nys = [x + torch.ones(2) for x in xs]",
        ["2: torch.ones(2): torch.ones(2) has shape (2,)", "2: x: x has shape (3,)"],
    ),
    "one_value_twice": (
        "v = torch.ones(2, 3)\ny = v @ v",
        ["1: v: v has shape (2, 3)"],
    ),
    "parameter_assigned_later": (
        "h = torch.ones(3)\ndef f(h):\n    y = h + torch.ones(2)\n    h = y\nf(torch.ones(3))",
        ["3: h: h has shape (3,)", "3: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "loop_variable_of_a_function": (
        "h = torch.ones(3)\ndef f():\n    for h in [torch.ones(4)]:\n        return h + torch.ones(2)\nf()",
        ["4: h: h has shape (4,)", "4: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "loop_variable_outside": (
        "def f():\n    return W + torch.ones(2)\nW = torch.ones(2)\nfor W in [torch.ones(3)]:\n    f()",
        ["2: W: W has shape (3,)", "2: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "global_assigned_twice": (
        "def f():\n    return W + torch.ones(2)\nW = torch.ones(2)\nW = torch.ones(3)\nf()",
        ["2: torch.ones(2): torch.ones(2) has shape (2,)", "4: W: W has shape (3,)"],
    ),
    "after_a_loop": (
        "x = torch.ones(2)\nfor x in [torch.ones(3)]:\n    pass\ny = x + torch.ones(2)",
        ["4: torch.ones(2): torch.ones(2) has shape (2,)", "4: x: x has shape (3,)"],
    ),
    "assigned_at_the_end_of_the_loop": (
        "x = torch.ones(2)\nfor i in range(2):\n    y = x + torch.ones(2)\n    x = torch.ones(3)",
        ["3: torch.ones(2): torch.ones(2) has shape (2,)", "4: x: x has shape (3,)"],
    ),
    "in_a_branch_that_ran": (
        "x = torch.ones(2)\nif True:\n    x = torch.ones(3)\ny = x + torch.ones(2)",
        ["3: x: x has shape (3,)", "4: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "local_of_a_function_above": (
        "x = torch.ones(3)\ndef g():\n    x = 2\n    return x\ny = x + torch.ones(2)",
        ["1: x: x has shape (3,)", "5: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "function_of_that_name_above": (
        "def x():\n    return torch.ones(3)\nx = x()\ny = x + torch.ones(2)",
        ["3: x: x has shape (3,)", "4: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "parameter_of_an_inner_function": (
        "def f():\n    x = torch.ones(3)\n    def g(x):\n        return x\n    return x + torch.ones(2)\nf()",
        ["2: x: x has shape (3,)", "5: torch.ones(2): torch.ones(2) has shape (2,)"],
    ),
    "types": (
        "x = torch.tensor([1, 2])\ny = torch.ones(2) @ x",
        ["1: x: x holds int64 numbers", "2: torch.ones(2): torch.ones(2) holds float64 numbers"],
    ),
    "imported_name_is_no_operand": (
        "import torch\ny = torch.ones(3).sum(dim=1)",
        ["2: torch.ones(3): torch.ones(3) has shape (3,)"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_labels(name: str) -> None:
    text, wanted = CASES[name]
    error = run_script(text).error
    assert error is not None
    source = Source(text)
    said = sorted(
        f"{source.position(label.span.start)[0]}: {source.excerpt(label.span)}: {label.text}"
        for label in error.labels
    )
    assert said == sorted(wanted)


def test_a_used_up_graph_says_where_it_was_freed() -> None:
    text = "x = torch.tensor(2., requires_grad=True)\ny = x ** 2\ny.backward()\nz = y * 1\nz.backward()"
    error = run_script(text).error
    assert error is not None
    places = {label.text: Source(text).excerpt(label.span) for label in error.labels}
    assert places["the graph was freed here"] == "y.backward()"
    assert places["the values kept here for backward are gone"] == "x ** 2"


@pytest.mark.parametrize(
    "use", ["x[i]", "x.gather(0, i)", "x * i", "x ** i", "x.index_fill(0, i, 2.0)", "F.nll_loss(x, i[2])"]
)
def test_a_change_of_positions_or_of_an_operand_that_was_cast_is_pointed_at(use: str) -> None:
    lines = ["x = torch.ones(3, requires_grad=True)", "i = torch.tensor([0, 1, 2])"]
    source = Source("\n".join([*lines, f"y = {use}", "i += 1", "y.sum().backward()"]))
    error = run_script(source.text).error
    assert error is not None
    assert error.code == "E0403"
    assert sorted(source.position(label.span.start)[0] for label in error.labels) == [3, 4]
